import Synchronization

protocol CommitListener: AnyObject, Sendable {
    /// Called in the order of the commits.
    func post(_ changes: ChangeSet)
    /// Another process has committed.
    func postOthers()
    /// Whether changes of stored answers alone wake the context, too.
    var tracksAnswers: Bool { get }
    /// Makes the context merge as soon as its actor is free. Returns at once.
    func wake()
    /// Merges before it returns, if the context lives on `actor`.
    func deliver(on actor: any Actor) async
}

/// The commits to one file, in order, and their listeners. All stores of this process on the file share it.
///
/// A commit and its posting are one step, as are the beginning of a read and the taking of changes. So a context gets
/// exactly the changes that led to the state that it reads.
final class CommitFeed: Sendable {
    private let models: Models
    let memory = FileMemory()
    /// State of upper layers that these stores share, by type.
    private let companions = Mutex<[ObjectIdentifier: any Sendable]>([:])
    private let claims = Mutex(0)
    private let registered = Mutex(Registered())

    private struct Registered {
        var listeners: [ObjectIdentifier: any CommitListener] = [:]
        /// How often this process has committed or copied the WAL. Other connections see both as a commit.
        var count = 0

        var trackers: [any CommitListener] { listeners.values.filter(\.tracksAnswers) }
    }

    private init(of models: Models) { self.models = models }

    func register(_ listener: any CommitListener) {
        registered.withLock { $0.listeners[ObjectIdentifier(listener)] = listener }
    }

    func unregister(_ listener: any CommitListener) {
        registered.withLock { $0.listeners[ObjectIdentifier(listener)] = nil }
    }

    var listeners: [any CommitListener] { registered.withLock { Array($0.listeners.values) } }

    /// - Parameter caller: merges by itself, so it stays unwoken.
    func post(
        _ changes: ChangeSet, for caller: ObjectIdentifier? = nil, committing commit: () throws -> Void
    ) throws {
        let listeners = try registered.withLock { registered -> [any CommitListener] in
            try commit()
            registered.count += 1
            guard !changes.isEmpty else { return registered.trackers }
            for listener in registered.listeners.values { listener.post(changes) }
            return registered.listeners.compactMap { id, listener in id == caller ? nil : listener }
        }
        for listener in listeners { listener.wake() }
    }

    func noteAnswer() {
        let listeners = registered.withLock { $0.trackers }
        for listener in listeners { listener.wake() }
    }

    /// The type's value, made at first use.
    func companion<Value: Sendable>(_ make: @Sendable () -> Value) -> Value {
        companions.withLock { companions in
            let key = ObjectIdentifier(Value.self)
            if let known = companions[key] as? Value { return known }
            let new = make()
            companions[key] = new
            return new
        }
    }

    /// Makes the stores use new companions, after all rows were deleted.
    func forgetCompanions() { companions.withLock { $0 = [:] } }

    func postOthers() {
        let listeners = registered.withLock { registered in
            for listener in registered.listeners.values { listener.postOthers() }
            return registered.listeners.values
        }
        for listener in listeners { listener.wake() }
    }

    /// Runs a `body` that copies the WAL or changes only bookkeeping, so that readers don't take it for another
    /// process's commit.
    func quietly(_ body: () -> Void) {
        registered.withLock { $0.count += 1 }
        body()
        registered.withLock { $0.count += 1 }
    }

    /// The argument of `body` changes with each commit of this process.
    func whileNobodyCommits<Result: Sendable>(_ body: (Int) throws -> Result) rethrows -> Result {
        try registered.withLock { try body($0.count) }
    }
}

// MARK: - The stores on one file

extension CommitFeed {
    /// Stores on one file need equal models: change sets contain ids.
    struct Models: Equatable {
        private let classes: [ObjectIdentifier]
        private let description: String

        init(_ schema: Schema) {
            classes = schema.models.map { ObjectIdentifier($0.type) }
            description = SchemaDescription(schema).text
        }
    }

    /// Counts a store as open while this object lives.
    final class Claim: Sendable {
        let feed: CommitFeed

        fileprivate init(_ feed: CommitFeed) {
            self.feed = feed
            feed.claims.withLock { $0 += 1 }
        }

        deinit { feed.claims.withLock { $0 -= 1 } }
    }

    private struct Entry {
        weak var feed: CommitFeed?
    }

    /// By file, independent of the path.
    private static let feeds = Mutex<[FileOnDisk.Identity: Entry]>([:])

    /// - Throws: ``StoreError/FileProblem/openWithOtherModels``.
    static func claim(_ path: String, _ models: Models) throws(StoreError) -> Claim {
        guard let file = FileOnDisk.Identity(ofFileAt: path) else { return Claim(CommitFeed(of: models)) }
        let claim = feeds.withLock { feeds -> Claim? in
            feeds = feeds.filter { $0.value.feed != nil }
            if let feed = feeds[file]?.feed {
                if feed.models == models { return Claim(feed) }
                // Objects of a closed store may keep its feed.
                if feed.claims.withLock({ $0 > 0 }) { return nil }
            }
            let feed = CommitFeed(of: models)
            feeds[file] = Entry(feed: feed)
            return Claim(feed)
        }
        guard let claim else { throw .file(.openWithOtherModels, path: path) }
        return claim
    }
}
