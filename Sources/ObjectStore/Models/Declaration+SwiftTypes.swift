// For types that `@Model` recognizes as Swift's own. A single function takes the compiler a third of the time of
// `property`'s overloads.

extension Declaration {
    /// Declares an attribute with a default.
    public static func attribute<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V.Type, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V> {
        property(index, name, type, default: value(), options)
    }

    /// Declares an attribute with a literal as its default.
    public static func constantAttribute<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V.Type, default value: V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V> {
        attribute(
            index, name, V.kind, options, hasConstantDefault: true, default: { value.stored },
            decode: { V(stored: $0) ?? value }, encode: { $0.stored }, canonical: { V(stored: $0)?.stored })
    }

    /// Declares an optional attribute with a default.
    public static func optionalAttribute<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V?.Type, default value: @autoclosure @escaping @Sendable () -> V?,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V?> {
        property(index, name, type, default: value(), options)
    }

    /// Declares an optional attribute.
    public static func optionalAttribute<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V?.Type, _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V?> {
        attribute(
            index, name, V.kind, options, isOptional: true, hasConstantDefault: true, default: { .null },
            decode: { V(stored: $0) }, encode: { $0?.stored ?? .null }, canonical: { V(stored: $0)?.stored })
    }
}
