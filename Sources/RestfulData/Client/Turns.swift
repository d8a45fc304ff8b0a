import ObjectStore
import RESTTransport
import Synchronization

/// Runs the requests about one object one at a time, in the order of their calls. Consecutive fetches share a turn.
///
/// Two saves at a time could arrive in either order, and the older value would win. So the second one waits, and sends
/// the edits that are pending in its turn. All stores of the process with one file share the turns.
final class Turns: Sendable {
    private struct Waiter {
        let isShared: Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Turn {
        var holders = 1
        var isShared: Bool
        private var waiting: [UInt64: Waiter] = [:]
        private var line = WaitingLine()

        init(isShared: Bool) { self.isShared = isShared }

        /// - Returns: whether the caller joins the turn. Waiting callers come first.
        mutating func admit(isShared: Bool) -> Bool {
            guard isShared, self.isShared, waiting.isEmpty else { return false }
            holders += 1
            return true
        }

        mutating func add(_ waiter: Waiter, _ number: UInt64) {
            waiting[number] = waiter
            line.insert(number)
        }

        mutating func remove(_ number: UInt64) -> Waiter? {
            line.remove(number)
            return waiting.removeValue(forKey: number)
        }

        /// Admits the callers that have waited longest: one alone, or all that share the turn.
        mutating func next() -> [Waiter] {
            var next: [Waiter] = []
            while let number = line.first(), let waiter = waiting[number], holders == 0 || isShared && waiter.isShared {
                isShared = waiter.isShared
                holders += 1
                next.append(waiter)
                _ = remove(number)
            }
            return next
        }
    }

    private struct State {
        var turns: [RecordID: Turn] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// End it with ``endTurn(_:)``.
    ///
    /// - Returns: false if the task was cancelled before its turn.
    func take(_ row: RecordID, isShared: Bool, on actor: isolated (any Actor)? = #isolation) async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation in
                // The cancellation handler takes the same lock: it runs before, or finds the waiter.
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard let isIn = state.turns[row]?.admit(isShared: isShared) else {
                        state.turns[row] = Turn(isShared: isShared)
                        return true
                    }
                    if isIn { return true }
                    state.turns[row]?.add(Waiter(isShared: isShared, continuation: continuation), number)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            leave(row, number)?.resume(returning: false)
        }
    }

    func endTurn(_ row: RecordID) {
        let next = state.withLock { state -> [Waiter] in
            state.turns[row]?.holders -= 1
            let next = state.turns[row]?.next() ?? []
            if state.turns[row]?.holders == 0 { state.turns[row] = nil }
            return next
        }
        for waiter in next { waiter.continuation.resume(returning: true) }
    }

    private func leave(_ row: RecordID, _ number: UInt64) -> CheckedContinuation<Bool, Never>? {
        let (left, next) = state.withLock { state -> (CheckedContinuation<Bool, Never>?, [Waiter]) in
            guard let left = state.turns[row]?.remove(number) else { return (nil, []) }
            // Those behind it may now share the turn.
            return (left.continuation, state.turns[row]?.next() ?? [])
        }
        for waiter in next { waiter.continuation.resume(returning: true) }
        return left
    }
}

extension Model {
    /// Waits for earlier requests about this object.
    ///
    /// - Parameter isFetch: whether the turn is shared with other fetches.
    nonisolated(nonsending) func inTurn<Result>(
        with settings: Call.Settings? = nil, isFetch: Bool = false,
        _ body: (ObjectContext, APIClient) async throws(APIError) -> Result
    ) async throws(APIError) -> Result {
        let asking = try liveContext()
        let hold = asking.hold
        defer { withExtendedLifetime(hold) {} }
        _ = try asking.clients()
        let turns: Turns
        do { turns = try asking.openFile().shared { Turns() } } catch { throw .store(error) }
        let row = _object.record
        // A new object's row must be inserted once, by the first reply.
        guard await turns.take(row, isShared: isFetch && !isInserted) else { throw .store(.cancelled) }
        defer { turns.endTurn(row) }
        // Otherwise, changes of the previous turn would be sent again.
        _object.context?.mergeWaitingChanges()
        let context = try liveContext()
        let client = try context.client(of: _object.model)
        return try await Call.with(settings) { () async throws(APIError) in try await body(context, client) }
    }

    /// Throws if the object is deleted or the context has ended.
    func liveContext() throws(APIError) -> ObjectContext {
        guard !isDeleted else { throw .store(.deletedObject(model: _object.model.modelName)) }
        guard let context = _object.context else { throw .store(.endedContext) }
        do { try context.checkOpen(for: _object) } catch { throw .store(error) }
        _ = try context.model(Self.self)
        return context
    }
}
