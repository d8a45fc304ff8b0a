/// The token of an attribute.
public final class Attribute<Owner: Model, Value: Sendable>: PropertyToken {
    /// The declaration of the property, without its types.
    public let description: PropertyDescription
    let index: PropertyIndex
    /// The index. For a submodel, it counts its own properties.
    @usableFromInline let place: Int
    let decode: @Sendable (StoredValue) -> Value
    let encode: @Sendable (Value) -> StoredValue
    /// Converts a value to the form in which the attribute stores it. Nil for a value of another type.
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

    package func stored(_ value: Value) -> StoredValue { encode(value) }
}
