public import ObjectStore
import RESTTransport

/// The changes of a store that wait to be sent to the server.
///
/// ```swift
/// store.outbox.start()                                  // at launch: sends all entries, now and later
/// try await issue.save(.queued)
///
/// for await entries in store.outbox.updates { badge = entries.count }
/// ```
///
/// Entries are stored in the store's file. An entry names the object to send; its URL and body are made when it is
/// sent. It ends in the transaction that stores the server's reply.
///
/// An object is created before others that refer to it. Other entries are sent in parallel, within the API's limits.
///
/// If a request fails, the outbox backs off:
///
/// - If there is no connection, after 429, and if the server sends `Retry-After`, all requests to the API wait.
/// - After another 5xx, a timeout or a broken connection, only this entry waits.
/// - After 401, all requests to the API wait until you call ``wake()``. ``pauses`` has the API and the reason.
/// - Any other status from 400 to 499 rejects the entry, which waits for your decision, as do entries that need its
///   object.
///
/// Other waits are random, up to a bound that doubles with each attempt, to five minutes at most.
///
/// Of several processes with the file open, one at a time sends all entries.
public struct Outbox: Sendable {
    let file: StoreFile
    let engine: OutboxEngine

    /// The clock and random source of waiting times.
    package var time: TimeSource {
        get { engine.time }
        nonmutating set { engine.time = newValue }
    }

    /// The maximal number of requests in flight. Reproducible runs use 1.
    package var width: Int {
        get { engine.read(\.width) }
        nonmutating set { engine.read { $0.width = newValue } }
    }

    /// Sends all entries, now and whenever one is queued, until ``stop()`` or until the store is closed.
    public func start() { engine.start(file) }

    /// Stops sending. Requests in flight complete first.
    public func stop() { engine.stop() }

    /// Ends all waits. Call it when the network is back, or after a sign-in.
    public func wake() {
        engine.forgetWaits()
        file.noteOutbox()
    }

    /// The APIs to which nothing is sent until the user has signed in. ``wake()`` empties it.
    ///
    /// You can observe ``ObjectContext/outboxPauses`` instead.
    public var pauses: [OutboxPause] { file.outboxPauses }

    /// Ends all waits and sends the entries that can be sent now, for background tasks and command line tools.
    ///
    /// - Parameter deadline: the time after which requests in flight are cancelled; nil to complete all.
    /// - Returns: the accepted entries, and the numbers of those left.
    @discardableResult
    public nonisolated(nonsending) func drain(deadline: Duration? = nil) async -> OutboxReport {
        wake()
        let report = await OutboxDrain(file, engine).run(until: deadline.map { ContinuousClock.now + $0 })
        await file.deliver(on: #isolation)
        return report
    }

    /// Returns the entries in the order queued, each with the request that it would send now.
    ///
    /// - Throws: ``StoreError`` if reading the file fails.
    /// - Complexity: reads the object of each entry.
    public func entries() async throws(StoreError) -> [OutboxEntry] {
        try await OutboxReading(file, engine).entries()
    }

    /// Returns the entry with a number, or nil if it has ended.
    ///
    /// - Throws: ``StoreError`` if reading the file fails.
    public func entry(_ id: Int64) async throws(StoreError) -> OutboxEntry? {
        try await OutboxReading(file, engine).entries(after: id &- 1, limit: 1).first { $0.id == id }
    }

    /// A stream of all entries: now, and after each change; only the newest if you read slowly. It ends when the store
    /// is closed.
    public var updates: AsyncStream<[OutboxEntry]> {
        let changes = engine.changes(of: file)
        let reading = OutboxReading(file, engine)
        return AsyncStream(unfolding: { await self.entries(after: changes, by: reading) })
    }

    /// - Returns: nil once the store is closed, or the task is cancelled.
    private func entries(after changes: AsyncStream<Void>, by reading: OutboxReading) async -> [OutboxEntry]? {
        let engine = engine
        return await file.whenClosed {
            engine.notify()
        } during: { () async -> [OutboxEntry]? in
            for await _ in changes {
                guard !file.isClosed else { return nil }
                // After a failed read, the next change tries again.
                if let entries = try? await reading.entries() { return entries }
            }
            return nil
        }
    }

    /// Sends a rejected entry again.
    ///
    /// After an unknown outcome (``Rejection/Kind/undecided``), this creates the object once more. If it was deleted
    /// locally since, the server's object is found by repeating the creation or by its natural key, and deleted.
    ///
    /// - Throws: ``StoreError`` if writing the file fails.
    public nonisolated(nonsending) func retry(_ entry: OutboxEntry) async throws(StoreError) {
        let isDecision = entry.rejection?.kind == .undecided && entry.sent?.key == nil
        let sent = (entry.sent ?? SentBody()).decided
        try await change((isDecision ? [.send(entry.subject, sent.text)] : []) + [.retry(entry.subject)])
    }

    /// Removes an entry and undoes its change. Edits return to the server's values, a new object is deleted, a deleted
    /// one returns, and a membership is undone.
    ///
    /// If an object's creation had an unknown outcome when it was deleted, the object returns with the entry of its
    /// creation. Values of embedded objects, the order of lists, and a deleted object's links to objects outside the
    /// store return with the next fetch.
    ///
    /// This waits until the current run of the outbox ends.
    ///
    /// - Returns: false if the entry stays, because it was queued again since you read it.
    /// - Throws: ``StoreError`` if writing the file fails.
    @discardableResult
    public nonisolated(nonsending) func discard(_ entry: OutboxEntry) async throws(StoreError) -> Bool {
        try await discardVersion { (entry.subject, entry.version, entry.id) }
    }

    /// Discards the entry that `find` returns after the current run, which may have the entry's request in flight.
    ///
    /// - Returns: false if it has ended, or was queued again since.
    nonisolated(nonsending) func discardVersion(
        _ find: () -> (subject: QueuedSubject, version: QueuedWrite.Version, number: Int64)?
    ) async throws(StoreError) -> Bool {
        let gate = file.shared { OutboxGate() }
        guard await gate.enter() else { throw .cancelled }
        defer { gate.leave() }
        guard let entry = find() else { return false }
        try await change([.discard(entry.subject, entry.version)])
        return try await self.entry(entry.number) == nil
    }

    private nonisolated(nonsending) func change(_ changes: [OutboxChange]) async throws(StoreError) {
        try await file.write([.changingOutbox(changes)])
        await file.deliver(on: #isolation)
        engine.wake()
    }
}

extension Outbox: CustomStringConvertible, CustomReflectable {
    /// The entries, each with the request that it would send now:
    ///
    /// ```
    /// 2 changes wait
    /// 1 POST https://api.example.com/repos/7/issues (waiting)
    /// 2 DELETE https://api.example.com/issues/12 (sending)
    /// ```
    ///
    /// It has the first 100 entries, and blocks while it reads the file. In a view, use ``updates``.
    public var description: String { OutboxPrinter(file, engine).text(limit: 100) }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension Store {
    /// The changes that wait to be sent.
    ///
    /// - Precondition: The store has an API; otherwise, entries are never sent.
    public var outbox: Outbox { file.outbox }
}

extension StoreFile {
    var outbox: Outbox {
        Outbox(file: self, engine: (companion as? APIClients)?.outbox ?? OutboxEngine(time: .system))
    }
}
