// What no overload takes gets a message of its own at the property, rather than a list of candidates. None of these can
// be called.

extension Declaration {
    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute needs a default, as in '= []', or an optional type")
    @_disfavoredOverload
    public static func property<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type
    ) -> MisdeclaredAttribute<Owner, V> {
        misdeclared()
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute needs a default, as in '= []', or an optional type")
    public static func property<V: RawValueCollection & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type
    ) -> MisdeclaredAttribute<Owner, V> {
        misdeclared()
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "a relationship takes @Relationship, not @Attribute")
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: M?.Type, _ options: AttributeOptions
    ) -> ToOne<Owner, M> {
        property(index, name, type)
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "a relationship takes @Relationship, not @Attribute")
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: [M].Type, _ options: AttributeOptions
    ) -> ToMany<Owner, M> {
        property(index, name, type)
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "a to-many relationship is never nil: declare it '[Model]'")
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: [M]?.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> ToMany<Owner, M> {
        property(index, name, [M].self)
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "a relationship to one object is optional: declare it 'Model?'")
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: M.Type, _ options: RelationshipOptions = RelationshipOptions()
    ) -> ToOne<Owner, M> {
        property(index, name, M?.self)
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "a relationship starts out empty: remove the default")
    public static func property<M: Model>(
        _ index: Int, _ name: String, _ type: M?.Type = M?.self, default value: @autoclosure () -> M?,
        _ options: RelationshipOptions = RelationshipOptions()
    ) -> ToOne<Owner, M> {
        property(index, name, M?.self)
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute takes @Attribute, not @Relationship")
    @_disfavoredOverload
    public static func property<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V?.Type, _ options: RelationshipOptions
    ) -> Attribute<Owner, V?> {
        property(index, name, type)
    }

    /// Explains the misuse; it can't be called.
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

    /// For those above: nothing can call what is unavailable, and no value of the type can be made.
    private static func misdeclared<V>() -> MisdeclaredAttribute<Owner, V> {
        fatalError("not reachable: what is unavailable has no caller")
    }
}

/// The token of a property whose type can be no attribute's, so that the compiler says so once. There is none.
@_documentation(visibility: internal)
public struct MisdeclaredAttribute<Owner: Model, Value>: PropertyToken {
    /// What the property declares.
    public let description: PropertyDescription
    let never: Never
}
