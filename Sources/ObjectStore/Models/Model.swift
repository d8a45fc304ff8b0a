/// A class whose objects are rows of a table and resources of a REST API. `@Model` writes the conformance.
///
/// An object belongs to one ``ObjectContext`` and is used where that context is: it is not `Sendable`.
public protocol Model: AnyObject, SendableMetatype, IdentityPart {
    /// The typed tokens of the class's attributes and relationships, by the properties' own names.
    associatedtype Properties: Sendable
    static var properties: Properties { get }
    /// What the class declares: its properties and their options, its base URL, identity and key.
    static var modelDescription: ModelDescription { get }
    /// The values and the context behind this object; for the code that `@Model` writes.
    var _object: ObjectState { get }
    /// Makes the instance for a row; for the library.
    init(_object: ObjectState)
}

extension Model {
    /// The context that the object lives in; `nil` after that has ended.
    public var context: ObjectContext? {
        guard let context = _object.context, !context.isEnded else { return nil }
        return context
    }
    /// Whether the object was deleted, here or by a merge. It keeps the values that it last had.
    public var isDeleted: Bool { _object.isDeleted }
    /// Whether the object was made here and is in no file yet.
    public var isInserted: Bool { _object.isInserted }
    /// Whether the object has edits that no `save` has stored.
    public var hasChanges: Bool { _object.hasChanges }
    /// The Swift names of the properties that were changed here and that the server has not confirmed, whether they are saved
    /// in the file or not. An import leaves them alone until `object.save()` has sent them.
    public var unsentProperties: [String] { _object.unsentProperties.map(\.name) }
    /// The Swift names of the properties that were edited and not stored yet, in the order of their declaration.
    public var changedProperties: [String] { _object.changedProperties }
}
