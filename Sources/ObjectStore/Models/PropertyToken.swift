/// The typed name of a property: what the accessors, queries and routes that concern it are given.
public protocol PropertyToken: Sendable {
    /// What the property declares, without its types.
    var description: PropertyDescription { get }
}
