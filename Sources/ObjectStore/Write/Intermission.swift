import Synchronization

/// State of an operation that may go on later, such as open requests. The store notes all changes while a request is
/// open, so it ends the operation when there are many.
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

    /// - Returns: the state; nil if the operation has ended.
    package func end() -> Kept? {
        kept.withLock { kept in
            defer { kept = nil }
            return kept
        }
    }
}
