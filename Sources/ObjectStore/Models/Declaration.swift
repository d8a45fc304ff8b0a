/// Makes the tokens of a class's properties, for the code that `@Model` writes.
///
/// The type checker selects an overload by the property's type.
@_documentation(visibility: internal)
public enum Declaration<Owner: Model> {
    static func attribute<Value: Sendable>(
        _ index: Int, _ name: String, _ kind: AttributeKind, _ options: AttributeOptions, isOptional: Bool = false,
        hasConstantDefault: Bool = false, default value: @escaping @Sendable () -> StoredValue,
        decode: @escaping @Sendable (StoredValue) -> Value, encode: @escaping @Sendable (Value) -> StoredValue,
        canonical: @escaping @Sendable (StoredValue) -> StoredValue?
    ) -> Attribute<Owner, Value> {
        let kind = PropertyDescription.Kind.attribute(kind, default: value, options: options)
        return Attribute(
            PropertyDescription(
                index: index, name: name, kind: kind, isOptional: isOptional, hasConstantDefault: hasConstantDefault,
                binding: TransformerBinding(decode: decode, encode: encode, canonical: canonical)),
            decode: decode, encode: encode, canonical: canonical)
    }
}

// MARK: Attribute values

extension Declaration {
    /// Declares an attribute with a default.
    public static func property<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V> {
        attribute(
            index, name, V.kind, options, default: { value().stored },
            decode: { V(stored: $0) ?? value() }, encode: { $0.stored },
            canonical: { V(stored: $0)?.stored })
    }

    /// Declares an optional attribute.
    public static func property<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V?> {
        attribute(
            index, name, V.kind, options, isOptional: true, default: { value()?.stored ?? .null },
            decode: { V(stored: $0) }, encode: { $0?.stored ?? .null },
            canonical: { V(stored: $0)?.stored })
    }
}

// MARK: Enums with a raw value

extension Declaration {
    /// Declares an enum with a default. An unknown raw value reads as the default; assigning that keeps the raw value.
    public static func property<V: RawRepresentable & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V> where V.RawValue: AttributeValue {
        attribute(
            index, name, V.RawValue.kind, options, default: { value().rawValue.stored },
            decode: { V.RawValue(stored: $0).flatMap(V.init(rawValue:)) ?? value() }, encode: { $0.rawValue.stored },
            canonical: { V.RawValue(stored: $0).flatMap(V.init(rawValue:))?.rawValue.stored })
    }

    /// Declares an optional enum. An unknown raw value reads as nil; assigning nil keeps the raw value.
    public static func property<V: RawRepresentable & Sendable>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V?> where V.RawValue: AttributeValue {
        attribute(
            index, name, V.RawValue.kind, options, isOptional: true, default: { value()?.rawValue.stored ?? .null },
            decode: { V.RawValue(stored: $0).flatMap(V.init(rawValue:)) }, encode: { $0?.rawValue.stored ?? .null },
            canonical: { V.RawValue(stored: $0).flatMap(V.init(rawValue:))?.rawValue.stored })
    }

    /// Declares an enum by its own conformance to `AttributeValue`.
    public static func property<V: RawRepresentable & AttributeValue>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V> where V.RawValue: AttributeValue {
        attribute(
            index, name, V.kind, options, default: { value().stored },
            decode: { V(stored: $0) ?? value() }, encode: { $0.stored },
            canonical: { V(stored: $0)?.stored })
    }

    /// Declares an optional enum by its own conformance to `AttributeValue`.
    public static func property<V: RawRepresentable & AttributeValue>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V?> where V.RawValue: AttributeValue {
        attribute(
            index, name, V.kind, options, isOptional: true, default: { value()?.stored ?? .null },
            decode: { V(stored: $0) }, encode: { $0?.stored ?? .null },
            canonical: { V(stored: $0)?.stored })
    }
}

// MARK: Arrays, sets and dictionaries of enums

extension Declaration {
    /// Declares a collection of enums with a default. Unknown raw values stay in the file and aren't read.
    public static func property<V: RawValueCollection & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V> {
        attribute(
            index, name, V.rawKind, options, default: { value().rawStored },
            decode: { V(rawStored: $0) ?? value() }, encode: { $0.rawStored },
            canonical: { V(rawStored: $0)?.rawStored })
    }

    /// Declares an optional collection of enums. Unknown raw values stay in the file and aren't read.
    public static func property<V: RawValueCollection & Sendable>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V?> {
        attribute(
            index, name, V.rawKind, options, isOptional: true, default: { value()?.rawStored ?? .null },
            decode: { V(rawStored: $0) }, encode: { $0?.rawStored ?? .null },
            canonical: { V(rawStored: $0)?.rawStored })
    }

    /// Declares a collection of enums by its own conformance to `AttributeValue`.
    public static func property<V: RawValueCollection & AttributeValue>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V> {
        attribute(
            index, name, V.kind, options, default: { value().stored },
            decode: { V(stored: $0) ?? value() }, encode: { $0.stored },
            canonical: { V(stored: $0)?.stored })
    }

    /// Declares an optional collection of enums by its own conformance to `AttributeValue`.
    public static func property<V: RawValueCollection & AttributeValue>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V?> {
        attribute(
            index, name, V.kind, options, isOptional: true, default: { value()?.stored ?? .null },
            decode: { V(stored: $0) }, encode: { $0?.stored ?? .null },
            canonical: { V(stored: $0)?.stored })
    }
}

// MARK: Codable values

extension Declaration {
    /// Declares any other `Codable` value, stored as JSON.
    @_disfavoredOverload
    public static func property<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V> {
        attribute(
            index, name, .codable(V.self), options, default: { storedJSON(value()) },
            decode: { V(storedJSON: $0) ?? value() }, encode: { storedJSON($0) },
            canonical: { V(storedJSON: $0).map(storedJSON) })
    }

    /// Declares any other optional `Codable` value, stored as JSON.
    @_disfavoredOverload
    public static func property<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V?.Type = V?.self,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V?> {
        attribute(
            index, name, .codable(V.self), options, isOptional: true, default: { value().map(storedJSON) ?? .null },
            decode: { V(storedJSON: $0) }, encode: { $0.map(storedJSON) ?? .null },
            canonical: { V(storedJSON: $0).map(storedJSON) })
    }
}

// MARK: Relationships

extension Declaration {
    /// Declares a relationship to at most one object.
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: M?.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> ToOne<Owner, M> {
        ToOne(PropertyDescription(index: index, name: name, kind: .toOne(M.self, options: options)))
    }

    /// Declares a relationship to a list of objects.
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: [M].Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> ToMany<Owner, M> {
        ToMany(PropertyDescription(index: index, name: name, kind: .toMany(M.self, options: options)))
    }

    /// Declares a list with the default `= []`, which has no effect.
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: [M].Type = [M].self, default value: @autoclosure () -> [M],
        _ options: RelationshipOptions = RelationshipOptions()
    ) -> ToMany<Owner, M> {
        property(index, name, type, options)
    }
}

// MARK: Relationships to one of several models

extension Declaration {
    /// Declares a relationship to at most one object of one of several models. The compiler tries this overload last.
    @_disfavoredOverload
    public static func property<C: ModelChoice>(
        _ index: Int, _ name: String, _ type: C?.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> ToOneChoice<Owner, C> {
        ToOneChoice(PropertyDescription(index: index, name: name, choosing: C.choices, options))
    }
}
