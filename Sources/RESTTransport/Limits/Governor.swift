import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Delays an API's requests as its limits require, for all stores and copies that share it.
///
/// It is the innermost middleware: each attempt of ``Retry`` passes it; replies from the store bypass it.
///
/// - After `Retry-After` or a spent limit, requests wait. Then as many are sent as the server allows; if that is
///   unknown, one, then twice as many with each round trip. After GitHub's secondary limit, requests wait a minute, and
///   twice as long after each further refusal.
/// - A request fails at once if its turn, after the requests ahead of it, would come after its timeout:
///   ``TransportError/Reason/limited(until:isOwn:)``.
/// - ``RequestLimits`` restrict concurrent requests and the rate of writes.
/// - Urgent requests precede those in the background (``RequestPriority``), each in their order.
/// - After repeated failures, requests stop for a while (``TransportError/Reason/circuitOpen(until:failures:_:)``).
///
/// Each account has its own limits. Requests to other servers pass unchanged.
public final class Governor: Middleware {
    private typealias Continuation = CheckedContinuation<Result<Pass, TransportError>, Never>

    private struct Waiting {
        let continuation: Continuation
        let request: APIRequest
        let account: Int
    }

    private struct State {
        let governance: Governance
        var credential = Credential()
        var waiting: [UInt64: Waiting] = [:]
        var alarm: (at: Duration, task: Task<Void, Never>)?
        var observers: [Int: AsyncStream<APILimits>.Continuation] = [:]
        var observersSoFar = 0
        /// The tickets of requests that wait or are in flight.
        var claimed: Set<UInt64> = []

        /// A repeated attempt keeps its ticket, unless another request has it: a middleware may send a request twice.
        mutating func claim(_ former: UInt64?) -> UInt64 {
            if let former, claimed.insert(former).inserted { return former }
            while true {
                let ticket = governance.newTicket()
                if claimed.insert(ticket).inserted { return ticket }
            }
        }
    }

    private let state: Mutex<State>
    private let isOn: Bool
    private let urls: OwnURLs
    private let time: TimeSource

    /// - Parameters:
    ///   - limits: The limits, in addition to those in replies.
    ///   - api: The API's base URL. Requests to other servers pass unchanged.
    public convenience init(_ limits: RequestLimits = .standard, api: URL) {
        self.init(limits, api: api, time: .system)
    }

    package init(_ limits: RequestLimits, api: URL, time: TimeSource) {
        isOn = limits.isOn
        urls = OwnURLs(api: api)
        self.time = time
        let chance = time.spread
        state = Mutex(State(governance: Governance(limits, chance: chance)))
    }

    deinit {
        let observers = state.withLock { $0.observers.values }
        for observer in observers { observer.finish() }
    }

    /// Sends the request when its turn comes.
    ///
    /// - Throws: The errors of `next`; ``TransportError`` for a turn after the timeout, an open circuit, or a cancelled
    ///   task.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        guard isOn, let path = urls.path(of: request.url) else { return try await next(request) }
        let (pass, wait) = try await pass(for: request, to: path)
        do throws(TransportError) {
            var reply = try await next(request)
            reply.phases.queued = wait
            let isOwn = reply.url == request.url || urls.contain(reply.url)
            let limitOutcome = LimitOutcome(reply, isOwn: isOwn, localTime: time.localTime())
            end(pass, limitOutcome, at: time.elapsed())
            guard limitOutcome.isHeld else { return reply }
            var held = reply
            held.request.chainState.ticket = pass.ticket
            return held
        } catch {
            let now = time.elapsed()
            end(
                pass, LimitOutcome(error, after: now - pass.sentAt, isOverdue: now >= deadline(of: request, now)),
                at: now)
            throw error
        }
    }

    private func deadline(of request: APIRequest, _ now: Duration) -> Duration {
        // The chain may have another clock.
        now + request.timeLeft
    }

    // MARK: Sending

    /// - Returns: The pass, and the wait for it.
    private func pass(
        for request: APIRequest, to path: Substring
    ) async throws(TransportError) -> (pass: Pass, wait: Duration) {
        let now = time.elapsed()
        let (verdict, demand) = state.withLock { state -> (Verdict, Demand) in
            // `turn` sets the actual priority.
            let demand = Demand(
                account: state.credential.number(of: request), path: path, isWrite: !request.isSafe,
                priority: .urgent, deadline: deadline(of: request, now), ticket: state.claim(request.chainState.ticket))
            let verdict = state.governance.admit(demand, mayWait: false, at: now)
            if case .refused = verdict { state.claimed.remove(demand.ticket) }
            notifyObservers(&state, at: now)
            return (verdict, demand)
        }
        switch verdict {
        case .goes(let pass): return (pass, .zero)
        case .refused(let refusal): throw error(refusal, request, at: now)
        case .waits:
            do throws(TransportError) {
                let pass = try await turn(of: demand, for: request)
                return (pass, pass.sentAt - now)
            } catch {
                state.withLock { _ = $0.claimed.remove(demand.ticket) }
                throw error
            }
        }
    }

    private func turn(of demand: Demand, for request: APIRequest) async throws(TransportError) -> Pass {
        var demand = demand
        demand.priority = request.chainState.priority ?? RequestPriority.current
        let outcome = await withTaskCancellationHandler { [demand] in
            await withCheckedContinuation { continuation in
                line(up: demand, Waiting(continuation: continuation, request: request, account: demand.account))
            }
        } onCancel: { [demand] in
            leave(demand, request)
        }
        return try outcome.get()
    }

    private func line(up demand: Demand, _ waiting: Waiting) {
        let now = time.elapsed()
        let isCancelled = state.withLock { state in
            // `leave` takes the same lock, so a later cancellation finds the ticket.
            if Task.isCancelled { return true }
            state.waiting[demand.ticket] = waiting
            let verdict = state.governance.admit(demand, mayWait: true, at: now)
            var verdicts = [(demand.ticket, verdict)]
            // A place may have become free.
            if case .waits = verdict { verdicts = state.governance.release(at: now) }
            settle(verdicts, &state, at: now)
            setAlarm(&state, at: now)
            notifyObservers(&state, at: now)
            return false
        }
        if isCancelled {
            waiting.continuation.resume(returning: .failure(.cancelled(before: waiting.request)))
        }
    }

    private func leave(_ demand: Demand, _ request: APIRequest) {
        let now = time.elapsed()
        let waiting = state.withLock { state in
            guard state.governance.leave(demand.ticket, of: demand.account) else { return nil as Waiting? }
            notifyObservers(&state, at: now)
            return state.waiting.removeValue(forKey: demand.ticket)
        }
        waiting?.continuation.resume(returning: .failure(.cancelled(before: request)))
    }

    // MARK: Outcomes

    private func end(_ pass: Pass, _ limitOutcome: LimitOutcome, at now: Duration) {
        state.withLock { state in
            state.claimed.remove(pass.ticket)
            let verdicts = state.governance.end(pass, limitOutcome, at: now)
            settle(verdicts, &state, at: now)
            setAlarm(&state, at: now)
            notifyObservers(&state, at: now)
        }
    }

    /// Safe within the lock: resuming only schedules a task.
    private func settle(_ verdicts: [(UInt64, Verdict)], _ state: inout State, at now: Duration) {
        for (ticket, verdict) in verdicts {
            guard let waiting = state.waiting.removeValue(forKey: ticket) else { continue }
            switch verdict {
            case .goes(let pass): waiting.continuation.resume(returning: .success(pass))
            case .refused(let refusal):
                waiting.continuation.resume(returning: .failure(error(refusal, waiting.request, at: now)))
            case .waits: state.waiting[ticket] = waiting
            }
        }
    }

    private func error(_ refusal: Refusal, _ request: APIRequest, at now: Duration) -> TransportError {
        switch refusal {
        case .limited(let until, let isOwn):
            TransportError(.limited(until: date(until, at: now), isOwn: isOwn), request)
        case .circuitOpen(let until, let failures, let last):
            TransportError(.circuitOpen(until: date(until, at: now), failures: failures, last), request)
        }
    }

    private func date(_ moment: Duration, at now: Duration) -> Date {
        let (seconds, attoseconds) = (moment - now).components
        return Date(timeIntervalSince1970: Double(time.localTime()) + Double(seconds) + Double(attoseconds) / 1e18)
    }

    // MARK: The alarm

    /// Sets the alarm for the next time at which a waiting request may be sent.
    private func setAlarm(_ state: inout State, at now: Duration) {
        guard !state.waiting.isEmpty, let opening = state.governance.nextOpening(after: now) else { return }
        if let alarm = state.alarm {
            guard opening < alarm.at else { return }
            alarm.task.cancel()
        }
        let (time, wait) = (time, opening - now)
        let task = Task.detached { [weak self] in
            guard (try? await time.sleep(wait)) != nil else { return }
            self?.wake(from: opening)
        }
        state.alarm = (opening, task)
    }

    private func wake(from opening: Duration) {
        let now = time.elapsed()
        state.withLock { state in
            if state.alarm?.at == opening { state.alarm = nil }
            settle(state.governance.release(at: now), &state, at: now)
            setAlarm(&state, at: now)
            notifyObservers(&state, at: now)
        }
    }

    // MARK: Observing limits

    /// The limits as they are known now.
    public var limits: APILimits {
        let now = time.elapsed()
        return state.withLock { shown($0, at: now) }
    }

    /// The present ``limits``, then new values after each change; only the newest if you read slowly.
    ///
    /// The stream ends when the API is released.
    public var updates: AsyncStream<APILimits> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let now = time.elapsed()
            let number = state.withLock { state in
                state.observersSoFar += 1
                state.observers[state.observersSoFar] = continuation
                continuation.yield(shown(state, at: now))
                return state.observersSoFar
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.observers[number] = nil }
            }
        }
    }

    private func notifyObservers(_ state: inout State, at now: Duration) {
        guard !state.observers.isEmpty else { return }
        let limits = shown(state, at: now)
        for observer in state.observers.values { observer.yield(limits) }
    }

    private func shown(_ state: State, at now: Duration) -> APILimits {
        state.governance.shown(at: now) { date($0, at: now) }
    }
}
