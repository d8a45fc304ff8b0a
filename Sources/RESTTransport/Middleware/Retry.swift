import HTTPTypes

/// Sends a request again if that may help, after the server's wait.
///
/// | outcome | sent again |
/// |---|---|
/// | 429; 403 with `Retry-After`, an exhausted limit, or GitHub's words for a secondary one | always: the server has refused to act |
/// | 5xx (but 501, 505); no connection, or a lost one | idempotent methods only, or with an `Idempotency-Key` |
/// | any other; or a failed GET after a 303, which is the reply to a non-idempotent request that was executed | never |
///
/// The wait is the time in `Retry-After`, or until the limit's reset. For GitHub's secondary limits that state neither,
/// it is one minute, doubled with each attempt. Otherwise, and if the stated time is zero or past, it is random, up to
/// the first delay, doubled with each attempt. A stream that can be read only once is sent once.
///
/// Each `Retry` has a budget: ten retries, plus one for each five requests of the last ten seconds. A request that the
/// API's limits hold back (``Governor``) waits there in its old place, outside the budget. If the budget or the
/// attempts are used up, or a wait would outlast the timeout, the last reply or error is the result.
public struct Retry: Middleware {
    private let attempts: Int
    private let backoff: Backoff
    private let budget = RetryBudget()
    private let time: TimeSource

    /// Creates a middleware that retries requests.
    ///
    /// - Parameters:
    ///   - attempts: The most attempts, including the first; at least 1.
    ///   - firstDelay: The most for the first wait, if the server leaves it open.
    ///   - longestDelay: The most for each wait, if the server leaves it open.
    public init(attempts: Int = 4, firstDelay: Duration = .milliseconds(200), longestDelay: Duration = .seconds(20)) {
        self.init(attempts: attempts, firstDelay: firstDelay, longestDelay: longestDelay, time: .system)
    }

    package init(
        attempts: Int = 4, firstDelay: Duration = .milliseconds(200), longestDelay: Duration = .seconds(20),
        time: TimeSource
    ) {
        self.attempts = max(attempts, 1)
        self.backoff = Backoff(first: firstDelay, longest: longestDelay)
        self.time = time
    }

    /// Sends the request, and repeats it as the type's documentation describes.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        let start = time.elapsed()
        budget.noteRequest(at: start)
        var outcome = await outcome(of: request, next: next)
        var attempt = 1
        while attempt < attempts, let again = await nextAttempt(attempt, after: outcome, of: request, since: start) {
            guard !Task.isCancelled else { throw TransportError(.cancelled, request) }
            var resent = again
            resent.chainState.resends = request.chainState.resends + attempt
            let newer = await self.outcome(of: resent, next: next)
            // An unsent retry tells less than the earlier outcome.
            if case .failure(let error) = newer, error.isOfLimits { break }
            outcome = newer
            attempt += 1
        }
        return try outcome.get()
    }

    /// - Returns: The request to send; nil to stop.
    private func nextAttempt(
        _ attempt: Int, after outcome: Result<APIResponse, TransportError>, of request: APIRequest,
        since start: Duration
    ) async -> APIRequest? {
        let now = time.elapsed()
        guard let wait = wait(after: outcome, attempt: attempt, of: request),
            wait < request.timeLeft(since: start, at: now)
        else { return nil }
        if case .success(let reply) = outcome, let ticket = reply.request.chainState.ticket {
            // The request waits at its place in the governor's line.
            var again = request
            again.chainState.ticket = ticket
            return again
        }
        guard budget.takeRetry(at: now) else { return nil }
        // The caller throws if the task is cancelled.
        try? await time.sleep(wait)
        return request
    }

    private func outcome(
        of request: APIRequest, next: Next
    ) async -> Result<APIResponse, TransportError> {
        do throws(TransportError) {
            return .success(try await next(request))
        } catch {
            return .failure(error)
        }
    }

    /// Nil to stop.
    private func wait(after outcome: Result<APIResponse, TransportError>, attempt: Int, of request: APIRequest)
        -> Duration?
    {
        let requested: Duration?
        switch outcome {
        case .failure(let error):
            guard error.isTransient, request.isRepeatable else { return nil }
            requested = nil
        case .success(let reply):
            guard reply.mayBeAskedAgain(request) else { return nil }
            if let refusal = reply.limitRefusal(localTime: time.localTime()) {
                requested = refusal.isSecondary ? secondaryWait(attempt) : refusal.wait
            } else {
                guard reply.status.code.isPassingFailure, request.isRepeatable else { return nil }
                requested = LimitStatement(reply.headerFields, localTime: time.localTime()).requestedWait
            }
        }
        // An immediate retry would add load to the server.
        if let requested, requested > .zero { return requested }
        return backoff.wait(attempt, chance: time.fraction())
    }

    /// Plus up to 10 % at random, so that clients return at different times.
    private func secondaryWait(_ attempt: Int) -> Duration {
        let wait = LimitRefusal.secondaryWait(after: attempt)
        return wait + wait / 10 * time.spread()
    }
}

extension LimitStatement {
    fileprivate var requestedWait: Duration? {
        // As clocks differ, the reset may be past. A second keeps the load low.
        retryAfter ?? spentFor.map { max($0, .seconds(1)) }
    }
}

extension Int {
    /// A status that may pass a moment later.
    package var isPassingFailure: Bool { (500...599).contains(self) && ![501, 505].contains(self) }
}

extension APIResponse {
    /// Whether the reply answers the request itself, or the request may be repeated. After a 303, the server has
    /// executed it, even if the GET failed.
    func mayBeAskedAgain(_ request: APIRequest) -> Bool {
        request.body?.canBeSentAgain != false && (method == request.method || request.isRepeatable)
    }
}

extension APIRequest {
    /// Whether sending it twice has the effect of once ([RFC 9110
    /// §9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2)).
    var isRepeatable: Bool {
        guard body?.canBeSentAgain != false else { return false }
        return switch method {
        case .get, .head, .put, .delete, .options, .trace: true
        default: HTTPField.Name("Idempotency-Key").map(headerFields.contains) ?? false
        }
    }
}

/// Exponential backoff with full jitter: a random time up to a bound that doubles, so that clients return at different
/// times.
private struct Backoff: Sendable {
    private let first: Double
    private let longest: Double

    /// - Parameters:
    ///   - first: The first bound.
    ///   - longest: The last bound, at most a day.
    init(first: Duration, longest: Duration) {
        self.first = first.secondsAsDouble
        self.longest = min(longest.secondsAsDouble, 86_400)
    }

    /// - Parameters:
    ///   - attempt: From 1.
    ///   - chance: From 0 up to 1.
    func wait(_ attempt: Int, chance: Double) -> Duration {
        let doublings = Double(1 << min(max(attempt, 1) - 1, 30))
        return .seconds(min(first * doublings, longest) * chance)
    }
}

extension Duration {
    /// At least zero.
    fileprivate var secondsAsDouble: Double {
        max(0, Double(components.seconds) + Double(components.attoseconds) / 1e18)
    }
}
