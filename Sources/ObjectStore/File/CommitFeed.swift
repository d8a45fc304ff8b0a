import Synchronization

/// A receiver of all commits to a file, such as a context's handle.
protocol CommitListener: AnyObject, Sendable {
    /// Keeps the changes of a transaction until the context merges them. Called in the order of the commits.
    func post(_ changes: ChangeSet)
    /// Keeps that another process has committed.
    func postOthers()
    /// Whether the context is also woken when only stored answers change.
    var tracksAnswers: Bool { get }
    /// Makes the context merge the kept changes as soon as its actor is free. Returns at once.
    func wake()
    /// If the context lives on `actor`, the caller's, merges the kept changes before it returns.
    func deliver(on actor: any Actor) async
}

/// The commits to one file, in their order, and the listeners. All stores of this process on the file share it.
///
/// A commit with its posting is one step, and the beginning of a read with the taking of kept changes is another. A
/// context therefore gets exactly the changes that led to the state of the file that it reads.
final class CommitFeed: Sendable {
    private let models: Models
    let memory = FileMemory()
    /// State that upper layers share between these stores, by type.
    private let companions = Mutex<[ObjectIdentifier: any Sendable]>([:])
    /// The number of open stores.
    private let claims = Mutex(0)
    private let registered = Mutex(Registered())

    private struct Registered {
        var listeners: [ObjectIdentifier: any CommitListener] = [:]
        /// The number of times that this process has committed or copied the WAL. Other connections see both as a
        /// commit.
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

    /// Commits a transaction by `commit`, and posts its changes to the listeners.
    ///
    /// - Parameter caller: the listener that waits for the transaction, and merges by itself.
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

    /// Wakes the listeners that track answers.
    func noteAnswer() {
        let listeners = registered.withLock { $0.trackers }
        for listener in listeners { listener.wake() }
    }

    /// The value of a type that all stores on the file share. Made at its first use.
    func companion<Value: Sendable>(_ make: @Sendable () -> Value) -> Value {
        companions.withLock { companions in
            let key = ObjectIdentifier(Value.self)
            if let known = companions[key] as? Value { return known }
            let new = make()
            companions[key] = new
            return new
        }
    }

    /// Makes the stores use new companions, since all rows are deleted.
    func forgetCompanions() { companions.withLock { $0 = [:] } }

    /// Posts to the listeners that another process has committed.
    func postOthers() {
        let listeners = registered.withLock { registered in
            for listener in registered.listeners.values { listener.postOthers() }
            return registered.listeners.values
        }
        for listener in listeners { listener.wake() }
    }

    /// Runs `body`, which copies the WAL or changes only bookkeeping. Readers see that as a commit, and must not take
    /// it for one of another process.
    func quietly(_ body: () -> Void) {
        registered.withLock { $0.count += 1 }
        body()
        registered.withLock { $0.count += 1 }
    }

    /// Runs `body`, and holds back commits of this process. `body` begins to read, and takes the kept changes. Its
    /// argument changes with each commit of this process.
    func whileNobodyCommits<Result: Sendable>(_ body: (Int) throws -> Result) rethrows -> Result {
        try registered.withLock { try body($0.count) }
    }
}

// MARK: - The stores on one file

extension CommitFeed {
    /// The tables and classes, with their ids. Stores on one file need the same ones to understand each other's change
    /// sets.
    struct Models: Equatable {
        private let classes: [ObjectIdentifier]
        private let description: String

        init(_ schema: Schema) {
            classes = schema.models.map { ObjectIdentifier($0.type) }
            description = SchemaDescription(schema).text
        }
    }

    /// Keeps a store counted as open while it lives.
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

    /// Claims the feed of an existing file for a store.
    ///
    /// - Throws: ``StoreError/file(_:path:)`` with ``StoreError/FileProblem/openWithOtherModels`` while a store with
    ///   other models is open on the file.
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
