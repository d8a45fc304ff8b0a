#if !canImport(ObjectiveC)
    import ReferenceCounts
#endif

/// A reference that leaves its object's lifetime alone, like a weak one, and keeps the object fast.
///
/// The first weak reference to an object moves its count into a side table for good. Each retain and release then takes
/// several times as long. So references to a context and its objects are loose ones.
///
/// **Why this is safe.** It calls the functions of the runtime that a weak reference does. From `init` to ``end()`` an
/// unowned count keeps the object's memory, but not its contents, so the strong count can be read even after the object
/// is destroyed. Reading the object is one atomic step, which increments that count unless the object is being
/// destroyed. If another thread releases the last strong reference, either that comes first and the result is `nil`, or
/// the object lives on.
///
/// Its owner must call ``end()`` exactly once. On Apple platforms Objective-C may count objects in another way, so
/// there it is a weak reference.
@safe @usableFromInline struct LooseReference: BitwiseCopyable {
    #if canImport(ObjectiveC)
        private final class Box {
            weak var object: AnyObject?

            init(_ object: AnyObject) { self.object = object }
        }

        // Retained until `end()`.
        private let box: Unmanaged<Box>

        init(_ object: AnyObject) { unsafe box = Unmanaged.passRetained(Box(object)) }

        /// From ``bits`` of a reference before its ``end()``; `nil` for 0 and 1.
        init?(bits: UInt64) {
            guard let address = unsafe UnsafeRawPointer(bitPattern: UInt(bits)), bits > 1 else { return nil }
            unsafe box = Unmanaged.fromOpaque(address)
        }

        var bits: UInt64 { unsafe UInt64(UInt(bitPattern: box.toOpaque())) }

        func copy() -> LooseReference {
            _ = unsafe box.retain()
            return self
        }

        /// `nil` after it was released.
        var object: AnyObject? { unsafe box.takeUnretainedValue().object }

        func end() { unsafe box.release() }
    #else
        private let address: UnsafeMutableRawPointer

        init(_ object: AnyObject) {
            unsafe address = Unmanaged.passUnretained(object).toOpaque()
            // Safe: the caller holds the object during this call.
            _ = unsafe swift_unownedRetain(address)
        }

        /// From ``bits`` of a reference before its ``end()``; `nil` for 0 and 1.
        init?(bits: UInt64) {
            guard bits > 1, let address = unsafe UnsafeMutableRawPointer(bitPattern: UInt(bits)) else { return nil }
            unsafe self.address = address
        }

        var bits: UInt64 { unsafe UInt64(UInt(bitPattern: address)) }

        func copy() -> LooseReference {
            _ = unsafe swift_unownedRetain(address)
            return self
        }

        /// `nil` after it was released.
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
    /// `nil` after the object was released, and for 0.
    ///
    /// It releases nothing, so callers needn't retain their own objects during the call.
    @usableFromInline @_effects(releasenone)
    static func object(_ bits: UInt64) -> AnyObject? {
        #if canImport(ObjectiveC)
            LooseReference(bits: bits)?.object
        #else
            // Safe: `swift_tryRetain` accepts an address or zero, and `takeRetainedValue` balances the retain.
            unsafe swift_tryRetain(UnsafeMutableRawPointer(bitPattern: UInt(bits))).map { object in
                unsafe Unmanaged<AnyObject>.fromOpaque(object).takeRetainedValue()
            }
        #endif
    }
}
