/// Which way an attribute travels.
public enum AttributeAccess: Sendable, Hashable {
    /// Taken from replies and sent.
    case readWrite
    /// Taken from replies, never sent.
    case readOnly
    /// Sent, and never taken from a reply: a password.
    case writeOnly
    /// Sent when the object is created, not when it is saved.
    case createOnly
}

/// The arguments of `@Attribute`.
public struct AttributeOptions: Sendable {
    /// The JSON key path, where it is not the one that the conventions give.
    public var json: String?
    /// Which way the value travels.
    public var access: AttributeAccess
    /// The property's name in an earlier version of the model; its column is renamed.
    public var renamedFrom: String?
    /// How a date is written in JSON, where the API's format is not the one.
    public var format: DateFormat?
    /// What turns JSON into the attribute's values and back, in place of the attribute's own conversion.
    public var transformer: (any AttributeTransforming)?
    /// Whether the file has an index of the attribute, for queries by it and in its order.
    public var indexed: Bool
    /// Whether the file has a full text index of the attribute, for `search`.
    public var searchable: Bool
    /// Whether slashes in the value part segments in URLs; as the API and the place in the URL have it where nothing is
    /// said.
    public var isPath: Bool?

    /// What beside `null` says that there is no value; as the API has it where nothing is said.
    public var nothing: NothingForms?
    /// Whether the value goes along with each request that saves or creates the object, edited or not.
    public var alwaysSent: Bool
    /// The JSON key path under which the value is sent, where it is read from another one.
    public var sentKey: String?

    /// Whether the value is the whole body of a response, in a type that takes one.
    public var isRoot = false

    /// As `@Attribute` takes them.
    public init(
        _ json: String? = nil, sentKey: String? = nil, access: AttributeAccess = .readWrite,
        renamedFrom: String? = nil, format: DateFormat? = nil, indexed: Bool = false, searchable: Bool = false,
        isPath: Bool? = nil, nothing: NothingForms? = nil, alwaysSent: Bool = false
    ) {
        self.sentKey = sentKey
        self.nothing = nothing
        self.alwaysSent = alwaysSent
        self.json = json
        self.access = access
        self.renamedFrom = renamedFrom
        self.format = format
        self.indexed = indexed
        self.searchable = searchable
        self.isPath = isPath
    }

    /// As `@Attribute` takes them.
    public init<Value: Sendable>(
        _ json: String? = nil, sentKey: String? = nil, access: AttributeAccess = .readWrite,
        renamedFrom: String? = nil, transformer: AttributeTransformer<Value>, indexed: Bool = false,
        searchable: Bool = false, isPath: Bool? = nil, nothing: NothingForms? = nil, alwaysSent: Bool = false
    ) {
        self.sentKey = sentKey
        self.nothing = nothing
        self.alwaysSent = alwaysSent
        self.json = json
        self.access = access
        self.renamedFrom = renamedFrom
        self.transformer = transformer
        self.indexed = indexed
        self.searchable = searchable
        self.isPath = isPath
    }

    /// The same for a part of a response type.
    public init(_ place: ResponsePlace) {
        self.init()
        isRoot = true
    }
}

/// How a relationship goes out in a request's body.
public enum RelationshipSending: Sendable, Hashable {
    /// As the API's conventions say; without an API, as ``identities``.
    case conventional
    /// As `owner_id: 7`, or `label_ids: [1, 2]`: the identities of what it leads to.
    case identities
    /// Under its own JSON key, as identities: `owner: 7`, `labels: [1, 2]`.
    case identitiesByName
    /// Under its own JSON key, as the value of that attribute of what it leads to: `.key("name")` gives
    /// `labels: ["bug"]`, `.key("number")` gives `milestone: 3`.
    case key(String)
    /// Under its own JSON key, as whole objects: their attributes and what is embedded in them. Of those that the
    /// server doesn't know also what they lead to as whole objects or by a key, at any depth, but for the way back.
    case nested
    /// Not at all.
    case never
}

/// The relationship of the other class that is this one's other direction.
public enum Inverse: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    /// The only relationship of the other class that leads back here, if there is one and it is this one's only
    /// partner. Where several could be it, opening a store throws ``StoreError/models(_:)`` with their names: name one,
    /// or write `nil`. A relationship to its own class has an inverse only if one is named.
    case inferred
    /// The relationship of that name.
    case named(String)
    /// There is none; written as `nil`.
    case none

    /// The relationship of that name.
    public init(stringLiteral value: String) { self = .named(value) }
    /// No inverse.
    public init(nilLiteral: ()) { self = .none }
}

/// What becomes of the objects that a relationship leads to when the object that has it is deleted.
public enum DeleteRule: Sendable, Hashable {
    /// They stay, and no longer lead back.
    case nullify
    /// They are deleted too, and by their own rules what they lead to.
    case cascade
    /// The object is not deleted while the relationship leads to anything that is not deleted with it.
    case deny
}

/// What a relationship's routes can do at the server.
public struct RelationshipVerbs: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// A set of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// GET of the relationship's route, and of a member below it.
    public static let fetch = RelationshipVerbs(rawValue: 1)
    /// What makes an object a member.
    public static let add = RelationshipVerbs(rawValue: 2)
    /// What removes a member.
    public static let delete = RelationshipVerbs(rawValue: 4)
    /// All of them.
    public static let all: RelationshipVerbs = [.fetch, .add, .delete]
}

/// How what the server knows becomes a member of a list.
///
/// | | with the member in the body | without a body |
/// |---|---|---|
/// | ``post(hasBody:)`` | `POST /issues/1/labels {"labels":["bug"]}` | `POST /issues/1/labels/bug` |
/// | ``put(hasBody:)`` | `PUT /issues/1/labels/bug {"labels":["bug"]}` | `PUT /issues/1/labels/bug` |
public enum MembershipMethod: Sendable, Hashable {
    /// POST.
    case post(hasBody: Bool = true)
    /// PUT of the member's URL below the list's.
    case put(hasBody: Bool = false)
}

/// Where new members of a list go when a reply has a part of the list: a page, the result of a narrowed query, a list in
/// an object that says that there is more.
///
/// The members that are here keep their order. If a reply has the whole list, the order is the server's.
public enum NewMembers: Sendable, Hashable {
    /// In front of the members that are here, for a list whose newest member is its first.
    case first
    /// After the members that are here.
    case last
}

/// Whether lists in replies are the whole membership, where the relationship doesn't say it.
public enum ListExtent: Sendable, Hashable {
    /// A list is whole unless something says that there is more: a total, in the body or in a header field, that is
    /// larger than what came; a status of 206; a link, a cursor or a flag that leads to another page, in any usual
    /// spelling; an element that could not be read.
    case judged
    /// Each is a page, which is merged in and unlinks nothing.
    case pages
    /// Each is whole, whatever is said around it, if all of its elements could be read and the API's way of paging
    /// leads to no other page.
    case whole
}

/// What `$list.delete(member)`, `DELETE` of the member's URL below the list's, does at the server, and so here.
public enum MemberRemoval: Sendable, Hashable {
    /// It deletes the object where that URL is the object's own, as DELETE does everywhere; at any other URL it takes
    /// the object out of the list. A route that is derived gives the objects' own URLs.
    case byURL
    /// It deletes the object, though its own URL is another: `DELETE /posts/1/comments/5` of what is `/comments/5`.
    case deletes
    /// It takes the object out of the list, which needs a route of its own.
    case unlinks
}

/// The arguments of `@Relationship`.
public struct RelationshipOptions: Sendable {
    /// The URL template of the relationship's own route.
    public var route: String?
    /// The JSON key path, where it is not the one that the conventions give.
    public var json: String?
    /// The JSON key path under which the relationship is sent, where it is read from another one.
    public var sentKey: String?
    /// The relationship's other direction.
    public var inverse: Inverse
    /// How it goes out.
    public var sentAs: RelationshipSending
    /// Whether a list in a reply is merged into the membership, or else becomes the membership; nil for what the API's
    /// conventions say.
    public var merges: Bool?
    /// Whether what leaves the list, or loses this owner, is deleted.
    public var owns: Bool
    /// What becomes of what it leads to when its own object is deleted.
    public var onDelete: DeleteRule
    /// What its routes can do.
    public var verbs: RelationshipVerbs
    /// How what the server knows becomes a member; nil for what the API's conventions say.
    public var adds: MembershipMethod?
    /// Where new members go that a part of the list brings.
    public var newMembers: NewMembers
    /// Whether a member is deleted or unlinked by the list's route.
    public var removal: MemberRemoval
    /// The property's name in an earlier version of the model; its links are kept.
    public var renamedFrom: String?
    /// Whether the objects are the whole body of a response, in a type that takes one.
    public var isRoot = false

    /// As `@Relationship` takes them.
    public init(
        _ route: String? = nil, json: String? = nil, sentKey: String? = nil, inverse: Inverse = .inferred,
        sentAs: RelationshipSending = .conventional, merges: Bool? = nil, owns: Bool = false,
        onDelete: DeleteRule = .nullify, verbs: RelationshipVerbs = .all, adds: MembershipMethod? = nil,
        newMembers: NewMembers = .last, removal: MemberRemoval = .byURL, renamedFrom: String? = nil
    ) {
        self.newMembers = newMembers
        self.sentKey = sentKey
        self.removal = removal
        self.verbs = verbs
        self.adds = adds
        self.route = route
        self.json = json
        self.inverse = inverse
        self.sentAs = sentAs
        self.merges = merges
        self.owns = owns
        self.onDelete = onDelete
        self.renamedFrom = renamedFrom
    }

    /// The same for a part of a response type.
    public init(json place: ResponsePlace) {
        self.init()
        isRoot = true
    }
}
