package import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// The file with the records, its writer, and those that hear of what is written.
///
/// ``Store`` and its contexts hold it: objects that outlive their store can still be saved.
package final class StoreFile: Sendable {
    package let path: String
    package let schema: Schema
    /// What a layer above keeps with the store: the API that the models are fetched from.
    package let companion: (any Sendable)?
    /// When writes are sent where the call doesn't say it.
    package let writes: WriteTiming
    private let isTemporary: Bool
    private let database: DatabaseQueue
    /// Whatever is done with ``database`` while the file is open is done there.
    private let queue = WriteQueue()
    private let writer: Writer
    private let onDisk: FileOnDisk
    let residue: SecretResidue
    let commits: CommitFeed
    private let claim: Mutex<CommitFeed.Claim?>
    /// Whether the store was closed, rather than let go of.
    private let isClosing = Atomic(false)
    /// What the models say, as the file keeps it.
    private let models: String
    /// Hears of what other processes write.
    private let watch = Mutex<FileWatch?>(nil)
    private let isLooking = Atomic(false)
    /// Whether all was deleted for good: then nothing more is written.
    private let isErased = Atomic(false)
    /// How often the WAL has been written.
    private let writingCount = Atomic(0)

    /// Opens the file, and makes its tables or migrates them to what the models say.
    ///
    /// - Parameter isTemporary: whether the file is removed with this object.
    /// - Throws: ``StoreError/file(_:path:)`` when the file is not a database, can't be opened or written, is newer,
    ///   was made by models that these can't follow, or is open with others.
    init(
        at path: String, isTemporary: Bool = false, schema: Schema, companion: (any Sendable)?, options: StoreOptions
    ) throws(StoreError) {
        self.path = path
        self.isTemporary = isTemporary
        self.companion = companion
        self.writes = options.writes
        self.schema = schema
        let models = SchemaDescription(schema).text
        self.models = models
        let residue = SecretResidue(schema)
        self.residue = residue
        FileOnDisk.createPrivately(at: path)
        do {
            database = try DatabaseQueue(path: path, configuration: Self.writerConfiguration)
            let claim = try CommitFeed.claim(path, CommitFeed.Models(schema))
            commits = claim.feed
            self.claim = Mutex(claim)
            writer = try database.inDatabase { database in
                // An open GRDB database has its handle.
                let connection = unsafe Connection(handle: database.sqliteConnection.unsafelyUnwrapped, path: path)
                try residue.overwriteDeleted(on: connection)
                // A file may have indexes that these models don't have any more.
                if schema.searchIndexes.isEmpty { try? connection.knowWords() } else { try connection.knowWords() }
                try StoreOpening(schema, on: connection, options: options).prepare()
                return try Writer(schema: schema, connection: connection, memory: claim.feed.memory) { connection in
                    try Self.checkModels(models, on: connection)
                }
            }
            onDisk = FileOnDisk(openedAt: path)
        } catch {
            throw StoreError(wrapping: error, path: path)
        }
        // Nobody else knows of a temporary one.
        guard !isTemporary else { return }
        database.inDatabase { _ in indexOthers() }
        watchOthers()
    }

    deinit {
        // The last reference may go within the queue itself, so reentrantly; GRDB closes the connection with the queue.
        database.unsafeReentrantWrite { _ in
            if isErased.load(ordering: .acquiring) {
                // Who was in the way has gone.
                _ = writer.shred(patience: 0)
            } else if !isTemporary {
                writeNotes()
            }
            writer.close()
        }
        if isTemporary { Self.removeFiles(path) }
    }

    /// Whether the store was closed: from then on contexts are refused the file. What the server has done is stored all
    /// the same.
    package var isClosed: Bool { isClosing.load(ordering: .acquiring) }

    /// - Throws: ``StoreError/closedStore(unsaved:)`` once all was deleted for good: what was just stored is gone, too.
    package func checkNotErased() throws(StoreError) {
        if isErased.load(ordering: .acquiring) { throw .closedStore(unsaved: []) }
    }

    /// - Throws: ``StoreError/closedStore(unsaved:)``.
    func checkOpen() throws(StoreError) { if isClosed { throw .closedStore(unsaved: []) } }

    /// Refuses contexts the file from now on, and does what ``release()`` does.
    func close() {
        isClosing.store(true, ordering: .releasing)
        release()
    }

    /// Lets a store with other models open the file from now on, and writes what is noted: a program may end before the
    /// last reference to this goes. That is waited for 0.1 s, as others may be writing.
    func release() {
        claim.withLock { $0 = nil }
        guard !isTemporary, hasNotes else { return }
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { [weak self] in
            self?.database.inDatabase { _ in self?.writeNotes() }
            isWritten.signal()
        }
        _ = isWritten.wait(timeout: .now() + .milliseconds(100))
    }

    /// Whether something is known of lists or answers that isn't in the file.
    private var hasNotes: Bool {
        let memory = commits.memory
        return !memory.unwrittenAnswers(limit: 1).isEmpty || !memory.unwrittenListings(isNews: true).isEmpty
    }

    /// Writes that; called within the queue. Where it can't be written, a list is listed again, and an answer asked
    /// for, sooner than it need be.
    private func writeNotes() {
        if hasNotes { writeQuietly { try $0.keepConfirmations(limit: .max) } }
    }

    /// Indexes the text that other programs have changed; called within the queue. Where it can't be written, searches
    /// look through it, and the next transaction indexes it.
    private func indexOthers() {
        if writer.hasChangedText { writeQuietly { _ in } }
    }

    /// Runs a transaction of which no context need hear, if it can be written.
    private func writeQuietly(_ body: (Writer) throws -> Void) {
        commits.quietly {
            try? writer.transaction { writer in
                try body(writer)
                return ((), ChangeSet(schema))
            } committing: { _, commit in
                try commit()
            }
        }
    }

    /// How the server last wrote each attribute.
    package var shapes: LearnedShapes { writer.shapes }
    /// What contexts have on its way to the server and to the writer.
    package var underway: Underway { writer.underway }

    /// What there is one of for all stores of this process that have the file open.
    package func shared<Value: Sendable>(_ make: @Sendable () -> Value) -> Value { commits.companion(make) }

    // MARK: Other processes

    /// Each commit, of whoever, is written to the WAL, which is there as long as the file is open.
    private func watchOthers() {
        let path = FileOnDisk.realPath(of: path) + "-wal"
        let watch = FileWatch(path) { [weak self] in self?.noteWriting() }
        self.watch.withLock { $0 = watch }
        // Before it was watched, somebody may have.
        noteWriting()
    }

    /// What is written to the WAL counts once the index says so, in memory, of which nobody tells: as much later as the
    /// disk takes to keep what was written. So it is looked again, a few times.
    private func noteWriting() {
        let count = writingCount.wrappingAdd(1, ordering: .relaxed).newValue
        lookForOthers()
        lookAgain(for: count, after: [25, 150, 1000])
    }

    /// - Parameter delays: milliseconds; it ends when more is written, for which it begins anew.
    private func lookAgain(for count: Int, after delays: [Int]) {
        guard let delay = delays.first else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
            guard let self, writingCount.load(ordering: .relaxed) == count else { return }
            lookForOthers()
            lookAgain(for: count, after: Array(delays.dropFirst()))
        }
    }

    /// Tells the contexts when another process has committed something. What is written later is looked for again.
    private func lookForOthers() {
        guard !isLooking.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { [weak self] in
            guard let self else { return }
            isLooking.store(false, ordering: .releasing)
            database.inDatabase { _ in
                writer.lookForOthers()
                indexOthers()
                tellOfOthers()
            }
        }
    }

    private func tellOfOthers() { if writer.takeOthers() { commits.postOthers() } }

    /// - Throws: ``StoreError/FileProblem/migratedElsewhere`` when the file is not of these models any more.
    func checkModels(on connection: Connection) throws { try Self.checkModels(models, on: connection) }

    private static func checkModels(_ models: String, on connection: Connection) throws {
        guard try connection.integer("PRAGMA user_version") == StoreOpening.formatVersion,
            try FileRecord(connection).models == models
        else { throw StoreError.file(.migratedElsewhere, path: connection.path) }
    }

    // MARK: Writing

    /// Imports a body in one transaction, off the caller's actor. The contexts merge what changed as soon as their
    /// actors are free.
    ///
    /// - Parameters:
    ///   - batches: what is written before it.
    ///   - confirmed: what the server has taken, as the reply says.
    ///   - following: what is written after it.
    ///   - caller: the listener that looks by itself as soon as this returns, and isn't woken.
    package func importBody(
        _ body: some ContiguousBytes & Sendable, _ request: ImportRequest, after batches: [WriteBatch] = [],
        confirming confirmed: [WriteBatch.Confirmation] = [], then following: [WriteBatch] = [],
        for caller: ObjectIdentifier? = nil
    ) async throws(StoreError) -> ImportOutcome {
        try await write(until: request.deadline, for: caller) { [residue] writer in
            var changes = ChangeSet(writer.schema)
            try writer.apply(batches, confirming: confirmed, &changes)
            var importer = Importer(writer, writer.survivor(of: request, confirming: confirmed))
            importer.changes = changes
            let isLate = writer.recentChanges.hasAny(since: request.asked)
            // The bytes stay where they are for the whole import.
            try unsafe body.withUnsafeBytes { bytes in try unsafe importer.run(bytes) }
            if !following.isEmpty { try writer.apply(following, confirming: [], &importer.changes) }
            residue.note(batches + following)
            if let answer = request.answer {
                let isWhole = importer.outcome.report.isComplete && !isLate
                writer.answerInTransaction = ImportedAnswer(
                    answer: answer, rows: importer.answered, vouched: importer.vouched, isWhole: isWhole)
            } else if let key = request.outdated {
                try writer.spoilAnswers(to: key)
            }
            return (importer.outcome, importer.changes)
        }
    }

    /// Writes batches, and notes what the server has taken, without a body.
    package func write(
        _ batches: [WriteBatch], confirming confirmed: [WriteBatch.Confirmation] = [],
        for caller: ObjectIdentifier? = nil
    ) async throws(StoreError) {
        try await write(for: caller) { [residue] writer in
            var changes = ChangeSet(writer.schema)
            try writer.apply(batches, confirming: confirmed, &changes)
            residue.note(batches)
            return ((), changes)
        }
    }

    /// How far a list has been listed; `nil` where nothing of it has.
    package func listing(_ key: Listing.Key) -> Listing? { commits.memory.listing(key) }

    /// Those that were noted lately.
    var listings: [Listing] { commits.memory.listings }

    /// Notes how far a list has been listed. It is written with what is written next.
    ///
    /// - Parameters:
    ///   - former: as it was known before.
    ///   - isLast: whether it is to be written by itself; else that is done when the file is closed, at the latest.
    package func note(_ listing: Listing, over former: Listing?, isLast: Bool) {
        guard !isErased.load(ordering: .acquiring) else { return }
        commits.memory.note(listing, over: former)
        commits.noteAnswer()
        if isLast { flushListings() }
    }

    /// Writes what is known of listings and not in the file.
    package func flushListings() {
        guard !commits.memory.unwrittenListings(isNews: true).isEmpty else { return }
        queue.async { [self] in
            guard !commits.memory.unwrittenListings(isNews: true).isEmpty else { return }
            database.inDatabase { _ in writeNotes() }
        }
    }

    /// A stored answer as the server has last said that it is, though that may not be in the file yet.
    func newest(_ kept: UncheckedAnswer) -> UncheckedAnswer { commits.memory.newest(kept) }

    /// The same; one from the future is given the current time, which is written with what is written next.
    func newest(_ kept: UncheckedAnswer, now: Double) -> UncheckedAnswer {
        var newest = commits.memory.newest(kept)
        guard newest.answer.checkedAt > now else { return newest }
        newest.answer.checkedAt = now
        commits.memory.note(KeptAnswer(newest, isIntact: isIntact(newest)))
        return newest
    }

    /// Takes what has changed as a context reads it, for ``isIntact``.
    func noteChanges(by reader: Reader) throws { try commits.memory.noteChanges(reader.changeNotes) }

    /// Tells whether all that an answer vouches for is as it said, wherever that is asked.
    package var isIntact: @Sendable (UncheckedAnswer) -> Bool { { [memory = commits.memory] in memory.isIntact($0) } }

    /// When an answer was last said to be as it was.
    ///
    /// - Parameter written: as the file has it.
    func checkedAt(_ answer: Int64, written: Double) -> Double {
        commits.memory.checkedAt(answer, written: written)
    }

    /// Notes that the server has said of a stored answer that it is as it was. It is written along with what is written
    /// next, or when the file is closed; where it can't be, the server is asked sooner than it need be.
    package func confirm(_ kept: KeptAnswer) {
        guard !isErased.load(ordering: .acquiring) else { return }
        commits.memory.note(kept)
        commits.noteAnswer()
    }

    /// Runs `body` in one transaction off the caller's actor, and waits for nobody else: the contexts merge what it
    /// changed as soon as their actors are free.
    ///
    /// A task that is cancelled before this begins, while it waits for another program's lock, or where `body` looks
    /// (``Writer/stop``), writes nothing. Else all is written, and it hears of that.
    ///
    /// - Parameters:
    ///   - deadline: when the transaction is given up, if it asks.
    ///   - caller: the listener that looks by itself as soon as this returns, and isn't woken.
    ///   - actor: where the caller is, and where this goes on once it is done.
    func write<Value: Sendable>(
        until deadline: ContinuousClock.Instant? = nil, for caller: ObjectIdentifier? = nil,
        on actor: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Writer) throws -> (Value, ChangeSet)
    ) async throws(StoreError) -> Value {
        let stop = StopSignal(at: deadline)
        let outcome = await withTaskCancellationHandler {
            // A closure that doesn't name the actor is anywhere, and the way back one hop longer.
            _ = actor
            return await queue.run { [self] in
                database.inDatabase { _ in
                    let outcome =
                        isErased.load(ordering: .acquiring)
                        ? .failure(.closedStore(unsaved: [])) : writeNow(stop, for: caller, body)
                    // A secret is gone when the caller hears that it is; else a checkpoint comes after the answer.
                    if residue.isThere { commits.quietly { residue.remove(by: writer) } }
                    if writer.wantsCheckpoint { checkpointLater() }
                    return outcome
                }
            }
        } onCancel: {
            stop.cancel()
        }
        return try outcome.get()
    }

    /// Closes the file and deletes everything in it, once what was asked for before is written. What comes later is
    /// refused.
    func erase() async throws(StoreError) {
        close()
        let outcome = await queue.run { [self] in
            database.inDatabase { _ in
                // From now on nothing is noted of answers either. Where it was done before, it stays so.
                let wasErased = isErased.exchange(true, ordering: .acquiringAndReleasing)
                let outcome = writeNow(StopSignal(), for: nil) { writer in
                    // Pages that become free are overwritten; nothing more is written by this connection.
                    try writer.connection.execute("PRAGMA secure_delete = ON")
                    try writer.erase()
                    return ((), ChangeSet(writer.schema))
                }
                guard case .success = outcome else {
                    isErased.store(wasErased, ordering: .releasing)
                    return outcome
                }
                // Five seconds, for those who read still.
                let isShredded = Mutex(false)
                commits.quietly { isShredded.withLock { $0 = writer.shred(patience: 1000) } }
                commits.forgetCompanions()
                // Other stores of this process look at the file as if another process had changed it.
                commits.postOthers()
                return isShredded.withLock { $0 } ? outcome : .failure(.file(.busy, path: path))
            }
        }
        try outcome.get()
    }

    /// Makes a checkpoint once the caller has its answer.
    private func checkpointLater() {
        queue.async { [self] in
            database.inDatabase { _ in
                if writer.wantsCheckpoint { commits.quietly { writer.checkpoint() } }
            }
        }
    }

    /// Runs `body` in one transaction; called within the queue.
    private func writeNow<Value>(
        _ stop: StopSignal, for caller: ObjectIdentifier?, _ body: (Writer) throws -> (Value, ChangeSet)
    ) -> Result<Value, StoreError> {
        writer.stop = stop
        defer {
            writer.stop = StopSignal()
            tellOfOthers()
        }
        do {
            try stop.check()
            try checkPresence()
            let value = try writer.transaction(body) { changes, commit in
                var changes = changes
                changes.author = caller
                try commits.post(changes, for: caller, committing: commit)
                residue.note(changes)
            }
            return .success(value)
        } catch let names as TwoNames {
            // Nothing was written; it is told apart now, so this comes to an end.
            underway.noteFormerIdentity(of: names.record, asked: nil)
            return writeNow(stop, for: caller, body)
        } catch {
            // A lock that was not waited for to the end is said to be busy.
            return .failure(stop.reason ?? StoreError(wrapping: error, path: path))
        }
    }

    /// - Throws: ``StoreError/FileProblem/gone`` when the file was deleted or replaced since it was opened.
    func checkPresence() throws(StoreError) { try onDisk.checkPresence() }

    // MARK: Configuration

    private static var writerConfiguration: Configuration {
        var configuration = Configuration()
        configuration.label = "RestfulData.writer"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // The statement journal of an upsert into a table with foreign keys would be a file. A checkpoint is made
            // after the caller has its answer. A WAL that begins anew and was larger is cut to 4 MB.
            try database.execute(
                sql: """
                    PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
                    PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 4194304
                    """)
        }
        return configuration
    }

    var readerConfiguration: Configuration {
        var configuration = Configuration()
        configuration.label = "RestfulData.reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // As many pages as were read, up to 16 MB: SQLite's own 2 MB are less than ten thousand rows, and a query
            // that looks through more of them than fit would read every page again.
            try database.execute(sql: "PRAGMA cache_size = -16384")
        }
        return configuration
    }

    private static func removeFiles(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
