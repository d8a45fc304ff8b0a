import ObjectStore
import Synchronization

/// Lets the requests about one object happen one after the other, in the order in which they were asked for.
///
/// Two saves of one object at a time could reach the server, or their replies the file, in either order, and the older
/// value would win. So the second one waits, and sends what has changed when its turn comes. The stores of a process that have
/// one file open share it.
final class Turns: Sendable {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        /// Those who wait for a row; an entry, empty or not, while somebody has the turn.
        var waiting: [RecordID: [Waiter]] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Waits until nobody else has the row, whichever context it is live in. Whoever gets `true` gives the turn back with
    /// ``giveBack(_:)``.
    ///
    /// - Returns: false when the task was cancelled before its turn came.
    func take(_ row: RecordID) async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The cancellation handler comes either before this, so that the task says so, or finds the waiter.
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard state.waiting[row] != nil else {
                        state.waiting[row] = []
                        return true
                    }
                    state.waiting[row, default: []].append(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            leave(row, number)?.resume(returning: false)
        }
    }

    /// Ends a turn; the one who has waited longest is next.
    func giveBack(_ row: RecordID) {
        let next = state.withLock { state -> Waiter? in
            guard var waiting = state.waiting[row], !waiting.isEmpty else {
                state.waiting[row] = nil
                return nil
            }
            let next = waiting.removeFirst()
            state.waiting[row] = waiting
            return next
        }
        next?.continuation.resume(returning: true)
    }

    private func leave(_ row: RecordID, _ number: Int) -> CheckedContinuation<Bool, Never>? {
        state.withLock { state in
            guard let index = state.waiting[row]?.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting[row]?.remove(at: index).continuation
        }
    }
}

extension Model {
    /// Does something about this object with the server, after what was begun before.
    ///
    /// - Throws: ``APIError``: what `body` throws; that the object is deleted or its context has ended, as may be the case by
    ///   the time that its turn has come; that the task was cancelled before.
    nonisolated(nonsending) func inTurn<Result>(
        _ body: (ObjectContext, APIClient) async throws(APIError) -> Result
    ) async throws(APIError) -> Result {
        let asking = try liveContext()
        let hold = asking.hold
        defer { withExtendedLifetime(hold) {} }
        _ = try asking.client()
        let turns: Turns
        do { turns = try asking.openFile().shared { Turns() } } catch { throw .store(error) }
        let row = _object.record
        guard await turns.take(row) else { throw .store(.cancelled) }
        defer { turns.giveBack(row) }
        // Who had it before may have told the server what this would tell it again.
        _object.context?.mergeWaitingChanges()
        let context = try liveContext()
        return try await body(context, try context.client())
    }

    /// The context, for an operation on an object that exists.
    func liveContext() throws(APIError) -> ObjectContext {
        guard !isDeleted else { throw .store(.deletedObject(model: _object.model.modelName)) }
        guard let context else { throw .store(.endedContext) }
        _ = try context.model(Self.self)
        return context
    }
}
