import Observation
import Synchronization

/// Tracks the properties that a closure reads, and counts how often they have changed.
@MainActor
final class Tracker<Value: Equatable & SendableMetatype> {
    private final class Wakings: Sendable {
        let count = Atomic(0)
    }

    private let read: () -> Value
    private let wakings = Wakings()
    /// The last value read.
    private(set) var value: Value

    init(_ read: @escaping () -> Value) {
        self.read = read
        value = withObservationTracking(read) { [wakings] in wakings.count.add(1, ordering: .relaxed) }
    }

    /// The number of wakes since the last call; then it reads again.
    func takeWakings() -> Int {
        let count = wakings.count.exchange(0, ordering: .relaxed)
        if count > 0 { value = withObservationTracking(read) { [wakings] in wakings.count.add(1, ordering: .relaxed) } }
        return count
    }

    /// The current value, untracked.
    var present: Value { read() }
}
