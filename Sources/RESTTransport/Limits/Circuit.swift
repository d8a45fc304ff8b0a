#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stops requests to a failing server, and tests by one request at a time whether it has recovered.
///
/// ```
/// closed ──failures in a row──→ open ──pause──→ probing ──a reply──→ closed
///                                 ↑──a failure; the pause doubles──┘
/// ```
struct Circuit: Sendable {
    /// A sign of the server's health.
    enum Sign: Sendable {
        /// Any status except failures.
        case answer
        /// The server fails or is unreachable.
        case failure(String, isOfConnection: Bool)
        /// A 500: other paths may work.
        case failureHere(String, path: String)
        /// The server's state stays open, as after a cancellation.
        case nothing
    }

    struct Refusal: Sendable, Hashable {
        var until: Duration
        var failures: Int
        var last: String
    }

    private enum Phase: Sendable {
        case closed
        case open(since: Duration, until: Duration, pause: Duration)
        case probing(since: Duration, pause: Duration)
    }

    /// The longest pause after connection failures. Attempts of an offline device cost the server nothing, and should
    /// succeed soon once it is online.
    private static let longestPauseOfConnection = Duration.seconds(5)

    private let rules: RequestLimits.Circuit?
    private var phase = Phase.closed
    private var failures = 0
    private var lastFailure = (at: Duration.zero, by: "")
    /// The path of all failures; nil for several paths or the whole server.
    private var onlyPath: String?

    init(_ rules: RequestLimits.Circuit?) { self.rules = rules }

    func refusal(at now: Duration) -> Refusal? {
        switch phase {
        case .closed: nil
        case .open(_, let until, _): now >= until ? nil : refusal(until: until)
        case .probing(_, let pause): refusal(until: now + pause)
        }
    }

    private func refusal(until: Duration) -> Refusal {
        Refusal(until: until, failures: failures, last: lastFailure.by)
    }

    /// - Returns: whether the request is the probe.
    mutating func begin() -> Bool {
        guard case .open(let since, _, let pause) = phase else { return false }
        phase = .probing(since: since, pause: pause)
        return true
    }

    /// - Returns: whether the circuit has opened; the waiting requests have to be refused.
    mutating func note(_ sign: Sign, isProbe: Bool, at now: Duration) -> Bool {
        guard let rules else { return false }
        switch sign {
        case .answer:
            (phase, failures) = (.closed, 0)
            return false
        case .nothing:
            guard isProbe, case .probing(let since, let pause) = phase else { return false }
            phase = .open(since: since, until: now, pause: pause)
            return false
        case .failure(let name, let isOfConnection):
            count(name, from: nil, by: rules, at: now)
            let longest = isOfConnection ? min(rules.longestPause, Self.longestPauseOfConnection) : rules.longestPause
            return open(by: rules, longest: longest, isProbe: isProbe, at: now)
        case .failureHere(let name, let path):
            count(name, from: path, by: rules, at: now)
            guard isProbe || onlyPath == nil else { return false }
            return open(by: rules, longest: rules.longestPause, isProbe: isProbe, at: now)
        }
    }

    private mutating func count(_ name: String, from path: String?, by rules: RequestLimits.Circuit, at now: Duration) {
        if failures > 0, now - lastFailure.at > rules.interval, case .closed = phase { failures = 0 }
        if failures == 0 { onlyPath = path } else if onlyPath != path { onlyPath = nil }
        failures += 1
        lastFailure = (now, name)
    }

    private mutating func open(by rules: RequestLimits.Circuit, longest: Duration, isProbe: Bool, at now: Duration)
        -> Bool
    {
        switch phase {
        case .closed:
            guard failures >= rules.failures else { return false }
            let pause = min(rules.firstPause, longest)
            phase = .open(since: now, until: now + pause, pause: pause)
            return true
        case .probing(let since, let pause) where isProbe:
            let next = min(pause * 2, longest)
            phase = .open(since: since, until: now + next, pause: next)
            return true
        // The request was sent before the circuit opened.
        case .open, .probing: return false
        }
    }

    func shown(_ date: (Duration) -> Date, at now: Duration) -> APILimits.Circuit {
        switch phase {
        case .closed: .closed
        case .open(let since, let until, _):
            now >= until ? .probing(since: date(since)) : .open(since: date(since), until: date(until))
        case .probing(let since, _): .probing(since: date(since))
        }
    }
}
