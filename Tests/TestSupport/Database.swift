import GRDBSQLite

/// A store's file seen with plain SQLite, apart from the library's own code.
@safe package final class Database {
    package enum Failure: Error { case sqlite(Int32, String) }

    /// Closed in `deinit` only.
    private let handle: OpaquePointer

    package init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open(path, &handle)
        guard code == SQLITE_OK, let handle = unsafe handle else { throw Failure.sqlite(code, "open \(path)") }
        unsafe self.handle = handle
        unsafe sqlite3_busy_timeout(handle, 5000)
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// The rows of a query, each column as text; nil for NULL.
    package func rows(_ sql: String) throws -> [[String?]] {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { throw Failure.sqlite(code, unsafe String(cString: sqlite3_errmsg(handle))) }
        defer { unsafe sqlite3_finalize(statement) }
        var rows: [[String?]] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            let count = unsafe sqlite3_column_count(statement)
            // A column's text is valid until the next step, and copied before it.
            rows.append(
                (0..<count).map { unsafe sqlite3_column_text(statement, $0).map { unsafe String(cString: $0) } })
        }
        return rows
    }
}
