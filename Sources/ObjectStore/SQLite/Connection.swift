import GRDBSQLite

/// A connection that GRDB has opened. One thread at a time uses it: the writer's queue, or the isolation of the
/// reader's context.
@safe final class Connection {
    /// Valid as long as this object, whose creator retains GRDB's queue.
    let handle: OpaquePointer
    let path: String
    private var statements: [String: RawStatement] = [:]
    private var queries: [String: RawStatement] = [:]
    private static let keptQueries = 128
    /// Safe without the exclusivity check: no access runs code that uses this property.
    @safe @exclusivity(unchecked)
    var room = HeapRoom()

    init(handle: OpaquePointer, path: String) {
        unsafe self.handle = handle
        self.path = path
    }

    /// Keeps all statements.
    func statement(_ sql: String) throws(SQLiteFailure) -> RawStatement {
        if let statement = statements[sql] { return statement }
        let statement = try RawStatement(self, sql)
        statements[sql] = statement
        return statement
    }

    /// Keeps up to ``keptQueries`` statements, since there may be any number of queries.
    func queryStatement(_ sql: String) throws(SQLiteFailure) -> RawStatement {
        if let statement = queries[sql] { return statement }
        let statement = try RawStatement(self, sql)
        if queries.count >= Self.keptQueries { queries.removeAll() }
        queries[sql] = statement
        return statement
    }

    /// Call it before the connection closes.
    func forgetStatements() {
        statements.removeAll()
        queries.removeAll()
    }

    /// Registers ``SearchTokenizer``.
    func knowWords() throws { try unsafe SearchTokenizer.register(on: handle) }

    func execute(_ sql: String) throws(SQLiteFailure) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, sql) }
    }

    @inline(__always)
    var changes: Int32 { unsafe sqlite3_changes(handle) }

    /// The number of rows changed by all statements so far, including triggers.
    var totalChanges: Int32 { unsafe sqlite3_total_changes(handle) }

    /// Set it to 0 before an upsert. Afterwards, it is the id of an inserted row, or still 0.
    @inline(__always)
    var lastInsertedKey: Int64 {
        get { unsafe sqlite3_last_insert_rowid(handle) }
        set { unsafe sqlite3_set_last_insert_rowid(handle, newValue) }
    }

    func failure(_ code: Int32, _ sql: String) -> SQLiteFailure {
        SQLiteFailure(
            code: unsafe sqlite3_extended_errcode(handle), message: unsafe String(cString: sqlite3_errmsg(handle)),
            sql: sql, path: path)
    }
}
