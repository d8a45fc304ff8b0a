public import Conventions
public import ObjectStore
public import RESTTransport

/// The conventions of a service: its names, URLs, envelopes and paging.
///
/// ```swift
/// var conventions = APIConventions.rails
/// conventions.envelopes = .byName                              // {"issue": {…}}, {"issues": […]}
/// let api = API("https://example.com/api", conventions: conventions)
/// ```
///
/// Take a ready-made value, and change the copy. Declarations by `@Model` or `@Relationship` override it.
public struct APIConventions: Sendable {
    /// The naming of properties in JSON.
    public var names: NamingConventions
    /// The formats of dates and conversions; by default without conversion.
    public var values = ValueFormats()
    /// The query parameters that request parts of objects: `fields`, `_elements`. In such replies, a missing key leaves
    /// the value unchanged, even with ``NothingForms/missingKey``.
    public var partParameters: Set<String> = []
    /// The form of URLs.
    public var urls: URLs = .plain
    /// The wrappers of an object and of a list, in replies and requests.
    public var envelopes: Envelopes = .none
    /// How a page names the next one, unless the model (`@Model(paging:)`) or the call (``Pages/all(limit:by:)``)
    /// declares it.
    public var paging: Paging = .linkHeader
    /// The query parameter for a page's size, if a call requests one
    /// (``Relationship/pages(size:policy:query:at:limit:by:prune:from:with:)``).
    public var pageSize = "per_page"
    /// The preference for a page's size in `Prefer`, instead of a query parameter
    /// ([RFC 7240](https://www.rfc-editor.org/rfc/rfc7240)): `odata.maxpagesize`.
    public var pageSizePreference: String?
    /// Whether lists in replies are the whole list, unless the relationship declares it (`@Relationship(merges:)`).
    public var lists: ListExtent = .judged
    /// The meaning of a reply that lacks the expected list.
    public var absentLists: AbsentLists = .refused
    /// The form of a body: plain JSON, or a JSON:API document.
    public var document: DocumentFormat = .plain
    /// The `Accept` of requests, unless middleware sets another one, and the `Content-Type` of ``BodyFormat/json``.
    public var mediaType = "application/json"
    /// The format of requests' bodies.
    public var bodies: BodyFormat = .json
    /// The notation of lists in bodies that are forms.
    public var formLists: FormLists = .brackets
    /// The form in which relationships are sent, unless they declare one.
    public var relationships: RelationshipSending = .identities
    /// The form in which lists are sent whose members link back. Many services refuse these:
    /// ``RelationshipSending/never``.
    public var inverseLists: RelationshipSending = .identities
    /// The key of an object's type in plain JSON, such as FHIR's `resourceType`. Creations and whole objects send it.
    /// An object in a list with another model's type is stored as such, outside the list. A model's type is its
    /// `resourceType:`, the last segment of its base URL, or its name.
    public var typeKey: String?
    /// The HTTP method of `save`, and the format of its body.
    public var saveMethod: API.SaveMethod = .patch
    /// The method of `create`: POST to the collection, or PUT to the object's own URL.
    public var creates: CreateMethod = .post

    /// The meaning of a success without a body; by default only that the request succeeded.
    public var emptyReplies: EmptyReplies = []

    /// The signs in a reply that an object is deleted; none by default.
    public var tombstones = Tombstones.none

    /// The meaning of a 404 to a DELETE. A 410 always means that the object is gone.
    public var notFoundDeletions: NotFoundDeletions = .checked
    /// The request that adds an object to a list, unless the members have a link that can be sent.
    public var memberships: MembershipMethod = .post()
    /// The DELETE that removes a member from a list.
    public var removals: RemovalMethod = .atMember
    /// How fast requests may follow each other, at the hosts that the limits name.
    public var limits: RequestLimits = .standard

    /// Whether the server recognizes repeated creations by an `Idempotency-Key`. If so, the outbox repeats each
    /// creation with the same key and body until its outcome is known.
    public var usesIdempotencyKeys = false
    /// How the outbox handles a creation whose reply was lost, without idempotency keys.
    public var unknownCreations: UnknownCreations = .ask
    /// The condition of changes to objects, `.entityTags` for `If-Match`; none by default.
    public var conditionalWrites: ConditionalWrites = .never
    /// How the outbox resolves a change that conflicts with the server's version.
    public var conflicts: ConflictPolicy = .ask

    /// Makes conventions for plain JSON, and URLs without a slash at the end.
    public init(_ names: NamingConventions = .default) {
        self.names = names
    }

    package var contentType: String { bodies == .form ? "application/x-www-form-urlencoded" : mediaType }

    package var schemaStyle: SchemaStyle {
        SchemaStyle(
            names, values: values, document: document, relationships: relationships, inverseLists: inverseLists,
            lists: lists, tombstones: tombstones.keys, typeKey: typeKey)
    }
}

extension APIConventions {
    /// The format of requests' bodies.
    public enum BodyFormat: Sendable, Hashable {
        /// JSON.
        case json
        /// The JSON object as a form, such as Stripe's: `name=Ada&address[city]=London&tags[]=a`. null is an empty
        /// value.
        case form
    }

    /// The notation of a list in a form. An empty list is always an empty value, `tags=`.
    public enum FormLists: Sendable, Hashable {
        /// `tags[]=a&tags[]=b`, as Rails, PHP and Stripe read it. In a list of objects, each begins with a name that
        /// the one before has too, by which Rack and Rails separate them. Objects without one are refused
        /// (``APIError/unsendable(model:property:value:)``).
        case brackets
        /// `tags[0]=a&tags[1]=b`.
        case indexes
        /// `tags=a&tags=b`. Objects and lists are written as in ``indexes``.
        case repeated
        /// `tags=a,b`, with this text between the elements. Objects and lists among them are written as in ``indexes``.
        /// A list with the text in an element, or with one empty element, is refused
        /// (``APIError/unjoinable(model:property:separator:)``).
        case joined(by: String = ",")
    }

    /// The meaning of a success without a body (204, or a length of 0).
    ///
    /// Proxies and captive portals send such replies too, so they count only if you declare it:
    ///
    /// ```swift
    /// conventions.emptyReplies = [.created, .emptyList]
    /// ```
    public struct EmptyReplies: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: Int

        /// A set of bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A create with an empty reply succeeded. The object has no identity until it is fetched. If you chose the
        /// identity, an empty reply always suffices.
        public static let created = EmptyReplies(rawValue: 1)
        /// A 204 to the GET of a list means that the list is empty.
        public static let emptyList = EmptyReplies(rawValue: 2)
    }

    /// How the outbox handles a creation whose reply was lost, so that the server may have the object.
    public enum UnknownCreations: Sendable, Hashable {
        /// It waits for a decision, as ``Rejection/Kind/undecided``.
        case ask
        /// It is sent again. Use it for servers that refuse or merge a second object with the same values.
        case `repeat`
    }

    /// The request that removes a member from a list without deleting it.
    public enum RemovalMethod: Sendable, Hashable {
        /// `DELETE` of the member's URL below the list's: `DELETE /issues/1/labels/bug`.
        case atMember
        /// `DELETE` of the list's URL with the member in the body, as the relationship is sent: Mastodon's `DELETE
        /// /lists/1/accounts {"account_ids":["5"]}`. JSON:API always uses this, with linkage.
        case withBody
    }

    /// The meaning of a 404 to a DELETE, which a mistyped URL or a missing permission may give too.
    public enum NotFoundDeletions: Sendable, Hashable {
        /// The object is gone if a GET of its URL gives a 404 too, and a GET of its collection succeeds. A member is
        /// gone if a GET of the whole list lacks it. Otherwise the 404 is an error.
        case checked
        /// An error.
        case error
    }

    /// The form of URLs.
    public struct URLs: Sendable, Hashable {
        /// Whether every path below the base URL ends in a slash, unless it names a file.
        public var endInSlash: Bool
        /// Whether a slash within a value is always escaped, so that the value is one segment:
        /// `/projects/gitlab-org%2Fgitlab`.
        ///
        /// By default, it stays unescaped in values of a model's template. It is escaped in a key that is appended to a
        /// URL, and in values that a call passes.
        public var escapeSlashes: Bool
        /// The JSON names of attributes whose slashes always stay unescaped: GitHub's `full_name`.
        /// `@Attribute(isPath:)` overrides this.
        public var paths: Set<String>
        /// Whether an object's key is its whole path below the base URL, such as Google's `shelves/1/books/2`.
        /// `@Model(object:)` overrides this.
        public var keysAreNames: Bool

        /// Makes the form of URLs; by default plain ones.
        public init(
            endInSlash: Bool = false, escapeSlashes: Bool = false, paths: Set<String> = [], keysAreNames: Bool = false
        ) {
            self.endInSlash = endInSlash
            self.escapeSlashes = escapeSlashes
            self.paths = paths
            self.keysAreNames = keysAreNames
        }

        /// `/posts/5`.
        public static let plain = URLs()
        /// `/posts/5/`, as in Django.
        public static let trailingSlash = URLs(endInSlash: true)
    }
}
