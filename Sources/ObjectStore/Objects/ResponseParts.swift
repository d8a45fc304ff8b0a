/// The token of a property of a response type.
@_documentation(visibility: internal)
public struct ResponsePart<Value>: ResponsePartToken {
    /// What the part is, without its type.
    public let description: ResponsePartDescription
    let read: @Sendable (ResponseValues) -> Value

    init(_ description: ResponsePartDescription, read: @escaping @Sendable (ResponseValues) -> Value) {
        self.description = description
        self.read = read
    }
}

/// Makes the tokens of a response type's properties, telling values from models by type; for the code that
/// `@ResponseBody` writes.
@_documentation(visibility: internal)
public enum ResponseParts {
    /// A value is read as the attribute of a model would be.
    private static func value<V: Sendable>(_ attribute: Attribute<NoModel, V>) -> ResponsePart<V> {
        let property = attribute.description
        let index = property.index
        let description = ResponsePartDescription(
            index: index, name: property.name, kind: .value(property), json: property.jsonName, isRoot: property.isRoot)
        return ResponsePart(description) { attribute.decode($0.record.values[index] ?? property.defaultValue) }
    }
}

// MARK: Values

extension ResponseParts {
    /// A value with a default.
    public static func part<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V> {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// A value, if the body has it.
    public static func part<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V?> {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// An enum with a default. A raw value that no case has is the default.
    public static func part<V: RawRepresentable & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V> where V.RawValue: AttributeValue {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// An enum, if the body has a case of it.
    public static func part<V: RawRepresentable & Sendable>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V?> where V.RawValue: AttributeValue {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// An enum that conforms to `AttributeValue` as well keeps that conformance.
    public static func part<V: RawRepresentable & AttributeValue>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V> where V.RawValue: AttributeValue {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// The same, optional.
    public static func part<V: RawRepresentable & AttributeValue>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V?> where V.RawValue: AttributeValue {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// Any other value with a default, decoded by `JSONDecoder`.
    @_disfavoredOverload
    public static func part<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V> {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// The same, optional.
    @_disfavoredOverload
    public static func part<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V?> {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "a value needs a default, as in '= []', or an optional type")
    @_disfavoredOverload
    public static func part<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type, _ options: AttributeOptions = AttributeOptions()
    ) -> MisdeclaredPart<V> {
        misdeclared()
    }

    /// Explains the misuse; it can't be called.
    @available(
        *, unavailable,
        message: """
            a part of a response is a model or a list of models, another @ResponseBody type or a list of them, or a value: one \
            that JSON has, a Codable and Sendable type, or an enum with such a raw value; in a module of the main actor the \
            type is 'nonisolated'. Make it one, or mark the property @Transient
            """
    )
    @_disfavoredOverload
    public static func part<V>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure () -> V? = nil,
        _ options: AttributeOptions = AttributeOptions()
    ) -> MisdeclaredPart<V> {
        misdeclared()
    }
}

// MARK: Models

extension ResponseParts {
    /// At most one object.
    public static func part<M: Model>(
        _ index: Int, _ name: String, _ type: M?.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> ResponsePart<M?> {
        ResponsePart(description(index, name, .object(M.self), options)) { $0.objects(M.self, index).first }
    }

    /// A list of objects, in the body's order.
    public static func part<M: Model>(
        _ index: Int, _ name: String, _ type: [M].Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> ResponsePart<[M]> {
        ResponsePart(description(index, name, .list(M.self), options)) { $0.objects(M.self, index) }
    }

    /// `= []` says nothing that a list of models does not say already.
    public static func part<M: Model>(
        _ index: Int, _ name: String, _ type: [M].Type = [M].self, default value: @autoclosure () -> [M],
        _ options: RelationshipOptions = RelationshipOptions()
    ) -> ResponsePart<[M]> {
        part(index, name, type, options)
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "a part that is one object is optional: declare it 'Model?'")
    public static func part<M: Model>(
        _ index: Int, _ name: String, _ type: M.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> MisdeclaredPart<M> {
        misdeclared()
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "a list of models is never nil: declare it '[Model]'")
    public static func part<M: Model>(
        _ index: Int, _ name: String, _ type: [M]?.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> MisdeclaredPart<[M]?> {
        misdeclared()
    }

    private static func description(
        _ index: Int, _ name: String, _ kind: ResponsePartDescription.Kind, _ options: RelationshipOptions
    ) -> ResponsePartDescription {
        ResponsePartDescription(index: index, name: name, kind: kind, json: options.json, isRoot: options.isRoot)
    }
}

// MARK: Response types within response types

extension ResponseParts {
    /// Another response type; where the body has none, one in which every part is missing.
    public static func part<B: ResponseBody>(
        _ index: Int, _ name: String, _ type: B.Type, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<B> {
        ResponsePart(description(index, name, .body(B.self), options)) { values in
            values.bodies(B.self, index).first ?? B(values.empty)
        }
    }

    /// Another response type, if the body has it.
    public static func part<B: ResponseBody>(
        _ index: Int, _ name: String, _ type: B?.Type, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<B?> {
        ResponsePart(description(index, name, .body(B.self), options)) { $0.bodies(B.self, index).first }
    }

    /// A list of them, in the body's order.
    public static func part<B: ResponseBody>(
        _ index: Int, _ name: String, _ type: [B].Type, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<[B]> {
        ResponsePart(description(index, name, .bodies(B.self), options)) { $0.bodies(B.self, index) }
    }

    /// The same with `= []`, which says nothing more.
    public static func part<B: ResponseBody>(
        _ index: Int, _ name: String, _ type: [B].Type = [B].self, default value: @autoclosure () -> [B],
        _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<[B]> {
        part(index, name, type, options)
    }

    private static func description(
        _ index: Int, _ name: String, _ kind: ResponsePartDescription.Kind, _ options: AttributeOptions
    ) -> ResponsePartDescription {
        ResponsePartDescription(index: index, name: name, kind: kind, json: options.json, isRoot: options.isRoot)
    }
}

extension ResponseParts {
    private static func misdeclared() -> Never {
        // Nothing can call what is unavailable, and no value of the type can be made.
        fatalError("not reachable: what is unavailable has no caller")
    }
}

/// The token of a part whose type can be no part's, so that the compiler says so once. There is none.
@_documentation(visibility: internal)
public struct MisdeclaredPart<Value>: ResponsePartToken {
    /// What the part declares.
    public let description: ResponsePartDescription
    let never: Never
}

/// Stands where an attribute's model is asked for and there is none: the values of response types are read as
/// attributes are. No store is opened with it, so there are no objects of it.
final class NoModel: Model {
    struct Properties: Sendable {}

    static let properties = Properties()
    static let modelDescription = ModelDescription(NoModel.self, "NoModel", ModelOptions(), [])

    let _object: ObjectState

    init(_object: ObjectState) { self._object = _object }
}
