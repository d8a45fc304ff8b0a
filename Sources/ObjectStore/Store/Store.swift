import Synchronization

/// A file with records, the schema of its models, and its contexts.
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
        // Releases the main context's objects, which hold the context and so the file. Objects that the user holds can
        // still be saved.
        if let handle = mainHandle.withLock({ $0 }) { Task { await handle.releaseUnsaved() } }
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

    /// The context of the main actor, created at its first use.
    ///
    /// If its connection can't be opened (too many open files), you get an ended context: its queries find nothing, and
    /// its saves throw. A later use tries again.
    @MainActor public var main: ObjectContext {
        if let mainContext { return mainContext }
        do {
            let context = try ObjectContext(file: file, actor: MainActor.shared)
            mainContext = context
            mainHandle.withLock { $0 = context.handle }
            return context
        } catch {
            let context = ObjectContext(ended: file, actor: MainActor.shared, because: error)
            // Its next save reports the edits made in it.
            if file.isClosed { mainContext = context }
            return context
        }
    }

    /// Closes the store. Afterwards saves, queries, imports and requests of all contexts and drafts throw
    /// ``StoreError/closedStore(unsaved:)``.
    ///
    /// Save before you close: unsaved edits stay out of the file, and the next save of their context throws an error
    /// with the objects' names, including those edited after closing.
    ///
    /// Objects keep their values. In the main context, links and lists only have objects that you hold. A save in
    /// progress ends normally, and replies to sent requests are stored. To go on, open another store on the file.
    ///
    /// The file is closed when you release the store and its objects. The times of fetched lists and answers are
    /// written before this returns, unless another write takes over a tenth of a second.
    @MainActor public func close() {
        file.close()
        mainContext?.end()
    }
}

extension Store {
    /// Closes the store and deletes its objects, unsent edits and stored answers, for example when a user signs out.
    ///
    /// ```swift
    /// try await store.erase()
    /// store = try Store(location, models: models, api: API(…))
    /// ```
    ///
    /// Saves and imports in progress end first. Replies to requests in flight are dropped, and their callers get
    /// ``StoreError/closedStore(unsaved:)``, within an error that says so if the server has accepted a change. Objects
    /// that you hold keep their values. The file stays, empty: its pages are overwritten, and its log is cut. It keeps
    /// the server's own spelling of keys.
    ///
    /// Other stores and programs with the file open see its objects deleted, and keep new and unsaved ones, so close
    /// them before. The store has neither tokens nor cookies, but an ``API`` may remember its user's token: make
    /// another one for the next user.
    ///
    /// - Throws: ``StoreError`` if the file is unwritable: the store is closed, but keeps its contents.
    ///   ``StoreError/FileProblem/busy`` if the file was read for five seconds: everything is deleted, but the log
    ///   still has it. You can call it again in both cases.
    /// - Complexity: linear in the file's size.
    @MainActor public func erase() async throws(StoreError) {
        close()
        try await file.erase()
    }
}

extension Store: CustomDebugStringConvertible, CustomReflectable {
    /// The store in one line: `Store /data/github.sqlite (Issue, User)`.
    public var debugDescription: String {
        let limit = 8
        let names = schema.roots.map(\.modelName)
        let models = names.prefix(limit) + (names.count > limit ? ["and \(names.count - limit) more"] : [])
        return "Store \(path) (\(models.joined(separator: ", "))\(file.isClosed ? "; closed" : ""))"
    }

    /// The file's path, and the models.
    public var customMirror: Mirror { Mirror(self, children: ["path": path, "models": schema.roots.map(\.modelName)]) }
}

// MARK: - Background contexts

extension Store {
    /// Runs `body` with a context of its own, off the main actor, and saves its unsaved edits.
    ///
    /// `body`, and this library's functions that it awaits, run on an actor of their own. Commits of other contexts are
    /// merged at each `await`. The compiler keeps objects in the context, so return identities or values.
    ///
    /// ```swift
    /// let count = try await store.background { context in
    ///     try context.query(Issue.self).where { $0.state == .open }.count()
    /// }
    /// ```
    ///
    /// - Returns: the result of `body`, once its edits are in the file and in the calling actor's contexts. Other
    ///   contexts follow as soon as their actors are free.
    /// - Throws: the error of `body`, whose unsaved edits are lost then. A ``StoreError`` if the save fails, or the
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
    package nonisolated(nonsending) func deliver(on actor: (any Actor)?) async {
        guard let actor else { return }
        for listener in commits.listeners { await listener.deliver(on: actor) }
    }
}

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
