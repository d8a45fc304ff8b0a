/// The typed name of a property: what the accessors, queries and routes that concern it are given.
public protocol PropertyToken: Sendable {
    /// What the property declares, without its types.
    var description: PropertyDescription { get }
}

/// The token of an attribute.
public final class Attribute<Owner: Model, Value: Sendable>: PropertyToken {
    /// What the property declares, without its types.
    public let description: PropertyDescription
    let index: Int
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
        self.index = description.index
        self.decode = decode
        self.encode = encode
        self.canonical = canonical
    }
}

/// The token of a relationship to at most one object.
public final class ToOne<Owner: Model, Destination: Model>: PropertyToken {
    /// What the property declares, without its types.
    public let description: PropertyDescription
    let index: Int

    init(_ description: PropertyDescription) {
        self.description = description.declared(by: Owner.self)
        self.index = description.index
    }
}

/// The token of a relationship to a list of objects.
public final class ToMany<Owner: Model, Destination: Model>: PropertyToken {
    /// What the property declares, without its types.
    public let description: PropertyDescription
    let index: Int

    init(_ description: PropertyDescription) {
        self.description = description.declared(by: Owner.self)
        self.index = description.index
    }
}
