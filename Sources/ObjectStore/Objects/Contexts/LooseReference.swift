#if !canImport(ObjectiveC)
    import ReferenceCounts
#endif

/// A reference that keeps no object alive, as a weak one, and leaves the object as fast to use as it was.
///
/// The first weak reference to an object moves its count into a side table for good: each retain and release, wherever the object
/// is used, takes several times as long from then on. So what refers to every object, and to a context, does without.
///
/// **Why this is safe.** What a weak reference does beside that is done here by the same functions of the runtime. The object's
/// memory (not what it holds) is kept by an unowned count from `init` to ``end()``, so its count can be read however long ago it
/// died. To find it is to raise the count unless the object is being destroyed or is, in one atomic step: whichever thread
/// releases the object last, either that comes first, and nothing is found, or the object lives on.
///
/// It is a plain value: who has it calls ``end()`` once. Where objects may be Objective-C's, whose counts are others, it is a
/// weak reference.
@safe struct LooseReference: BitwiseCopyable {
    #if canImport(ObjectiveC)
        private final class Box {
            weak var object: AnyObject?

            init(_ object: AnyObject) { self.object = object }
        }

        // Retained until `end()`.
        private let box: Unmanaged<Box>

        init(_ object: AnyObject) { unsafe box = Unmanaged.passRetained(Box(object)) }

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

/// The same to an object of a model.
@safe struct LooseModel: BitwiseCopyable {
    private let reference: LooseReference
    // Both are looked at while the object is held, which holds its state.
    private unowned(unsafe) let model: any Model
    private let state: Unmanaged<ObjectState>

    init(_ object: any Model) {
        reference = LooseReference(object)
        unsafe model = object
        unsafe state = Unmanaged.passUnretained(object._object)
    }

    /// The object; `nil` once nobody holds it.
    @inline(__always)
    var object: (any Model)? { reference.object.map { held in withExtendedLifetime(held) { unsafe model } } }

    /// The same as an instance of its class.
    @unsafe @inline(__always)
    func object<M: Model>(as type: M.Type) -> M? { reference.object.map { unsafe unsafeDowncast($0, to: M.self) } }

    /// The object if its state is as it should be.
    @inline(__always)
    func object(where isSound: (ObjectState) -> Bool) -> AnyObject? {
        guard let held = reference.object, unsafe state._withUnsafeGuaranteedRef(isSound) else { return nil }
        return held
    }

    func end() { reference.end() }
}
