import Synchronization

/// What hears of each commit to a file: a context, by its handle.
protocol CommitListener: AnyObject, Sendable {
    /// Keeps what a transaction changed until the context merges it. Called in the order of the commits.
    func post(_ changes: ChangeSet)
    /// Keeps that another process has committed something.
    func postOthers()
    /// Whether answers that change no row wake the context.
    var tracksAnswers: Bool { get }
    /// Lets the context merge what was posted as soon as its actor is free, and waits for nobody.
    func wake()
    /// Merges what was posted before it returns if the context lives on `actor`, where the caller is; else does
    /// nothing.
    func deliver(on actor: any Actor) async
}

/// The commits to one file, in their order, and those that hear of them.
///
/// A commit and the news of it are one step, and so are the beginning of a read and the look at what is new: whoever
/// begins to read gets the news of all commits that its state of the file has, and of no other. Stores of this process
/// that are open on one file share it.
final class CommitFeed: Sendable {
    private let models: Models
    /// What the writers of the stores remember together.
    let memory = FileMemory()
    /// What layers above have in common, by its type.
    private let companions = Mutex<[ObjectIdentifier: any Sendable]>([:])
    /// How many stores are open.
    private let claims = Mutex(0)
    private let registered = Mutex(Registered())

    private struct Registered {
        var listeners: [ObjectIdentifier: any CommitListener] = [:]
        /// How often this process has committed, or copied the WAL: what a connection sees of that it sees as a commit.
        var count = 0

        /// Those that answers wake which change no row.
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

    /// Commits a transaction by calling `commit`, and tells the listeners what it has changed.
    ///
    /// - Parameter caller: the listener that waits for the transaction and looks by itself then, so that it isn't
    ///   woken.
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

    /// Wakes the listeners that look at answers: one was confirmed, or a list was listed.
    func noteAnswer() {
        let listeners = registered.withLock { $0.trackers }
        for listener in listeners { listener.wake() }
    }

    /// What there is one of for all stores on the file, made at its first use.
    func companion<Value: Sendable>(_ make: @Sendable () -> Value) -> Value {
        companions.withLock { companions in
            let key = ObjectIdentifier(Value.self)
            if let known = companions[key] as? Value { return known }
            let new = make()
            companions[key] = new
            return new
        }
    }

    /// Has the stores begin with new ones: what was under way for the rows is of no use to those that come.
    func forgetCompanions() { companions.withLock { $0 = [:] } }

    /// Tells the listeners that another process has committed something.
    func postOthers() {
        let listeners = registered.withLock { registered in
            for listener in registered.listeners.values { listener.postOthers() }
            return registered.listeners.values
        }
        for listener in listeners { listener.wake() }
    }

    /// Runs `body`, which copies the WAL, or changes no record: connections see that as a commit, which is none of
    /// another process's.
    func quietly(_ body: () -> Void) {
        registered.withLock { $0.count += 1 }
        body()
        registered.withLock { $0.count += 1 }
    }

    /// Runs `body` while nobody in this process commits: it begins to read, and takes what was posted. It is given a
    /// number that has changed if somebody here has committed meanwhile.
    func whileNobodyCommits<Result: Sendable>(_ body: (Int) throws -> Result) rethrows -> Result {
        try registered.withLock { try body($0.count) }
    }
}

// MARK: - The stores on one file

extension CommitFeed {
    /// What stores must have in common to understand each other's change sets: the same tables under the same ids.
    struct Models: Equatable {
        private let classes: [ObjectIdentifier]
        private let description: String

        init(_ schema: Schema) {
            classes = schema.models.map { ObjectIdentifier($0.type) }
            description = SchemaDescription(schema).text
        }
    }

    /// That a store is open, until this is let go of.
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

    /// By file, whichever path leads to it.
    private static let feeds = Mutex<[FileOnDisk.Identity: Entry]>([:])

    /// Claims the feed of a file that exists.
    ///
    /// - Throws: ``StoreError/file(_:path:)`` with ``StoreError/FileProblem/openWithOtherModels`` while a store with
    ///   other models is open on the file.
    static func claim(_ path: String, _ models: Models) throws(StoreError) -> Claim {
        guard let file = FileOnDisk.Identity(ofFileAt: path) else { return Claim(CommitFeed(of: models)) }
        let claim = feeds.withLock { feeds -> Claim? in
            feeds = feeds.filter { $0.value.feed != nil }
            if let feed = feeds[file]?.feed {
                if feed.models == models { return Claim(feed) }
                // Objects of a store that is closed may outlive it.
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
