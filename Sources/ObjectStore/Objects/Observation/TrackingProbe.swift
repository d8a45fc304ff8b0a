import Observation
import Synchronization

/// Tells whether what runs is tracked: called by the closure of a `withObservationTracking`.
///
/// Observation has no function that says so, and to make each object a registrar of its own, in case somebody tracks, would take
/// more memory than the object and more time than the read. But `ObservationRegistrar.access` does nothing unless there is
/// somebody who tracks, and then puts the key path into a set: a key path whose argument says that it was hashed tells the one
/// from the other.
final class TrackingProbe {
    /// What stands in for an object: no read is of it.
    fileprivate struct Nobody: Observable {
        subscript(argument: Argument) -> Bool { argument.place.isHashed.load(ordering: .relaxed) }
    }

    fileprivate struct Argument: Hashable {
        let place: Place

        static func == (left: Argument, right: Argument) -> Bool { left.place === right.place }

        func hash(into hasher: inout Hasher) {
            place.isHashed.store(true, ordering: .relaxed)
            hasher.combine(ObjectIdentifier(place))
        }
    }

    /// Who tracks may end on another thread, where the key path is hashed once more: then one read is taken for a tracked one,
    /// which makes no difference.
    fileprivate final class Place: Sendable {
        let isHashed = Atomic(false)
    }

    /// After how many tracked reads the registrar is replaced: it keeps who tracks until what they track changes.
    private static let patience = 256

    private let place = Place()
    private let keyPath: KeyPath<Nobody, Bool>
    // As an existential it is asked in place; a struct of another module, whose size isn't known here, would be copied each time.
    private var registrar: any TrackedReads = ObservationRegistrar()
    private var count = 0

    init() { keyPath = \Nobody[Argument(place: place)] }

    /// Whether the code that runs on this thread is tracked.
    var isTracked: Bool {
        registrar.noteRead(of: keyPath)
        guard place.isHashed.load(ordering: .relaxed) else { return false }
        place.isHashed.store(false, ordering: .relaxed)
        count += 1
        return true
    }

    /// Forgets who tracked. Called where nobody tracks: between two steps of the context.
    func forget() {
        guard count > Self.patience else { return }
        (registrar, count) = (ObservationRegistrar(), 0)
    }
}

private protocol TrackedReads {
    func noteRead(of keyPath: KeyPath<TrackingProbe.Nobody, Bool>)
}

extension ObservationRegistrar: TrackedReads {
    fileprivate func noteRead(of keyPath: KeyPath<TrackingProbe.Nobody, Bool>) {
        access(TrackingProbe.Nobody(), keyPath: keyPath)
    }
}
