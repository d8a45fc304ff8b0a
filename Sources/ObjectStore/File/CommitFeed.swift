import Synchronization

/// What hears of each commit to a file: a context, by its handle.
protocol CommitListener: AnyObject, Sendable {
    /// Keeps what a transaction changed until the context merges it. Called in the order of the commits.
    func post(_ changes: ChangeSet)
    /// Lets the context merge what was posted as soon as its actor is free, and waits for nobody.
    func wake()
    /// Merges what was posted before it returns if the context lives on `actor`, where the caller is; else does nothing.
    func deliver(on actor: any Actor) async
}

/// The commits to one file, in their order, and those that hear of them.
///
/// A commit and the news of it are one step, and so are the beginning of a read and the look at what is new: whoever begins
/// to read gets the news of all commits that its state of the file has, and of no other.
final class CommitFeed: Sendable {
    private let registered = Mutex<[ObjectIdentifier: any CommitListener]>([:])

    func register(_ listener: any CommitListener) {
        registered.withLock { $0[ObjectIdentifier(listener)] = listener }
    }

    func unregister(_ listener: any CommitListener) {
        registered.withLock { $0[ObjectIdentifier(listener)] = nil }
    }

    var listeners: [any CommitListener] { registered.withLock { Array($0.values) } }

    /// Commits a transaction by calling `commit`, and tells the listeners what it has changed.
    func post(_ changes: ChangeSet, committing commit: () throws -> Void) throws {
        guard !changes.isEmpty else { return try commit() }
        let listeners = try registered.withLock { registered in
            try commit()
            for listener in registered.values { listener.post(changes) }
            return Array(registered.values)
        }
        for listener in listeners { listener.wake() }
    }

    /// Runs `body` while nobody commits: it begins to read, and takes what was posted.
    func whileNobodyCommits<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result {
        try registered.withLock { _ in try body() }
    }
}
