public import Conventions
public import ObjectStore

/// Makes a class a model. Its stored properties become attributes and relationships. Its objects are rows of a table
/// and resources of a REST API.
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
/// Each stored `var` becomes a column, or a relationship if its type is another model. `Repository?` leads to at most
/// one object, `[Label]` to a list. Every attribute must be optional or have a default, so that a partial reply is
/// always valid. The default is evaluated for each object.
///
/// The macro adds these members:
///
/// - `init(in:)`, which inserts a new object into a context. Your own initializers are `convenience` initializers that
///   call it.
/// - A static `properties`, with a typed token for each property, for queries.
/// - A `$name` for each relationship, which calls its routes.
///
/// A class can only inherit from a model, which it names by `inherits:`. Properties of other superclasses would be
/// neither stored nor sent.
///
/// A model has at most 256 properties, including those of models that inherit from it. Opening a store with more throws
/// ``StoreError/models(_:)``. To have more, keep some of them together in a `Codable` value, or in another model.
///
/// An object belongs to its context. In a module with the main actor as its default isolation, as in a new Xcode app, a
/// model is used on the main actor. To use it in `store.background` too, declare it `nonisolated final class`. Always
/// declare the `Codable` types of its attributes `nonisolated`.
///
/// - Parameters:
///   - baseURL: The template of the collection's URL. A new object is posted to it, and an object's own URL is this
///     URL, `/` and the object's key. `:name` stands for a property, `:repository.full_name` for a property of a
///     related object, by their JSON names. Without a base URL, the model's objects are fetched only by other routes: a
///     template, a relationship's route, or nested in other objects.
///   - api: The name of the API that has the objects, in a store with several; by default the first one. An embedded
///     model has the API of the models that lead to it.
///   - object: The template of one object's URL, if it differs from the collection's URL followed by the key:
///     `"/Products(:id)"`, `"/posts/:id.json"`, `"/v1/:name"`.
///   - index: The template of the URL that lists the objects, if it differs from the collection's: `"/users/all"`.
///   - create: The template of the URL that creates an object: `"/signup"`.
///   - update: The template of the URL that changes an object, if it differs from the URL that fetches it:
///     `"/profile"`, `"/users/:id/edit"`.
///   - delete: The template of the URL that deletes an object.
///   - key: The property that names the object in its URL; the identity by default.
///   - identity: The properties that together identify the object at the server; `identifier` or `id` by default.
///   - renames: `.byServer` if the server may change an object's identity when it accepts a change, such as a slug that
///     is made of the title. The reply to an object's own save then changes the identity of this object. By default, a
///     reply with another identity throws ``APIError/otherObject(model:_:)``.
///   - table: The table's name; by default the conventions' name.
///   - renamedFrom: The class's name in an earlier version of the models. Opening the store renames its table.
///   - embedded: Whether the objects have no identity and live in the object that leads to them, such as an address in
///     its user. They are fetched, sent and deleted with that object, and replaced with it as a whole.
///   - envelope: The wrapper of an object and a list in a body; by default the wrapper of the API's conventions.
///   - resourceType: The `type` of the model's objects in JSON:API; by default the last segment of the base URL, or the
///     model's plural.
///   - discriminator: The attribute whose value selects the object's class from the classes that inherit from this one.
///     Such a class is not `final`.
///   - saveMethod: The HTTP method of `save`, and the format of its body; by default the API's.
///   - creates: Whether `create` sends a POST to the collection or a PUT to the object's own URL; by default the API's
///     way.
///   - natural: Attributes whose values together are unique at the server, `["title"]`. If the reply to a creation was
///     lost, the outbox looks for an object with these values before it repeats the creation.
///   - conditionalWrites: The condition of changes to an object, `.entityTags` for `If-Match`; by default the API's.
///   - conflicts: How the outbox resolves a change that the server refuses because it has another version,
///     `.byProperty(otherwise: .ask)`; by default the API's way.
///   - paging: The paging of lists of such objects, `.pageNumber()`; by default the API's.
///   - changes: The feed of changes at the server that `fetchChanges(in:)` requests, `"/issues?since=:updated_at"`.
///   - policy: When a fetch of such objects asks the server, `.ifOlder(than: .seconds(300))`; by default the API's
///     policy.
///   - tombstones: The keys that mark an object in a reply as deleted, `["archived_at"]`; by default the API's.
///   - log: The level at which each request about such objects is logged to swift-log, with the label `RestfulData`; by
///     default the API's (`API(log:)`).
///   - names: The naming of the properties in JSON, `.camelCase`; by default the API's.
///   - values: The format of dates, and the conversion of JSON to some types, `.init(dates: .epochSeconds)`; by default
///     the API's.
///   - indexes: The properties of each index over several properties, `[["state", "number"]]`. It serves queries by the
///     first property, by the first few together, and in the order of the next one. For one property, use
///     `@Attribute(indexed: true)`.
@attached(
    member, conformances: Model, names: named(Properties), named(properties), named(modelDescription), named(_object),
    named(init))
@attached(memberAttribute)
@attached(extension, conformances: Model, Sendable)
public macro Model(
    _ baseURL: String? = nil, api: String? = nil, object: String? = nil, index: String? = nil, create: String? = nil,
    update: String? = nil, delete: String? = nil, key: String? = nil, identity: String...,
    renames: IdentityRenaming = .byClient, table: String? = nil,
    renamedFrom: String? = nil, embedded: Bool = false, envelope: ModelEnvelope = .conventional,
    resourceType: String? = nil, discriminator: String? = nil, saveMethod: SaveMethod? = nil,
    creates: CreateMethod? = nil, natural: [String] = [],
    conditionalWrites: ConditionalWrites? = nil,
    conflicts: ConflictPolicy? = nil, paging: ListPaging? = nil, changes: ChangeFeed? = nil,
    policy: FetchPolicy? = nil, tombstones: [String]? = nil, log: RequestLogLevel? = nil,
    names: NamingConventions? = nil, values: ValueFormats? = nil, indexes: [[String]] = []
) = #externalMacro(module: "RestfulDataMacros", type: "ModelMacro")

/// Makes a class a model that inherits from another model. The parent declares the discriminator, whose value selects
/// the class.
///
/// ```swift
/// @Model("/events", discriminator: "type")
/// class Event {
///     var identifier: Int?
///     var type = ""
///     var actor: User?
/// }
///
/// @Model(inherits: Event.self, as: "PushEvent")
/// final class PushEvent: Event {
///     var size = 0
///     var repository: Repository?
/// }
/// ```
///
/// If an `Event` is expected, `{"id": 1, "type": "PushEvent", "size": 3}` gives a `PushEvent`. An unknown value gives
/// an `Event`. JSON without the key leaves the class of a known object unchanged. A query for `Event` finds the objects
/// of all classes, a query for `PushEvent` only those of this class.
///
/// If an import or a save changes the value, the class changes too: fetches, queries and relationships return an object
/// of the new class. A reference to the old object reads the same row, and can edit the properties that both classes
/// have.
///
/// All classes share one table. Two classes may declare a property of the same name if both declarations are equal.
///
/// - Parameters:
///   - baseURL: The template of the collection's URL; by default the parent's.
///   - parent: The model that the class inherits from. It must be without a parent itself.
///   - values: The values of the discriminator for this class. New objects have the first one. By default it is the
///     class's name, also in snake_case, kebab-case, camelCase and in the plural.
///   - key: The property that names the object in its URL; by default the parent's.
///   - identity: Leave it out: the class has its parent's identity.
@attached(
    member, names: named(OwnProperties), named(ownProperties), named(modelDescription), named(init))
@attached(memberAttribute)
@attached(extension, conformances: Submodel)
public macro Model(
    _ baseURL: String? = nil, inherits parent: any Model.Type, as values: String..., key: String? = nil,
    identity: String...
) = #externalMacro(module: "RestfulDataMacros", type: "ModelMacro")

/// Makes a class a model with one object, at a URL of its own.
///
/// ```swift
/// @Model("/account/preferences", singular: true)
/// final class Preferences {
///     var theme = "light"
/// }
///
/// @Model("/repos/:repository.full_name/pages", identity: "repository", singular: true)
/// final class Pages {
///     var repository: Repository?
///     var status: String?
/// }
/// ```
///
/// The class is a ``SingularModel``, which has `fetch(in:)` and `stored(in:)`. Without an identity, the store has one
/// row of it. With a relationship as its identity, each parent has one.
///
/// - Parameters:
///   - baseURL: The template of the object's URL. The object is fetched, created, saved and deleted there.
///   - api: The name of the API that has the object, in a store with several.
///   - create: The template of the URL that creates the object, if it differs from the base URL.
///   - update: The template of the URL that changes the object, if it differs from the base URL.
///   - delete: The template of the URL that deletes the object, if it differs from the base URL.
///   - identity: The properties that together identify the object at the server; none if there is one object.
///   - table: The table's name; by default the conventions' name.
///   - renamedFrom: The class's name in an earlier version of the models.
///   - singular: `true`.
///   - envelope: The wrapper of the object in a body; by default the wrapper of the API's conventions.
///   - resourceType: The `type` of the object in JSON:API.
///   - saveMethod: The HTTP method of `save`, and the format of its body; by default the API's.
///   - creates: Whether `create` sends a POST or a PUT.
///   - conditionalWrites: The condition of changes to the object; by default the API's.
///   - conflicts: How the outbox resolves a conflict; by default the API's way.
///   - policy: When a fetch of the object asks the server; by default the API's policy.
///   - log: The level at which requests about the object are logged; by default the API's.
///   - names: The naming of the properties in JSON; by default the API's.
///   - values: The format of dates, and the conversion of JSON to some types; by default the API's.
@attached(
    member, conformances: Model, names: named(Properties), named(properties), named(modelDescription), named(_object),
    named(init))
@attached(memberAttribute)
@attached(extension, conformances: SingularModel, Sendable)
public macro Model(
    _ baseURL: String, api: String? = nil, create: String? = nil, update: String? = nil, delete: String? = nil,
    identity: String..., table: String? = nil, renamedFrom: String? = nil, singular: Bool,
    envelope: ModelEnvelope = .conventional, resourceType: String? = nil, saveMethod: SaveMethod? = nil,
    creates: CreateMethod? = nil, conditionalWrites: ConditionalWrites? = nil, conflicts: ConflictPolicy? = nil,
    policy: FetchPolicy? = nil, log: RequestLogLevel? = nil, names: NamingConventions? = nil,
    values: ValueFormats? = nil
) = #externalMacro(module: "RestfulDataMacros", type: "ModelMacro")

/// Declares options of an attribute.
///
/// ```swift
/// @Attribute("description") var summary: String?
/// @Attribute(access: .readOnly) var createdAt: Date?
/// ```
///
/// Needed only if the JSON name differs from the conventions', or if the macro takes the property for a relationship.
///
/// - Parameters:
///   - json: The key path in JSON, `"plan.name"` for a nested one; `\.` is a dot within a key: `"@odata\\.etag"`.
///   - access: The directions in which the value is transferred.
///   - renamedFrom: The name in an earlier version of the model. Opening the store renames the column.
///   - format: The format of a date in JSON; by default the API's.
///   - indexed: Whether the file has an index of the attribute. A query by it or in its order then reads only its
///     results; each write costs a little more. Opening the store creates or drops the index. Identities and to-one
///     links always have one. Numbers stored as text (`Decimal`, 128 bits) gain nothing by an index.
///   - searchable: Whether the text is in the model's full-text index:
///     `context.query(Issue.self).search("crash café")`. Opening the store creates or drops the index. The cost of
///     writing the text grows with its words.
///   - isPath: Whether slashes in the value stay unescaped in a URL's path, as in `octocat/Hello-World`; by default as
///     ``APIConventions/URLs-swift.struct`` declares.
///   - nothing: The forms besides `null` that mean no value: `""`, or a missing key; by default as
///     ``ValueFormats/nothing`` declares.
///   - alwaysSent: Whether each create and save sends the value, edited or not, such as Rails' `lock_version`. With
///     `access: .readOnly`, the server's value is sent.
@attached(peer)
public macro Attribute(
    _ json: String? = nil, sentKey: String? = nil, access: AttributeAccess = .readWrite,
    renamedFrom: String? = nil, format: DateFormat? = nil, indexed: Bool = false, searchable: Bool = false,
    isPath: Bool? = nil, nothing: NothingForms? = nil, alwaysSent: Bool = false
) = #externalMacro(module: "RestfulDataMacros", type: "AttributeMacro")

/// Declares that a transformer converts an attribute's JSON to its values and back.
///
/// ```swift
/// @Attribute("price_cents", transformer: .cents) var price: Decimal?
/// ```
///
/// - Parameters:
///   - json: The key path in JSON, `"plan.name"` for a nested one.
///   - transformer: A transformer of the attribute's type, optional or not. Opening the store reports another type.
///
/// The other parameters are those of the other `@Attribute`.
@attached(peer)
public macro Attribute<Value: Sendable>(
    _ json: String? = nil, sentKey: String? = nil, access: AttributeAccess = .readWrite,
    renamedFrom: String? = nil, transformer: AttributeTransformer<Value>, indexed: Bool = false,
    searchable: Bool = false, isPath: Bool? = nil, nothing: NothingForms? = nil, alwaysSent: Bool = false
) = #externalMacro(module: "RestfulDataMacros", type: "AttributeMacro")

/// Declares options of a relationship.
///
/// ```swift
/// @Relationship("/users/:login/repos", inverse: "owner") var repositories: [Repository]
/// @Relationship("/:ordersURL") var orders: [Order]                // the URL in that attribute
/// @Relationship(sentAs: .key("name")) var labels: [Label]
/// @Relationship(json: "author_detail", sentKey: "author") var author: User?   // read whole, sent by identity
/// @Relationship(sentKey: "object_id", typeKey: "content_type") var subject: Activity?      // one of several models
/// ```
///
/// - Parameters:
///   - route: The template of the URL; by default derived from the destination's base URL.
///   - json: The key path in JSON.
///   - sentKey: The key path in requests, where it differs; for a relationship to one of several models, that of the
///     identity, by convention `subject_id`.
///   - typeKey: The key path of the model's name, for a relationship to one of several models; by convention
///     `subject_type`.
///   - inverse: The destination's property that leads back; `nil` for none. By default it is the only candidate; of
///     several, you must name one or declare `nil`.
///   - sentAs: The form in a request's body; by default that of the API's conventions.
///   - merges: Whether a list in a reply is merged in (`true`), or whole (`false`). By default it is whole unless the
///     reply has a sign of more members (``ListExtent``).
///   - owns: Whether an object that leaves the relationship, or loses its owner, is deleted.
///   - onDelete: The effect of deleting the owner: `.nullify` unlinks the related objects, `.cascade` deletes them,
///     `.deny` refuses the deletion.
///   - verbs: The routes that the server has: `[.fetch, .add]` for a list without removals.
///   - adds: The request that makes an existing object a member: `.put()` for `PUT /issues/1/labels/bug`; by default
///     the conventions' request.
///   - removal: The effect of `$list.delete(member)`. By default it deletes the member if the URL is the member's own,
///     as for a derived route; otherwise it removes it from the list.
///   - renamedFrom: The name in an earlier version of the model. Opening the store keeps its links.
@attached(peer)
public macro Relationship(
    _ route: String? = nil, json: String? = nil, sentKey: String? = nil, typeKey: String? = nil,
    inverse: Inverse = .inferred, sentAs: RelationshipSending = .conventional, merges: Bool? = nil, owns: Bool = false,
    onDelete: DeleteRule = .nullify, verbs: RelationshipVerbs = .all, adds: MembershipMethod? = nil,
    newMembers: NewMembers = .last, removal: MemberRemoval = .byURL, renamedFrom: String? = nil
) = #externalMacro(module: "RestfulDataMacros", type: "RelationshipMacro")

/// Excludes a stored property from a model: its value lives in memory, as long as the instance.
///
/// It must be optional or have a default.
@attached(peer)
public macro Transient() = #externalMacro(module: "RestfulDataMacros", type: "TransientMacro")

/// Turns a stored property into an accessor of the object's row, for properties that are certainly attributes.
@_documentation(visibility: internal)
@attached(accessor, names: named(get), named(set))
public macro _ModelProperty(at: Int? = nil) =
    #externalMacro(module: "RestfulDataMacros", type: "ModelPropertyMacro")

/// Turns a stored property that may be a relationship into an accessor, and adds the `$` property.
@_documentation(visibility: internal)
@attached(accessor, names: named(get), named(set))
@attached(peer, names: prefixed(`$`))
public macro _ModelRelationship(at: Int? = nil) =
    #externalMacro(module: "RestfulDataMacros", type: "ModelRelationshipMacro")

/// Makes a struct a type for a whole response. Its stored properties are read from the JSON. Models are imported, into
/// the caller's context.
///
/// ```swift
/// @ResponseBody
/// struct IssuePage {
///     var totalCount = 0                                       // "total_count", by convention
///     @Attribute("meta.next") var next: URL?                   // a key path
///     var items: [Issue]                                       // models, imported
///     @Relationship(json: "meta.owner") var owner: User?
///     @Attribute(.root) var everything: [String: String]?      // the whole body
///     var facets: [Facet]                                      // another response type
/// }
///
/// let page = try await IssuePage.fetch("/search/issues", query: ["q": "bug"], in: store.main)
/// ```
///
/// Every property must be optional, have a default, or be a model, a list of models or another response type. A missing
/// value, or one of a wrong type, which the import reports, leaves it nil, empty or its default. All models are stored
/// in one transaction. The struct can be generic: `Page<Issue>`.
///
/// - Parameter api: The name of the API, in a store with several; by default the first.
@attached(member, names: named(Parts), named(responseDescription))
@attached(extension, conformances: ResponseBody, names: named(init))
public macro ResponseBody(api: String? = nil) = #externalMacro(module: "RestfulDataMacros", type: "ResponseBodyMacro")

/// Declares that a value of a response type is the whole body.
@attached(peer)
public macro Attribute(_ place: ResponsePlace) = #externalMacro(module: "RestfulDataMacros", type: "AttributeMacro")

/// Declares that the objects of a response type are the whole body: `@Relationship(json: .root) var issues: [Issue]`.
@attached(peer)
public macro Relationship(json place: ResponsePlace) =
    #externalMacro(module: "RestfulDataMacros", type: "RelationshipMacro")

// These overloads accept SwiftData's arguments, so that the macro can report the right spelling. Without them, the
// compiler would list candidates. In a file that also imports SwiftData, its own macros are preferred.

/// Accepts SwiftData's arguments; `@Model` reports the right spelling.
@_documentation(visibility: internal)
@attached(peer)
public macro Attribute(
    _ option: SwiftDataOption, _ more: SwiftDataOption..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "RestfulDataMacros", type: "AttributeMacro")

/// Accepts SwiftData's arguments; `@Model` reports the right spelling.
@_documentation(visibility: internal)
@attached(peer)
public macro Relationship(
    _ options: SwiftDataOption..., deleteRule: SwiftDataDeleteRule, minimumModelCount: Int? = 0,
    maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "RestfulDataMacros", type: "RelationshipMacro")
