import GRDBSQLite

/// The one connection that writes, and what it remembers between transactions.
///
/// Every member is used within the writer's queue only, which runs one block at a time: that is what makes it safe to hand
/// the reference to other threads.
final class Writer: @unchecked Sendable {
    let schema: Schema
    let connection: Connection
    /// By table: the local key that the next new row gets. Keys of deleted rows are not used again while this process
    /// lives, so that a context can't take a new row for one that it knew.
    var nextKeys: [Int64]
    /// By table: the rows with local changes that the server has not confirmed, which an import must not overwrite.
    var unsentRows: [Set<Int64>]
    /// The tables of which some row is waited for, and those that have rows which wait.
    var pendingTargets: Set<Int> = []
    var pendingSources: Set<Int> = []
    /// Rows that became one with another, by the key that they had: what was on its way to the file means the other.
    var successors: [WriteBatch.Key: Int64] = [:]
    let memberStatements: MemberStatements
    /// How the server last wrote each attribute, as committed.
    let shapes: LearnedShapes
    /// What the running transaction adds to that.
    var lessonsInTransaction: [LearnedShapes.Lesson] = []
    /// The compiled imports, by table; made at first use.
    var plans: [ImportPlan?]
    /// `PRAGMA data_version`, which another process's commit changes.
    private var dataVersion: Int64 = 0
    /// How many pages the WAL held after the last commit.
    private var walPages: Int32 = 0
    /// The same at the last checkpoint.
    private var copiedPages: Int32 = 0

    init(schema: Schema, connection: Connection) throws {
        self.schema = schema
        self.connection = connection
        nextKeys = Array(repeating: 1, count: schema.tables.count)
        unsentRows = Array(repeating: [], count: schema.tables.count)
        plans = Array(repeating: nil, count: schema.tables.count)
        memberStatements = MemberStatements(count: schema.listCount)
        shapes = LearnedShapes(schema)
        // The hook runs within the commit, so on the writer's queue, and the connection closes before this object ends.
        unsafe sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<Writer>.fromOpaque(context).takeUnretainedValue().walPages = pages
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
        try refreshShapes()
    }

    /// Forgets the hook and the statements, before the connection closes.
    func close() {
        unsafe sqlite3_wal_hook(connection.handle, nil, nil)
        plans = []
        memberStatements.removeAll()
        connection.forgetStatements()
    }

    /// Whether the WAL has grown by so much since the last checkpoint that another is due. 1000 pages are SQLite's own default:
    /// https://sqlite.org/wal.html#automatic_checkpoint.
    var wantsCheckpoint: Bool {
        if walPages < copiedPages { copiedPages = 0 }
        return walPages - copiedPages > 1000
    }

    /// Copies as much of the WAL into the file as no reader keeps from it.
    ///
    /// - Returns: whether that was all.
    func checkpoint() -> Bool {
        var pages: Int32 = 0
        var copied: Int32 = 0
        let code = unsafe sqlite3_wal_checkpoint_v2(
            connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied)
        copiedPages = walPages
        return code == SQLITE_OK && pages == copied
    }

    /// Runs `body` in one transaction: all of it is in the file afterwards, or nothing.
    func transaction<Result>(_ body: (Writer) throws -> Result) throws -> Result {
        try connection.statement("BEGIN IMMEDIATE").run()
        lessonsInTransaction = []
        do {
            try refreshMemory()
            let result = try body(self)
            try connection.statement("COMMIT").run()
            shapes.take(lessonsInTransaction)
            return result
        } catch {
            // A full disk or an interrupt may have ended the transaction already.
            if unsafe sqlite3_get_autocommit(connection.handle) == 0 { try? connection.execute("ROLLBACK") }
            dataVersion = 0
            throw error
        }
    }

    /// Reads again what another process may have changed.
    private func refreshMemory() throws {
        let statement = try connection.statement("PRAGMA data_version")
        guard try statement.step() else { return }
        let version = statement.integer(0)
        statement.reset()
        guard version != dataVersion else { return }
        dataVersion = version
        try refreshPendingLinks()
        try refreshShapes()
        for table in schema.tables {
            let name = SQL.quoted(table.name)
            let last = try connection.statement("SELECT max(_id) FROM \(name)")
            if try last.step() { nextKeys[table.index] = max(nextKeys[table.index], last.integer(0) + 1, 1) }
            last.reset()
            unsentRows[table.index] = []
            let unsent = try connection.statement("SELECT _id FROM \(name) WHERE _unsent IS NOT NULL")
            while try unsent.step() { unsentRows[table.index].insert(unsent.integer(0)) }
        }
    }

    private func refreshPendingLinks() throws {
        pendingTargets = []
        pendingSources = []
        let pending = try connection.statement("SELECT DISTINCT source, target FROM _pending_link")
        while try pending.step() {
            for table in schema.tables where table.name == pending.text(0) { pendingSources.insert(table.index) }
            for table in schema.tables where table.name == pending.text(1) { pendingTargets.insert(table.index) }
        }
    }

    /// The local key of the row of an identity; `nil` where there is none.
    func find(_ table: ModelSchema, identity: [StoredValue]) throws -> Int64? {
        let statement = try connection.statement(
            "SELECT _id FROM \(SQL.quoted(table.name)) WHERE \(SQL.identityCondition(table))")
        for (n, value) in identity.enumerated() { statement.bind(value, at: Int32(n + 1)) }
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return statement.integer(0)
    }
}
