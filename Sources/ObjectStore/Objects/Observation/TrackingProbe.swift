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

/// Whether this thread runs the closure of a `withObservationTracking`.
///
/// `readnone` lets the compiler call this once for a function or loop. That is safe: tracking covers whole functions,
/// since `withObservationTracking` is in another library and is never inlined.
@usableFromInline @inline(never) @_effects(readnone)
func isReadTracked() -> Bool { TrackingProbe.isThreadTracked }

/// Finds out whether the code on a thread is tracked, for which Observation has no function.
///
/// A registrar for each object would take more memory than the object. But `ObservationRegistrar.access` hashes the key
/// path only in tracked code, so the probe passes a key path with an argument that notes this.
final class TrackingProbe {
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

    /// When tracking ends on another thread, the key path is hashed once more. One read then counts as tracked, which
    /// is harmless.
    fileprivate final class Place: Sendable {
        let isHashed = Atomic(false)
    }

    /// The number of tracked reads after which the registrar is replaced, since it keeps each observer until a change.
    private static let patience = 256

    private let place = Place()
    private let keyPath: KeyPath<Nobody, Bool>
    // Safe without checks of overlapping accesses, which take longer than the probe: each access is a load or a store,
    // on the probe's thread.
    @safe @exclusivity(unchecked)
    private var registrar = Registrar()
    @safe @exclusivity(unchecked)
    private var count = 0

    private init() { keyPath = \Nobody[Argument(place: place)] }

    @inline(__always)
    fileprivate var isTracked: Bool {
        // Safe without a retain, which takes longer than the call: `forget()` replaces the registrar only between two
        // steps.
        unsafe Unmanaged.passUnretained(registrar)._withUnsafeGuaranteedRef { $0.noteRead(of: keyPath) }
        guard place.isHashed.load(ordering: .relaxed) else { return false }
        place.isHashed.store(false, ordering: .relaxed)
        count += 1
        return true
    }

    /// Releases observers. Call it where no code is tracked: between two steps of a context.
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

    @inline(__always)
    fileprivate static var isThreadTracked: Bool {
        guard let probe = unsafe trackingProbeOfThread().pointee else { return ofThread.isTracked }
        // The key retains the probe until the thread ends.
        return unsafe Unmanaged<TrackingProbe>.fromOpaque(probe)._withUnsafeGuaranteedRef { $0.isTracked }
    }

    /// Only this thread uses the probe.
    static var ofThread: TrackingProbe {
        // The probe was stored below, retained.
        if let probe = unsafe trackingProbeOfThread().pointee {
            return unsafe Unmanaged<TrackingProbe>.fromOpaque(probe).takeUnretainedValue()
        }
        let probe = TrackingProbe()
        // If the thread can't store the probe, each read makes a new one.
        let retained = unsafe Unmanaged.passRetained(probe)
        if unsafe pthread_setspecific(key, retained.toOpaque()) == 0 {
            unsafe trackingProbeOfThread().pointee = retained.toOpaque()
        } else {
            unsafe retained.release()
        }
        return probe
    }
}

/// A class, since a variable of a type with unknown size would be copied for each use.
private final class Registrar {
    private let registrar = ObservationRegistrar()

    @inline(__always)
    func noteRead(of keyPath: KeyPath<TrackingProbe.Nobody, Bool>) {
        registrar.access(TrackingProbe.Nobody(), keyPath: keyPath)
    }
}
