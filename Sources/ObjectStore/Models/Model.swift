public import Observation

/// A class with objects that are rows of a table and resources of a REST API. `@Model` writes the conformance.
///
/// An object belongs to one ``ObjectContext``, and stays on its actor: it isn't `Sendable`.
///
/// Objects are `Observable`: a reader of properties within `withObservationTracking` is notified when one changes, by
/// an edit, a merge, a rollback or a deletion. Equality, hash value and `id` are those of the instance. A context has
/// one instance for each identity.
///
/// `print` shows ``debugDescription``: `Issue 102 "Crash" (unsent: title)`.
public protocol Model: AnyObject, SendableMetatype, IdentityPart, Observable, Hashable, Identifiable,
    CustomDebugStringConvertible, CustomReflectable
where ID == ObjectIdentifier {
    /// The typed tokens of the class's attributes and relationships, under the properties' names.
    associatedtype Properties: Sendable
    static var properties: Properties { get }
    /// The class's declaration: its properties and their options, its base URL, identity and key.
    static var modelDescription: ModelDescription { get }
    /// The object's values and context, for the code that `@Model` writes.
    var _object: ObjectState { get }
    /// Creates the instance for a row, for the library.
    init(_object: ObjectState)
    /// Checks the object against rules of your own before it is saved or sent.
    ///
    /// `context.save()`, `create()` and `save()` call it for all objects that they would save or send, and throw the
    /// errors of all of them. Then nothing is saved or sent, and the edits stay. Objects from the server aren't
    /// checked. Don't change objects in this function.
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

    /// Hashes the instance's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A model with one object at a URL of its own, such as an account's preferences: `@Model(singular: true)`.
public protocol SingularModel: Model {}

/// A model that inherits from another one, and shares its table: `@Model(inherits:)`.
///
/// The parent's discriminator selects an object's class. A submodel has the parent's identity and properties besides
/// its own.
public protocol Submodel: Model {
    /// The typed tokens of the class's own declarations. Inherited ones are in ``Model/Properties``.
    associatedtype OwnProperties: Sendable
    static var ownProperties: OwnProperties { get }
    // `@_nonoverride` adds a witness of the submodel's own, instead of the parent's function or the default.
    /// See ``Model/validate()``. If the parent has rules, this function overrides them and calls them with `super`.
    @_nonoverride func validate() throws(ValidationError)
}
