#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The known limits of an API at one moment, and the requests that wait for them.
///
/// ```swift
/// if let core = api.limits["core"] { print("\(core.remaining) of \(core.limit ?? 0) left until \(core.reset)") }
/// for await limits in api.limitUpdates where limits.waiting > 0 { … }
/// ```
public struct APILimits: Sendable, Hashable {
    /// The remaining requests of one server limit.
    public struct Quota: Sendable, Hashable {
        /// The account, numbered in the order of first requests.
        public var account: Int
        /// The server's name of the limit: a resource such as `core`, or a policy; empty for an unnamed limit.
        public var resource: String
        /// How many requests a window allows; nil if unknown.
        public var limit: Int?
        /// The remaining requests: the last stated number, minus those in flight.
        public var remaining: Int
        /// When the window ends; nil if unknown.
        public var reset: Date?
        /// When the server stated these values.
        public var since: Date
    }

    /// The state of the circuit, which stops requests to a failing server.
    public enum Circuit: Sendable, Hashable {
        /// Requests are sent.
        case closed
        /// Requests are stopped until then.
        case open(since: Date, until: Date)
        /// One request, sent or next, tests whether the server has recovered.
        case probing(since: Date)
    }

    /// The remaining requests, by account and server limit.
    public var quotas: [Quota] = []
    /// The time until which the server holds back some account's requests (`Retry-After`, or a secondary limit).
    public var heldUntil: Date?
    /// How many requests are in flight.
    public var underway = 0
    /// How many requests wait for their turn.
    public var waiting = 0
    /// The waiting requests that are ``RequestPriority/background``.
    public var waitingInBackground = 0
    /// The state of the circuit.
    public var circuit = Circuit.closed

    /// Creates the limits of an API that has sent no request.
    public init() {}

    /// The remaining requests of a resource. Of several accounts, the latest values count.
    public subscript(resource: String) -> Quota? {
        quotas.filter { $0.resource == resource }.max { $0.since < $1.since }
    }
}
