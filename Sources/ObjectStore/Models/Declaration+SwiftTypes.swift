// What `@Model` writes where it can see by the spelling that a property's type is one of Swift's own. Of each there is
// one, so that the compiler has nothing to choose, for which it takes a third of the time that it takes for `property`.

extension Declaration {
    /// An attribute with a default.
    public static func attribute<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V.Type, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V> {
        property(index, name, type, default: value(), options)
    }

    /// An attribute whose default is a literal, so that it is the same for each object.
    public static func constantAttribute<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V.Type, default value: V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V> {
        attribute(
            index, name, V.kind, options, hasConstantDefault: true, default: { value.stored },
            decode: { V(stored: $0) ?? value }, encode: { $0.stored }, canonical: { V(stored: $0)?.stored })
    }

    /// An optional attribute with a default.
    public static func optionalAttribute<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V?.Type, default value: @autoclosure @escaping @Sendable () -> V?,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V?> {
        property(index, name, type, default: value(), options)
    }

    /// An optional attribute.
    public static func optionalAttribute<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V?.Type, _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V?> {
        attribute(
            index, name, V.kind, options, isOptional: true, hasConstantDefault: true, default: { .null },
            decode: { V(stored: $0) }, encode: { $0?.stored ?? .null }, canonical: { V(stored: $0)?.stored })
    }
}
