import ObjectStore
import RESTTransport
import Synchronization

/// Lets the requests about one object happen one after the other, in the order in which they were asked for; questions
/// that follow each other share a turn.
///
/// Two saves of one object at a time could reach the server, or their replies the file, in either order, and the older
/// value would win. So the second one waits, and sends what has changed when its turn comes. The stores of a process
/// that have one file open share it.
final class Turns: Sendable {
    private struct Waiter {
        let isShared: Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// The turn of a row, while somebody has it.
    private struct Turn {
        /// How many have it.
        var holders = 1
        var isShared: Bool
        private var waiting: [UInt64: Waiter] = [:]
        private var line = WaitingLine()

        init(isShared: Bool) { self.isShared = isShared }

        /// - Returns: whether the turn is shared with somebody who comes now; nobody overtakes who waits.
        mutating func join(isShared: Bool) -> Bool {
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

        /// Lets in those who have waited longest: one alone, or all that may share the turn up to one that may not.
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

    /// Waits until nobody else has the row, whichever context it is live in. Whoever gets `true` gives the turn back
    /// with ``giveBack(_:)``.
    ///
    /// - Parameters:
    ///   - isShared: whether others may have it too who only ask.
    ///   - actor: where the caller is.
    /// - Returns: false when the task was cancelled before its turn came.
    func take(_ row: RecordID, isShared: Bool, on actor: isolated (any Actor)? = #isolation) async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { continuation in
                // The cancellation handler comes either before this, so that the task says so, or finds the waiter.
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard let isIn = state.turns[row]?.join(isShared: isShared) else {
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

    /// Ends a turn; the one who has waited longest is next, with those behind who may share it.
    func giveBack(_ row: RecordID) {
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
            // Those behind may share the turn that it waited for.
            return (left.continuation, state.turns[row]?.next() ?? [])
        }
        for waiter in next { waiter.continuation.resume(returning: true) }
        return left
    }
}

extension Model {
    /// Does something about this object with the server, after what was begun before.
    ///
    /// - Parameters:
    ///   - settings: those of the call's requests.
    ///   - isQuestion: whether it only asks, so that others may ask at once.
    /// - Throws: ``APIError``: what `body` throws; that the object is deleted or its context has ended, as may be the
    ///   case by the time that its turn has come; that the task was cancelled before.
    nonisolated(nonsending) func inTurn<Result>(
        with settings: Call.Settings? = nil, isQuestion: Bool = false,
        _ body: (ObjectContext, APIClient) async throws(APIError) -> Result
    ) async throws(APIError) -> Result {
        let asking = try liveContext()
        let hold = asking.hold
        defer { withExtendedLifetime(hold) {} }
        _ = try asking.clients()
        let turns: Turns
        do { turns = try asking.openFile().shared { Turns() } } catch { throw .store(error) }
        let row = _object.record
        // The first answer brings a new object's row, which is to be there once.
        guard await turns.take(row, isShared: isQuestion && !isInserted) else { throw .store(.cancelled) }
        defer { turns.giveBack(row) }
        // Who had it before may have told the server what this would tell it again.
        _object.context?.mergeWaitingChanges()
        let context = try liveContext()
        let client = try context.client(of: _object.model)
        return try await Call.with(settings) { () async throws(APIError) in try await body(context, client) }
    }

    /// The context, for an operation on an object that exists.
    func liveContext() throws(APIError) -> ObjectContext {
        guard !isDeleted else { throw .store(.deletedObject(model: _object.model.modelName)) }
        guard let context = _object.context else { throw .store(.endedContext) }
        do { try context.checkOpen(for: _object) } catch { throw .store(error) }
        _ = try context.model(Self.self)
        return context
    }
}
