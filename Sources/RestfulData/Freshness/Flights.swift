import HTTPTypes
import ObjectStore
import RESTTransport
import Synchronization

/// The GET requests in flight. Callers with equal requests share one of them.
///
/// ```
/// fetch ─┐
/// fetch ─┼→ Flight: one request, one RequestStart ──→ one response, imported by each caller in its own context
/// fetch ─┘ cancelled when all callers are gone
/// ```
///
/// A change at the server closes earlier requests to new callers, since their responses may lack it. All stores of a
/// process with the same file share this object.
final class Flights: Sendable {
    /// Equal requests before middleware. An urgent request joins only urgent ones, since others may wait.
    struct Key: Hashable {
        /// Each API has its own middleware and credentials.
        let api: ObjectIdentifier
        let question: String
        let request: APIRequest
        let policy: FetchPolicy
        var priority: RequestPriority
        let sharing: Sharing
    }

    /// The requests that a caller may join. A caller that joined compares its header fields with the sent ones after
    /// the response, since these are final only after all middleware (``Dispatch``).
    enum Sharing: Hashable {
        case anybody
        /// Callers whose final header fields are known to be these.
        case senders(of: HTTPFields)
        case nobody
    }

    /// A revalidation in the background. Accounts have answers of their own.
    struct Revalidation: Hashable {
        let api: ObjectIdentifier
        let account: String
        let question: String
    }

    struct Completion: Sendable {
        let outcome: Result<APIResponse, TransportError>
        let exchange: AnswerExchange
        let requestStart: RequestStart
        /// Whether another caller sent the request.
        var isJoined = false
    }

    private struct Flight {
        let key: Key
        let exchange: AnswerExchange
        let requestStart: RequestStart
        var task: Task<Void, Never>?
        var waiting: [Int: CheckedContinuation<Completion, Never>] = [:]
    }

    private struct State {
        var flights: [Int: Flight] = [:]
        var open: [Key: Int] = [:]
        var numbers: [Int: Int] = [:]
        var lastNumber = 0
        var revalidating: Set<Revalidation> = []

        mutating func remove(_ number: Int) -> Flight? {
            guard let flight = flights.removeValue(forKey: number) else { return nil }
            if open[flight.key] == number { open[flight.key] = nil }
            for ticket in flight.waiting.keys { numbers[ticket] = nil }
            return flight
        }

        /// The flight to join: an equal request, or the same one with urgent priority.
        func open(for key: Key) -> Int? {
            var urgent = key
            urgent.priority = .urgent
            return open[key] ?? open[urgent]
        }

        mutating func add(_ ticket: Int, _ continuation: CheckedContinuation<Completion, Never>, to number: Int) {
            flights[number]?.waiting[ticket] = continuation
            numbers[ticket] = number
        }
    }

    private let state = Mutex(State())

    /// The number of callers, also of shared requests.
    var callerCount: Int { state.withLock { $0.numbers.count } }

    /// Call it before and after a request that changes something at the server.
    func noteChange() { state.withLock { $0.open = [:] } }

    /// - Returns: false if another caller is revalidating the response.
    func begin(_ revalidation: Revalidation) -> Bool {
        state.withLock { $0.revalidating.insert(revalidation).inserted }
    }

    func end(_ revalidation: Revalidation) { state.withLock { _ = $0.revalidating.remove(revalidation) } }

    /// Sends a request, or joins an equal one. Runs outside of the caller's actor, and returns promptly on
    /// cancellation.
    ///
    /// - Parameters:
    ///   - requestStart: the time of the request, if it is sent.
    ///   - send: runs in a task of its own.
    @concurrent func completion(
        of request: APIRequest, by api: ObjectIdentifier, with sharing: Sharing, in exchange: AnswerExchange,
        at requestStart: RequestStart, _ send: @escaping @Sendable () async -> Result<APIResponse, TransportError>
    ) async -> Completion {
        let ticket = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let key = Key(
            api: api, question: exchange.question, request: request, policy: exchange.policy,
            priority: request.chainState.priority ?? RequestPriority.current, sharing: sharing)
        @Sendable func cancelled() -> Completion {
            Completion(
                outcome: .failure(TransportError(.cancelled, request)), exchange: exchange, requestStart: requestStart)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let flight = Flight(key: key, exchange: exchange, requestStart: requestStart)
                switch admit(ticket, waiting: continuation, for: flight) {
                case .joined: break
                case .starts: start(ticket, send)
                case .cancelled: continuation.resume(returning: cancelled())
                }
            }
        } onCancel: {
            leave(ticket)?.resume(returning: cancelled())
        }
    }

    private enum Admission { case starts, joined, cancelled }

    /// - Parameter flight: started unless there is one to join.
    private func admit(
        _ ticket: Int, waiting continuation: CheckedContinuation<Completion, Never>, for flight: Flight
    ) -> Admission {
        state.withLock { state in
            // A later cancellation finds the ticket, since it takes the same lock.
            if Task.isCancelled { return .cancelled }
            let isUnshared = flight.key.sharing == .nobody
            if !isUnshared, let number = state.open(for: flight.key) {
                state.add(ticket, continuation, to: number)
                return .joined
            }
            state.flights[ticket] = flight
            if !isUnshared { state.open[flight.key] = ticket }
            state.add(ticket, continuation, to: ticket)
            return .starts
        }
    }

    private func start(_ number: Int, _ send: @escaping @Sendable () async -> Result<APIResponse, TransportError>) {
        let task = Task.begunHere { [weak self] in
            let outcome = await send()
            self?.complete(number, with: outcome)
        }
        // All callers may have left, or the response may have come.
        let isGone = state.withLock { state in
            state.flights[number]?.task = task
            return state.flights[number] == nil
        }
        if isGone { task.cancel() }
    }

    private func complete(_ number: Int, with outcome: Result<APIResponse, TransportError>) {
        let flight = state.withLock { state in state.remove(number) }
        guard let flight else { return }
        var completion = Completion(outcome: outcome, exchange: flight.exchange, requestStart: flight.requestStart)
        // Callers go on in the order of their arrival.
        for (ticket, continuation) in flight.waiting.sorted(by: { $0.key < $1.key }) {
            completion.isJoined = ticket != number
            continuation.resume(returning: completion)
        }
    }

    private func leave(_ ticket: Int) -> CheckedContinuation<Completion, Never>? {
        let left = state.withLock { state -> (CheckedContinuation<Completion, Never>?, Task<Void, Never>?) in
            guard let number = state.numbers.removeValue(forKey: ticket) else { return (nil, nil) }
            let continuation = state.flights[number]?.waiting.removeValue(forKey: ticket)
            guard state.flights[number]?.waiting.isEmpty == true else { return (continuation, nil) }
            return (continuation, state.remove(number)?.task)
        }
        // Outside of the lock, which cancellation handlers may take.
        left.1?.cancel()
        return left.0
    }
}
