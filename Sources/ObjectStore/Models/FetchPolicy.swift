/// Whether a fetch asks the server, and when what is in the store will do.
///
/// ```swift
/// let issues = try await repository.$issues.fetch(.ifOlder(than: .seconds(300)))
/// let api = API("https://api.example.com", policy: .cacheControl)
/// @Model("/countries", policy: .ifOlder(than: .seconds(86_400))) final class Country { … }
/// ```
///
/// What a call says counts before what the model says, and that before what the API says.
///
/// Each answer of a 200 that may be stored is noted in the store, in the transaction that stores its objects, by URL,
/// by who has asked, and by the header fields that its `Vary` names. The next request for the same has
/// `If-None-Match` or `If-Modified-Since`, and to a 304 the answer is what is in the store: nothing is written and
/// nobody is woken. An answer vouches for its objects only as long as each of them is as it said: not when one was
/// changed here, saved, deleted or brought by another answer as something else. It is not noted where a part of it was
/// left out.
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
    /// Whether the store answers when the server doesn't.
    package private(set) var mayFallBack = false

    /// The server is asked, with a condition where one is known. What is used where nothing is said.
    public static let revalidate = FetchPolicy(kind: .revalidate)

    /// The server is asked for all of it, without a condition.
    public static let reload = FetchPolicy(kind: .reload)

    /// As the server's `Cache-Control`, `Expires` and `Age` say for a private cache ([RFC
    /// 9111](https://www.rfc-editor.org/rfc/rfc9111)): what is fresh is not asked for; when the server can't be reached
    /// or fails, `stale-if-error` says for how long the store answers.
    public static let cacheControl = FetchPolicy(kind: .cacheControl)

    /// The server is asked when its last answer is older than that, or vouches for its objects no longer.
    public static func ifOlder(than age: Duration) -> FetchPolicy { FetchPolicy(kind: .ifOlder(age)) }

    /// The store answers if the same was fetched before, however long ago; else the server is asked.
    public static let cached = FetchPolicy(kind: .cached)

    /// The store answers, and the same is not asked of the server.
    ///
    /// What was never fetched is `APIError.notStored`. Who asks is told by what would be sent, so where the API has a
    /// token's provider that has given none yet, it is asked. What the store never answers is sent all the same:
    /// response types, `fetchChanges`, a member of a list by its key where the list is a many-to-many one.
    public static let offline = FetchPolicy(kind: .offline)

    /// The same, but that the store answers when the server can't be reached, or fails with a status of 500 to 599.
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
