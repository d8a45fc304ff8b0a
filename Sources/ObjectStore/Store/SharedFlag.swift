import Synchronization

/// A flag that several threads set and read.
final class SharedFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}
