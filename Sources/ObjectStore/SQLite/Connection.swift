import GRDBSQLite

/// A connection that GRDB opened, with the raw statements prepared on it so far.
///
/// It is used by one thread at a time: the writer's within the writer's queue, a reader's within its context.
@safe final class Connection {
    /// Closed by GRDB, whose queue outlives this object: whoever makes a `Connection` keeps that queue.
    let handle: OpaquePointer
    let path: String
    private var statements: [String: RawStatement] = [:]
    private var queries: [String: RawStatement] = [:]
    private static let keptQueries = 128
    /// For the rows that are read. Not checked for overlapping accesses at run time: it calls nobody.
    @safe @exclusivity(unchecked)
    var room = HeapRoom()

    init(handle: OpaquePointer, path: String) {
        unsafe self.handle = handle
        self.path = path
    }

    /// The statement for `sql`, prepared at its first use and kept.
    func statement(_ sql: String) throws(SQLiteFailure) -> RawStatement {
        if let statement = statements[sql] { return statement }
        let statement = try RawStatement(self, sql)
        statements[sql] = statement
        return statement
    }

    /// The same for a question, of which there may be any number: the last ones are kept.
    func queryStatement(_ sql: String) throws(SQLiteFailure) -> RawStatement {
        if let statement = queries[sql] { return statement }
        let statement = try RawStatement(self, sql)
        if queries.count >= Self.keptQueries { queries.removeAll() }
        queries[sql] = statement
        return statement
    }

    /// Finalizes the statements, which must be done before the connection closes.
    func forgetStatements() {
        statements.removeAll()
        queries.removeAll()
    }

    /// Makes the tokenizer of full text indexes known to the connection.
    func knowWords() throws { try unsafe SearchTokenizer.register(on: handle) }

    func execute(_ sql: String) throws(SQLiteFailure) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, sql) }
    }

    /// How many rows the last statement inserted, updated or deleted.
    @inline(__always)
    var changes: Int32 { unsafe sqlite3_changes(handle) }

    /// How many rows all statements so far have changed, triggers included.
    var totalChanges: Int32 { unsafe sqlite3_total_changes(handle) }

    /// Set to 0 before an upsert and read after it, this tells an insert (its key) from an update or nothing (0).
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
