extension Store {
    /// Runs `body` with a context of its own, away from the main actor, and saves what it leaves unsaved.
    ///
    /// The context is on an actor of its own: `body` runs there, and so does what it awaits of this library. What others
    /// commit meanwhile is merged in where `body` awaits. Objects stay in the context, and the compiler sees to it: take
    /// identities or values out.
    ///
    /// ```swift
    /// let count = try await store.background { context in
    ///     try context.query(Issue.self).where { $0.state == .open }.count()
    /// }
    /// ```
    ///
    /// - Returns: what `body` returns, after its unsaved edits are in the file and merged into the other contexts.
    /// - Throws: what `body` throws; its unsaved edits are gone then. A ``StoreError`` when the save fails.
    public nonisolated func background<Result: Sendable>(
        _ body: @escaping @Sendable (ObjectContext) async throws -> Result
    ) async throws -> Result {
        try await BackgroundActor().run(file, body)
    }
}

/// The isolation of one background context.
private actor BackgroundActor {
    func run<Result: Sendable>(
        _ file: StoreFile, _ body: @Sendable (ObjectContext) async throws -> Result
    ) async throws -> Result {
        let context = try ObjectContext(file: file, actor: self)
        file.register(context)
        defer {
            file.unregister(context.handle)
            context.end()
        }
        let result = try await body(context)
        try await context.save()
        return result
    }
}
