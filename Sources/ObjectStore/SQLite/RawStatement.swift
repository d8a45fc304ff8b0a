import GRDBSQLite

/// A prepared statement, used by one thread at a time. Its pointers are valid until the next step or reset
/// (https://sqlite.org/c3ref/column_blob.html).
@safe final class RawStatement {
    /// Valid as long as this object, since only `deinit` finalizes it.
    let handle: OpaquePointer
    unowned let connection: Connection
    private let hasTail: Bool

    init(_ connection: Connection, _ sql: String) throws(SQLiteFailure) {
        var handle: OpaquePointer?
        var count = 0
        let code = unsafe sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            let code = unsafe sqlite3_prepare_v3(
                connection.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
            if let tail = unsafe tail { count = unsafe tail - text }
            return code
        }
        guard code == SQLITE_OK, let handle = unsafe handle else { throw connection.failure(code, sql) }
        unsafe self.handle = handle
        hasTail = sql.utf8.dropFirst(count).contains { $0 > 0x20 && $0 != 0x3B }
        self.connection = connection
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Returns `false` at the end and resets the statement.
    @inline(__always)
    func step() throws(SQLiteFailure) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        unsafe sqlite3_reset(handle)
        if code == SQLITE_DONE { return false }
        throw connection.failure(code, sql)
    }

    @inline(__always)
    func run() throws(SQLiteFailure) { while try step() {} }

    /// The first column must be a row id.
    func firstRow() throws(SQLiteFailure) -> RowID? {
        guard try step() else { return nil }
        defer { reset() }
        return row(0)
    }

    /// The first column must be a row id.
    func rows() throws(SQLiteFailure) -> [RowID] {
        var rows: [RowID] = []
        while try step() { rows.append(row(0)) }
        return rows
    }

    func reset() { unsafe sqlite3_reset(handle) }

    /// Why the statement is refused as a query, or `nil`. The connection is read-only in any case.
    var queryProblem: String? {
        if hasTail { return "there is more than one statement" }
        var scanner = SQLScanner()
        scanner.read(sql)
        let isQuery = unsafe sqlite3_column_count(handle) > 0 && sqlite3_stmt_readonly(handle) != 0
        guard isQuery, ["select", "with", "values"].contains(scanner.firstWord) else {
            return "it is no SELECT, and nothing else is run"
        }
        return nil
    }

    var columnNames: [String] {
        let count = unsafe sqlite3_column_count(handle)
        return (0..<count).map { column in
            // Valid until the statement is finalized or prepared again.
            unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
        }
    }

    var sql: String { unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? "" }

    // MARK: Binding (parameters count from 1; an index out of range is ignored by SQLite)

    @inline(__always)
    func bind(_ value: Int64, at index: Int32) { unsafe sqlite3_bind_int64(handle, index, value) }

    @inline(__always)
    func bind(_ row: RowID, at index: Int32) { bind(row.rawValue, at: index) }

    @inline(__always)
    func bind(_ value: Double, at index: Int32) { unsafe sqlite3_bind_double(handle, index, value) }

    @inline(__always)
    func bindNull(at index: Int32) { unsafe sqlite3_bind_null(handle, index) }

    /// Doesn't copy the bytes (SQLITE_STATIC), so keep them valid until the statement has run.
    @inline(__always)
    func bindText(unowned bytes: UnsafeRawBufferPointer, at index: Int32) {
        // SQLite would take a missing address for NULL.
        guard let base = bytes.baseAddress else {
            unsafe sqlite3_bind_text(handle, index, "", 0, nil)
            return
        }
        unsafe sqlite3_bind_text(
            handle, index, base.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), nil)
    }

    func bind(_ value: StoredValue, at index: Int32) {
        switch value {
        case .null: bindNull(at: index)
        case .integer(let value): bind(value, at: index)
        case .real(let value): bind(value, at: index)
        case .text(var text):
            text.withUTF8 { bytes in
                _ = unsafe sqlite3_bind_text(
                    handle, index,
                    bytes.baseAddress.map { unsafe UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) },
                    Int32(clamping: bytes.count), Self.transient)
                // SQLite would take a missing address for NULL.
                if bytes.isEmpty { unsafe sqlite3_bind_text(handle, index, "", 0, nil) }
            }
        case .blob(let bytes):
            unsafe bytes.withUnsafeBytes { bytes in
                _ =
                    unsafe bytes.isEmpty
                    ? sqlite3_bind_zeroblob(handle, index, 0)
                    : sqlite3_bind_blob(
                        handle, index, bytes.baseAddress, Int32(clamping: bytes.count), Self.transient)
            }
        }
    }

    func bind(_ values: [StoredValue]) {
        assert(unsafe values.count == Int(sqlite3_bind_parameter_count(handle)), "as many values as parameters")
        for (n, value) in values.enumerated() { bind(value, at: Int32(n + 1)) }
    }

    /// SQLite copies the bytes before the call returns.
    private static var transient: sqlite3_destructor_type {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    // MARK: Columns (count from 0)

    @inline(__always)
    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func real(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

    @inline(__always)
    func row(_ column: Int32) -> RowID { RowID(integer(column)) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    func value(_ column: Int32) -> StoredValue {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(unsafe sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: .real(unsafe sqlite3_column_double(handle, column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB:
            .blob(
                unsafe Array(
                    UnsafeRawBufferPointer(
                        start: sqlite3_column_blob(handle, column), count: Int(sqlite3_column_bytes(handle, column)))))
        default: .null
        }
    }

    /// Empty for NULL.
    func text(_ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

extension RawStatement {
    @inline(__always)
    func bind(_ slot: ImportSlot, at index: Int32) {
        switch slot.tag {
        case .text: unsafe bindText(unowned: slot.bytes, at: index)
        case .integer: bind(slot.bits, at: index)
        case .real: bind(Double(bitPattern: UInt64(bitPattern: slot.bits)), at: index)
        case .null, .absent: bindNull(at: index)
        case .blob: bind(slot.stored, at: index)
        }
    }
}
