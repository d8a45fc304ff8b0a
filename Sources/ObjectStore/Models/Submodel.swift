/// A model that inherits from another: its objects are rows of that model's table. `@Model(inherits:)` writes the
/// conformance.
///
/// Which class an object is says the parent's discriminator. A submodel has the parent's identity, and its attributes and
/// relationships beside its own.
public protocol Submodel: Model {
    /// The typed tokens of what the class itself declares; what it inherits is in ``Model/Properties``.
    associatedtype OwnProperties: Sendable
    static var ownProperties: OwnProperties { get }
}
