#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Leaves a server alone that fails, and asks by one request at a time whether it is back.
///
/// ```
/// closed ──failures in a row──→ open ──pause──→ probing ──a reply──→ closed
///                                 ↑──a failure; the pause doubles──┘
/// ```
struct Circuit: Sendable {
    /// What may be told of a request by how it ended.
    enum Sign: Sendable {
        /// The server has answered, whatever it was.
        case answer
        /// It fails, or can't be reached.
        case failure(String, isOfConnection: Bool)
        /// It fails for one URL, which may be that alone: 500.
        case failureHere(String, path: String)
        /// Nothing: it was cancelled, or never sent.
        case nothing
    }

    /// When the next request is sent, and why not now.
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

    /// Who may have no network is not made to wait long once it is back, and nothing is spared by it.
    private static let longestPauseOfConnection = Duration.seconds(5)

    private let rules: RequestLimits.Circuit?
    private var phase = Phase.closed
    private var failures = 0
    private var lastFailure = (at: Duration.zero, by: "")
    /// Where all failures so far came from; nil for several places.
    private var onlyPath: String?

    init(_ rules: RequestLimits.Circuit?) { self.rules = rules }

    /// Why nothing may be sent; nil when it may.
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

    /// A request is sent.
    ///
    /// - Returns: whether it is the one that tells whether the server is back.
    mutating func begin() -> Bool {
        guard case .open(let since, _, let pause) = phase else { return false }
        phase = .probing(since: since, pause: pause)
        return true
    }

    /// A request has ended.
    ///
    /// - Returns: whether the circuit has opened, so that what waits is to be told.
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
        // What was sent before it opened.
        case .open, .probing: return false
        }
    }

    /// As it is shown.
    func shown(_ date: (Duration) -> Date, at now: Duration) -> APILimits.Circuit {
        switch phase {
        case .closed: .closed
        case .open(let since, let until, _):
            now >= until ? .probing(since: date(since)) : .open(since: date(since), until: date(until))
        case .probing(let since, _): .probing(since: date(since))
        }
    }
}
