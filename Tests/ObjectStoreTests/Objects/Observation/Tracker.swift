import Observation
import Synchronization

/// Tracks what a closure reads, and counts how often that has changed.
@MainActor
final class Tracker<Value: Equatable & SendableMetatype> {
    private final class Wakings: Sendable {
        let count = Atomic(0)
    }

    private let read: () -> Value
    private let wakings = Wakings()
    /// What was read last.
    private(set) var value: Value

    init(_ read: @escaping () -> Value) {
        self.read = read
        value = withObservationTracking(read) { [wakings] in wakings.count.add(1, ordering: .relaxed) }
    }

    /// How often it was woken since this was asked for last; then it reads again.
    func takeWakings() -> Int {
        let count = wakings.count.exchange(0, ordering: .relaxed)
        if count > 0 { value = withObservationTracking(read) { [wakings] in wakings.count.add(1, ordering: .relaxed) } }
        return count
    }

    /// What would be read now, without tracking it.
    var present: Value { read() }
}
