/// Decides whether a fetch sends a request, or uses objects that the store has already.
///
/// ```swift
/// let issues = try await repository.$issues.fetch(.ifOlder(than: .seconds(300)))
/// let api = API("https://api.example.com", policy: .cacheControl)
/// @Model("/countries", policy: .ifOlder(than: .seconds(86_400))) final class Country { … }
/// ```
///
/// The policy of a call overrides the model's, which overrides the API's.
///
/// The store remembers each response with status 200 that may be stored, in the same transaction as its objects. It
/// identifies the response by URL, credentials, and the header fields that its `Vary` names. The next request for the
/// same URL has `If-None-Match` or `If-Modified-Since`. If the server answers 304, the fetch returns the stored
/// objects, and leaves the store unchanged.
///
/// A stored response is valid only while its objects are unchanged. It becomes invalid when one of them is edited,
/// saved or deleted, or when another response changes one. A response is remembered only if all of it was understood.
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
    /// If the server is unavailable.
    package private(set) var mayFallBack = false

    /// Sends a request, with a condition if a validator is known. This is the default.
    public static let revalidate = FetchPolicy(kind: .revalidate)

    /// Sends an unconditional request.
    public static let reload = FetchPolicy(kind: .reload)

    /// Follows the server's `Cache-Control`, `Expires` and `Age` as a private cache does ([RFC
    /// 9111](https://www.rfc-editor.org/rfc/rfc9111)). A fresh response is used without a request. If the server is
    /// unreachable or fails, `stale-if-error` limits how long the stored response may be used.
    public static let cacheControl = FetchPolicy(kind: .cacheControl)

    /// Sends a request if the last response is older than this, or became invalid.
    public static func ifOlder(than age: Duration) -> FetchPolicy { FetchPolicy(kind: .ifOlder(age)) }

    /// Uses the stored response, however old it is. Otherwise sends a request.
    public static let cached = FetchPolicy(kind: .cached)

    /// Uses only the stored response.
    ///
    /// A fetch without a stored response throws `APIError.notStored`. Stored responses depend on the credentials, so
    /// the API's token provider may be asked for its first token. Some fetches always send a request: response types,
    /// `fetchChanges`, and a member of a many-to-many list by its key.
    public static let offline = FetchPolicy(kind: .offline)

    /// Adds a fallback to the store, for a server that is unreachable or fails with a status of 500 to 599.
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
