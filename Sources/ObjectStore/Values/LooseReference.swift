#if !canImport(ObjectiveC)
    import ReferenceCounts
#endif

/// A reference that leaves its object's lifetime alone, like a weak one, and keeps the object fast.
///
/// The first weak reference to an object moves its reference count into a side table permanently. From then on each
/// retain and release of the object takes several times as long. So references to all objects of a context, and to the
/// context, are loose ones.
///
/// **Why this is safe.** It does the same as a weak reference, by the same functions of the runtime. From `init` to
/// ``end()`` an unowned count keeps the object's memory, but not its contents. So the object's strong count can be read
/// even after the object is destroyed. Reading the object is one atomic step, which increments the strong count unless
/// the object is being destroyed. If another thread releases the last strong reference, either that comes first and the
/// result is `nil`, or the object lives on.
///
/// The reference is a plain value, and its owner must call ``end()`` exactly once. On Apple platforms objects may be
/// Objective-C's, which are counted in another way, so there it is a weak reference.
@safe @usableFromInline struct LooseReference: BitwiseCopyable {
    #if canImport(ObjectiveC)
        private final class Box {
            weak var object: AnyObject?

            init(_ object: AnyObject) { self.object = object }
        }

        // Retained until `end()`.
        private let box: Unmanaged<Box>

        init(_ object: AnyObject) { unsafe box = Unmanaged.passRetained(Box(object)) }

        /// Restores a reference from its ``bits``, which must not have ended; `nil` if there is no address.
        init?(bits: UInt64) {
            guard let address = unsafe UnsafeRawPointer(bitPattern: UInt(bits)), bits > 1 else { return nil }
            unsafe box = Unmanaged.fromOpaque(address)
        }

        var bits: UInt64 { unsafe UInt64(UInt(bitPattern: box.toOpaque())) }

        /// Returns another reference to the same object.
        func copy() -> LooseReference {
            _ = unsafe box.retain()
            return self
        }

        /// The object; `nil` after it was released.
        var object: AnyObject? { unsafe box.takeUnretainedValue().object }

        func end() { unsafe box.release() }
    #else
        private let address: UnsafeMutableRawPointer

        init(_ object: AnyObject) {
            unsafe address = Unmanaged.passUnretained(object).toOpaque()
            // Safe: the caller holds the object during this call.
            _ = unsafe swift_unownedRetain(address)
        }

        /// Restores a reference from its ``bits``, which must not have ended; `nil` if there is no address.
        init?(bits: UInt64) {
            guard bits > 1, let address = unsafe UnsafeMutableRawPointer(bitPattern: UInt(bits)) else { return nil }
            unsafe self.address = address
        }

        var bits: UInt64 { unsafe UInt64(UInt(bitPattern: address)) }

        /// Returns another reference to the same object.
        func copy() -> LooseReference {
            _ = unsafe swift_unownedRetain(address)
            return self
        }

        /// The object; `nil` after it was released.
        @inline(__always)
        var object: AnyObject? {
            // Safe: the unowned count keeps the memory, and `takeRetainedValue` balances the retain.
            guard unsafe swift_tryRetain(address) != nil else { return nil }
            return unsafe Unmanaged<AnyObject>.fromOpaque(address).takeRetainedValue()
        }

        func end() { unsafe swift_unownedRelease(address) }
    #endif
}

extension LooseReference {
    /// The object of a reference's ``bits``; `nil` after it was released, and if there is no address.
    ///
    /// It releases nothing, so a caller needn't retain its own objects during the call.
    @usableFromInline @_effects(releasenone)
    static func object(_ bits: UInt64) -> AnyObject? {
        #if canImport(ObjectiveC)
            LooseReference(bits: bits)?.object
        #else
            // Safe: the bits are an address or zero, which `swift_tryRetain` accepts, and `takeRetainedValue` balances
            // the retain.
            unsafe swift_tryRetain(UnsafeMutableRawPointer(bitPattern: UInt(bits))).map { object in
                unsafe Unmanaged<AnyObject>.fromOpaque(object).takeRetainedValue()
            }
        #endif
    }
}
