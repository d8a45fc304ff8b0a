public import ObjectStore
import RESTTransport

/// The changes of a store that wait to be sent to the server.
///
/// ```swift
/// store.outbox.start()                                  // at launch: sends what is queued, and whatever will be
/// try await issue.save(.queued)
///
/// for await entries in store.outbox.updates { badge = entries.count }
/// ```
///
/// Entries are in the store's file, so they survive the end of the program. An entry says which object is to be sent;
/// its URL and body are made when the request is sent. It ends in the transaction that stores the server's reply.
///
/// An object is created before those whose URL, body or link refers to it. Other entries are sent side by side, up to
/// the API's limits.
///
/// Without a connection, after 429 and where a server says `Retry-After`, nothing is sent for a while. After another
/// 5xx, a time-out or a broken connection that entry alone waits. The waits are random times that grow up to five
/// minutes. After a 401 all wait for ``wake()``. Any other status of 400 to 499 rejects the entry, which waits for a
/// decision; entries that need its object wait as well, and all others go on.
///
/// Of several processes with the file open, one sends at a time, also the entries of the others.
public struct Outbox: Sendable {
    let file: StoreFile
    let engine: OutboxEngine

    /// The clock and the chance of waiting times.
    package var time: TimeSource {
        get { engine.time }
        nonmutating set { engine.time = newValue }
    }

    /// How many entries are sent at a time; 1 for runs that are to be repeated.
    package var width: Int {
        get { engine.read(\.width) }
        nonmutating set { engine.read { $0.width = newValue } }
    }

    /// Sends what is queued, and from now on whatever will be, until ``stop()`` or the end of the store.
    public func start() { engine.start(file) }

    /// Ends that. Requests that are on their way end first.
    public func stop() { engine.stop() }

    /// Ends all waits: call it when the network is back, or another token is there.
    public func wake() { engine.forgetWaits() }

    /// Sends what can be sent now, for background tasks and command lines.
    ///
    /// - Parameter deadline: requests that are on their way after this time are cancelled; nil for none.
    /// - Returns: what was sent and what is left.
    @discardableResult
    public nonisolated(nonsending) func drain(deadline: Duration? = nil) async -> OutboxReport {
        engine.forgetWaits()
        let report = await OutboxDrain(file, engine).run(until: deadline.map { ContinuousClock.now + $0 })
        await file.deliver(on: #isolation)
        return report
    }

    /// The entries in the order in which they were queued, with the requests that they would be.
    ///
    /// - Throws: ``StoreError`` if the file can't be read.
    /// - Complexity: reads the object of each entry.
    public func entries() async throws(StoreError) -> [OutboxEntry] {
        try await OutboxReading(file, engine).entries()
    }

    /// The entry with a number; nil if there is none, or not any more.
    ///
    /// - Throws: ``StoreError`` if the file can't be read.
    public func entry(_ id: Int64) async throws(StoreError) -> OutboxEntry? {
        try await OutboxReading(file, engine).entries(after: id - 1, limit: 1).first { $0.id == id }
    }

    /// The entries now, and whenever one has changed. Of changes that come faster than they are taken, the newest.
    public var updates: AsyncStream<[OutboxEntry]> {
        let (file, engine) = (file, engine)
        let changes = engine.changes(of: file)
        return AsyncStream { continuation in
            let reading = OutboxReading(file, engine)
            let task = Task {
                for await _ in changes where !file.isClosed {
                    // What can't be read now is told with the next change.
                    if let entries = try? await reading.entries() { continuation.yield(entries) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Tries a rejected entry again, though its object wasn't corrected.
    ///
    /// For a creation whose outcome is unknown (``Rejection/Kind/undecided``) it is the decision to create the object
    /// once more. If the object was deleted meanwhile, the creation is repeated as it was sent, and the object that the
    /// reply names is deleted. If the model has a natural key, the deleted object is looked up again instead.
    ///
    /// - Throws: ``StoreError`` if the file can't be written.
    public nonisolated(nonsending) func retry(_ entry: OutboxEntry) async throws(StoreError) {
        let isDecision = entry.rejection?.kind == .undecided && entry.sent?.key == nil
        let sent = (entry.sent ?? SentBody()).decided
        try await change((isDecision ? [.send(entry.subject, sent.text)] : []) + [.retry(entry.subject)])
    }

    /// Removes an entry, and takes back the change: edits return to the values that the server last said, a new object
    /// is deleted, a deleted one returns, a membership is undone. An object whose creation had an unknown outcome when
    /// it was deleted returns with the entry of its creation.
    ///
    /// It waits for the end of the run that is on its way. An entry that was queued again since it was read stays.
    /// Values of embedded objects, and the order of lists, come back with the next fetch.
    ///
    /// - Returns: false for an entry that stays, as it was queued again; read it again.
    /// - Throws: ``StoreError`` if the file can't be written.
    @discardableResult
    public nonisolated(nonsending) func discard(_ entry: OutboxEntry) async throws(StoreError) -> Bool {
        // Not while its request may be on its way.
        let gate = file.shared { OutboxGate() }
        guard await gate.enter() else { throw .cancelled }
        defer { gate.leave() }
        try await change([.discard(entry.subject, entry.version)])
        return try await self.entry(entry.id) == nil
    }

    private nonisolated(nonsending) func change(_ changes: [OutboxChange]) async throws(StoreError) {
        try await file.write([.changingOutbox(changes)])
        await file.deliver(on: #isolation)
        engine.wake()
    }
}

extension Outbox: CustomStringConvertible, CustomReflectable {
    /// The entries in their order, each with the request that it would be now, without bodies:
    ///
    /// ```
    /// 2 changes wait
    /// 1 POST https://api.example.com/repos/7/issues (waiting)
    /// 2 DELETE https://api.example.com/issues/12 (sending)
    /// ```
    ///
    /// It reads the file while the caller waits, and has the first 100 entries. In a view use ``updates`` instead.
    public var description: String { OutboxPrinter(file, engine).text(limit: 100) }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension Store {
    /// The changes that wait to be sent.
    ///
    /// - Precondition: The store was opened with an API; otherwise nothing is ever sent.
    public var outbox: Outbox {
        Outbox(file: file, engine: (file.companion as? APIClients)?.outbox ?? OutboxEngine())
    }
}
