/// The token of a relationship to a list of objects.
public final class ToMany<Owner: Model, Destination: Model>: PropertyToken {
    /// What the property declares, without its types.
    public let description: PropertyDescription
    let index: PropertyIndex

    init(_ description: PropertyDescription) {
        self.description = description.declared(by: Owner.self)
        self.index = PropertyIndex(description.index)
    }

    /// The token of a list that is known by its place in the table.
    package init?(_ property: Property) {
        guard let list = property.list else { return nil }
        index = property.index
        description = PropertyDescription(
            index: property.index.rawValue, name: property.name, kind: .toMany(Destination.self, options: list.options))
    }
}
