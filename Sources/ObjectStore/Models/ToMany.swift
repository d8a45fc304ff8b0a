/// The token of a relationship to a list of objects.
public final class ToMany<Owner: Model, Destination: Model>: PropertyToken {
    /// The declaration of the property, without its types.
    public let description: PropertyDescription
    let index: PropertyIndex

    init(_ description: PropertyDescription) {
        self.description = description.declared(by: Owner.self)
        self.index = PropertyIndex(description.index)
    }

    /// Creates a token by the index among the table's properties.
    package init(at index: Int, named name: String, options: RelationshipOptions) {
        self.index = PropertyIndex(index)
        description = PropertyDescription(
            index: index, name: name, kind: .toMany(Destination.self, options: options))
    }
}
