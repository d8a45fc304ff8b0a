/// The file with the records, the schema made of the models, and the contexts that look at it.
///
/// ```swift
/// let store = try Store(.file("github.sqlite"), models: [User.self, Repository.self], api: api)
/// ```
public final class Store: Sendable {
    /// Where the records are kept.
    public enum Location: Sendable, Hashable {
        /// A file at this path, made if there is none; its folder must exist. SQLite keeps two more beside it, `-wal` and
        /// `-shm`.
        case file(String)
        /// A file of its own in the temporary folder, removed when the store is closed or let go of.
        case temporary
    }

    package let file: StoreFile
    @MainActor private var mainContext: ObjectContext?

    deinit {
        // What a context keeps for a while holds the context, and that the file. Nobody waits for it.
        for context in file.contexts { Task { await context.forgetRecent() } }
    }

    /// The file's path.
    public var path: String { file.path }
    package var schema: Schema { file.schema }

    package init(
        _ location: Location, schema: Schema, companion: (any Sendable)?, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        file = try StoreFile(location, schema: schema, companion: companion, options: options)
    }

    /// The context of the main actor, made at its first use.
    ///
    /// If its connection can't be opened (too many open files), a later use tries again; this one gets an ended context,
    /// which finds nothing and says so when it saves.
    @MainActor public var main: ObjectContext {
        if let mainContext { return mainContext }
        do {
            let context = try ObjectContext(file: file, actor: MainActor.shared)
            file.register(context)
            mainContext = context
            return context
        } catch {
            return ObjectContext(ended: file, actor: MainActor.shared, because: error)
        }
    }

    /// Ends the main context: its objects read as they last were, and what is not saved is gone. The file is closed when the
    /// store is let go of.
    @MainActor public func close() {
        guard let mainContext else { return }
        file.unregister(mainContext.handle)
        mainContext.end()
        self.mainContext = nil
    }
}
