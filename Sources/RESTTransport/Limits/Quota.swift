/// The remaining requests of one server limit, for one account.
///
/// Replies may come in another order than the server counts, and may count requests in flight or not. Within a window,
/// the lowest stated number counts, minus all requests in flight. The reply to a request sent after the last statement
/// replaces it.
struct Quota: Sendable {
    private(set) var limit: Int?
    /// The lowest stated number; nil if unknown in this window.
    private(set) var remaining: Int?
    /// The stated end of the window.
    private(set) var reset: Duration?
    /// Bounds of `reset`, as the reply took time, and servers and clocks round to seconds.
    private var end: ClosedRange<Duration>?
    /// Slightly after `reset` at random, because many clients wait for that.
    private(set) var opening: Duration?
    /// Whether the window may still be open at `opening`: its end is unknown, or the wait was capped.
    private var isBounded = false
    /// The time of the statement.
    private(set) var statedAt = Duration.zero
    /// The number of the last request sent before the statement.
    private var statedAfter = 0
    private var countsRequests = true
    /// The shortest window, by a policy or the ends of two consecutive windows; nil if unknown.
    private var period: Duration?
    private var lastReset: Duration?
    var underway = 0

    var left: Int? {
        guard countsRequests else { return remaining == 0 ? 0 : nil }
        return remaining.map { max(0, $0 - underway) }
    }

    /// The opening, if the limit is spent for any outcome of requests in flight.
    var spentUntil: Duration? { remaining == 0 ? opening : nil }

    /// Each window lets `limit` requests through. Nil unless the limit is spent, as requests in flight may turn out to
    /// be uncounted.
    func turn(behind ahead: Int) -> Duration? {
        guard countsRequests, !isBounded, let limit, limit > 0, let period, let opening = spentUntil else { return nil }
        return opening + period * min(ahead / limit, 1 << 20)
    }

    var nextOpening: Duration? { left == 0 ? opening : nil }

    /// Starts the next window at its time.
    ///
    /// - Returns: whether a spent limit is now unknown, and one request has to test it.
    mutating func advance(to now: Duration, number: Int) -> Bool {
        guard let opening, now >= opening else { return false }
        let wasSpent = remaining == 0
        lastReset = isBounded ? nil : reset
        // A limit of 0 would stay closed forever.
        remaining = isBounded || !countsRequests || limit == 0 ? nil : limit
        (self.opening, reset, end, isBounded) = (nil, nil, nil, false)
        statedAfter = number
        return wasSpent && remaining == nil
    }

    /// - Parameters:
    ///   - request: its number and sending time; `last` is the number of the last request sent.
    ///   - chance: from 0 up to 1.
    mutating func take(
        _ stated: LimitStatement.Quota, to request: (number: Int, sentAt: Duration), last: Int, at now: Duration,
        chance: () -> Double
    ) {
        guard let left = stated.remaining else { return }
        countsRequests = stated.countsRequests
        limit = stated.limit ?? limit
        let bounds = stated.reset.map { request.sentAt + $0 - .seconds(2)...now + $0 + .seconds(1) }
        var isNewer = request.number > statedAfter || remaining == nil
        if !isNewer, let bounds, let end {
            guard bounds.upperBound >= end.lowerBound else { return }
            isNewer = bounds.lowerBound > end.upperBound
            // In short windows, the statement may still be about the next one.
            if !isNewer {
                self.end =
                    min(end.lowerBound, bounds.lowerBound)...max(end.upperBound, bounds.upperBound)
            }
        }
        if isNewer { learnPeriod(stated, sentAt: request.sentAt) }
        remaining = isNewer ? left : min(remaining ?? left, left)
        statedAfter = last
        guard isNewer || opening == nil || stated.reset.map({ now + $0 > reset ?? .zero }) == true else { return }
        statedAt = now
        if isNewer || end == nil { end = bounds }
        (reset, opening, isBounded) = (stated.reset.map { now + $0 }, nil, false)
        guard reset != nil || left == 0 else { return }
        // A limit spent for an unknown time lets one request a second through.
        let wait = max(stated.reset ?? stated.window ?? .seconds(1), left == 0 ? .seconds(1) : .zero)
        // While requests remain, few clients wait for the next window.
        (opening, isBounded) = Self.opening(after: wait, at: now, chance: left == 0 ? chance() : 0)
        // The server omits the window's end.
        if reset == nil { isBounded = true }
    }

    private mutating func learnPeriod(_ stated: LimitStatement.Quota, sentAt: Duration) {
        if let window = stated.window { period = window }
        guard let begin = lastReset, let reset = stated.reset else { return }
        lastReset = nil
        // More than a second later, yet another window may have begun, as servers round up to seconds.
        guard stated.window == nil, sentAt >= begin, sentAt - begin <= .seconds(1) else { return }
        let seen = max(.zero, sentAt - begin + reset - .seconds(1))
        period = min(period ?? seen, seen)
    }

    /// Counts a request whose reply omits the limits.
    mutating func assumeOne(at now: Duration) {
        guard countsRequests, let remaining, remaining > 0 else { return }
        self.remaining = remaining - 1
        if opening == nil { (opening, isBounded) = (now + .seconds(1), true) }
    }

    /// `Retry-After` replaces the stated end of a spent window.
    mutating func askAgain(after wait: Duration, at now: Duration, chance: Double) {
        guard remaining == 0 else { return }
        opening = Self.opening(after: wait, at: now, chance: chance).0
        isBounded = true
    }

    /// The time after a wait of at most an hour. A random delay of up to a second spreads the clients.
    ///
    /// - Returns: The time, and whether the wait was capped.
    static func opening(after wait: Duration, at now: Duration, chance: Double) -> (Duration, isBounded: Bool) {
        let isBounded = wait > .seconds(3600)
        let bounded = min(wait, .seconds(3600))
        guard chance > 0 else { return (now + bounded, isBounded) }
        return (now + bounded + min(.seconds(1), bounded / 10) * chance, isBounded)
    }
}
