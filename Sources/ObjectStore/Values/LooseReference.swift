#if !canImport(ObjectiveC)
    import ReferenceCounts
#endif

/// A reference that keeps no object alive, as a weak one, and leaves the object as fast to use as it was.
///
/// The first weak reference to an object moves its count into a side table for good: each retain and release, wherever
/// the object is used, takes several times as long from then on. So what refers to every object, and to a context, does
/// without.
///
/// **Why this is safe.** What a weak reference does beside that is done here by the same functions of the runtime. The
/// object's memory (not what it holds) is kept by an unowned count from `init` to ``end()``, so its count can be read
/// however long ago it died. To find it is to raise the count unless the object is being destroyed or is, in one atomic
/// step: whichever thread releases the object last, either that comes first, and nothing is found, or the object lives
/// on.
///
/// It is a plain value: who has it calls ``end()`` once. Where objects may be Objective-C's, whose counts are others,
/// it is a weak reference.
@safe @usableFromInline struct LooseReference: BitwiseCopyable {
    #if canImport(ObjectiveC)
        private final class Box {
            weak var object: AnyObject?

            init(_ object: AnyObject) { self.object = object }
        }

        // Retained until `end()`.
        private let box: Unmanaged<Box>

        init(_ object: AnyObject) { unsafe box = Unmanaged.passRetained(Box(object)) }

        /// What ``bits`` was of one that has not ended; `nil` for no address.
        init?(bits: UInt64) {
            guard let address = unsafe UnsafeRawPointer(bitPattern: UInt(bits)), bits > 1 else { return nil }
            unsafe box = Unmanaged.fromOpaque(address)
        }

        /// The reference as a number.
        var bits: UInt64 { unsafe UInt64(UInt(bitPattern: box.toOpaque())) }

        /// Another one to the same object.
        func copy() -> LooseReference {
            _ = unsafe box.retain()
            return self
        }

        /// The object; `nil` once nobody holds it.
        var object: AnyObject? { unsafe box.takeUnretainedValue().object }

        func end() { unsafe box.release() }
    #else
        private let address: UnsafeMutableRawPointer

        init(_ object: AnyObject) {
            unsafe address = Unmanaged.passUnretained(object).toOpaque()
            // The object lives as long as this call.
            _ = unsafe swift_unownedRetain(address)
        }

        /// What ``bits`` was of one that has not ended; `nil` for no address.
        init?(bits: UInt64) {
            guard bits > 1, let address = unsafe UnsafeMutableRawPointer(bitPattern: UInt(bits)) else { return nil }
            unsafe self.address = address
        }

        /// The reference as a number.
        var bits: UInt64 { unsafe UInt64(UInt(bitPattern: address)) }

        /// Another one to the same object.
        func copy() -> LooseReference {
            _ = unsafe swift_unownedRetain(address)
            return self
        }

        /// The object; `nil` once nobody holds it.
        @inline(__always)
        var object: AnyObject? {
            // As above: the memory is there, and what was retained is handed on.
            guard unsafe swift_tryRetain(address) != nil else { return nil }
            return unsafe Unmanaged<AnyObject>.fromOpaque(address).takeRetainedValue()
        }

        func end() { unsafe swift_unownedRelease(address) }
    #endif
}

extension LooseReference {
    /// The object of a reference's ``bits``; `nil` once nobody holds it, and for no address.
    ///
    /// It releases nothing, so that a caller that holds an object need not hold it once more meanwhile.
    @usableFromInline @_effects(releasenone)
    static func object(_ bits: UInt64) -> AnyObject? {
        #if canImport(ObjectiveC)
            LooseReference(bits: bits)?.object
        #else
            // An address or none, as that is, so this is nothing but the call; and what was retained is handed on.
            unsafe swift_tryRetain(UnsafeMutableRawPointer(bitPattern: UInt(bits))).map { object in
                unsafe Unmanaged<AnyObject>.fromOpaque(object).takeRetainedValue()
            }
        #endif
    }
}
