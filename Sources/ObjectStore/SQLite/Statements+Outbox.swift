// `_outbox`: the writes that the server hasn't accepted yet.

extension Statements {
    /// In their order, without entries of unknown models or relationships.
    func queuedWrites(after number: Int64 = 0, limit: Int = .max) throws(SQLiteFailure) -> [QueuedWrite] {
        let read = try connection.statement("\(Self.selectQueued) WHERE number > ? ORDER BY number LIMIT ?")
        read.bind(number, at: 1)
        read.bind(Int64(limit), at: 2)
        return try queuedWrites(read)
    }

    /// In their order, without rejected entries.
    ///
    /// - Parameter isIncluded: selects entries by their subject and account.
    func queuedKeys(
        after number: Int64, where isIncluded: (QueuedSubject, String) -> Bool
    ) throws(SQLiteFailure) -> [QueuedWrite.Key] {
        let read = try connection.statement(
            """
            SELECT number, source, source_id, relationship, member, account FROM _outbox \
            WHERE rejection IS NULL AND number > ? ORDER BY number
            """)
        read.bind(number, at: 1)
        defer { read.reset() }
        var keys: [QueuedWrite.Key] = []
        while try read.step() {
            guard let subject = subject(read), isIncluded(subject, read.text(5)) else { continue }
            keys.append(QueuedWrite.Key(number: read.integer(0), subject: subject))
        }
        return keys
    }

    func queuedWrite(_ subject: QueuedSubject) throws(SQLiteFailure) -> QueuedWrite? {
        let read = try connection.statement("\(Self.selectQueued) WHERE \(Self.isQueuedSubject)")
        read.bind(key(of: subject))
        return try queuedWrites(read).first
    }

    func countsOfQueuedWrites() throws(SQLiteFailure) -> QueuedWriteCounts {
        let read = try connection.statement(
            """
            SELECT (SELECT count(*) FROM _outbox), \
            (SELECT count(*) FROM _outbox INDEXED BY _outbox_rejection WHERE rejection IS NOT NULL)
            """)
        defer { read.reset() }
        guard try read.step() else { return QueuedWriteCounts() }
        return QueuedWriteCounts(all: Int(read.integer(0)), rejected: Int(read.integer(1)))
    }

    func tablesOfQueuedWrites() throws(SQLiteFailure) -> (all: Set<TableID>, deletions: Set<TableID>) {
        var tables: (all: Set<TableID>, deletions: Set<TableID>) = ([], [])
        try readLastNumber()
        guard try exists("SELECT 1 FROM _outbox", []) else { return tables }
        let hasMembers = try exists("SELECT 1 FROM _outbox WHERE member <> 0", [])
        for model in schema.roots {
            let name = StoredValue.text(model.tableName)
            guard try exists("SELECT 1 FROM _outbox WHERE source = ?", [name]) else { continue }
            tables.all.insert(model.table)
            // The `+` keeps SQLite from the index of `source`, so that it searches the few deletions by key.
            if try exists("SELECT 1 FROM _outbox WHERE +source = ? AND key IS NOT NULL", [name]) {
                tables.deletions.insert(model.table)
            }
            // Entries about members of lists concern the members' tables, too.
            if hasMembers { tables.all.formUnion(model.lists.map(\.target)) }
        }
        return tables
    }

    private func exists(_ query: String, _ values: [StoredValue]) throws(SQLiteFailure) -> Bool {
        let read = try connection.statement("\(query) LIMIT 1")
        read.bind(values)
        defer { read.reset() }
        return try read.step()
    }

    /// Other processes add and remove entries.
    private func readLastNumber() throws(SQLiteFailure) {
        let read = try connection.statement(
            """
            SELECT max(ifnull((SELECT max(number) FROM _outbox), 0), \
            ifnull((SELECT row FROM _last_row WHERE model = '_outbox'), 0))
            """)
        defer { read.reset() }
        if try read.step() { lastQueuedNumber = max(lastQueuedNumber, read.integer(0)) }
    }

    /// Adds an entry behind all others, or replaces one with the same subject, which keeps its number.
    func queue(
        _ action: QueuedWrite.Action, _ subject: QueuedSubject, account: String, since: Double,
        rows: DeletedRows? = nil
    ) throws(SQLiteFailure) {
        let write = try connection.statement(
            """
            INSERT INTO _outbox (source, source_id, relationship, member, number, action, account, since, key, object) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source, source_id, relationship, member) DO UPDATE SET \
            action = excluded.action, key = excluded.key, object = excluded.object, \
            rejection = NULL, edition = edition + 1 RETURNING number
            """)
        let number = lastQueuedNumber + 1
        write.bind(
            key(of: subject) + [
                .integer(number), .integer(action.rawValue), .text(account), .real(since),
                rows?.key.map(StoredValue.text) ?? .null, rows.map { .text($0.text) } ?? .null,
            ])
        defer { write.reset() }
        if try write.step(), write.integer(0) == number { lastQueuedNumber = number }
    }

    func setRejection(_ rejection: String?, of subject: QueuedSubject) throws(SQLiteFailure) {
        try set("rejection", rejection, of: subject)
    }

    func setSent(_ sent: String?, of subject: QueuedSubject) throws(SQLiteFailure) {
        try set("sent", sent, of: subject)
    }

    func setRows(_ rows: DeletedRows, of subject: QueuedSubject) throws(SQLiteFailure) {
        try set("object", rows.text, of: subject)
        try set("key", rows.key, of: subject)
    }

    private func set(_ column: String, _ text: String?, of subject: QueuedSubject) throws(SQLiteFailure) {
        let write = try connection.statement("UPDATE _outbox SET \(column) = ?5 WHERE \(Self.isQueuedSubject)")
        write.bind(key(of: subject) + [text.map(StoredValue.text) ?? .null])
        try write.run()
    }

    @discardableResult
    func deleteQueued(_ subject: QueuedSubject) throws(SQLiteFailure) -> Bool {
        let delete = try connection.statement("DELETE FROM _outbox WHERE \(Self.isQueuedSubject) RETURNING number")
        delete.bind(key(of: subject))
        let number: Int64
        do {
            defer { delete.reset() }
            guard try delete.step() else { return false }
            number = delete.integer(0)
        }
        // Other processes may know the entry by this number, so it stays reserved.
        if number == lastQueuedNumber { try keepLastNumber() }
        return true
    }

    /// Includes entries about the object's lists, and its membership in others.
    func queuedSubjects(of record: RecordID) throws(SQLiteFailure) -> [QueuedSubject] {
        let read = try connection.statement("\(Self.selectQueued) WHERE source = ? AND source_id = ?")
        read.bind([.text(schema[record.table].tableName), .integer(record.row.rawValue)])
        let own = try queuedWrites(read).map(\.subject)
        // SQLite uses the partial index only if the query repeats its condition, `member <> 0`.
        let joined = try connection.statement("\(Self.selectQueued) WHERE member = ? AND member <> 0")
        joined.bind(record.row, at: 1)
        return own
            + (try queuedWrites(joined)).map(\.subject).filter { subject in
                guard let membership = subject.membership else { return false }
                return schema[subject.record.table][membership.property].target == record.table
            }
    }

    private func keepLastNumber() throws(SQLiteFailure) {
        let write = try connection.statement("INSERT OR REPLACE INTO _last_row (model, row) VALUES ('_outbox', ?)")
        write.bind(lastQueuedNumber, at: 1)
        try write.run()
    }

    // MARK: The lease

    func outboxLeaseHolder() throws(SQLiteFailure) -> ProcessToken? {
        let read = try connection.statement("SELECT holder FROM _lease WHERE name = 'outbox'")
        defer { read.reset() }
        return try read.step() ? ProcessToken(text: read.text(0)) : nil
    }

    func setOutboxLeaseHolder(_ processToken: ProcessToken?) throws(SQLiteFailure) {
        guard let processToken else {
            return try connection.statement("DELETE FROM _lease WHERE name = 'outbox'").run()
        }
        let write = try connection.statement("INSERT OR REPLACE INTO _lease (name, holder) VALUES ('outbox', ?)")
        write.bind([.text(processToken.text)])
        try write.run()
    }

    func queuedDeletion(of key: String, in table: TableID) throws(SQLiteFailure) -> RowID? {
        let read = try connection.statement("SELECT source_id FROM _outbox WHERE key = ? AND source = ?")
        read.bind([.text(key), .text(schema[table].tableName)])
        defer { read.reset() }
        return try read.step() ? read.row(0) : nil
    }

    func isDeletionQueued(_ key: String, in table: TableID) throws(SQLiteFailure) -> Bool {
        try queuedDeletion(of: key, in: table) != nil
    }

    private static let selectQueued =
        "SELECT number, source, source_id, relationship, member, action, account, since, rejection, sent, object, edition FROM _outbox"
    private static let isQueuedSubject = "source = ?1 AND source_id = ?2 AND relationship = ?3 AND member = ?4"

    private func key(of subject: QueuedSubject) -> [StoredValue] {
        let model = schema[subject.record.table]
        return [
            .text(model.tableName), .integer(subject.record.row.rawValue),
            .text(subject.membership.map { model[$0.property].name } ?? ""),
            .integer(subject.membership?.member.rawValue ?? 0),
        ]
    }

    private func queuedWrites(_ read: RawStatement) throws(SQLiteFailure) -> [QueuedWrite] {
        var entries: [QueuedWrite] = []
        while try read.step() {
            guard let subject = subject(read), let action = QueuedWrite.Action(rawValue: read.integer(5)) else {
                continue
            }
            entries.append(
                QueuedWrite(
                    number: read.integer(0), subject: subject, action: action, account: read.text(6),
                    since: read.real(7), rejection: read.isNull(8) ? nil : read.text(8),
                    sent: read.isNull(9) ? nil : read.text(9),
                    rows: read.isNull(10) ? nil : DeletedRows(text: read.text(10)), edition: read.integer(11)))
        }
        return entries
    }

    /// Starts at the second column. `nil` if the schema lacks the model or relationship.
    private func subject(_ read: RawStatement) -> QueuedSubject? {
        let name = read.text(1)
        guard let model = schema.roots.first(where: { $0.tableName == name }) else { return nil }
        var subject = QueuedSubject(RecordID(table: model.table, row: read.row(2)))
        let relationship = read.text(3)
        guard !relationship.isEmpty else { return subject }
        guard let property = model.property(named: relationship) else { return nil }
        subject.membership = QueuedSubject.Membership(read.row(4), in: property.index)
        return subject
    }
}

// MARK: Natural keys

extension Statements {
    /// Unless the columns are indexed, this reads the whole table.
    func rows(of table: TableID, with values: [StoredValue], in columns: [Column]) throws(SQLiteFailure) -> [RowID] {
        let conditions = columns.map { "\($0.sqlName) = ?" }.joined(separator: " AND ")
        let read = try connection.statement("SELECT _id FROM \(schema[table].sqlName) WHERE \(conditions)")
        read.bind(values)
        return try read.rows()
    }
}

// MARK: Deleted rows

extension Statements {
    /// Values by column name, without NULL.
    func cells(of record: RecordID) throws(SQLiteFailure) -> DeletedRows.Row? {
        let model = schema[record.table]
        let read = try connection.statement("SELECT * FROM \(model.sqlName) WHERE _id = ?")
        read.bind(record.row, at: 1)
        return try rows(read, of: model.tableName).first
    }

    func joinedRows(with record: RecordID, in join: JoinTable) throws(SQLiteFailure) -> [DeletedRows.Row] {
        let read = try connection.statement(
            "SELECT * FROM \(JoinSide(join, isReversed: false).table) WHERE (source_id = ?1 AND ?2) OR (target_id = ?1 AND ?3)"
        )
        read.bind(record.row, at: 1)
        read.bind(Int64(join.source == record.table ? 1 : 0), at: 2)
        read.bind(Int64(join.target == record.table ? 1 : 0), at: 3)
        return try rows(read, of: join.name)
    }

    /// Inserts the values whose columns the table still has.
    ///
    /// - Returns: `false` if another row has its id or identity now.
    func insert(_ row: DeletedRows.Row, of model: ModelSchema) throws(SQLiteFailure) -> Bool {
        let known = Set(
            ["_id", "_unsent"] + model.columns.map(\.name) + model.loadedColumns + schema.positionColumns(of: model))
        return try insert(row.cells.filter { known.contains($0.key) }, into: model.sqlName)
    }

    func insert(_ row: DeletedRows.Row, ofJoin join: JoinTable) throws(SQLiteFailure) {
        let known = ["source_id", "target_id", "position"] + (join.isTwoSided ? ["inverse_position"] : [])
        _ = try insert(row.cells.filter { known.contains($0.key) }, into: JoinSide(join, isReversed: false).table)
    }

    private func insert(_ cells: [String: DeletedRows.Cell], into table: String) throws(SQLiteFailure) -> Bool {
        let cells = cells.sorted { $0.key < $1.key }
        let marks = cells.map { _ in "?" }.joined(separator: ", ")
        let write = try connection.statement(
            "INSERT OR IGNORE INTO \(table) (\(SQL.list(cells.map(\.key)))) VALUES (\(marks))")
        write.bind(cells.map(\.value.value))
        try write.run()
        return connection.changes > 0
    }

    private func rows(_ read: RawStatement, of table: String) throws(SQLiteFailure) -> [DeletedRows.Row] {
        var rows: [DeletedRows.Row] = []
        while try read.step() {
            var cells: [String: DeletedRows.Cell] = [:]
            for (column, name) in read.columnNames.enumerated() where !read.isNull(Int32(column)) {
                cells[name] = DeletedRows.Cell(read.value(Int32(column)))
            }
            rows.append(DeletedRows.Row(table: table, cells: cells))
        }
        return rows
    }
}
