// What other libraries call otherwise gets a message of its own. None of these can be called.

extension Store {
    /// Explains the misuse; it can't be called.
    @available(*, unavailable, renamed: "main")
    public var viewContext: ObjectContext { unreachable() }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "a context is saved, as in try await store.main.save()")
    public func save() {}

    /// Explains the misuse; it can't be called.
    @available(
        *, unavailable, message: "objects are read from a context: store.main, or store.background { context in … }"
    )
    public func read<Result>(_ body: (ObjectContext) throws -> Result) -> Result { unreachable() }

    /// Explains the misuse; it can't be called.
    @available(
        *, unavailable, message: "objects are edited in a context: store.main, or store.background { context in … }"
    )
    public func write<Result>(_ body: (ObjectContext) throws -> Result) -> Result { unreachable() }

    // Traps never: nothing can call what is unavailable.
    private func unreachable<Value>() -> Value { fatalError("not reachable: what is unavailable has no caller") }
}
