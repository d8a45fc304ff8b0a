#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What is known of an API's limits at one moment, and what waits for them.
///
/// ```swift
/// if let core = api.limits["core"] { print("\(core.remaining) of \(core.limit ?? 0) left until \(core.reset)") }
/// for await limits in api.limitUpdates where limits.waiting > 0 { … }
/// ```
public struct APILimits: Sendable, Hashable {
    /// How many requests the server has said are left.
    public struct Quota: Sendable, Hashable {
        /// The account, numbered in the order of their first requests; the credential itself is not kept.
        public var account: Int
        /// The server's name for what is limited: a resource as `core`, a policy; empty where it has none.
        public var resource: String
        /// How many there are in all; nil where it isn't said.
        public var limit: Int?
        /// How many are left, by what was said last and what was sent since.
        public var remaining: Int
        /// When all are there again; nil where it isn't said.
        public var reset: Date?
        /// When the server has said so.
        public var since: Date
    }

    /// Whether the server is left alone, as it fails.
    public enum Circuit: Sendable, Hashable {
        /// Requests are sent.
        case closed
        /// None is sent until then.
        case open(since: Date, until: Date)
        /// One was sent, or the next one will be, to see whether it is back.
        case probing(since: Date)
    }

    /// What the server has said is left, by account and resource.
    public var quotas: [Quota] = []
    /// Until when some account's requests are held back, as the server wants it (`Retry-After`); nil when none are.
    public var heldUntil: Date?
    /// How many requests are on their way.
    public var underway = 0
    /// How many wait until they may be sent.
    public var waiting = 0
    /// How many of these are ``RequestPriority/background``.
    public var waitingInBackground = 0
    /// Whether the server is left alone.
    public var circuit = Circuit.closed

    /// Those of an API that has sent nothing.
    public init() {}

    /// What is left of a resource, of the account for which the server has said it last.
    public subscript(resource: String) -> Quota? {
        quotas.filter { $0.resource == resource }.max { $0.since < $1.since }
    }
}
