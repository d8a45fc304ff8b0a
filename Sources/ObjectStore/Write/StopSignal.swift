import Synchronization

/// Says that what is being written is to end before it is done, and be rolled back: its task was cancelled, or its time
/// is over.
final class StopSignal: Sendable {
    private let isCancelled = Atomic(false)
    private let deadline: ContinuousClock.Instant?

    init(at deadline: ContinuousClock.Instant? = nil) { self.deadline = deadline }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Why to stop; `nil` to go on.
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
