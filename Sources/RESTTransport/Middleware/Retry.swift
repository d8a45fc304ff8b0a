import HTTPTypes

/// Sends a request again when that may help, and first waits as long as the server requests.
///
/// | what came | sent again |
/// |---|---|
/// | 429; 403 with `Retry-After`, a spent limit or GitHub's words for a secondary one | always: the server didn't act on it |
/// | 5xx (but 501, 505); no connection, or a lost one | idempotent methods only, or with an `Idempotency-Key` |
/// | anything else, and the refusal of a GET that a 303 has made of what is not idempotent: that was done | never |
///
/// The wait is what `Retry-After` or the limit's reset specifies; at GitHub's secondary limits without either a minute,
/// doubled with each attempt; otherwise, and where that is no time or past, a random time up to the first delay,
/// doubled with each attempt. A stream that can be sent only once is never sent again. A wait that would outlast the
/// request's timeout isn't begun: the last reply or error is the result, as it is after the last attempt.
///
/// At most one retry for each five requests of the last ten seconds, and ten beside, are sent by one `Retry`, so by one
/// API: a server in trouble is not sent several times as much as without. Then the reply or error that came is the
/// result. What the API's limits hold back in the meantime (``Governor``) waits there, in its old place, and is none of
/// these.
public struct Retry: Middleware {
    private let attempts: Int
    private let backoff: Backoff
    private let budget = RetryBudget()
    private let time: TimeSource

    /// Retries.
    ///
    /// - Parameters:
    ///   - attempts: How often a request is sent at most, the first time included; at least 1.
    ///   - firstDelay: The upper bound of the first wait if the server specifies none.
    ///   - longestDelay: The upper bound of all waits if the server specifies none.
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

    /// Sends the request, and again if that may help.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        let start = time.elapsed()
        budget.noteRequest(at: start)
        var outcome = await outcome(of: request, next: next)
        var attempt = 1
        while attempt < attempts, let again = await nextAttempt(attempt, after: outcome, of: request, since: start) {
            guard !Task.isCancelled else { throw TransportError(.cancelled, request) }
            var resent = again
            resent.passage.resends = request.passage.resends + attempt
            let newer = await self.outcome(of: resent, next: next)
            // What was not sent says less than the reply or error that there is.
            if case .failure(let error) = newer, error.isOfLimits { break }
            outcome = newer
            attempt += 1
        }
        return try outcome.get()
    }

    /// Waits until a request may be sent again.
    ///
    /// - Returns: the request; nil when it isn't sent again.
    private func nextAttempt(
        _ attempt: Int, after outcome: Result<APIResponse, TransportError>, of request: APIRequest,
        since start: Duration
    ) async -> APIRequest? {
        let now = time.elapsed()
        guard let wait = wait(after: outcome, attempt: attempt, of: request),
            wait < request.timeLeft(since: start, at: now)
        else { return nil }
        if case .success(let reply) = outcome, let ticket = reply.request.passage.ticket {
            // The governor holds it, in its place among all others that wait.
            var again = request
            again.passage.ticket = ticket
            return again
        }
        guard budget.takeRetry(at: now) else { return nil }
        // Who is cancelled meanwhile is told so by the caller.
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

    /// How long to wait before the request is sent again; nil if it isn't sent again.
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
                guard reply.invitesRetry, request.isRepeatable else { return nil }
                requested = LimitStatement(reply.headerFields, localTime: time.localTime()).requestedWait
            }
        }
        // No time at all, or a date that is past, means that nothing is known; not waiting would hammer the server.
        if let requested, requested > .zero { return requested }
        return backoff.wait(attempt, chance: time.fraction())
    }

    /// No less than the server wants, and a little more by chance, so that not all come at once.
    private func secondaryWait(_ attempt: Int) -> Duration {
        let wait = LimitRefusal.secondaryWait(after: attempt)
        return wait + wait / 10 * time.spread()
    }
}

extension LimitStatement {
    /// How long the server asks to wait; nil if it doesn't ask.
    fileprivate var requestedWait: Duration? {
        // A reset in the past means only that clocks differ; not waiting at all would hammer the server.
        retryAfter ?? spentFor.map { max($0, .seconds(1)) }
    }
}

extension APIResponse {
    /// Whether the server failed in a way that may be over a moment later.
    fileprivate var invitesRetry: Bool {
        switch status.code {
        case 501, 505: false
        case 500...599: true
        default: false
        }
    }
}

extension APIResponse {
    /// Whether it answers the request itself, or what may be sent twice: behind a 303 stands a request that was done,
    /// whatever becomes of the GET.
    func mayBeAskedAgain(_ request: APIRequest) -> Bool {
        request.body?.canBeSentAgain != false && (method == request.method || request.isRepeatable)
    }
}

extension APIRequest {
    /// Whether sending it twice has the effect of sending it once
    /// ([RFC 9110 §9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2)).
    var isRepeatable: Bool {
        guard body?.canBeSentAgain != false else { return false }
        return switch method {
        case .get, .head, .put, .delete, .options, .trace: true
        default: HTTPField.Name("Idempotency-Key").map(headerFields.contains) ?? false
        }
    }
}

/// Exponential backoff with full jitter: a random time up to a bound that doubles, so that clients that failed together
/// don't return together.
private struct Backoff: Sendable {
    private let first: Double
    private let longest: Double

    /// Bounds the waits.
    ///
    /// - Parameters:
    ///   - first: The bound of the first wait.
    ///   - longest: The bound of all waits; at most a day.
    init(first: Duration, longest: Duration) {
        self.first = first.secondsAsDouble
        self.longest = min(longest.secondsAsDouble, 86_400)
    }

    /// The wait after the given attempt, counted from 1.
    ///
    /// - Parameter chance: A random number from 0 up to 1.
    func wait(_ attempt: Int, chance: Double) -> Duration {
        let doublings = Double(1 << min(max(attempt, 1) - 1, 30))
        return .seconds(min(first * doublings, longest) * chance)
    }
}

extension Duration {
    /// This many seconds, no fewer than zero.
    fileprivate var secondsAsDouble: Double {
        max(0, Double(components.seconds) + Double(components.attoseconds) / 1e18)
    }
}
