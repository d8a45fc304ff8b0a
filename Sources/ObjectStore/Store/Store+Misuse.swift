// Names of other libraries, for the compiler's message.

extension Store {
    /// Unavailable: explains the misuse.
    @available(*, unavailable, renamed: "main")
    public var viewContext: ObjectContext { unreachable() }

    /// Unavailable: explains the misuse.
    @available(*, unavailable, message: "a context is saved, as in try await store.main.save()")
    public func save() {}

    /// Unavailable: explains the misuse.
    @available(
        *, unavailable, message: "objects are read from a context: store.main, or store.background { context in … }"
    )
    public func read<Result>(_ body: (ObjectContext) throws -> Result) -> Result { unreachable() }

    /// Unavailable: explains the misuse.
    @available(
        *, unavailable, message: "objects are edited in a context: store.main, or store.background { context in … }"
    )
    public func write<Result>(_ body: (ObjectContext) throws -> Result) -> Result { unreachable() }

    // The compiler refuses all calls.
    private func unreachable<Value>() -> Value { fatalError("not reachable: what is unavailable has no caller") }
}
