/// The token of a property of a response type.
@_documentation(visibility: internal)
public struct ResponsePart<Value>: ResponsePartToken {
    /// The part without its type.
    public let description: ResponsePartDescription
    let read: @Sendable (ResponseValues) -> Value

    init(_ description: ResponsePartDescription, read: @escaping @Sendable (ResponseValues) -> Value) {
        self.description = description
        self.read = read
    }
}

/// Creates the tokens of a response type's properties.
@_documentation(visibility: internal)
public enum ResponseParts {
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

    /// An optional value.
    public static func part<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V?> {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// An enum with a default, also for raw values without a case.
    public static func part<V: RawRepresentable & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V> where V.RawValue: AttributeValue {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// An optional enum; nil for raw values without a case.
    public static func part<V: RawRepresentable & Sendable>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V?> where V.RawValue: AttributeValue {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// An enum by its own conformance to `AttributeValue`.
    public static func part<V: RawRepresentable & AttributeValue>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V> where V.RawValue: AttributeValue {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// An optional enum by its own conformance to `AttributeValue`.
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

    /// Any other optional value, decoded by `JSONDecoder`.
    @_disfavoredOverload
    public static func part<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<V?> {
        self.value(Declaration<NoModel>.property(index, name, type, default: value(), options))
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "a value needs a default, as in '= []', or an optional type")
    @_disfavoredOverload
    public static func part<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type, _ options: AttributeOptions = AttributeOptions()
    ) -> MisdeclaredPart<V> {
        misdeclared()
    }

    /// Explains the misuse.
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
    /// An optional object.
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

    /// A list of objects with a default `= []`, without effect.
    public static func part<M: Model>(
        _ index: Int, _ name: String, _ type: [M].Type = [M].self, default value: @autoclosure () -> [M],
        _ options: RelationshipOptions = RelationshipOptions()
    ) -> ResponsePart<[M]> {
        part(index, name, type, options)
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "a part that is one object is optional: declare it 'Model?'")
    public static func part<M: Model>(
        _ index: Int, _ name: String, _ type: M.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> MisdeclaredPart<M> {
        misdeclared()
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "a list of models is never nil: declare it '[Model]'")
    public static func part<M: Model>(
        _ index: Int, _ name: String, _ type: [M]?.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> MisdeclaredPart<[M]?> {
        misdeclared()
    }

    fileprivate static func description(
        _ index: Int, _ name: String, _ kind: ResponsePartDescription.Kind, _ options: RelationshipOptions
    ) -> ResponsePartDescription {
        ResponsePartDescription(index: index, name: name, kind: kind, json: options.json, isRoot: options.isRoot)
    }
}

// MARK: Objects of several models

extension ResponseParts {
    /// An optional object of one of several models.
    public static func part<C: ModelChoice>(
        _ index: Int, _ name: String, _ type: C?.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> ResponsePart<C?> {
        ResponsePart(description(index, name, .mixed(C.choices, isList: false), options)) {
            $0.choices(C.self, index).first
        }
    }

    /// A list of objects of several models, in the body's order.
    public static func part<C: ModelChoice>(
        _ index: Int, _ name: String, _ type: [C].Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> ResponsePart<[C]> {
        ResponsePart(description(index, name, .mixed(C.choices, isList: true), options)) { $0.choices(C.self, index) }
    }

    /// A list of objects of several models with a default `= []`, without effect.
    public static func part<C: ModelChoice>(
        _ index: Int, _ name: String, _ type: [C].Type = [C].self, default value: @autoclosure () -> [C],
        _ options: RelationshipOptions = RelationshipOptions()
    ) -> ResponsePart<[C]> {
        part(index, name, type, options)
    }
}

// MARK: Nested response types

extension ResponseParts {
    /// Another response type; if the body lacks it, all of its parts are missing.
    public static func part<B: ResponseBody>(
        _ index: Int, _ name: String, _ type: B.Type, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<B> {
        ResponsePart(description(index, name, .body(B.self), options)) { values in
            values.bodies(B.self, index).first ?? B(values.empty)
        }
    }

    /// Another response type, optional.
    public static func part<B: ResponseBody>(
        _ index: Int, _ name: String, _ type: B?.Type, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<B?> {
        ResponsePart(description(index, name, .body(B.self), options)) { $0.bodies(B.self, index).first }
    }

    /// A list of another response type, in the body's order.
    public static func part<B: ResponseBody>(
        _ index: Int, _ name: String, _ type: [B].Type, _ options: AttributeOptions = AttributeOptions()
    ) -> ResponsePart<[B]> {
        ResponsePart(description(index, name, .bodies(B.self), options)) { $0.bodies(B.self, index) }
    }

    /// A list of another response type with a default `= []`, without effect.
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
        // The compiler refuses callers.
        fatalError("not reachable: what is unavailable has no caller")
    }
}

/// The token of a part of an unsuitable type, without instances.
@_documentation(visibility: internal)
public struct MisdeclaredPart<Value>: ResponsePartToken {
    /// The declaration of the part.
    public let description: ResponsePartDescription
    let never: Never
}

/// The model of the attributes that are values of response types, unknown to stores.
final class NoModel: Model {
    struct Properties: Sendable {}

    static let properties = Properties()
    static let modelDescription = ModelDescription(NoModel.self, "NoModel", ModelOptions(), [])

    let _object: ObjectState

    init(_object: ObjectState) { self._object = _object }
}
