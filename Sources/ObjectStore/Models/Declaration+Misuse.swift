// What no overload takes gets a message of its own at the property, rather than a list of candidates. None of these can be
// called.

extension Declaration {
    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute needs a default, as in '= []', or an optional type")
    @_disfavoredOverload
    public static func property<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V.Type
    ) -> Attribute<Owner, V?> {
        property(index, name, V?.self)
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
    @available(*, unavailable, message: "an attribute takes @Attribute, not @Relationship")
    @_disfavoredOverload
    public static func property<V: Codable & Sendable>(
        _ index: Int, _ name: String, _ type: V?.Type, _ options: RelationshipOptions
    ) -> Attribute<Owner, V?> {
        property(index, name, type)
    }
}
