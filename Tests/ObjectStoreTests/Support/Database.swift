import GRDBSQLite

@testable import ObjectStore

/// The store's file seen with plain SQLite, apart from the library's own code.
@safe final class Database {
    enum Failure: Error { case sqlite(Int32, String) }

    /// Closed in `deinit` only.
    private let handle: OpaquePointer

    /// - Parameter isPlain: whether it is as another program's connection, which has no tokenizer of ours.
    init(_ path: String, isPlain: Bool = false) throws {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open(path, &handle)
        guard code == SQLITE_OK, let handle = unsafe handle else { throw Failure.sqlite(code, "open \(path)") }
        unsafe self.handle = handle
        unsafe sqlite3_busy_timeout(handle, 5000)
        if !isPlain { try unsafe SearchTokenizer.register(on: handle) }
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw Failure.sqlite(code, unsafe String(cString: sqlite3_errmsg(handle)))
        }
    }

    /// The rows of a query, each column as text; nil for NULL.
    func rows(_ sql: String) throws -> [[String?]] {
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

    /// The first column of the first row.
    func value(_ sql: String) throws -> String? { try rows(sql).first?.first ?? nil }

    /// The statements that make a database like this one, with its rows in the order of their columns.
    func script() throws -> String {
        var lines = ["PRAGMA user_version = \(try value("PRAGMA user_version") ?? "0");"]
        let tables = try rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
        for table in tables {
            let name = table[0] ?? ""
            lines.append((table[1] ?? "") + ";")
            let columns = try rows("SELECT name FROM pragma_table_info('\(name)')").compactMap { $0[0] }
            let values = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ', ' || ")
            let found = try rows("SELECT \(values) FROM \"\(name)\"").compactMap { $0[0] }
            lines += found.sorted().map { "INSERT INTO \"\(name)\" VALUES (\($0));" }
        }
        let indexes = try rows(
            "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
        lines += indexes.compactMap { $0[0] }.map { $0 + ";" }
        return lines.joined(separator: "\n") + "\n"
    }
}
