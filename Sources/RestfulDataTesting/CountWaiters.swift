/// Tasks that wait until a count is reached, or until they are cancelled. It is a part of the state that has the count,
/// so that both change under one lock.
struct CountWaiters: Sendable {
    /// Changes the waiters at the current count, under the lock.
    ///
    /// - Returns: A task to resume when the lock is released.
    typealias Change = (_ waiters: inout CountWaiters, _ current: Int) -> CheckedContinuation<Void, Never>?

    /// The identity of a waiting task.
    private final class Token: Sendable {}

    private struct Waiter: Sendable {
        let token: Token
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private var waiters: [Waiter] = []
    /// Tasks that were cancelled before they could wait.
    private var cancelled: [Token] = []

    /// Waits until a count is reached, or until the task is cancelled.
    ///
    /// - Parameter access: Makes a change under the owner's lock.
    static func wait(
        for count: Int, _ access: @escaping @Sendable (Change) -> CheckedContinuation<Void, Never>?
    ) async {
        let token = Token()
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let waiter = Waiter(token: token, count: count, continuation: continuation)
                let ended = access { waiters, current in waiters.add(waiter, at: current) }
                ended?.resume()
            }
        } onCancel: {
            let ended = access { waiters, _ in waiters.cancel(token) }
            ended?.resume()
        }
        _ = access { waiters, _ in
            waiters.cancelled.removeAll { $0 === token }
            return nil
        }
    }

    /// Removes the tasks whose count is reached. Resume them after the lock is released.
    mutating func take(at count: Int) -> [CheckedContinuation<Void, Never>] {
        defer { waiters.removeAll { $0.count <= count } }
        return waiters.filter { $0.count <= count }.map(\.continuation)
    }

    /// - Returns: The task, if its count is already reached.
    private mutating func add(_ waiter: Waiter, at current: Int) -> CheckedContinuation<Void, Never>? {
        let isCancelled = cancelled.contains { $0 === waiter.token }
        guard !isCancelled, current < waiter.count else { return waiter.continuation }
        waiters.append(waiter)
        return nil
    }

    private mutating func cancel(_ token: Token) -> CheckedContinuation<Void, Never>? {
        guard let index = waiters.firstIndex(where: { $0.token === token }) else {
            cancelled.append(token)
            return nil
        }
        return waiters.remove(at: index).continuation
    }
}
