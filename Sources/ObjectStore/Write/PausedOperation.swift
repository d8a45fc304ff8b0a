import Synchronization

/// The state of a paused operation, such as a list between two pages, with an open request perhaps. The store notes all
/// changes during a request, so it ends paused operations when there are many notes.
package final class PausedOperation<Kept: Sendable>: Sendable {
    private let kept: Mutex<Kept?>
    private let number: Int
    private let operations: InFlightOperations

    package init(_ kept: Kept, in operations: InFlightOperations) {
        self.kept = Mutex(kept)
        self.operations = operations
        number = operations.nextPausedOperation()
        operations.begin(number) { [weak self] in _ = self?.end() }
    }

    deinit { operations.endPausedOperation(number) }

    /// - Returns: the operation's state. Nil: it has ended already.
    package func end() -> Kept? {
        kept.withLock { kept in
            defer { kept = nil }
            return kept
        }
    }
}
