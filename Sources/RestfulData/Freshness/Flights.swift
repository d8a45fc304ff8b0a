import HTTPTypes
import ObjectStore
import RESTTransport
import Synchronization

/// The questions that are on their way to the server: who asks one of them again gets the same answer.
///
/// ```
/// fetch ─┐
/// fetch ─┼→ Flight: one request, one Question ──→ the same response, stored by each in its own context
/// fetch ─┘       cancelled when the last of them is gone
/// ```
///
/// Nobody joins a request that was sent before something was changed at the server: its answer may not know of that.
/// The stores of a process that have one file open share it.
final class Flights: Sendable {
    /// What a caller asks, before any middleware. Requests with other header fields or by another policy are other
    /// ones, and so is an urgent one while an equal one is on its way that is not: that may wait behind others.
    struct Key: Hashable {
        /// Its middleware says who asks.
        let api: ObjectIdentifier
        let question: String
        let request: APIRequest
        let policy: FetchPolicy
        var priority: RequestPriority
        let company: Company
    }

    /// Whose request a caller may share. Which fields go out is known only when all middleware has seen the request.
    /// So a caller that joined another's request compares the fields once that has landed: see ``Dispatch``.
    enum Company: Hashable {
        case anybody
        /// Only requests of callers that have found out that theirs has these fields.
        case senders(of: HTTPFields)
        case nobody
    }

    /// What came, and what was known when it was asked for.
    struct Landing: Sendable {
        let outcome: Result<APIResponse, TransportError>
        let exchange: AnswerExchange
        let question: Question
        /// Whether somebody else has asked it.
        var isJoined = false
    }

    private struct Flight {
        let key: Key
        let exchange: AnswerExchange
        let question: Question
        var task: Task<Void, Never>?
        var waiting: [Int: CheckedContinuation<Landing, Never>] = [:]
    }

    private struct State {
        var flights: [Int: Flight] = [:]
        /// Those that may be joined.
        var open: [Key: Int] = [:]
        /// The flight that each ticket is for.
        var numbers: [Int: Int] = [:]
        var lastNumber = 0
        /// What is asked again after it was answered by the store.
        var revalidating: Set<String> = []

        mutating func remove(_ number: Int) -> Flight? {
            guard let flight = flights.removeValue(forKey: number) else { return nil }
            if open[flight.key] == number { open[flight.key] = nil }
            for ticket in flight.waiting.keys { numbers[ticket] = nil }
            return flight
        }

        /// The flight of a request that is as good.
        func open(for key: Key) -> Int? {
            var urgent = key
            urgent.priority = .urgent
            return open[key] ?? open[urgent]
        }

        mutating func add(_ ticket: Int, _ continuation: CheckedContinuation<Landing, Never>, to number: Int) {
            flights[number]?.waiting[ticket] = continuation
            numbers[ticket] = number
        }
    }

    private let state = Mutex(State())

    /// The number of callers that wait for a reply; those that share a request count each.
    var callerCount: Int { state.withLock { $0.numbers.count } }

    /// Something is changed at the server, or may just have been.
    func noteChange() { state.withLock { $0.open = [:] } }

    /// Whether a stale answer is to be asked for, as nobody does so yet.
    func beginRevalidating(_ question: String) -> Bool {
        state.withLock { $0.revalidating.insert(question).inserted }
    }

    func endRevalidating(_ question: String) { state.withLock { _ = $0.revalidating.remove(question) } }

    /// Sends a request off the caller's actor, or joins an equal one that is on its way. It ends promptly when the task
    /// is cancelled.
    ///
    /// - Parameters:
    ///   - api: who sends it.
    ///   - company: whose equal request may be joined.
    ///   - exchange: what is known of the answer, should the request be sent.
    ///   - question: when it is asked, likewise.
    ///   - send: sends it, in a task of its own.
    @concurrent func landing(
        of request: APIRequest, by api: ObjectIdentifier, with company: Company, in exchange: AnswerExchange,
        asking question: Question, _ send: @escaping @Sendable () async -> Result<APIResponse, TransportError>
    ) async -> Landing {
        let ticket = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let key = Key(
            api: api, question: exchange.question, request: request, policy: exchange.policy,
            priority: request.passage.priority ?? RequestPriority.current, company: company)
        @Sendable func cancelled() -> Landing {
            Landing(outcome: .failure(TransportError(.cancelled, request)), exchange: exchange, question: question)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let flight = Flight(key: key, exchange: exchange, question: question)
                switch board(ticket, waiting: continuation, for: flight) {
                case .joined: break
                case .departs: depart(ticket, send)
                case .cancelled: continuation.resume(returning: cancelled())
                }
            }
        } onCancel: {
            leave(ticket)?.resume(returning: cancelled())
        }
    }

    private enum Boarding { case departs, joined, cancelled }

    /// - Parameter flight: what is sent where no equal request is on its way.
    /// - Returns: whether it is to be sent; where the task was cancelled nobody is waited for.
    private func board(
        _ ticket: Int, waiting continuation: CheckedContinuation<Landing, Never>, for flight: Flight
    ) -> Boarding {
        state.withLock { state in
            // A cancellation after this check finds the ticket waiting, as it takes the same lock.
            if Task.isCancelled { return .cancelled }
            let isAlone = flight.key.company == .nobody
            if !isAlone, let number = state.open(for: flight.key) {
                state.add(ticket, continuation, to: number)
                return .joined
            }
            state.flights[ticket] = flight
            if !isAlone { state.open[flight.key] = ticket }
            state.add(ticket, continuation, to: ticket)
            return .departs
        }
    }

    private func depart(_ number: Int, _ send: @escaping @Sendable () async -> Result<APIResponse, TransportError>) {
        let task = Task.begunHere { [weak self] in
            let outcome = await send()
            self?.land(number, with: outcome)
        }
        // All may have left already, or it may have landed.
        let isGone = state.withLock { state in
            state.flights[number]?.task = task
            return state.flights[number] == nil
        }
        if isGone { task.cancel() }
    }

    private func land(_ number: Int, with outcome: Result<APIResponse, TransportError>) {
        let flight = state.withLock { state in state.remove(number) }
        guard let flight else { return }
        var landing = Landing(outcome: outcome, exchange: flight.exchange, question: flight.question)
        // In the order in which they came.
        for (ticket, continuation) in flight.waiting.sorted(by: { $0.key < $1.key }) {
            landing.isJoined = ticket != number
            continuation.resume(returning: landing)
        }
    }

    private func leave(_ ticket: Int) -> CheckedContinuation<Landing, Never>? {
        let left = state.withLock { state -> (CheckedContinuation<Landing, Never>?, Task<Void, Never>?) in
            guard let number = state.numbers.removeValue(forKey: ticket) else { return (nil, nil) }
            let continuation = state.flights[number]?.waiting.removeValue(forKey: ticket)
            guard state.flights[number]?.waiting.isEmpty == true else { return (continuation, nil) }
            return (continuation, state.remove(number)?.task)
        }
        // What waits within it hears of that before this returns, and may be a flight itself.
        left.1?.cancel()
        return left.0
    }
}
