/// The token of a relationship to at most one object, of one of several models.
public final class ToOneChoice<Owner: Model, Destination: ModelChoice>: PropertyToken {
    /// The declaration of the property, without its types.
    public let description: PropertyDescription

    init(_ description: PropertyDescription) { self.description = description.declared(by: Owner.self) }
}
