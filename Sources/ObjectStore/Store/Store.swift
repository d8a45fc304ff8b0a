import Synchronization

/// The file with the records, the schema made of the models, and the contexts that look at it.
///
/// ```swift
/// let store = try Store(.file("github.sqlite"), models: [User.self, Repository.self], api: api)
/// ```
public final class Store: Sendable {
    package let file: StoreFile
    @MainActor private var mainContext: ObjectContext?
    private let mainHandle = Mutex<ContextHandle?>(nil)

    deinit {
        file.release()
        // The objects that the main context holds hold the context, and that the file. Nobody waits for it. What the
        // user still holds can be saved.
        if let handle = mainHandle.withLock({ $0 }) { Task { await handle.letGo() } }
    }

    /// The file's path.
    public var path: String { file.path }
    package var schema: Schema { file.schema }

    package convenience init(
        _ location: Location, schema: Schema, companion: (any Sendable)?, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        let place = try location.place()
        self.init(
            try StoreFile(
                at: place.path, isTemporary: place.isTemporary, schema: schema, companion: companion, options: options))
    }

    init(_ file: StoreFile) { self.file = file }

    /// The context of the main actor, made at its first use.
    ///
    /// If its connection can't be opened (too many open files), a later use tries again; this one gets an ended
    /// context, which finds nothing and says so when it saves. Once the store is closed, the context refuses all calls
    /// by ``StoreError/closedStore(unsaved:)``.
    @MainActor public var main: ObjectContext {
        if let mainContext { return mainContext }
        do {
            let context = try ObjectContext(file: file, actor: MainActor.shared)
            mainContext = context
            mainHandle.withLock { $0 = context.handle }
            return context
        } catch {
            let context = ObjectContext(ended: file, actor: MainActor.shared, because: error)
            // It is asked to save what is edited in it.
            if file.isClosed { mainContext = context }
            return context
        }
    }

    /// Closes the store. From then on saves, queries, imports and requests throw
    /// ``StoreError/closedStore(unsaved:)``, in all contexts of the store and their drafts.
    ///
    /// Save before you close: what is unsaved is not in the file. The next save of its context reports it, and what is
    /// edited afterwards, by the names of the objects.
    ///
    /// Objects keep their values. Those of the main context have links and lists to those objects alone that somebody
    /// holds. A save that is under way ends as if the store were open, and what the server says to a request that has
    /// gone out is stored when it comes. To go on, open another store on the same file.
    ///
    /// The file itself is closed when the store and its objects are let go of. What is known of how fresh its lists and
    /// answers are is written before this returns, unless something else is being written for longer than a tenth of a
    /// second.
    @MainActor public func close() {
        file.close()
        mainContext?.end()
    }
}

extension Store {
    /// Closes the store and deletes everything in it: objects, edits that the server was not told of, what is known of
    /// lists and answers. For a user who signs out.
    ///
    /// ```swift
    /// try await store.erase()
    /// store = try Store(location, models: models, api: API(…))         // the next user's
    /// ```
    ///
    /// Saves and imports that have begun end first. Replies to requests that are under way are dropped, and their
    /// callers get ``StoreError/closedStore(unsaved:)``; where the server has taken a change, it is within the error
    /// that says so. Objects that somebody holds keep their values, and are not in the file. The file stays, empty: its
    /// pages are overwritten, its log is cut. What imports have learned of how the server spells its keys stays too.
    ///
    /// Other stores and programs that have the file open see its objects deleted, and keep what is new and unsaved:
    /// close them before. Tokens and cookies are not in the store. An ``API`` may remember its user's token: make
    /// another for the next user.
    ///
    /// - Throws: ``StoreError`` when the file can't be written. The store is closed then, and nothing is deleted.
    ///   ``StoreError/FileProblem/busy`` when somebody has read for five seconds: everything is deleted, and the log
    ///   still has it. You can call it again in both cases.
    /// - Complexity: linear in the file's size.
    @MainActor public func erase() async throws(StoreError) {
        // The main context lets go of its objects.
        close()
        try await file.erase()
    }
}

extension Store: CustomDebugStringConvertible, CustomReflectable {
    /// The store in one line: its file and models. `Store /data/github.sqlite (Issue, User)`.
    public var debugDescription: String {
        let limit = 8
        let names = schema.roots.map(\.modelName)
        let models = names.prefix(limit) + (names.count > limit ? ["and \(names.count - limit) more"] : [])
        return "Store \(path) (\(models.joined(separator: ", "))\(file.isClosed ? "; closed" : ""))"
    }

    /// Where the file is, and the models.
    public var customMirror: Mirror { Mirror(self, children: ["path": path, "models": schema.roots.map(\.modelName)]) }
}

// MARK: - Background contexts

extension Store {
    /// Runs `body` with a context of its own, away from the main actor, and saves what it leaves unsaved.
    ///
    /// The context is on an actor of its own: `body` runs there, and so does what it awaits of this library. What
    /// others commit meanwhile is merged in where `body` awaits. Objects stay in the context, and the compiler sees to
    /// it: take identities or values out.
    ///
    /// ```swift
    /// let count = try await store.background { context in
    ///     try context.query(Issue.self).where { $0.state == .open }.count()
    /// }
    /// ```
    ///
    /// - Returns: what `body` returns, after its unsaved edits are in the file and merged into the contexts of the
    ///   actor that awaits this; other contexts merge them as soon as their actors are free.
    /// - Throws: what `body` throws; its unsaved edits are gone then. A ``StoreError`` when the save fails, or the
    ///   store is closed.
    public nonisolated(nonsending) func background<Result: Sendable>(
        _ body: @escaping @Sendable (ObjectContext) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await BackgroundActor().run(file, body)
            await file.deliver(on: #isolation)
            return result
        } catch {
            await file.deliver(on: #isolation)
            throw error
        }
    }
}

extension StoreFile {
    /// Lets the contexts on the caller's actor merge what was committed, before this returns.
    package nonisolated(nonsending) func deliver(on actor: (any Actor)?) async {
        guard let actor else { return }
        for listener in commits.listeners { await listener.deliver(on: actor) }
    }
}

/// The isolation of one background context.
private actor BackgroundActor {
    func run<Result: Sendable>(
        _ file: StoreFile, _ body: @Sendable (ObjectContext) async throws -> Result
    ) async throws -> Result {
        let context = try ObjectContext(file: file, actor: self)
        defer { context.end() }
        let result = try await body(context)
        try await context.save()
        return result
    }
}
