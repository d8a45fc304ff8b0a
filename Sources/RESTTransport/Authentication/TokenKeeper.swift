import Synchronization

/// Caches a provider's token. Concurrent callers share one call.
final class TokenKeeper: Sendable {
    typealias Answer = Result<String, any Error>

    private struct State {
        var token: String?
        var flight: Task<Void, Never>?
        /// The last call, if its waiters have left; it may still run.
        var abandoned: Task<Void, Never>?
        var waiting: [Int: CheckedContinuation<Answer, Never>] = [:]
        var lastTicket = 0
        var flightNumber = 0

        func token(otherThan rejected: String?) -> String? { token == rejected ? nil : token }
    }

    /// Keepers whose provider runs in the current task.
    @TaskLocal private static var asking: Set<ObjectIdentifier> = []

    /// Whether the current task is this keeper's provider, whose requests would wait for themselves.
    var isAskedFor: Bool { Self.asking.contains(ObjectIdentifier(self)) }

    var waiting: Int { state.withLock { $0.waiting.count } }

    private let state = Mutex(State())
    private let provider: @Sendable (_ rejected: String?) async throws -> String

    init(_ provider: @escaping @Sendable (_ rejected: String?) async throws -> String) {
        self.provider = provider
    }

    /// The cached token, or a new one if it is missing or rejected.
    ///
    /// Ends with `CancellationError` as soon as the calling task is cancelled.
    func token(replacing rejected: String?) async -> Answer {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answerNow(replacing: rejected, ticket: ticket, to: continuation).map {
                    continuation.resume(returning: $0)
                }
            }
        } onCancel: {
            leave(ticket)
        }
    }

    /// The known token. If nil, the continuation waits for a call of the provider.
    private func answerNow(
        replacing rejected: String?, ticket: Int, to continuation: CheckedContinuation<Answer, Never>
    ) -> Answer? {
        state.withLock { state in
            // `leave` takes the same lock, so a later cancellation finds the continuation.
            if Task.isCancelled { return .failure(CancellationError()) }
            if let token = state.token(otherThan: rejected) { return .success(token) }
            state.waiting[ticket] = continuation
            guard state.flight == nil else { return nil }
            state.flightNumber += 1
            state.flight = flight(state.flightNumber, replacing: rejected, after: state.abandoned)
            state.abandoned = nil
            return nil
        }
    }

    /// Starts a call after the end of an abandoned one, which may ignore its cancellation.
    private func flight(
        _ number: Int, replacing rejected: String?, after abandoned: Task<Void, Never>?
    ) -> Task<Void, Never> {
        let asking = Self.asking.union([ObjectIdentifier(self)])
        return Task.detached { [provider, weak self] in
            await abandoned?.value
            if let token = self?.knownToken(otherThan: rejected) {
                self?.land(number, with: .success(token))
                return
            }
            let answer: Answer
            do {
                try Task.checkCancellation()
                let token = try await Self.$asking.withValue(asking) { try await provider(rejected) }
                answer = .success(token.trimmingBlanks)
            } catch {
                answer = .failure(error)
            }
            self?.land(number, with: answer)
        }
    }

    private func knownToken(otherThan rejected: String?) -> String? {
        state.withLock { $0.token(otherThan: rejected) }
    }

    private func land(_ number: Int, with answer: Answer) {
        let waiting: [Int: CheckedContinuation<Answer, Never>] = state.withLock { state in
            // An unusable token isn't cached. An abandoned call's token is, because the provider may have spent a
            // refresh token for it.
            if case .success(let token) = answer, Self.problem(of: token) == nil { state.token = token }
            // The present waiters belong to a later call if this one was abandoned.
            guard state.flight != nil, state.flightNumber == number else { return [:] }
            state.flight = nil
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: answer) }
    }

    private func leave(_ ticket: Int) {
        let (continuation, flight) = state.withLock {
            state -> (CheckedContinuation<Answer, Never>?, Task<Void, Never>?) in
            let continuation = state.waiting.removeValue(forKey: ticket)
            guard continuation != nil, state.waiting.isEmpty else { return (continuation, nil) }
            defer { (state.abandoned, state.flight) = (state.flight, nil) }
            return (continuation, state.flight)
        }
        // Outside the lock, as the provider's cancellation handlers may call this keeper.
        flight?.cancel()
        continuation?.resume(returning: .failure(CancellationError()))
    }
}

extension TokenKeeper {
    /// A token that a header field can contain.
    ///
    /// - Throws: The provider's own ``TransportError``; `tokenRefused` or `connectionFailed` for an ``OAuth2Error``;
    ///   `cancelled`; else `credentialUnavailable`.
    func usableToken(replacing rejected: String?, for request: APIRequest) async throws(TransportError) -> String {
        switch await token(replacing: rejected) {
        case .success(let token):
            if let problem = Self.problem(of: token) {
                throw TransportError(.credentialUnavailable(problem), request)
            }
            return token
        case .failure(let error as TransportError):
            throw error
        case .failure(let error as OAuth2Error):
            throw error.transportError(for: request)
        case .failure(is CancellationError):
            throw .cancelled(before: request)
        case .failure(let error):
            throw TransportError(.credentialUnavailable("the provider threw \(type(of: error))"), request)
        }
    }

    /// Nil for a token that a header field can contain.
    private static func problem(of token: String) -> String? {
        if token.isEmpty { return "the token is empty" }
        let isValid = token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isValid ? nil : "the token has characters that no token has"
    }
}

extension String {
    var trimmingBlanks: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
