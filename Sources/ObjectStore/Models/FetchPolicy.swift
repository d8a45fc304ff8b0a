/// Decides whether a fetch sends a request, or uses stored objects.
///
/// ```swift
/// let issues = try await repository.$issues.fetch(.ifOlder(than: .seconds(300)))
/// let api = API("https://api.example.com", policy: .cacheControl)
/// ```
///
/// The policy of a call overrides the model's, which overrides the API's.
///
/// The store remembers a response with status 200 if it may be stored, and if all of it could be read. This is written
/// in the same transaction as the response's objects. A later request with the same URL, credentials, and header fields
/// that `Vary` names has `If-None-Match` or `If-Modified-Since`. After a 304, the fetch returns the stored objects.
///
/// A stored response becomes invalid when one of its objects is edited, saved or deleted, or when another response
/// changes one.
public struct FetchPolicy: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case reload
        case revalidate
        case cacheControl
        case ifOlder(Duration)
        case cached
        case offline
    }

    package let kind: Kind
    /// Whether stored objects are used if the server is unavailable.
    package private(set) var mayFallBack = false

    /// Sends a request, with a condition if a validator is known: the default.
    public static let revalidate = FetchPolicy(kind: .revalidate)

    /// Sends an unconditional request.
    public static let reload = FetchPolicy(kind: .reload)

    /// Follows the server's `Cache-Control`, `Expires` and `Age` as a private cache does ([RFC
    /// 9111](https://www.rfc-editor.org/rfc/rfc9111)). A fresh response is used without a request. `stale-if-error`
    /// limits how long a stored one is used while the server is unreachable or fails.
    public static let cacheControl = FetchPolicy(kind: .cacheControl)

    /// Sends a request if the last response is older than this, or became invalid.
    public static func ifOlder(than age: Duration) -> FetchPolicy { FetchPolicy(kind: .ifOlder(age)) }

    /// Uses the stored response, however old; if there is none, sends a request.
    public static let cached = FetchPolicy(kind: .cached)

    /// Uses only the stored response. Without one, the fetch throws `APIError.notStored`.
    ///
    /// The API's token provider may be asked for its first token, since responses depend on the credentials. These
    /// always send a request: response types, `fetchChanges`, and a member of a many-to-many list by its key.
    public static let offline = FetchPolicy(kind: .offline)

    /// Adds a fallback to the store, for a server that is unreachable or fails with a 5xx status.
    ///
    /// ```swift
    /// let fetched = try await repository.$issues.fetchReporting(.revalidate.orStored)
    /// if fetched.source == .store { show("offline, as of \(fetched.fetchedAt!)") }
    /// ```
    public var orStored: FetchPolicy {
        var policy = self
        policy.mayFallBack = true
        return policy
    }
}
