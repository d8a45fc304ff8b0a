public import Conventions
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
/// Each stored `var` becomes a column, or, when its type is another model, a relationship: `Repository?` leads to at
/// most one object, `[Label]` to a list. Every attribute is optional or has a default, so that a partial reply is never
/// invalid. The default is evaluated for each object.
///
/// The class gets `init(in:)`, which inserts a new object into a context, a static `properties` with a typed token of
/// each property, for queries, and for each relationship a `$name` through which its routes are called. Initializers of
/// your own are `convenience` ones that call `init(in:)`.
///
/// A class inherits from no other, but for a model that it names by `inherits:`: what is no model has properties that
/// would be neither stored nor sent.
///
/// A model has at most 256 properties, those of the models that inherit from it included; opening a store with more
/// throws ``StoreError/models(_:)``. Keep some of them together in a `Codable` value, or in a model of their own.
///
/// An object belongs to its context. In a module whose default isolation is the main actor, as in a new app of Xcode's,
/// a model is used on the main actor; declare it `nonisolated final class` to use it in `store.background` too, and the
/// `Codable` types of its attributes `nonisolated` in any case.
///
/// - Parameters:
///   - baseURL: The template of the collection's URL: a new object is posted to it, and an object's own URL is this,
///     `/` and its key. `:name` stands for a property, `:repository.full_name` for one of a related object, in JSON's
///     naming. Without one, the model's objects come by other routes only: a template, a relationship's route, or
///     nested in others.
///   - api: The name of the API that has the objects, in a store with several; by default the first one. An embedded
///     model has that of the models that lead to it.
///   - object: The template of one object's URL where it is not the collection's with the key behind it:
///     `"/Products(:id)"`, `"/posts/:id.json"`, `"/v1/:name"`.
///   - index: The template of the URL that lists such objects, where it is not the collection's: `"/users/all"`.
///   - create: The template of the URL that a new object is sent to: `"/signup"`.
///   - update: The template of the URL that changes are sent to, where it is not the one that an object is fetched from:
///     `"/profile"`, `"/users/:id/edit"`.
///   - delete: The template of the URL by which an object is deleted.
///   - key: The property that names the object in its URL; the identity by default.
///   - identity: The properties that together name the object at the server; `identifier` or `id` by
///     default.
///   - renames: `.byServer` where the server gives an object another identity as it takes a change, such as a slug that
///     is made of the title: then the reply to the object's own save names this object, whose identity it changes. By
///     default a reply that names another object is ``APIError/otherObject(model:_:)``.
///   - table: The table's name; by default what the conventions give.
///   - renamedFrom: The class's name in an earlier version of the models, whose table is renamed when the store opens.
///   - embedded: Whether the objects have no identity and live in the one that leads to them, as an address in its
///     user: they come, go out and are deleted with it, and are replaced with it as a whole.
///   - envelope: What wraps an object and a list in a body; by default what the API's conventions say.
///   - resourceType: The `type` of the model's objects in JSON:API; by default the last segment of the base URL, or
///     the model's plural.
///   - discriminator: The attribute whose value says which of the classes that inherit from this one an object is. Such
///     a class is not `final`.
///   - saveMethod: The HTTP method of `save`, and the format of its body; by default as the API has it.
///   - creates: Whether `create` sends a POST to the collection or a PUT to the object's own URL; by default as the API
///     does.
///   - natural: Attributes whose values together no two objects at the server share, `["title"]`. The outbox looks for
///     an object with these values before it repeats a creation whose reply was lost.
///   - conditionalWrites: The condition that changes of such an object carry, `.entityTags` for `If-Match`; by default
///     the API's.
///   - conflicts: What the outbox does about a change that the server refuses as it has another version,
///     `.byProperty(otherwise: .ask)`; by default as the API says.
///   - paging: How lists of such objects are paged, `.pageNumber()`; by default as the API does.
///   - changes: Where the server says what has changed of such objects, `"/issues?since=:updated_at"`: what
///     `fetchChanges(in:)` asks.
///   - policy: Whether a fetch of such objects asks the server, `.ifOlder(than: .seconds(300))`; by default as the API
///     does.
///   - tombstones: The keys by which such an object says in a reply that it is deleted, `["archived_at"]`; by default
///     the API's.
///   - log: The level at which each request about such objects is written to swift-log, label `RestfulData`; by default
///     the API's (`API(log:)`).
///   - names: How the properties are named in JSON, `.camelCase`; by default as the API's conventions say.
///   - values: How dates are written, and what turns JSON into values of some types, `.init(dates: .epochSeconds)`; by
///     default as the API does.
///   - indexes: The properties of each index of several of them, `[["state", "number"]]`: for queries by the first, or
///     by the first ones together, or by those in the order of the next. One property alone is `@Attribute(indexed:
///     true)`.
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

/// Makes a class a model that inherits from another, which names the discriminator that tells them apart.
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
/// When an `Event` is expected, `{"id": 1, "type": "PushEvent", "size": 3}` gives a `PushEvent`; a value that stands
/// for no class of the store gives an `Event`. JSON without the key leaves an object that is known as it is. A query
/// for `Event` finds the objects of all classes, one for `PushEvent` those of this class only.
///
/// When the value changes, by an import or a save, so does the class: from then on everything gives an object of the
/// new one. Who holds the old one reads the same row by it, and can edit what both classes have.
///
/// All classes share one table. Two of them may declare a property of the same name, if they declare it alike.
///
/// - Parameters:
///   - baseURL: The template of the collection's URL; by default the parent's.
///   - parent: The model that the class inherits from, which inherits from none itself.
///   - values: The values of the discriminator that stand for the class, the first of which new objects have; by
///     default the class's name, also in snake_case, kebab-case, camelCase and in the plural.
///   - key: The property that names the object in its URL; by default the parent's.
///   - identity: Not to be given: it is the parent's.
@attached(
    member, names: named(OwnProperties), named(ownProperties), named(modelDescription), named(init))
@attached(memberAttribute)
@attached(extension, conformances: Submodel)
public macro Model(
    _ baseURL: String? = nil, inherits parent: any Model.Type, as values: String..., key: String? = nil,
    identity: String...
) = #externalMacro(module: "RestfulDataMacros", type: "ModelMacro")

/// Makes a class a model of which there is one object, at a URL of its own.
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
/// The class is a ``SingularModel``, which has `fetch(in:)` and `stored(in:)`. Without an identity the store has one
/// row of it. With a relationship as its identity each parent has one.
///
/// - Parameters:
///   - baseURL: The template of the object's URL. It is fetched, created, saved and deleted there.
///   - api: The name of the API that has the object, in a store with several.
///   - create: The template of the URL that a new object is sent to, where it is another one.
///   - update: The template of the URL that changes are sent to, where it is another one.
///   - delete: The template of the URL by which the object is deleted, where it is another one.
///   - identity: The properties that together name the object at the server; none if there is one object.
///   - table: The table's name; by default what the conventions give.
///   - renamedFrom: The class's name in an earlier version of the models.
///   - singular: `true`.
///   - envelope: What wraps the object in a body; by default what the API's conventions say.
///   - resourceType: The `type` of the object in JSON:API.
///   - saveMethod: Whether `save` sends a PATCH, PUT or POST of what changed or a PUT of the whole.
///   - creates: Whether `create` sends a POST or a PUT.
///   - conditionalWrites: The condition that changes of the object carry; by default the API's.
///   - conflicts: What the outbox does about a conflict; by default as the API says.
///   - policy: Whether a fetch of the object asks the server; by default as the API does.
///   - log: The level at which requests about the object are logged; by default the API's.
///   - names: How the properties are named in JSON; by default as the API's conventions say.
///   - values: How dates are written, and what turns JSON into values of some types; by default as the API does.
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

/// Says more about an attribute than its declaration does.
///
/// ```swift
/// @Attribute("description") var summary: String?
/// @Attribute(access: .readOnly) var createdAt: Date?
/// ```
///
/// A property needs this only when the conventions give another JSON name, or when it must not be taken for a
/// relationship.
///
/// - Parameters:
///   - json: The key path in JSON, `"plan.name"` for a nested one; `\.` is a dot within a key: `"@odata\\.etag"`. It
///     beats every convention.
///   - sentKey: The key path under which the value is sent, where it is read from another one: `@Attribute("price_text",
///     sentKey: "price")`.
///   - access: Which way the value travels.
///   - renamedFrom: The property's name in an earlier version of the model, whose column is renamed when the store
///     opens.
///   - format: How a date is written in JSON; by default as the API's others are.
///   - indexed: Whether the file has an index of the attribute: a query by it, or in its order, then reads only the
///     rows that it gives, and each write of the attribute costs a little more. An index is made, or dropped, when the
///     store opens. Identities and links to one object always have one. Numbers that are stored as text (`Decimal`, 128
///     bits) are compared as numbers, which no index helps.
///   - searchable: Whether the file has a full text index of the attribute, a text, together with the model's others:
///     for `context.query(Issue.self).search("crash café")`. It is made, or dropped, when the store opens; each write
///     of the text costs its words.
///   - isPath: Whether slashes in the value stand as they are in the path of a URL, as in a repository's
///     `octocat/Hello-World`, or are escaped. Where nothing is said, as ``APIConventions/URLs-swift.struct`` has it.
///   - nothing: What beside `null` says that there is no value: `""`, or that the key is missing. Where nothing is
///     said, as ``ValueFormats/nothing`` has it.
///   - alwaysSent: Whether the value goes along with each request that creates or saves the object, edited or not:
///     Rails' `lock_version`. With `access: .readOnly` it goes out as the server last said it, and is not edited.
@attached(peer)
public macro Attribute(
    _ json: String? = nil, sentKey: String? = nil, access: AttributeAccess = .readWrite,
    renamedFrom: String? = nil, format: DateFormat? = nil, indexed: Bool = false, searchable: Bool = false,
    isPath: Bool? = nil, nothing: NothingForms? = nil, alwaysSent: Bool = false
) = #externalMacro(module: "RestfulDataMacros", type: "AttributeMacro")

/// Says that an attribute's JSON is turned into its values, and back, by a transformer.
///
/// ```swift
/// @Attribute("price_cents", transformer: .cents) var price: Decimal?
/// ```
///
/// - Parameters:
///   - json: The key path in JSON, `"plan.name"` for a nested one. It beats every convention.
///   - sentKey: The key path under which the value is sent, where it is read from another one.
///   - access: Which way the value travels.
///   - renamedFrom: The property's name in an earlier version of the model, whose column is renamed when the store
///     opens.
///   - transformer: One of the attribute's type, optional or not. One of another type is a problem that the store
///     reports when it opens.
///   - indexed: Whether the file has an index of the attribute, for queries by it and in its order.
///   - searchable: Whether the file has a full text index of the attribute, a text.
///   - isPath: Whether slashes in the value stand as they are in the path of a URL.
///   - nothing: What beside `null` says that there is no value.
///   - alwaysSent: Whether the value goes along with each request that creates or saves the object, edited or not.
@attached(peer)
public macro Attribute<Value: Sendable>(
    _ json: String? = nil, sentKey: String? = nil, access: AttributeAccess = .readWrite,
    renamedFrom: String? = nil, transformer: AttributeTransformer<Value>, indexed: Bool = false,
    searchable: Bool = false, isPath: Bool? = nil, nothing: NothingForms? = nil, alwaysSent: Bool = false
) = #externalMacro(module: "RestfulDataMacros", type: "AttributeMacro")

/// Says more about a relationship than its declaration does.
///
/// ```swift
/// @Relationship("/users/:login/repos", inverse: "owner") var repositories: [Repository]
/// @Relationship("/:ordersURL") var orders: [Order]                // the URL that the object has in that attribute
/// @Relationship(sentAs: .key("name")) var labels: [Label]
/// @Relationship(json: "author_detail", sentKey: "author") var author: User?   // read whole, sent by identity
/// ```
///
/// - Parameters:
///   - route: The template of the relationship's URL; by default derived from the destination's base URL.
///   - json: The key path in JSON. It beats every convention.
///   - sentKey: The key path under which the relationship is sent, where it is read from another one:
///     `@Relationship(json: "author_detail", sentKey: "author")`. If it is sent by identity, identities are read there
///     too.
///   - inverse: The destination's property that leads back; `nil` says that there is none. By default it is the only
///     one that can be. Where several can, the store doesn't open until one is named, or `nil` says that none is it.
///   - sentAs: How the relationship goes out in a request's body; by default as the API's conventions say.
///   - merges: Whether a list in a reply is always merged into the membership (`true`), or always the whole of it
///     (`false`). By default it is the whole unless something in the reply says that there is more; see ``ListExtent``.
///   - owns: Whether an object that leaves the relationship, or loses its owner, is deleted.
///   - onDelete: What becomes of what it leads to when its own object is deleted: `.nullify` unlinks it, `.cascade`
///     deletes it, `.deny` keeps the object from being deleted.
///   - verbs: What the server has routes for: `[.fetch, .add]` for a list whose members it never removes.
///   - adds: How what the server knows becomes a member: `.put()` for `PUT /issues/1/labels/bug`; by default as the
///     API's conventions say.
///   - newMembers: Where new members go that a part of the list brings: `.first` for a list whose newest member is its
///     first, so that `?since_id=9` puts them in front. A call can say it, too: `{ $0.newMembers = .first }`.
///   - removal: What `$list.delete(member)` does: by default it deletes the object where the URL is the object's own,
///     as that of a derived route is, and else takes it out of the list.
///   - renamedFrom: The property's name in an earlier version of the model, whose links are kept when the store opens.
@attached(peer)
public macro Relationship(
    _ route: String? = nil, json: String? = nil, sentKey: String? = nil, inverse: Inverse = .inferred,
    sentAs: RelationshipSending = .conventional, merges: Bool? = nil, owns: Bool = false,
    onDelete: DeleteRule = .nullify, verbs: RelationshipVerbs = .all, adds: MembershipMethod? = nil,
    newMembers: NewMembers = .last, removal: MemberRemoval = .byURL, renamedFrom: String? = nil
) = #externalMacro(module: "RestfulDataMacros", type: "RelationshipMacro")

/// Leaves a stored property of a model alone: it is neither stored in the file nor sent, and lives as long as the
/// instance.
///
/// It is optional or has a default.
@attached(peer)
public macro Transient() = #externalMacro(module: "RestfulDataMacros", type: "TransientMacro")

/// Turns a stored property into an accessor of the object's row; `@Model` adds it to what is certainly an attribute.
@_documentation(visibility: internal)
@attached(accessor, names: named(get), named(set))
public macro _ModelProperty(at: Int? = nil) =
    #externalMacro(module: "RestfulDataMacros", type: "ModelPropertyMacro")

/// The same for what may be a relationship, and beside it the `$` property through which its routes are called.
@_documentation(visibility: internal)
@attached(accessor, names: named(get), named(set))
@attached(peer, names: prefixed(`$`))
public macro _ModelRelationship(at: Int? = nil) =
    #externalMacro(module: "RestfulDataMacros", type: "ModelRelationshipMacro")

/// Makes a struct a type that takes a whole response: its stored properties are taken from the response's JSON, the
/// models among them imported and live in the caller's context.
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
/// Every property is optional or has a default, or is a model, a list of models or another response type. What a body
/// has nothing for is nil, empty or its default; a value of another type likewise, and the import reports it. All
/// models of a body are written in one transaction. The struct can be generic: `Page<Issue>`.
///
/// - Parameter api: The name of the API that answers so, in a store with several; by default the first one.
@attached(member, names: named(Parts), named(responseDescription))
@attached(extension, conformances: ResponseBody, names: named(init))
public macro ResponseBody(api: String? = nil) = #externalMacro(module: "RestfulDataMacros", type: "ResponseBodyMacro")

/// Says that a value of a response type is the whole of the body.
@attached(peer)
public macro Attribute(_ place: ResponsePlace) = #externalMacro(module: "RestfulDataMacros", type: "AttributeMacro")

/// Says that the objects of a response type are the whole of the body: `@Relationship(json: .root) var issues:
/// [Issue]`.
@attached(peer)
public macro Relationship(json place: ResponsePlace) =
    #externalMacro(module: "RestfulDataMacros", type: "RelationshipMacro")

// SwiftData's arguments are taken so that the macro says what to write instead, in place of the compiler's list of
// candidates. Where a file imports SwiftData too, its own macros are preferred.

/// Explains the misuse: `@Model` says what to write instead.
@_documentation(visibility: internal)
@attached(peer)
public macro Attribute(
    _ option: SwiftDataOption, _ more: SwiftDataOption..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "RestfulDataMacros", type: "AttributeMacro")

/// Explains the misuse: `@Model` says what to write instead.
@_documentation(visibility: internal)
@attached(peer)
public macro Relationship(
    _ options: SwiftDataOption..., deleteRule: SwiftDataDeleteRule, minimumModelCount: Int? = 0,
    maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "RestfulDataMacros", type: "RelationshipMacro")
