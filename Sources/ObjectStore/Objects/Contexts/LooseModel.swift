/// A ``LooseReference`` to a model object, cheaper than a weak reference.
@safe struct LooseModel: BitwiseCopyable {
    let reference: LooseReference
    // Safe: both are used only while the object is held, and the object holds its state.
    private unowned(unsafe) let model: any Model
    private let state: Unmanaged<ObjectState>

    init(_ object: any Model) { self.init(object, object._object) }

    init(_ object: any Model, _ state: ObjectState) {
        reference = LooseReference(object)
        unsafe model = object
        unsafe self.state = Unmanaged.passUnretained(state)
    }

    @inline(__always)
    var object: (any Model)? { reference.object.map { held in withExtendedLifetime(held) { unsafe model } } }

    /// Unsafe: `type` must be the object's class.
    @unsafe @inline(__always)
    func object<M: Model>(as type: M.Type) -> M? { reference.object.map { unsafe unsafeDowncast($0, to: M.self) } }

    @inline(__always)
    func object(where isSound: (ObjectState) -> Bool) -> AnyObject? {
        guard let held = reference.object, unsafe state._withUnsafeGuaranteedRef(isSound) else { return nil }
        return held
    }

    func end() { reference.end() }
}
