public import Conventions

/// The arguments of `@Model`.
public struct ModelOptions: Sendable {
    /// The template of the collection's URL.
    public var baseURL: String?
    /// The name of the API that has the objects, where the store has several and it is not the first.
    public var api: String?
    /// The template of one object's URL, where it is not the collection's with the key behind it.
    public var object: String?
    /// The template of the URL that lists such objects, where it is not the collection's.
    public var index: String?
    /// The template of the URL that a new object is sent to, where it is not the collection's, or the object's own.
    public var create: String?
    /// The template of the URL that changes of an object are sent to, where it is not the object's own.
    public var update: String?
    /// The template of the URL by which an object is deleted, where it is not the object's own.
    public var delete: String?
    /// The property that stands for the object in its URL; the identity where nothing is said.
    public var key: String?
    /// The properties that together name the object at the server; `identifier` or `id` where nothing is said.
    public var identity: [String]
    /// Whether the server may rename such an object when it takes a change of it.
    public var renames: IdentityRenaming
    /// The table's name, where it is not the one that the conventions give.
    public var table: String?
    /// The attribute whose value says which of the models that inherit from this one an object is.
    public var discriminator: String?
    /// The model that this one inherits from.
    public var parent: (any Model.Type)?
    /// The values of the parent's discriminator that stand for this model; the forms of its name where nothing is said.
    public var discriminatorValues: [String] = []
    /// The class's name in an earlier version of the models; its table is renamed.
    public var renamedFrom: String?
    /// Whether the objects have no identity, and live in the one that leads to them.
    public var embedded: Bool
    /// Whether there is one such object, or one for each that it belongs to, at the base URL itself.
    public var singular: Bool
    /// What wraps an object and a list in a body.
    public var envelope: ModelEnvelope
    /// The `type` of the model's objects in JSON:API, where it is not the one that the conventions give.
    public var resourceType: String?
    /// How the server takes changes of such an object; the API's way where nothing is said.
    public var saveMethod: SaveMethod?
    /// How the server takes a new object; the API's way where nothing is said.
    public var creates: CreateMethod?
    /// Attributes whose values together no two objects at the server share.
    public var natural: [String]
    /// The condition that changes of such objects carry; the API's where nothing is said.
    public var conditionalWrites: ConditionalWrites?
    /// What the outbox does about a conflict; the API's policy where nothing is said.
    public var conflicts: ConflictPolicy?
    /// How lists of such objects are paged; the API's way where nothing is said.
    public var paging: ListPaging?
    /// Where the server says what has changed of such objects.
    public var changes: ChangeFeed?
    /// Whether a fetch of such objects asks the server; the API's way where nothing is said.
    public var policy: FetchPolicy?
    /// The keys by which such an object says that it is deleted; the API's where nothing is said.
    public var tombstones: [String]?

    /// How the properties are named in JSON; by the API's conventions where nothing is said.
    public var names: NamingConventions?
    /// How the values are written in JSON; the API's way where nothing is said.
    public var values: ValueFormats?
    /// The level at which requests about such objects are logged; the API's where nothing is said.
    public var log: RequestLogLevel?

    /// The properties, by Swift name, of each index of several of them.
    public var indexes: [[String]] = []

    /// As `@Model` takes them.
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

    /// As the `@Model` of a class that inherits from another model takes them.
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

/// What wraps a model's objects and lists in a body, where it is not what the API's conventions say.
public enum ModelEnvelope: Sendable, Hashable {
    /// As the API's conventions say.
    case conventional
    /// Nothing: the object or the list itself is the body.
    case none
    /// An object stands at the key or key path `object`, a list at `list`: `{"issue": {…}}` and `{"issues": […]}`.
    /// Where no list is named, it is the object's plural.
    case named(_ object: String, list: String? = nil)
    /// Nothing around an object; a list stands at this key or key path: `{"items": […]}`.
    case list(String)
}

/// Whose change of an object's identity a reply to a save confirms.
public enum IdentityRenaming: Sendable, Hashable {
    /// The identity changes only where it was edited and sent. A reply that names another object is an error.
    case byClient
    /// The server may give the object another identity whenever it takes a change, as one that makes the slug of the
    /// title. The reply to the object's own save names this object, whichever identity it has.
    case byServer
}

/// How a server takes changes of an object.
public enum SaveMethod: Sendable, Hashable {
    /// `PATCH` with the changed properties (RFC 5789).
    case patch
    /// `PUT` with what the server has said of the object and what was set here (RFC 9110 §9.3.4).
    case put
    /// `PUT` with the changed properties, as GitLab takes it.
    case putChanges
    /// `POST` to the object's URL with the changed properties, as Stripe takes it.
    case post
    /// `PATCH` with a JSON merge patch ([RFC 7396](https://www.rfc-editor.org/rfc/rfc7396)),
    /// `application/merge-patch+json`: the changed properties, where null removes a member. A dictionary has null for
    /// each key that it lost. A null within JSON of your own would remove a member, too, so such a value is refused.
    case mergePatch
    /// `PATCH` with a JSON Patch ([RFC 6902](https://www.rfc-editor.org/rfc/rfc6902)), `application/json-patch+json`:
    /// `[{"op":"add","path":"/title","value":"B"}]`. An `add` sets a member, whether or not it is there. A `remove`
    /// takes away a value that the server has; nil is an `add` of null where it has none. A list that was emptied is
    /// taken away where a missing key means none (``NothingForms/missingKey``).
    case jsonPatch
    /// `PATCH` with the changed properties, and the names of these in the query: `?updateMask=title,labels`, as
    /// Google's services take it ([AIP-134](https://google.aip.dev/134)). What is nil is in the mask and not in the
    /// body.
    case updateMask
}

/// How a server takes a new object.
public enum CreateMethod: Sendable, Hashable {
    /// `POST` to the collection's URL.
    case post
    /// `PUT` to the object's own URL, whose key is set here.
    case put
}

/// How important the lines are that a log has of requests.
public enum RequestLogLevel: String, Sendable, Hashable {
    case trace, debug, info, notice, warning, error
}
