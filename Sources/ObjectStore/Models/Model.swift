public import Observation

/// A class whose objects are rows of a table and resources of a REST API. `@Model` writes the conformance.
///
/// An object belongs to one ``ObjectContext`` and is used where that context is: it is not `Sendable`.
///
/// Objects are `Observable`: who reads some of their properties within `withObservationTracking` is told when one of
/// these has another value, whether it was edited, merged, rolled back or deleted; see ``ObjectContext``. Two objects
/// are equal, and have the same hash value and `id`, if they are the same instance: there is one for each identity in a
/// context.
///
/// `print` shows an object in one line, as `Issue 102 "Crash" (unsent: title)`; see ``debugDescription``.
public protocol Model: AnyObject, SendableMetatype, IdentityPart, Observable, Hashable, Identifiable,
    CustomDebugStringConvertible, CustomReflectable
where ID == ObjectIdentifier {
    /// The typed tokens of the class's attributes and relationships, by the properties' own names.
    associatedtype Properties: Sendable
    static var properties: Properties { get }
    /// What the class declares: its properties and their options, its base URL, identity and key.
    static var modelDescription: ModelDescription { get }
    /// The values and the context behind this object; for the code that `@Model` writes.
    var _object: ObjectState { get }
    /// Makes the instance for a row; for the library.
    init(_object: ObjectState)
    /// Says what is wrong with the object by rules of its own, before it is written or sent: `context.save()`,
    /// `create()` and `save()` call it, and throw what it says of all objects that they would write or send. Then
    /// nothing is written or sent, and the edits stay. What comes from the server isn't asked. It is to change nothing.
    ///
    /// ```swift
    /// func validate() throws(ValidationError) {
    ///     try check(\.title, !title.isEmpty, "can't be blank")
    /// }
    /// ```
    func validate() throws(ValidationError)
}

extension Model {
    /// Whether both are the same instance.
    public static func == (left: Self, right: Self) -> Bool { left === right }

    /// Hashes which instance it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A model of which there is one object at a URL of its own, such as an account's preferences. `@Model(singular: true)`
/// writes the conformance.
public protocol SingularModel: Model {}

/// A model that inherits from another: its objects are rows of that model's table. `@Model(inherits:)` writes the
/// conformance.
///
/// Which class an object is says the parent's discriminator. A submodel has the parent's identity, and its attributes
/// and relationships beside its own.
public protocol Submodel: Model {
    /// The typed tokens of what the class itself declares; what it inherits is in ``Model/Properties``.
    associatedtype OwnProperties: Sendable
    static var ownProperties: OwnProperties { get }
    // What a parent conforms by is its own function, or the default: without a place of its own the submodel's isn't
    // found.
    /// See ``Model/validate()``. Where the parent has rules, this overrides them, and calls them by `super`.
    @_nonoverride func validate() throws(ValidationError)
}
