import Observation
import ReferenceCounts
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Whether what is read now is tracked: within the closure of a `withObservationTracking`, on this thread.
///
/// To the compiler this is a function of nothing, which it need not call again in one function, or in each turn of a
/// loop: what is tracked is tracked from the first line of a function to its last, as it is called by
/// `withObservationTracking`, which is in a library of its own and never a part of the caller. So a loop asks once, and
/// a read costs what it costs without this.
@usableFromInline @inline(never) @_effects(readnone)
func isReadTracked() -> Bool { TrackingProbe.isThreadTracked }

/// Finds out whether what runs on a thread is tracked.
///
/// Observation has no function that says so, and to make each object a registrar of its own, in case somebody tracks,
/// would take more memory than the object and more time than the read. But `ObservationRegistrar.access` does nothing
/// unless there is somebody who tracks, and then puts the key path into a set: a key path whose argument says that it
/// was hashed tells the one from the other.
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

    /// Who tracks may end on another thread, where the key path is hashed once more: then one read is taken for a
    /// tracked one, which makes no difference.
    fileprivate final class Place: Sendable {
        let isHashed = Atomic(false)
    }

    /// After how many tracked reads the registrar is replaced: it keeps who tracks until what they track changes.
    private static let patience = 256

    private let place = Place()
    private let keyPath: KeyPath<Nobody, Bool>
    // Not checked for overlapping accesses at run time, which would take longer than the question: each is a load or a
    // store, on the probe's thread.
    @safe @exclusivity(unchecked)
    private var registrar = Registrar()
    @safe @exclusivity(unchecked)
    private var count = 0

    private init() { keyPath = \Nobody[Argument(place: place)] }

    /// Whether the code that runs on this thread is tracked.
    @inline(__always)
    fileprivate var isTracked: Bool {
        // Lent, as to retain it takes longer than to ask: it is replaced between two steps only.
        unsafe Unmanaged.passUnretained(registrar)._withUnsafeGuaranteedRef { $0.noteRead(of: keyPath) }
        guard place.isHashed.load(ordering: .relaxed) else { return false }
        place.isHashed.store(false, ordering: .relaxed)
        count += 1
        return true
    }

    /// Forgets who tracked. Called where nobody tracks: between two steps of a context.
    func forget() {
        guard count > Self.patience else { return }
        (registrar, count) = (Registrar(), 0)
    }
}

// MARK: - One a thread

extension TrackingProbe {
    /// What lets go of a thread's probe when the thread ends.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key) { probe in
            // What is read after this, as others of the thread's end, makes another.
            unsafe trackingProbeOfThread().pointee = nil
            #if canImport(Darwin)
                unsafe Unmanaged<TrackingProbe>.fromOpaque(probe).release()
            #else
                if let probe = unsafe probe { unsafe Unmanaged<TrackingProbe>.fromOpaque(probe).release() }
            #endif
        }
        return key
    }()

    /// Whether the code that runs on this thread is tracked.
    @inline(__always)
    fileprivate static var isThreadTracked: Bool {
        guard let probe = unsafe trackingProbeOfThread().pointee else { return ofThread.isTracked }
        // The key holds it, and it is not let go of while the thread is here.
        return unsafe Unmanaged<TrackingProbe>.fromOpaque(probe)._withUnsafeGuaranteedRef { $0.isTracked }
    }

    /// The probe of this thread, which no other uses.
    static var ofThread: TrackingProbe {
        // What is there was put there below, retained.
        if let probe = unsafe trackingProbeOfThread().pointee {
            return unsafe Unmanaged<TrackingProbe>.fromOpaque(probe).takeUnretainedValue()
        }
        let probe = TrackingProbe()
        // Where there is no room for it, it is made anew for each read.
        let retained = unsafe Unmanaged.passRetained(probe)
        if unsafe pthread_setspecific(key, retained.toOpaque()) == 0 {
            unsafe trackingProbeOfThread().pointee = retained.toOpaque()
        } else {
            unsafe retained.release()
        }
        return probe
    }
}

/// A registrar that is asked where it lies: a variable of a type of another module, whose size isn't known here, would
/// be copied each time.
private final class Registrar {
    private let registrar = ObservationRegistrar()

    @inline(__always)
    func noteRead(of keyPath: KeyPath<TrackingProbe.Nobody, Bool>) {
        registrar.access(TrackingProbe.Nobody(), keyPath: keyPath)
    }
}
