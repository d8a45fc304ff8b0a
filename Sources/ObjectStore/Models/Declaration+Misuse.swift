// Property types that all overloads refuse. Each gets a message instead of a list of candidates.

extension Declaration {
    /// Explains the misuse.
    @available(*, unavailable, message: "an attribute needs a default, as in '= []', or an optional type")
    @_disfavoredOverload
    public static func property<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type
    ) -> MisdeclaredAttribute<Owner, V> {
        misdeclared()
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "an attribute needs a default, as in '= []', or an optional type")
    public static func property<V: RawValueCollection & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type
    ) -> MisdeclaredAttribute<Owner, V> {
        misdeclared()
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "a relationship takes @Relationship, not @Attribute")
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: M?.Type, _ options: AttributeOptions
    ) -> ToOne<Owner, M> {
        property(index, name, type)
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "a relationship takes @Relationship, not @Attribute")
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: [M].Type, _ options: AttributeOptions
    ) -> ToMany<Owner, M> {
        property(index, name, type)
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "a to-many relationship is never nil: declare it '[Model]'")
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: [M]?.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> ToMany<Owner, M> {
        property(index, name, [M].self)
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "a relationship to one object is optional: declare it 'Model?'")
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: M.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> ToOne<Owner, M> {
        property(index, name, M?.self)
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "a relationship starts out empty: remove the default")
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: M?.Type = M?.self, default value: @autoclosure () -> M?,
        _ options: RelationshipOptions = RelationshipOptions()
    ) -> ToOne<Owner, M> {
        property(index, name, M?.self)
    }

    /// Explains the misuse.
    @available(
        *, unavailable,
        message: """
            a list that mixes models has no place in the store: fetch it with 'Choice.fetchAll(_:in:)', or declare one list \
            for each model
            """
    )
    @_disfavoredOverload
    public static func property<C: ModelChoice>(
        _ index: Int, _ name: String, _ type: [C].Type = [C].self, default value: @autoclosure () -> [C] = [],
        _ options: RelationshipOptions = RelationshipOptions()
    ) -> MisdeclaredAttribute<Owner, [C]> {
        misdeclared()
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "a relationship takes @Relationship, not @Attribute")
    @_disfavoredOverload
    public static func property<C: ModelChoice>(
        _ index: Int, _ name: String, _ type: C?.Type, _ options: AttributeOptions
    ) -> ToOneChoice<Owner, C> {
        property(index, name, type)
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "an attribute takes @Attribute, not @Relationship")
    @_disfavoredOverload
    public static func property<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V?.Type, _ options: RelationshipOptions
    ) -> Attribute<Owner, V?> {
        property(index, name, type)
    }

    /// Explains the misuse.
    @available(
        *, unavailable,
        message: """
            an attribute's type is one that JSON has a value for, a Codable and Sendable type, or an enum with such a raw \
            value; in a module of the main actor the type is 'nonisolated'. Make it one, or mark the property @Transient
            """
    )
    @_disfavoredOverload
    public static func property<V>(
        _ index: Int, _ name: String, _ type: V.Type = V.self, default value: @autoclosure () -> V? = nil,
        _ options: AttributeOptions = AttributeOptions()
    ) -> MisdeclaredAttribute<Owner, V> {
        misdeclared()
    }

    /// Only unavailable functions call it.
    private static func misdeclared<V>() -> MisdeclaredAttribute<Owner, V> {
        fatalError("not reachable: what is unavailable has no caller")
    }
}

/// The token of a property of an unsuitable type, without instances.
@_documentation(visibility: internal)
public struct MisdeclaredAttribute<Owner: Model, Value>: PropertyToken {
    /// The declaration of the property.
    public let description: PropertyDescription
    let never: Never
}
