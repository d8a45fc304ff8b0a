public import Conventions
public import ObjectStore
public import RESTTransport

/// What a service does its own way: how it names things, where its URLs end, what wraps its objects, how its lists are
/// paged.
///
/// ```swift
/// var conventions = APIConventions.rails
/// conventions.envelopes = .byName                              // {"issue": {…}}, {"issues": […]}
/// let api = API("https://example.com/api", conventions: conventions)
/// ```
///
/// A value, of which nothing is shared: take a ready-made one and change what is different. What a model or a
/// relationship declares itself, by `@Model` or `@Relationship`, beats it.
public struct APIConventions: Sendable {
    /// How properties become JSON keys.
    public var names: NamingConventions
    /// How dates are written, and what turns JSON into values of some types; by default as it comes.
    public var values = ValueFormats()
    /// The query parameters that ask for a part of each object: `fields`, `_elements`. In a reply to such a request a
    /// missing key says nothing, also where it means no value (``NothingForms/missingKey``).
    public var partParameters: Set<String> = []
    /// How URLs are spelt.
    public var urls: URLs = .plain
    /// What wraps one object and a list, in replies and in requests.
    public var envelopes: Envelopes = .none
    /// Where a page of a list says what the next one is, unless the model (`@Model(paging:)`) or the call says it
    /// (``Pages/all(limit:by:)``).
    public var paging: Paging = .linkHeader
    /// The query parameter that says how many objects a page is to have, where a call wants to say it
    /// (``Relationship/pages(size:policy:query:at:limit:by:prune:from:with:)``).
    public var pageSize = "per_page"
    /// The preference that asks for a page's size in the `Prefer` field, instead of a query parameter
    /// ([RFC 7240](https://www.rfc-editor.org/rfc/rfc7240)): `odata.maxpagesize`.
    public var pageSizePreference: String?
    /// Whether lists in replies, nested ones too, are the whole membership, unless the relationship says it
    /// (`@Relationship(merges:)`).
    public var lists: ListExtent = .judged
    /// What a reply says that has no list where one should be.
    public var absentLists: AbsentLists = .refused
    /// How a body has its objects: as plain JSON, or as a document of JSON:API.
    public var document: DocumentFormat = .plain
    /// The `Accept` of requests, unless some middleware sets another, and the `Content-Type` of ``BodyFormat/json``.
    public var mediaType = "application/json"
    /// What requests' bodies are written as.
    public var bodies: BodyFormat = .json
    /// How lists stand in bodies that are forms.
    public var formLists: FormLists = .brackets
    /// How relationships go out that don't declare it themselves.
    public var relationships: RelationshipSending = .identities
    /// The same for lists whose members lead back by a link of their own, as an issue's `comments` do: many services
    /// don't take those, ``RelationshipSending/never``.
    public var inverseLists: RelationshipSending = .identities
    /// The key that holds an object's type in plain JSON: `resourceType` of FHIR. Creations and whole objects send it.
    /// If an object in a list has the type of another model, it is stored as that and isn't a member of the list. A
    /// model's type is its `resourceType:`, the last segment of its base URL, or its name.
    public var typeKey: String?
    /// The HTTP method of `save`, and the format of its body.
    public var saveMethod: API.SaveMethod = .patch
    /// The method of `create`: POST to the collection, or PUT to the object's own URL.
    public var creates: CreateMethod = .post

    /// What a success without a body says; nothing beyond that it is one, unless declared.
    public var emptyReplies: EmptyReplies = []

    /// What says in a reply that an object is deleted; nothing unless declared.
    public var tombstones = Tombstones.none

    /// What 404 to a DELETE is taken for; 410 says that the object is gone in any case.
    public var notFoundDeletions: NotFoundDeletions = .checked
    /// How what the server knows becomes a member of a list whose members don't lead back by a link that is sent.
    public var memberships: MembershipMethod = .post()
    /// The DELETE that removes a member from a list.
    public var removals: RemovalMethod = .atMember
    /// How fast requests may follow each other, at the hosts that it names.
    public var limits: RequestLimits = .standard

    /// Whether the server knows repeated creations by an `Idempotency-Key`. Each creation that the outbox sends has one
    /// then, and is repeated with the same key and body until its outcome is known.
    public var usesIdempotencyKeys = false
    /// What the outbox does about a creation whose reply was lost, without such keys.
    public var unknownCreations: UnknownCreations = .ask
    /// The condition that changes of objects carry, `.entityTags` for `If-Match`; none unless declared.
    public var conditionalWrites: ConditionalWrites = .never
    /// What the outbox does about a change that the server refuses as it has another version of the object.
    public var conflicts: ConflictPolicy = .ask

    /// The conventions of a service that answers plain JSON at URLs without a slash at their end.
    public init(_ names: NamingConventions = .default) {
        self.names = names
    }

    /// The `Content-Type` of requests.
    var contentType: String { bodies == .form ? "application/x-www-form-urlencoded" : mediaType }

    /// The part that decides how models become a schema.
    var schemaStyle: SchemaStyle {
        SchemaStyle(
            names, values: values, document: document, relationships: relationships, inverseLists: inverseLists,
            lists: lists, tombstones: tombstones.keys, typeKey: typeKey)
    }
}

extension APIConventions {
    /// What requests' bodies are written as.
    public enum BodyFormat: Sendable, Hashable {
        /// JSON.
        case json
        /// The same object as a form, as Stripe takes it: `name=Ada&address[city]=London&tags[]=a`. null is an empty
        /// value.
        case form
    }

    /// How a list stands in a form. An empty one is an empty value, `tags=`, in each style.
    public enum FormLists: Sendable, Hashable {
        /// `tags[]=a&tags[]=b`, as Rails, PHP and Stripe read it. Of objects each begins with a name of the one before,
        /// which tells Rack, and so Rails, where it begins; those that have none in common are refused by name
        /// (``APIError/unsendable(model:property:value:)``), as it would run them together.
        case brackets
        /// `tags[0]=a&tags[1]=b`.
        case indexes
        /// `tags=a&tags=b`; elements that are objects or lists themselves stand as in ``indexes``.
        case repeated
        /// `tags=a,b`, with this text between the elements; objects and lists among them as in ``indexes``. A list that
        /// would be read as another, as an element has the text in it or is empty and the only one, is refused by name
        /// (``APIError/unjoinable(model:property:separator:)``).
        case joined(by: String = ",")
    }

    /// What a success without a body (204, or a length of 0) says.
    ///
    /// A proxy, a Wi-Fi's gate or a mistaken route answer like this as well, so it is believed where it is declared:
    ///
    /// ```swift
    /// conventions.emptyReplies = [.created, .emptyList]
    /// ```
    public struct EmptyReplies: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: Int

        /// A set of bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The reply to a create says that there is an object now, which has no identity until it is fetched. (An
        /// object whose identity was made here is created by an empty reply in any case.)
        public static let created = EmptyReplies(rawValue: 1)
        /// 204 to the GET of a list says that it has no members.
        public static let emptyList = EmptyReplies(rawValue: 2)
    }

    /// What the outbox does about a creation whose reply was lost, as the server may have made the object.
    public enum UnknownCreations: Sendable, Hashable {
        /// It waits for a decision, as ``Rejection/Kind/undecided``.
        case ask
        /// It is sent again: for servers that refuse or merge a second object of the same values.
        case `repeat`
    }

    /// The request that removes a member from a list without deleting it.
    public enum RemovalMethod: Sendable, Hashable {
        /// `DELETE` of the member's URL below the list's: `DELETE /issues/1/labels/bug`.
        case atMember
        /// `DELETE` of the list's URL with the member in the body, as the relationship is sent: `DELETE
        /// /lists/1/accounts {"account_ids":["5"]}` of Mastodon. In JSON:API it goes so in any case, as linkage.
        case withBody
    }

    /// What 404 to a DELETE is taken for. A mistyped base URL answers it as well, and so do a route that the server
    /// doesn't have and, at many services, a missing permission.
    public enum NotFoundDeletions: Sendable, Hashable {
        /// One GET of the object's URL must say 404 too, and one of its collection's must succeed: then the object is
        /// gone. Of a membership, one GET of the list, without the member on its only page. Else it is an error.
        case checked
        /// An error.
        case error
    }

    /// How URLs are spelt.
    public struct URLs: Sendable, Hashable {
        /// Whether every path below the base URL ends in a slash, unless it names a file.
        public var endInSlash: Bool
        /// Whether a slash within any value is escaped, so that it is one segment: `/projects/gitlab-org%2Fgitlab`.
        ///
        /// Else it stands as it is in the values of placeholders that a model's template names, and is escaped in the
        /// key that is appended to a base URL or to a list's, and in what a call brings along.
        public var escapeSlashes: Bool
        /// The JSON names of attributes whose values are paths, in which a slash stands as it is everywhere:
        /// `full_name` of GitHub's repositories. What an attribute declares itself (`@Attribute(isPath:)`) beats it.
        public var paths: Set<String>
        /// Whether an object's key is its whole path below the API's base URL, as Google's resource names are:
        /// `shelves/1/books/2`. A model's own `@Model(object:)` beats it.
        public var keysAreNames: Bool

        /// Nothing of it unless given.
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
        /// `/posts/5/`, as Django has it.
        public static let trailingSlash = URLs(endInSlash: true)
    }
}
