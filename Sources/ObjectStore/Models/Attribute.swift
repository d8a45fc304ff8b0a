/// The token of an attribute.
public final class Attribute<Owner: Model, Value: Sendable>: PropertyToken {
    /// What the property declares, without its types.
    public let description: PropertyDescription
    let index: PropertyIndex
    /// The same as a number, of a submodel's own property among those that it declares itself.
    @usableFromInline let place: Int
    let decode: @Sendable (StoredValue) -> Value
    let encode: @Sendable (Value) -> StoredValue
    /// How the attribute itself would store the value that `StoredValue` stands for; `nil` where it stands for none.
    let canonical: @Sendable (StoredValue) -> StoredValue?

    init(
        _ description: PropertyDescription, decode: @escaping @Sendable (StoredValue) -> Value,
        encode: @escaping @Sendable (Value) -> StoredValue,
        canonical: @escaping @Sendable (StoredValue) -> StoredValue?
    ) {
        self.description = description.declared(by: Owner.self)
        self.index = PropertyIndex(description.index)
        self.place = description.index
        self.decode = decode
        self.encode = encode
        self.canonical = canonical
    }
}
