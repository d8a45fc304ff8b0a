import GRDBSQLite
import Synchronization
import Testing

@testable import ObjectStore

/// Counts the work that a store's writer requests from SQLite, which shows the cost of an operation independently of
/// clocks.
///
/// The store outlives it, and its writer is idle while it is released.
@safe final class FileWork: Sendable {
    struct Count: Equatable {
        var statements = 0
        var rowsRead = 0
        var rowsWritten = 0

        static func - (left: Count, right: Count) -> Count {
            Count(
                statements: left.statements - right.statements, rowsRead: left.rowsRead - right.rowsRead,
                rowsWritten: left.rowsWritten - right.rowsWritten)
        }
    }

    private let current = Mutex(Count())

    var count: Count { current.withLock { $0 } }

    init(of store: Store) async throws {
        // The statement traced is alive during the call, and so is this object until `stop`.
        try await store.file.write { [self] writer in
            unsafe sqlite3_trace_v2(
                writer.connection.handle, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW), Self.note,
                Unmanaged.passUnretained(self).toOpaque())
            return ((), ChangeSet(writer.schema))
        }
    }

    /// The work of a context's queries in SQLite, until ``stop(_:)``.
    init(of context: ObjectContext) throws {
        let connection = try #require(context.reader).reading().connection
        unsafe sqlite3_trace_v2(
            connection.handle, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW), Self.note,
            Unmanaged.passUnretained(self).toOpaque())
    }

    func stop(_ context: ObjectContext) throws {
        unsafe sqlite3_trace_v2(try #require(context.reader).reading().connection.handle, 0, nil, nil)
    }

    func stop(_ store: Store) async throws {
        try await store.file.write { writer in
            unsafe sqlite3_trace_v2(writer.connection.handle, 0, nil, nil)
            return ((), ChangeSet(writer.schema))
        }
    }

    private static let note:
        @convention(c) (UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32 =
            {
                (event, context, statement, _) in
                guard let context = unsafe context else { return 0 }
                let work = unsafe Unmanaged<FileWork>.fromOpaque(context).takeUnretainedValue()
                let connection = unsafe sqlite3_db_handle(OpaquePointer(statement))
                let written = unsafe Int(sqlite3_total_changes(connection))
                work.current.withLock { count in
                    if event == UInt32(SQLITE_TRACE_STMT) { count.statements += 1 } else { count.rowsRead += 1 }
                    count.rowsWritten = written
                }
                return 0
            }
}
