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

/// Whether a read on this thread is tracked: whether it runs in the closure of a `withObservationTracking`.
///
/// `readnone` lets the compiler call this once for a whole function or loop, so reads in a loop cost as much as without
/// tracking. That is safe: tracking covers a function from its first line to its last, since `withObservationTracking`
/// is in another library and is never inlined.
@usableFromInline @inline(never) @_effects(readnone)
func isReadTracked() -> Bool { TrackingProbe.isThreadTracked }

/// Finds out whether the code on a thread is tracked.
///
/// Observation has no function for that. A registrar for each object would take more memory than the object, and more
/// time than the read. But `ObservationRegistrar.access` does nothing unless the code is tracked; then it inserts the
/// key path into a set. So the probe passes a key path with an argument that notes when it is hashed.
final class TrackingProbe {
    /// The observed object of the probe. No read concerns it.
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

    /// Notes that the key path was hashed. When tracking ends on another thread, the key path is hashed once more. One
    /// read then counts as tracked, which is harmless.
    fileprivate final class Place: Sendable {
        let isHashed = Atomic(false)
    }

    /// The number of tracked reads after which the registrar is replaced. A registrar keeps each observer until a
    /// tracked value changes.
    private static let patience = 256

    private let place = Place()
    private let keyPath: KeyPath<Nobody, Bool>
    // Unchecked for overlapping accesses at run time, since the check takes longer than the probe. Accesses can't
    // overlap: each is a load or a store, on the probe's thread.
    @safe @exclusivity(unchecked)
    private var registrar = Registrar()
    @safe @exclusivity(unchecked)
    private var count = 0

    private init() { keyPath = \Nobody[Argument(place: place)] }

    /// Whether the code on this thread is tracked.
    @inline(__always)
    fileprivate var isTracked: Bool {
        // Used without a retain, which takes longer than the call. That is safe, since `forget()` replaces the
        // registrar only between two steps.
        unsafe Unmanaged.passUnretained(registrar)._withUnsafeGuaranteedRef { $0.noteRead(of: keyPath) }
        guard place.isHashed.load(ordering: .relaxed) else { return false }
        place.isHashed.store(false, ordering: .relaxed)
        count += 1
        return true
    }

    /// Releases the observers that the registrar keeps. Call it where no code is tracked: between two steps of a
    /// context.
    func forget() {
        guard count > Self.patience else { return }
        (registrar, count) = (Registrar(), 0)
    }
}

// MARK: - One a thread

extension TrackingProbe {
    /// Releases a thread's probe when the thread ends.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key) { probe in
            // Reads that the thread's other destructors make after this use a new probe.
            unsafe trackingProbeOfThread().pointee = nil
            #if canImport(Darwin)
                unsafe Unmanaged<TrackingProbe>.fromOpaque(probe).release()
            #else
                if let probe = unsafe probe { unsafe Unmanaged<TrackingProbe>.fromOpaque(probe).release() }
            #endif
        }
        return key
    }()

    /// Whether the code on this thread is tracked.
    @inline(__always)
    fileprivate static var isThreadTracked: Bool {
        guard let probe = unsafe trackingProbeOfThread().pointee else { return ofThread.isTracked }
        // The key retains the probe until the thread ends.
        return unsafe Unmanaged<TrackingProbe>.fromOpaque(probe)._withUnsafeGuaranteedRef { $0.isTracked }
    }

    /// The probe of this thread. No other thread uses it.
    static var ofThread: TrackingProbe {
        // The code below has stored the pointer, retained.
        if let probe = unsafe trackingProbeOfThread().pointee {
            return unsafe Unmanaged<TrackingProbe>.fromOpaque(probe).takeUnretainedValue()
        }
        let probe = TrackingProbe()
        // If the thread can't store it, each read makes a new one.
        let retained = unsafe Unmanaged.passRetained(probe)
        if unsafe pthread_setspecific(key, retained.toOpaque()) == 0 {
            unsafe trackingProbeOfThread().pointee = retained.toOpaque()
        } else {
            unsafe retained.release()
        }
        return probe
    }
}

/// A registrar that is used in place. As a variable of the probe, it would be copied for each use, since its type's
/// size isn't known in this module.
private final class Registrar {
    private let registrar = ObservationRegistrar()

    @inline(__always)
    func noteRead(of keyPath: KeyPath<TrackingProbe.Nobody, Bool>) {
        registrar.access(TrackingProbe.Nobody(), keyPath: keyPath)
    }
}
