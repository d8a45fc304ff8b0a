import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// The file with the records, its writer, and the contexts that hear of what is written.
///
/// ``Store`` and its contexts hold it: objects that outlive their store can still be saved.
package final class StoreFile: Sendable {
    package let path: String
    package let schema: Schema
    /// What a layer above keeps with the store: the API that the models are fetched from.
    package let companion: (any Sendable)?
    private let isTemporary: Bool
    private let database: DatabaseQueue
    private let writer: Writer
    /// Whether all of a large WAL is in the file, so that it need not grow on.
    private let walIsCopied = SharedFlag()
    private let handles = Mutex<[ObjectIdentifier: ContextHandle]>([:])

    /// Opens the file, and makes its tables or migrates them to what the models say.
    ///
    /// - Throws: ``StoreError/file(_:path:)`` when the file is not a database, can't be opened or written, is newer, or was
    ///   made by models that these can't follow.
    init(
        _ location: Store.Location, schema: Schema, companion: (any Sendable)?, options: StoreOptions
    ) throws(StoreError) {
        let path: String
        switch location {
        case .file(let name):
            path = name
            isTemporary = false
        case .temporary:
            path = FileManager.default.temporaryDirectory.appendingPathComponent("RestfulData-\(UUID()).sqlite").path
            isTemporary = true
        }
        self.path = path
        self.companion = companion
        self.schema = schema
        do {
            database = try DatabaseQueue(path: path, configuration: Self.writerConfiguration)
            writer = try database.inDatabase { database in
                // An open GRDB database has its handle.
                let connection = unsafe Connection(handle: database.sqliteConnection.unsafelyUnwrapped, path: path)
                try StoreOpening(schema, connection, options).prepare()
                return try Writer(schema: schema, connection: connection)
            }
        } catch {
            throw StoreError(wrapping: error, path: path)
        }
    }

    deinit {
        // The last reference may go within the queue itself, so reentrantly; GRDB closes the connection with the queue.
        database.unsafeReentrantWrite { _ in writer.close() }
        if isTemporary { Self.removeFiles(path) }
    }

    /// How the server last wrote each attribute.
    package var shapes: LearnedShapes { writer.shapes }

    func register(_ context: ObjectContext) {
        handles.withLock { $0[ObjectIdentifier(context.handle)] = context.handle }
    }

    var contexts: [ContextHandle] { handles.withLock { Array($0.values) } }

    func unregister(_ handle: ContextHandle) {
        handles.withLock { $0[ObjectIdentifier(handle)] = nil }
    }

    // MARK: Writing

    /// Runs `body` in one transaction off the caller's actor, and merges what it changed into every live context before
    /// it returns.
    @concurrent
    nonisolated func write<Result: Sendable>(
        _ body: @escaping @Sendable (Writer) throws -> (Result, ChangeSet)
    ) async throws(StoreError) -> Result {
        if walIsCopied.isSet { await endReading() }
        let result: Result
        let contexts: [ContextHandle]
        let isLarge: Bool
        do {
            (result, contexts, isLarge) = try await database.writeWithoutTransaction { [self] _ in
                let (result, changes) = try writer.transaction(body)
                let contexts = changes.isEmpty ? [] : handles.withLock { Array($0.values) }
                for context in contexts { context.post(changes) }
                return (result, contexts, writer.wantsCheckpoint)
            }
        } catch {
            // A task that is cancelled just after the commit hears of the cancellation, and the contexts of the commit.
            for context in handles.withLock({ Array($0.values) }) { await context.deliver() }
            throw StoreError(wrapping: error, path: path)
        }
        for context in contexts { await context.deliver() }
        if isLarge { checkpointLater() }
        return result
    }

    /// Copies the WAL into the file, after the caller has its answer.
    private func checkpointLater() {
        database.asyncWriteWithoutTransaction { [writer, walIsCopied] _ in
            walIsCopied.isSet = writer.checkpoint()
        }
    }

    /// Lets the contexts give up the states of the file that they read, so that the next write can begin the WAL anew
    /// (https://sqlite.org/wal.html#avoiding_excessively_large_wal_files). They read the newest the next time.
    private func endReading() async {
        walIsCopied.isSet = false
        for context in handles.withLock({ Array($0.values) }) { await context.endReading() }
    }

    // MARK: Configuration

    private static var writerConfiguration: Configuration {
        var configuration = Configuration()
        configuration.label = "RestfulData.writer"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // The statement journal of an upsert into a table with foreign keys would be a file. A checkpoint is made after
            // the caller has its answer.
            try database.execute(
                sql: """
                    PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
                    PRAGMA wal_autocheckpoint = 0
                    """)
        }
        return configuration
    }

    var readerConfiguration: Configuration {
        var configuration = Configuration()
        configuration.label = "RestfulData.reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        return configuration
    }

    private static func removeFiles(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
