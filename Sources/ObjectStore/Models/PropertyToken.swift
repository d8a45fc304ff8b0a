/// The typed name of a property, for accessors, queries and routes.
public protocol PropertyToken: Sendable {
    /// The declaration of the property, without its types.
    var description: PropertyDescription { get }
}
