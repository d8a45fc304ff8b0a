/// The directions in which an attribute's value is transferred.
public enum AttributeAccess: Sendable, Hashable {
    /// Read from replies and sent.
    case readWrite
    /// Only read from replies.
    case readOnly
    /// Only sent, such as a password.
    case writeOnly
    /// Read from replies, and sent only when the object is created.
    case createOnly
}

/// The arguments of `@Attribute`.
public struct AttributeOptions: Sendable {
    /// The JSON key path; by convention if nil.
    public var json: String?
    /// The directions in which the value is transferred.
    public var access: AttributeAccess
    /// The property's earlier name. A migration renames the column.
    public var renamedFrom: String?
    /// The JSON format of a date; nil for the API's.
    public var format: DateFormat?
    /// Converts JSON to values and back, instead of the type's own conversion.
    public var transformer: (any AttributeTransforming)?
    /// Whether the file has an index of the attribute, for conditions and sorting.
    public var indexed: Bool
    /// Whether the file has a full text index of the attribute, for `search`.
    public var searchable: Bool
    /// Whether slashes in the value separate path segments in URLs; if nil, the API's convention and the place in the
    /// URL decide.
    public var isPath: Bool?

    /// The JSON that means nil, besides `null`; nil for the API's.
    public var nothing: NothingForms?
    /// Whether each save and creation sends the value, even unedited.
    public var alwaysSent: Bool
    /// The JSON key path in requests, if another one than in replies.
    public var sentKey: String?

    /// Whether the value is the whole body, in a response type.
    public var isRoot = false

    /// Creates options from the arguments of `@Attribute`.
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

    /// Creates options from the arguments of `@Attribute`, with a transformer.
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

    /// Creates options of a part that is the whole body.
    public init(_ place: ResponsePlace) {
        self.init()
        isRoot = true
    }
}

/// The form of a relationship in a request's body.
public enum RelationshipSending: Sendable, Hashable {
    /// The form by the API's conventions; without an API, ``identities``.
    case conventional
    /// The targets' identities, as `owner_id: 7` or `label_ids: [1, 2]`.
    case identities
    /// The targets' identities under the relationship's own JSON key: `owner: 7`, `labels: [1, 2]`.
    case identitiesByName
    /// The value of this attribute of each target, under the relationship's own JSON key: `.key("name")` gives `labels:
    /// ["bug"]`.
    case key(String)
    /// Objects under the relationship's own JSON key: attributes and embedded objects. New objects also include their
    /// own targets that are sent nested or by a key, at any depth, without relationships back to the container.
    case nested
    /// Never sent.
    case never
}

/// The other direction of a relationship: a relationship of the other class.
public enum Inverse: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    /// The only relationship that leads back, if there is exactly one on each side. For several candidates, opening a
    /// store throws ``StoreError/models(_:)`` with their names: declare one, or write `nil`. A relationship to its own
    /// class has only a declared inverse.
    case inferred
    /// The relationship with this name.
    case named(String)
    /// No inverse, written as `nil`.
    case none

    /// Creates the inverse with this name.
    public init(stringLiteral value: String) { self = .named(value) }
    /// Creates no inverse.
    public init(nilLiteral: ()) { self = .none }
}

/// The effect of an object's deletion on the targets of a relationship.
public enum DeleteRule: Sendable, Hashable {
    /// The targets stay and no longer refer to the object.
    case nullify
    /// The targets are deleted too, by their own delete rules.
    case cascade
    /// The object can't be deleted while targets would remain.
    case deny
}

/// The requests that a relationship's routes support.
public struct RelationshipVerbs: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// GET of the relationship's route, and of a member below it.
    public static let fetch = RelationshipVerbs(rawValue: 1)
    /// Adding a member.
    public static let add = RelationshipVerbs(rawValue: 2)
    /// Removing a member.
    public static let delete = RelationshipVerbs(rawValue: 4)
    /// All requests.
    public static let all: RelationshipVerbs = [.fetch, .add, .delete]
}

/// The request that adds an object that the server has to a list.
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

/// The place of new members in a part of a list: a page, or the result of a narrowed query. Known members keep their
/// order. A whole list has the server's order.
public enum NewMembers: Sendable, Hashable {
    /// In front of the known members, for a list with its newest member first.
    case first
    /// After the known members.
    case last
}

/// Whether lists in replies are whole, unless a relationship declares `merges:`.
public enum ListExtent: Sendable, Hashable {
    /// A list is whole unless there is a sign of more members: a total, in the body or a header field, over the number
    /// of elements; status 206; a link, cursor or flag for another page, in any usual spelling; an unreadable element.
    case judged
    /// Each list is a page, which unlinks nothing.
    case pages
    /// Each list is whole, with any keys around it, unless an element is unreadable or the API's paging leads to
    /// another page.
    case whole
}

/// The effect of `$list.delete(member)`, a `DELETE` of the member's URL below the list's.
public enum MemberRemoval: Sendable, Hashable {
    /// Deletes the object if that URL is its own, as for derived routes; otherwise removes it from the list.
    case byURL
    /// Deletes the object: `DELETE /posts/1/comments/5` deletes `/comments/5`.
    case deletes
    /// Removes the object from the list. The list needs a route of its own.
    case unlinks
}

/// The arguments of `@Relationship`.
public struct RelationshipOptions: Sendable {
    /// The URL template of the relationship's own route.
    public var route: String?
    /// The JSON key path; by convention if nil.
    public var json: String?
    /// The JSON key path in requests, if another one than in replies.
    public var sentKey: String?
    /// The JSON key path of the model's name, for a relationship to one of several models; if nil, `subject_type` for
    /// `subject` by convention.
    public var typeKey: String?
    /// The relationship's other direction.
    public var inverse: Inverse
    /// The form in requests.
    public var sentAs: RelationshipSending
    /// Whether a list in a reply is merged into the membership, or replaces it; nil for the API's.
    public var merges: Bool?
    /// Whether objects that leave the list, or lose this owner, are deleted.
    public var owns: Bool
    /// The effect of the object's deletion on the targets.
    public var onDelete: DeleteRule
    /// The requests that the routes support.
    public var verbs: RelationshipVerbs
    /// The request that adds an existing object to the list; nil for the API's.
    public var adds: MembershipMethod?
    /// The place of new members in a part of the list.
    public var newMembers: NewMembers
    /// Whether the list's route deletes a member or unlinks it.
    public var removal: MemberRemoval
    /// The property's earlier name. A migration keeps its links.
    public var renamedFrom: String?
    /// Whether the objects are the whole body, in a response type.
    public var isRoot = false

    /// Creates options from the arguments of `@Relationship`.
    public init(
        _ route: String? = nil, json: String? = nil, sentKey: String? = nil, typeKey: String? = nil,
        inverse: Inverse = .inferred, sentAs: RelationshipSending = .conventional, merges: Bool? = nil,
        owns: Bool = false,
        onDelete: DeleteRule = .nullify, verbs: RelationshipVerbs = .all, adds: MembershipMethod? = nil,
        newMembers: NewMembers = .last, removal: MemberRemoval = .byURL, renamedFrom: String? = nil
    ) {
        self.newMembers = newMembers
        self.sentKey = sentKey
        self.typeKey = typeKey
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

    /// Creates options of a part that is the whole body.
    public init(json place: ResponsePlace) {
        self.init()
        isRoot = true
    }
}
