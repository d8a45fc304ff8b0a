// What `@Model` writes where it can see by the spelling that a property's type is one of Swift's own. Of each there is one, so that
// the compiler has nothing to choose, for which it takes a third of the time that it takes for `property`.

extension Declaration {
    /// An attribute with a default.
    public static func attribute<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V.Type, default value: @autoclosure @escaping @Sendable () -> V,
        _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V> {
        property(index, name, type, default: value(), options)
    }

    /// An optional attribute.
    public static func optionalAttribute<V: AttributeValue>(
        _ index: Int, _ name: String, _ type: V?.Type,
        default value: @autoclosure @escaping @Sendable () -> V? = nil, _ options: AttributeOptions = AttributeOptions()
    ) -> Attribute<Owner, V?> {
        property(index, name, type, default: value(), options)
    }
}
