import Synchronization

/// The state of a paused operation, such as a list between two pages, with an open request perhaps. As the store notes
/// all changes during a request, it ends paused operations when there are many.
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

    /// - Returns: the operation's state. Nil: it has ended already.
    package func end() -> Kept? {
        kept.withLock { kept in
            defer { kept = nil }
            return kept
        }
    }
}
