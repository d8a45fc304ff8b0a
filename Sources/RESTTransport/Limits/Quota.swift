/// What one of the server's limits leaves to one account.
///
/// Replies come in another order than the server has counted in, and requests that are under way may be counted or not.
/// So within a window the least that was said counts, less all that is under way; what was said in answer to a request
/// that went out after the last word replaces it.
struct Quota: Sendable {
    private(set) var limit: Int?
    /// The least that was said; nil when nothing is known of this window.
    private(set) var remaining: Int?
    /// When the window ends, by the server.
    private(set) var reset: Duration?
    /// Between which moments that is: a reply was under way for a while, and servers round to seconds, as do clocks.
    private var end: ClosedRange<Duration>?
    /// When requests go out again; a little after `reset`, as all the server's clients wait for that.
    private(set) var opening: Duration?
    /// Whether that is before `reset`, as nobody is believed to want more than an hour.
    private var isBounded = false
    private(set) var saidAt = Duration.zero
    /// The number of the last request that went out before it was said.
    private var saidAfter = 0
    private var countsRequests = true
    /// How long a window is at least, where that is known: a policy says so, or the ends of two that followed each
    /// other.
    private var period: Duration?
    /// When the window before this one ended, by the server.
    private var lastReset: Duration?
    var underway = 0

    /// How many may go out.
    var left: Int? {
        guard countsRequests else { return remaining == 0 ? 0 : nil }
        return remaining.map { max(0, $0 - underway) }
    }

    /// When requests go out again, where none may now, whatever comes of those under way.
    var spentUntil: Duration? { remaining == 0 ? opening : nil }

    /// When one goes out that has so many before it in line, at the earliest: of each window as many go as there are.
    /// That those that are left will be counted isn't known, so only a limit that is spent tells; nil where nothing
    /// does.
    func turn(behind ahead: Int) -> Duration? {
        guard countsRequests, !isBounded, let limit, limit > 0, let period, let opening = spentUntil else { return nil }
        return opening + period * min(ahead / limit, 1 << 20)
    }

    /// When it is to be looked at again.
    var nextOpening: Duration? { left == 0 ? opening : nil }

    /// Begins the next window when its time has come.
    ///
    /// - Returns: whether nothing is known of it, so that one request is to go ahead.
    mutating func advance(to now: Duration, number: Int) -> Bool {
        guard let opening, now >= opening else { return false }
        let wasSpent = remaining == 0
        lastReset = isBounded ? nil : reset
        // A limit of nothing at all leaves nothing to begin with: whether it is still so, one request finds out.
        remaining = isBounded || !countsRequests || limit == 0 ? nil : limit
        (self.opening, reset, end, isBounded) = (nil, nil, nil, false)
        saidAfter = number
        return wasSpent && remaining == nil
    }

    /// The server has said something in answer to a request.
    ///
    /// - Parameters:
    ///   - request: that request; `last` is the number of the last one that went out.
    ///   - chance: a random number from 0 up to 1.
    mutating func take(
        _ said: LimitStatement.Quota, to request: (number: Int, sentAt: Duration), last: Int, at now: Duration,
        chance: () -> Double
    ) {
        guard let left = said.remaining else { return }
        countsRequests = said.countsRequests
        limit = said.limit ?? limit
        let bounds = said.reset.map { request.sentAt + $0 - .seconds(2)...now + $0 + .seconds(1) }
        var isNewer = request.number > saidAfter || remaining == nil
        if !isNewer, let bounds, let end {
            guard bounds.upperBound >= end.lowerBound else { return }
            isNewer = bounds.lowerBound > end.upperBound
            // It may be of the next window all the same, where that is short.
            if !isNewer {
                self.end =
                    min(end.lowerBound, bounds.lowerBound)...max(end.upperBound, bounds.upperBound)
            }
        }
        if isNewer { learnPeriod(said, sentAt: request.sentAt) }
        remaining = isNewer ? left : min(remaining ?? left, left)
        saidAfter = last
        guard isNewer || opening == nil || said.reset.map({ now + $0 > reset ?? .zero }) == true else { return }
        saidAt = now
        if isNewer || end == nil { end = bounds }
        (reset, opening, isBounded) = (said.reset.map { now + $0 }, nil, false)
        guard reset != nil || left == 0 else { return }
        // Of a limit that is spent until nobody knows when, one is sent at a time, a second apart.
        let wait = max(said.reset ?? said.window ?? .seconds(1), left == 0 ? .seconds(1) : .zero)
        // Where something is left, hardly anybody waits for the next window.
        (opening, isBounded) = Self.opening(after: wait, at: now, chance: left == 0 ? chance() : 0)
        // When all are there again, it doesn't say.
        if reset == nil { isBounded = true }
    }

    /// A window that has just begun says when it ends, and so how long it is.
    private mutating func learnPeriod(_ said: LimitStatement.Quota, sentAt: Duration) {
        if let window = said.window { period = window }
        guard let begin = lastReset, let reset = said.reset else { return }
        lastReset = nil
        // A second later it may be the one after it. What servers say is rounded up to seconds.
        guard said.window == nil, sentAt >= begin, sentAt - begin <= .seconds(1) else { return }
        let seen = max(.zero, sentAt - begin + reset - .seconds(1))
        period = min(period ?? seen, seen)
    }

    /// The server has counted a request, as it seems, and not said so.
    mutating func assumeOne(at now: Duration) {
        guard countsRequests, let remaining, remaining > 0 else { return }
        self.remaining = remaining - 1
        if opening == nil { (opening, isBounded) = (now + .seconds(1), true) }
    }

    /// The server wants to be asked again after this time, whatever it has said of the window.
    mutating func askAgain(after wait: Duration, at now: Duration, chance: Double) {
        guard remaining == 0 else { return }
        opening = Self.opening(after: wait, at: now, chance: chance).0
        isBounded = true
    }

    /// When to ask again after a wait: no later than an hour, whatever one reply says, and some time within the next
    /// second, so that those who wait for the same moment don't all come at it.
    static func opening(after wait: Duration, at now: Duration, chance: Double) -> (Duration, isBounded: Bool) {
        let isBounded = wait > .seconds(3600)
        let bounded = min(wait, .seconds(3600))
        guard chance > 0 else { return (now + bounded, isBounded) }
        return (now + bounded + min(.seconds(1), bounded / 10) * chance, isBounded)
    }
}
