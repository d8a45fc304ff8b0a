public import Conventions

/// The arguments of `@Model`.
public struct ModelOptions: Sendable {
    /// The URL template of the collection.
    public var baseURL: String?
    /// The name of the objects' API; nil for the store's first.
    public var api: String?
    /// The URL template of one object; nil for the collection's and the key.
    public var object: String?
    /// The URL template for listing objects; nil for the collection's.
    public var index: String?
    /// The URL template for creating an object; nil for the collection's or, with ``CreateMethod/put``, the object's.
    public var create: String?
    /// The URL template for changing an object; nil for the object's.
    public var update: String?
    /// The URL template for deleting an object; nil for the object's.
    public var delete: String?
    /// The property that identifies the object in its URL; nil for the identity.
    public var key: String?
    /// The properties that identify the object at the server. If empty, `identifier` or `id`.
    public var identity: [String]
    /// Whether the server may change an object's identity.
    public var renames: IdentityRenaming
    /// The table's name; by convention if nil.
    public var table: String?
    /// The attribute that selects among the models that inherit from this one.
    public var discriminator: String?
    /// The model that this one inherits from.
    public var parent: (any Model.Type)?
    /// The values of the parent's discriminator for this model. If empty, the forms of its name.
    public var discriminatorValues: [String] = []
    /// The class's earlier name. A migration renames the table.
    public var renamedFrom: String?
    /// Whether the objects lack an identity and belong to the object that refers to them.
    public var embedded: Bool
    /// Whether there is one object, or one for each parent, at the base URL itself.
    public var singular: Bool
    /// The envelope of an object or list in a body.
    public var envelope: ModelEnvelope
    /// The `type` of the objects in JSON:API; by convention if nil.
    public var resourceType: String?
    /// The request that changes an object; nil for the API's.
    public var saveMethod: SaveMethod?
    /// The request that creates an object; nil for the API's.
    public var creates: CreateMethod?
    /// Attributes with a combination of values that is unique at the server.
    public var natural: [String]
    /// The condition that changes of objects carry; nil for the API's.
    public var conditionalWrites: ConditionalWrites?
    /// The resolution of conflicts in the outbox; nil for the API's.
    public var conflicts: ConflictPolicy?
    /// The paging of lists; nil for the API's.
    public var paging: ListPaging?
    /// The URL that lists changes.
    public var changes: ChangeFeed?
    /// The policy of fetches; nil for the API's.
    public var policy: FetchPolicy?
    /// The keys that mark an object as deleted; nil for the API's.
    public var tombstones: [String]?

    /// The JSON names of the properties; nil for the API's.
    public var names: NamingConventions?
    /// The JSON formats of values; nil for the API's.
    public var values: ValueFormats?
    /// The level of log messages about requests; nil for the API's.
    public var log: RequestLogLevel?

    /// The properties, by Swift name, of each index over several properties.
    public var indexes: [[String]] = []

    /// Creates options from the arguments of `@Model`.
    public init(
        _ baseURL: String? = nil, api: String? = nil, object: String? = nil, index: String? = nil,
        create: String? = nil,
        update: String? = nil, delete: String? = nil, key: String? = nil, identity: String...,
        renames: IdentityRenaming = .byClient, table: String? = nil,
        renamedFrom: String? = nil, embedded: Bool = false, singular: Bool = false,
        envelope: ModelEnvelope = .conventional, resourceType: String? = nil, discriminator: String? = nil,
        saveMethod: SaveMethod? = nil,
        creates: CreateMethod? = nil, natural: [String] = [], conditionalWrites: ConditionalWrites? = nil,
        conflicts: ConflictPolicy? = nil, paging: ListPaging? = nil, changes: ChangeFeed? = nil,
        policy: FetchPolicy? = nil, tombstones: [String]? = nil, log: RequestLogLevel? = nil,
        names: NamingConventions? = nil, values: ValueFormats? = nil, indexes: [[String]] = []
    ) {
        (self.names, self.values) = (names, values)
        (self.natural, self.conditionalWrites, self.conflicts) = (natural, conditionalWrites, conflicts)
        self.log = log
        self.paging = paging
        self.changes = changes
        self.policy = policy
        self.tombstones = tombstones
        self.creates = creates
        (self.baseURL, self.api) = (baseURL, api)
        self.object = object
        (self.index, self.create, self.update, self.delete) = (index, create, update, delete)
        self.key = key
        self.identity = identity
        self.renames = renames
        self.table = table
        self.renamedFrom = renamedFrom
        self.embedded = embedded
        self.singular = singular
        self.envelope = envelope
        self.resourceType = resourceType
        self.discriminator = discriminator
        self.saveMethod = saveMethod
        self.indexes = indexes
    }

    /// Creates options from the arguments of `@Model(inherits:)`.
    public init(
        _ baseURL: String? = nil, inherits parent: any Model.Type, as values: String..., key: String? = nil,
        identity: String...
    ) {
        self.init(baseURL, key: key)
        self.identity = identity
        self.parent = parent
        self.discriminatorValues = values
    }
}

/// The envelope of a model's objects and lists in a body.
public enum ModelEnvelope: Sendable, Hashable {
    /// The envelope by the API's conventions.
    case conventional
    /// No envelope: the object or the list itself is the body.
    case none
    /// An object at the key or key path `object`, and a list at `list`, or else the plural of `object`: `{"issue":
    /// {…}}` and `{"issues": […]}`.
    case named(_ object: String, list: String? = nil)
    /// An object without an envelope, and a list at this key or key path: `{"items": […]}`.
    case list(String)
}

/// Whether the server may change an object's identity when it accepts a change.
public enum IdentityRenaming: Sendable, Hashable {
    /// Only you change the identity. A reply with another one is an error.
    case byClient
    /// The server may change the identity, for example a slug made from the title. The reply to a save is about its
    /// object, whichever identity it has.
    case byServer
}

/// The request that changes an object at the server.
public enum SaveMethod: Sendable, Hashable {
    /// `PATCH` with the changed properties (RFC 5789).
    case patch
    /// `PUT` with the properties that the server has sent or you have set (RFC 9110 §9.3.4).
    case put
    /// `PUT` with the changed properties, as for GitLab.
    case putChanges
    /// `POST` to the object's URL with the changed properties, as for Stripe.
    case post
    /// `PATCH` with a JSON merge patch ([RFC 7396](https://www.rfc-editor.org/rfc/rfc7396)),
    /// `application/merge-patch+json`: the changed properties, where null removes a member, such as a removed key of a
    /// dictionary. A value with a null within your own JSON is refused.
    case mergePatch
    /// `PATCH` with a JSON Patch ([RFC 6902](https://www.rfc-editor.org/rfc/rfc6902)), `application/json-patch+json`:
    /// `[{"op":"add","path":"/title","value":"B"}]`. An `add` sets a member. A `remove` removes a value that the server
    /// has; otherwise nil is an `add` of null. An emptied list is removed if a missing key means none
    /// (``NothingForms/missingKey``).
    case jsonPatch
    /// `PATCH` with the changed properties, and their names in the query: `?updateMask=title,labels`
    /// ([AIP-134](https://google.aip.dev/134)). A property that is nil is only in the mask.
    case updateMask
}

/// The request that creates an object at the server.
public enum CreateMethod: Sendable, Hashable {
    /// `POST` to the collection's URL.
    case post
    /// `PUT` to the object's own URL, with a key that you set.
    case put
}

/// The level of log messages about requests.
public enum RequestLogLevel: String, Sendable, Hashable {
    case trace, debug, info, notice, warning, error
}
