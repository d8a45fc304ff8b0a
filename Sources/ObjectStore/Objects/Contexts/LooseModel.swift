/// A ``LooseReference`` to an object of a model.
@safe struct LooseModel: BitwiseCopyable {
    let reference: LooseReference
    // Both are looked at while the object is held, which holds its state.
    private unowned(unsafe) let model: any Model
    private let state: Unmanaged<ObjectState>

    init(_ object: any Model) { self.init(object, object._object) }

    /// - Parameter state: the object's.
    init(_ object: any Model, _ state: ObjectState) {
        reference = LooseReference(object)
        unsafe model = object
        unsafe self.state = Unmanaged.passUnretained(state)
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
