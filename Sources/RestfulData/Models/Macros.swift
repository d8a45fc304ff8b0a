public import ObjectStore

/// Makes a class a model: its stored properties become attributes and relationships, its objects rows of a table and
/// resources of a REST API.
///
/// ```swift
/// @Model("/repos/:repository.full_name/issues", key: "number")
/// final class Issue {
///     var identifier: Int?
///     var number: Int?
///     var title = ""
///     var labels: [Label]
///     var repository: Repository?
/// }
/// ```
///
/// Each stored `var` becomes a column, or, where its type is another model's, a relationship: `Repository?` leads to at
/// most one object, `[Label]` to a list. Every attribute is optional or has a default, so that a partial reply is never
/// invalid. The default is evaluated for each object.
///
/// The class gets `init(in:)`, which inserts a new object into a context, a static `properties` with a typed token of
/// each property, for queries, and for each relationship a `$name` through which its routes are called. Initializers of
/// your own are `convenience` ones that call `init(in:)`.
///
/// An object belongs to its context. In a module whose default isolation is the main actor, declare a model as
/// `nonisolated final class`.
///
/// - Parameters:
///   - baseURL: The template of the collection's URL: a new object is posted to it, and an object's own URL is this,
///     `/` and its key. `:name` stands for a property, `:repository.full_name` for one of a related object, in JSON's
///     naming. Without one, the model's objects come by other routes only: a template, a relationship's route, or nested in
///     others.
///   - key: The property that stands for the object in its URL; the identity where nothing is said.
///   - identity: The properties that together name the object at the server; `identifier` or `id` where nothing is
///     said.
///   - table: The table's name, where it is not the one that the conventions give.
@attached(member, names: named(Properties), named(properties), named(modelDescription), named(_object), named(init))
@attached(memberAttribute)
@attached(extension, conformances: Model)
public macro Model(
    _ baseURL: String? = nil, key: String? = nil, identity: String..., table: String? = nil
) = #externalMacro(module: "RestfulDataMacros", type: "ModelMacro")

/// Says more about an attribute than its declaration does.
///
/// ```swift
/// @Attribute("description") var summary: String?
/// @Attribute(access: .readOnly) var createdAt: Date?
/// ```
///
/// A property needs this only where the conventions give another JSON name, or where it must not be taken for a
/// relationship.
///
/// - Parameters:
///   - json: The key path in JSON, `"plan.name"` for a nested one. It beats every convention.
///   - access: Which way the value travels.
///   - renamedFrom: The property's name in an earlier version of the model, whose column is renamed when the store
///     opens.
@attached(peer)
public macro Attribute(
    _ json: String? = nil, access: AttributeAccess = .readWrite, renamedFrom: String? = nil
) = #externalMacro(module: "RestfulDataMacros", type: "AttributeMacro")

/// Says more about a relationship than its declaration does.
///
/// ```swift
/// @Relationship("/users/:login/repos", inverse: "owner") var repositories: [Repository]
/// @Relationship(sentAs: .key("name")) var labels: [Label]
/// ```
///
/// - Parameters:
///   - route: The template of the relationship's URL; where nothing is said, it is derived from the destination's base
///     URL.
///   - json: The key path in JSON. It beats every convention.
///   - inverse: The destination's property that leads back; `nil` says that there is none. Where nothing is said, it is
///     the only one that can be.
///   - sentAs: How the relationship goes out in a request's body.
///   - merges: Whether a list in a reply is merged into the membership, rather than being the whole of it.
///   - owns: Whether an object that leaves the relationship, or loses its owner, is deleted.
@attached(peer)
public macro Relationship(
    _ route: String? = nil, json: String? = nil, inverse: Inverse = .inferred,
    sentAs: RelationshipSending = .identities, merges: Bool = false, owns: Bool = false
) = #externalMacro(module: "RestfulDataMacros", type: "RelationshipMacro")

/// Leaves a stored property of a model alone: it is neither stored in the file nor sent, and lives as long as the
/// instance.
///
/// It is optional or has a default.
@attached(peer)
public macro Transient() = #externalMacro(module: "RestfulDataMacros", type: "TransientMacro")

/// Turns a stored property into an accessor of the object's row; `@Model` adds it.
@attached(accessor, names: named(get), named(set))
@attached(peer, names: prefixed(`$`))
public macro _ModelProperty() = #externalMacro(module: "RestfulDataMacros", type: "ModelPropertyMacro")
