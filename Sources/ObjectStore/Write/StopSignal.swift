import Synchronization

/// Cancels and rolls back a running transaction, when its task is cancelled or its deadline has passed.
final class StopSignal: Sendable {
    private let isCancelled = Atomic(false)
    private let deadline: ContinuousClock.Instant?

    init(at deadline: ContinuousClock.Instant? = nil) { self.deadline = deadline }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Nil: the transaction goes on.
    var reason: StoreError? {
        if isCancelled.load(ordering: .relaxed) { return .cancelled }
        guard let deadline, ContinuousClock.now >= deadline else { return nil }
        return .timedOut
    }

    /// - Throws: ``StoreError/cancelled`` or ``StoreError/timedOut``.
    func check() throws(StoreError) {
        if let reason { throw reason }
    }
}
