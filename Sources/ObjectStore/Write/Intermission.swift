import Synchronization

/// The state of an operation that has paused, such as a list between two pages. It may hold an open request, and the
/// store notes all changes while a request is open. So the store ends paused operations when there are many notes.
package final class Intermission<Kept: Sendable>: Sendable {
    private let kept: Mutex<Kept?>
    private let number: Int
    private let underway: Underway

    package init(_ kept: Kept, in underway: Underway) {
        self.kept = Mutex(kept)
        self.underway = underway
        number = underway.nextIntermission()
        underway.begin(number) { [weak self] in _ = self?.end() }
    }

    deinit { underway.endIntermission(number) }

    /// Ends the operation.
    ///
    /// - Returns: its state. Nil: it has already ended.
    package func end() -> Kept? {
        kept.withLock { kept in
            defer { kept = nil }
            return kept
        }
    }
}
