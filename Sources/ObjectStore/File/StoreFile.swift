package import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// An open file. ``Store`` and its contexts hold it, so objects that outlive their store can still be saved.
package final class StoreFile: Sendable {
    package let path: String
    package let schema: Schema
    /// The API client of the layer above.
    package let companion: (any Sendable)?
    /// The default of all writes.
    package let writes: WriteTiming
    private let isTemporary: Bool
    private let database: DatabaseQueue
    /// Runs all work on ``database`` while the file is open.
    private let queue = WriteQueue()
    private let writer: Writer
    private let onDisk: FileOnDisk
    let residue: SecretResidue
    let commits: CommitFeed
    private let claim: Mutex<CommitFeed.Claim?>
    /// Whether the store was closed, rather than released.
    private let isClosing = Atomic(false)
    /// Functions to call when the store is closed.
    private let closings = Mutex<(last: Int, functions: [Int: @Sendable () -> Void])>((0, [:]))
    /// The models' description in the file.
    private let models: String
    private let watch = Mutex<FileWatch?>(nil)
    private let isLooking = Atomic(false)
    /// Everything was deleted, so all writes fail.
    private let isErased = Atomic(false)
    /// Counts reported writes to the WAL.
    private let writingCount = Atomic(0)

    /// Creates the file's tables, or migrates them to the models.
    ///
    /// - Parameter isTemporary: whether the file is removed with this object.
    /// - Throws: ``StoreError/file(_:path:)`` if the file isn't a database, is unreadable or read-only, has a newer
    ///   format, can't be migrated to these models, or is open with others.
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
                // Safe: an open GRDB database has a handle, which lives as long as `database`.
                let connection = unsafe Connection(handle: database.sqliteConnection.unsafelyUnwrapped, path: path)
                try residue.overwriteDeleted(on: connection)
                // The file may have full-text indexes of earlier models.
                if schema.searchIndexes.isEmpty { try? connection.knowWords() } else { try connection.knowWords() }
                try StoreOpening(schema, on: connection, options: options).prepare()
                return try Writer(schema: schema, connection: connection, memory: claim.feed.memory) { connection in
                    try Self.checkModels(models, on: connection)
                }
            }
            onDisk = FileOnDisk(openedAt: path)
        } catch {
            // Without an object, no `deinit` removes them.
            if isTemporary { Self.removeFiles(path) }
            throw StoreError(wrapping: error, path: path)
        }
        // Only this process knows a temporary file.
        guard !isTemporary else { return }
        database.inDatabase { _ in indexOthers() }
        watchOthers()
    }

    deinit {
        // Reentrant, since the queue itself may release the last reference.
        database.unsafeReentrantWrite { _ in
            if isErased.load(ordering: .acquiring) {
                // Readers that blocked the first attempt may have ended.
                _ = writer.shred(patience: 0)
            } else if !isTemporary {
                writeConfirmations()
            }
            writer.close()
        }
        if isTemporary { Self.removeFiles(path) }
    }

    /// Whether contexts get errors. Replies to earlier requests are still stored.
    package var isClosed: Bool { isClosing.load(ordering: .acquiring) }

    /// - Throws: ``StoreError/closedStore(unsaved:)`` if everything was deleted.
    package func checkNotErased() throws(StoreError) {
        if isErased.load(ordering: .acquiring) { throw .closedStore(unsaved: []) }
    }

    func checkOpen() throws(StoreError) { if isClosed { throw .closedStore(unsaved: []) } }

    func close() {
        isClosing.store(true, ordering: .releasing)
        let functions = closings.withLock { closings in
            defer { closings.functions = [:] }
            return closings.functions.values
        }
        for function in functions { function() }
        release()
    }

    /// Calls a function if the store is closed before the operation ends.
    package nonisolated(nonsending) func whenClosed<Result>(
        call function: @escaping @Sendable () -> Void, during operation: () async -> Result
    ) async -> Result {
        let number = closings.withLock { closings -> Int? in
            guard !isClosed else { return nil }
            closings.last += 1
            closings.functions[closings.last] = function
            return closings.last
        }
        if number == nil { function() }
        defer { if let number { closings.withLock { $0.functions[number] = nil } } }
        return await operation()
    }

    /// Allows a store with other models to open the file, and writes the confirmations. The program may end before
    /// `deinit`, so this waits, at most 0.1 s.
    func release() {
        claim.withLock { $0 = nil }
        guard !isTemporary, hasUnwrittenConfirmations else { return }
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { [weak self] in
            self?.database.inDatabase { _ in self?.writeConfirmations() }
            isWritten.signal()
        }
        _ = isWritten.wait(timeout: .now() + .milliseconds(100))
    }

    /// Whether memory has confirmations of lists and answers that the file lacks.
    private var hasUnwrittenConfirmations: Bool {
        let memory = commits.memory
        return !memory.unwrittenAnswers(limit: 1).isEmpty || !memory.unwrittenListings(hasNewContents: true).isEmpty
    }

    /// Runs in the queue. If it fails, some lists and answers are fetched earlier than necessary.
    private func writeConfirmations() {
        if hasUnwrittenConfirmations { writeQuietly { try $0.keepConfirmations(limit: .max) } }
    }

    /// In the queue, indexes text that other programs have changed. If it fails, searches scan that text until the next
    /// transaction.
    private func indexOthers() {
        if writer.hasChangedText { writeQuietly { _ in } }
    }

    /// Writes bookkeeping only, and ignores errors.
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

    package var shapes: LearnedShapes { writer.shapes }
    package var operations: InFlightOperations { writer.operations }

    /// All stores of this process on the file share the value.
    package func shared<Value: Sendable>(_ make: @Sendable () -> Value) -> Value { commits.companion(make) }

    // MARK: Other processes

    /// Each commit of any process is written to the WAL, which exists as long as the file is open.
    private func watchOthers() {
        let path = FileOnDisk.realPath(of: path) + "-wal"
        let watch = FileWatch(path) { [weak self] in self?.noteWriting() }
        self.watch.withLock { $0 = watch }
        // There may have been writes before the watch began.
        noteWriting()
    }

    /// Looks for commits now and three times later: the reported write precedes the commit, which SQLite's shared
    /// memory shows once the disk has finished.
    private func noteWriting() {
        let count = writingCount.wrappingAdd(1, ordering: .relaxed).newValue
        lookForOthers()
        lookAgain(for: count, after: [25, 150, 1000])
    }

    /// - Parameter delays: milliseconds. A later write begins a new series.
    private func lookAgain(for count: Int, after delays: [Int]) {
        guard let delay = delays.first else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
            guard let self, writingCount.load(ordering: .relaxed) == count else { return }
            lookForOthers()
            lookAgain(for: count, after: Array(delays.dropFirst()))
        }
    }

    private func lookForOthers() {
        guard !isLooking.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { [weak self] in
            guard let self else { return }
            isLooking.store(false, ordering: .releasing)
            database.inDatabase { _ in
                writer.lookForOthers()
                indexOthers()
                announceOthers()
            }
        }
    }

    private func announceOthers() { if writer.takeOthers() { commits.postOthers() } }

    /// - Throws: ``StoreError/FileProblem/migratedElsewhere``.
    func checkModels(on connection: Connection) throws { try Self.checkModels(models, on: connection) }

    private static func checkModels(_ models: String, on connection: Connection) throws {
        guard try connection.integer("PRAGMA user_version") == StoreOpening.formatVersion,
            try FileRecord(connection).models == models
        else { throw StoreError.file(.migratedElsewhere, path: connection.path) }
    }

    // MARK: Writing

    /// Imports in one transaction, off the caller's actor. Contexts merge as soon as their actors are free.
    ///
    /// - Parameters:
    ///   - batches: are written before the body.
    ///   - confirmed: the edits that the reply acknowledges.
    ///   - caller: merges by itself when this returns.
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
            let isLate = writer.recentChanges.hasAny(since: request.requestTime)
            // Safe: the bytes stay valid and in place during the whole import.
            try unsafe body.withUnsafeBytes { bytes in try unsafe importer.run(bytes) }
            if !following.isEmpty { try writer.apply(following, confirming: [], &importer.changes) }
            residue.note(batches + following)
            if let answer = request.answer {
                let isWhole = importer.outcome.report.isComplete && !isLate
                writer.answerInTransaction = ImportedAnswer(
                    answer: answer, rows: importer.answered, covered: importer.covered, isWhole: isWhole)
            } else if let key = request.outdated {
                try writer.spoilAnswers(to: key)
            }
            return (importer.outcome, importer.changes)
        }
    }

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

    /// Nil: the file may have one.
    package func listing(_ key: Listing.Key) -> Listing? { commits.memory.listing(key) }

    var listings: [Listing] { commits.memory.listings }

    /// Requests began or ended, or sending was paused or resumed.
    package func noteOutbox() { commits.noteAnswer() }

    /// Notes a listing to write with the next transaction.
    ///
    /// - Parameters:
    ///   - former: the listing before.
    ///   - isLast: whether to write at once, rather than when the file is closed, at the latest.
    package func note(_ listing: Listing, over former: Listing?, isLast: Bool) {
        guard !isErased.load(ordering: .acquiring) else { return }
        commits.memory.note(listing, over: former)
        commits.noteAnswer()
        if isLast { flushListings() }
    }

    package func flushListings() {
        guard !commits.memory.unwrittenListings(hasNewContents: true).isEmpty else { return }
        queue.async { [self] in
            guard !commits.memory.unwrittenListings(hasNewContents: true).isEmpty else { return }
            database.inDatabase { _ in writeConfirmations() }
        }
    }

    /// The answer with its last confirmation, which may be newer than the file.
    func newest(_ kept: UncheckedAnswer) -> UncheckedAnswer { commits.memory.newest(kept) }

    /// A time in the future, since the clock was set back, becomes the current time.
    func newest(_ kept: UncheckedAnswer, now: Double) -> UncheckedAnswer {
        var newest = commits.memory.newest(kept)
        guard newest.answer.checkedAt > now else { return newest }
        newest.answer.checkedAt = now
        commits.memory.note(KeptAnswer(newest, isIntact: isIntact(newest)))
        return newest
    }

    /// Reads changes for ``isIntact``.
    func noteChanges(by reader: Reader) throws { try commits.memory.noteChanges(reader.changeNotes) }

    /// Whether all rows of an answer are unchanged, on any thread.
    package var isIntact: @Sendable (UncheckedAnswer) -> Bool { { [memory = commits.memory] in memory.isIntact($0) } }

    func checkedAt(_ answer: Int64, written: Double) -> Double {
        commits.memory.checkedAt(answer, written: written)
    }

    /// Notes the server's confirmation of an answer, written with the next transaction, or when the file is closed. If
    /// that fails, the server is asked earlier than necessary.
    package func confirm(_ kept: KeptAnswer) {
        guard !isErased.load(ordering: .acquiring) else { return }
        commits.memory.note(kept)
        commits.noteAnswer()
    }

    /// Runs `body` in one transaction, off the caller's actor. Contexts merge as soon as their actors are free.
    ///
    /// A task writes nothing if it is cancelled before the transaction begins, while it waits for another program's
    /// lock, or before `body` checks ``Writer/stop``. Otherwise everything is written.
    ///
    /// - Parameters:
    ///   - deadline: cancels the transaction, if `body` checks.
    ///   - caller: merges by itself when this returns.
    func write<Value: Sendable>(
        until deadline: ContinuousClock.Instant? = nil, for caller: ObjectIdentifier? = nil,
        on actor: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Writer) throws -> (Value, ChangeSet)
    ) async throws(StoreError) -> Value {
        let stop = StopSignal(at: deadline)
        let outcome = await withTaskCancellationHandler {
            // The closure then runs on the actor, which saves a hop back.
            _ = actor
            return await queue.run { [self] in
                database.inDatabase { _ in
                    let outcome =
                        isErased.load(ordering: .acquiring)
                        ? .failure(.closedStore(unsaved: [])) : writeNow(stop, for: caller, body)
                    // A checkpoint is made after the call returns.
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

    /// Deletes everything, after the writes that were requested before.
    func erase() async throws(StoreError) {
        close()
        let outcome = await queue.run { [self] in
            database.inDatabase { _ in
                // Notes about answers are dropped from now on, too.
                let wasErased = isErased.exchange(true, ordering: .acquiringAndReleasing)
                let outcome = writeNow(StopSignal(), for: nil) { writer in
                    // Stays on, since this connection writes no records afterwards.
                    try writer.connection.execute("PRAGMA secure_delete = ON")
                    try writer.erase()
                    return ((), ChangeSet(writer.schema))
                }
                guard case .success = outcome else {
                    isErased.store(wasErased, ordering: .releasing)
                    return outcome
                }
                // Waits up to five seconds for readers.
                let isShredded = Mutex(false)
                commits.quietly { isShredded.withLock { $0 = writer.shred(patience: 1000) } }
                commits.forgetCompanions()
                // Other stores of this process reread the file.
                commits.postOthers()
                return isShredded.withLock { $0 } ? outcome : .failure(.file(.busy, path: path))
            }
        }
        try outcome.get()
    }

    private func checkpointLater() {
        queue.async { [self] in
            database.inDatabase { _ in
                if writer.wantsCheckpoint { commits.quietly { writer.checkpoint() } }
            }
        }
    }

    /// Call it in the queue.
    private func writeNow<Value>(
        _ stop: StopSignal, for caller: ObjectIdentifier?, _ body: (Writer) throws -> (Value, ChangeSet)
    ) -> Result<Value, StoreError> {
        writer.stop = stop
        defer {
            writer.stop = StopSignal()
            announceOthers()
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
            // The transaction was rolled back. The former identity is noted now, so the repetition ends.
            operations.noteFormerIdentity(of: names.record, requestTime: nil)
            return writeNow(stop, for: caller, body)
        } catch {
            // A stopped wait for a lock has its own reason, rather than `busy`.
            return .failure(stop.reason ?? StoreError(wrapping: error, path: path))
        }
    }

    /// - Throws: ``StoreError/FileProblem/gone``.
    func checkPresence() throws(StoreError) { try onDisk.checkPresence() }

    // MARK: Configuration

    private static var writerConfiguration: Configuration {
        var configuration = Configuration()
        configuration.label = "RestfulData.writer"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // `temp_store`: the statement journal of an upsert into a table with foreign keys would be a file.
            // `wal_autocheckpoint`: checkpoints come after the caller has its result. `journal_size_limit`: 4 MB are
            // left of a larger WAL.
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
            // 16 MB. The default of 2 MB holds fewer than ten thousand rows, and a query over more reads every page
            // again.
            try database.execute(sql: "PRAGMA cache_size = -16384")
        }
        return configuration
    }

    private static func removeFiles(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
