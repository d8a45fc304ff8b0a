/// The token of a relationship to at most one object.
public final class ToOne<Owner: Model, Destination: Model>: PropertyToken {
    /// The declaration of the property, without its types.
    public let description: PropertyDescription
    let index: PropertyIndex
    /// Whether the owner is a submodel. The index then counts its own properties.
    let isSubmodels: Bool

    init(_ description: PropertyDescription) {
        self.description = description.declared(by: Owner.self)
        self.index = PropertyIndex(description.index)
        self.isSubmodels = self.description.submodel != nil
    }
}
