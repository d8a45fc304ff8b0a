import Synchronization

/// Keeps the token that a provider gave, and asks for one at most once at a time, for all who wait.
final class TokenKeeper: Sendable {
    typealias Answer = Result<String, any Error>

    private struct State {
        var token: String?
        var flight: Task<Void, Never>?
        var waiting: [Int: CheckedContinuation<Answer, Never>] = [:]
        var lastTicket = 0
        var flightNumber = 0
    }

    private let state = Mutex(State())
    private let provider: @Sendable (_ rejected: String?) async throws -> String

    init(_ provider: @escaping @Sendable (_ rejected: String?) async throws -> String) {
        self.provider = provider
    }

    /// The token at hand, or a new one if there is none, or if the one at hand is the rejected one.
    ///
    /// Ends promptly with `CancellationError` when the calling task is cancelled, even if the provider goes on.
    func token(replacing rejected: String?) async -> Answer {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answerNow(rejected, ticket, continuation).map { continuation.resume(returning: $0) }
            }
        } onCancel: {
            leave(ticket)
        }
    }

    /// The answer if there is one already; else remembers who waits, and asks the provider if nobody has.
    private func answerNow(
        _ rejected: String?, _ ticket: Int, _ continuation: CheckedContinuation<Answer, Never>
    ) -> Answer? {
        state.withLock { state in
            // A cancellation after this check finds the ticket waiting, because it takes the same lock.
            if Task.isCancelled { return .failure(CancellationError()) }
            if let token = state.token, token != rejected { return .success(token) }
            state.waiting[ticket] = continuation
            guard state.flight == nil else { return nil }
            state.flightNumber += 1
            state.flight = flight(state.flightNumber, replacing: rejected)
            return nil
        }
    }

    private func flight(_ number: Int, replacing rejected: String?) -> Task<Void, Never> {
        Task.detached { [provider, weak self] in
            let answer: Answer
            do {
                answer = .success(try await provider(rejected).trimmingBlanks)
            } catch {
                answer = .failure(error)
            }
            self?.land(number, with: answer)
        }
    }

    private func land(_ number: Int, with answer: Answer) {
        let waiting: [Int: CheckedContinuation<Answer, Never>] = state.withLock { state in
            // A flight that everybody left has been cancelled; those who wait now wait for its successor.
            guard state.flight != nil, state.flightNumber == number else { return [:] }
            if case .success(let token) = answer { state.token = token }
            state.flight = nil
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: answer) }
    }

    private func leave(_ ticket: Int) {
        let continuation = state.withLock { state in
            let continuation = state.waiting.removeValue(forKey: ticket)
            if continuation != nil, state.waiting.isEmpty {
                state.flight?.cancel()
                state.flight = nil
            }
            return continuation
        }
        continuation?.resume(returning: .failure(CancellationError()))
    }
}

extension String {
    /// This text without blanks and line ends around it.
    fileprivate var trimmingBlanks: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
