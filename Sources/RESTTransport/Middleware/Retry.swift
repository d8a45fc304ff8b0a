import HTTPTypes

/// Sends a request again when that may help, and waits before as the server asks.
///
/// | what came | sent again |
/// |---|---|
/// | 429; 403 with `Retry-After` or a spent limit | always: the server did not act on it |
/// | 5xx (but 501, 505); no connection, or a lost one | idempotent methods only, or with an `Idempotency-Key` |
/// | anything else | never |
///
/// The wait is what `Retry-After` or the limit's reset says; else a random time up to the first delay, doubled with each
/// attempt. A wait that would outlast the request's timeout is not begun: the reply or error at hand is the result, as
/// it is after the last attempt.
public struct Retry: Middleware {
    private let attempts: Int
    private let backoff: Backoff
    private let time: TimeSource

    /// Retries.
    ///
    /// - Parameters:
    ///   - attempts: How often a request is sent at most, the first time included; at least 1.
    ///   - firstDelay: The upper bound of the first wait where the server names none.
    ///   - longestDelay: The upper bound of all waits where the server names none.
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

    /// Sends the request, again where that may help.
    public func intercept(
        _ request: APIRequest, next: @Sendable (APIRequest) async throws(TransportError) -> APIResponse
    ) async throws(TransportError) -> APIResponse {
        let start = time.elapsed()
        var attempt = 1
        while true {
            let outcome = await outcome(of: request, next)
            guard attempt < attempts, let wait = wait(after: outcome, attempt: attempt, of: request),
                time.elapsed() - start + wait < request.timeout
            else { return try outcome.get() }
            do {
                try await time.sleep(wait)
            } catch {
                throw TransportError(.cancelled, request)
            }
            attempt += 1
        }
    }

    private func outcome(
        of request: APIRequest, _ next: @Sendable (APIRequest) async throws(TransportError) -> APIResponse
    ) async -> Result<APIResponse, TransportError> {
        do throws(TransportError) {
            return .success(try await next(request))
        } catch {
            return .failure(error)
        }
    }

    /// How long to wait before the request is sent again; nil when it is not to be.
    private func wait(after outcome: Result<APIResponse, TransportError>, attempt: Int, of request: APIRequest)
        -> Duration?
    {
        switch outcome {
        case .failure(let error):
            error.isTransient && request.isRepeatable ? backoff.wait(attempt, chance: time.fraction()) : nil
        case .success(let reply):
            reply.invitesRetry(of: request, localTime: time.localTime())
                ? reply.requestedWait(localTime: time.localTime()) ?? backoff.wait(attempt, chance: time.fraction())
                : nil
        }
    }
}

extension APIResponse {
    /// Whether sending the same request again may help and does no harm.
    fileprivate func invitesRetry(of request: APIRequest, localTime: Int) -> Bool {
        switch status.code {
        case 429: true
        case 403: requestedWait(localTime: localTime) != nil
        case 501, 505: false
        case 500...599: request.isRepeatable
        default: false
        }
    }

    /// How long the server asks to wait; nil when it does not say, or asks for a moment that has passed.
    fileprivate func requestedWait(localTime: Int) -> Duration? {
        if let wait = retryAfter(localTime: localTime) { return wait }
        // A reset in the past says only that clocks differ; waiting nothing for it would hammer the server.
        return rateLimitReset(localTime: localTime).map { max($0, .seconds(1)) }
    }
}

extension APIRequest {
    /// Whether sending it twice has the effect of sending it once
    /// ([RFC 9110 §9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2)).
    fileprivate var isRepeatable: Bool {
        switch method {
        case .get, .head, .put, .delete, .options, .trace: true
        default: HTTPField.Name("Idempotency-Key").map(headerFields.contains) ?? false
        }
    }
}
