import GRDB
import GRDBSQLite

/// A context's own connection for reading, used only on its actor.
///
/// It holds one state of the file until the actor is free, so all reads of a step are consistent. A longer hold would
/// keep the WAL from being emptied, and a system may end a background app that locks a file.
final class Reader {
    /// Keeps the connection open.
    private var queue: DatabaseQueue?
    private var statements: Statements?
    private(set) var isReading = false
    /// `PRAGMA data_version`. Each commit of another connection changes it.
    private var version: Int64 = 0
    /// The previous version, and the number of this process's commits then.
    private var last: (version: Int64, count: Int)?
    /// Whether this process's commits may have hidden another's.
    private var mayHaveMissedOthers = false
    /// The error of all later reads.
    private var outdated: StoreError?
    /// Read once for each state.
    private var answersByRow: AnswersByRow?
    private var isPresenceKnown = false

    init(_ file: StoreFile) throws(StoreError) {
        try file.checkPresence()
        do {
            let queue = try DatabaseQueue(path: file.path, configuration: file.readerConfiguration)
            // Safe: one thread at a time uses the connection, as SQLite's multi-thread mode requires
            // (https://sqlite.org/threadsafe.html). GRDB's queue is unused until it closes.
            let connection = queue.unsafeRead { database in
                unsafe Connection(handle: database.sqliteConnection.unsafelyUnwrapped, path: file.path)
            }
            if !file.schema.searchIndexes.isEmpty { try connection.knowWords() }
            statements = Statements(file.schema, on: connection)
            self.queue = queue
        } catch {
            throw StoreError(wrapping: error, path: file.path)
        }
    }

    deinit { close() }

    func close() {
        isReading = false
        statements?.removeAll()
        statements?.connection.forgetStatements()
        statements = nil
        try? queue?.close()
        queue = nil
    }

    /// Takes the file's newest state, and holds it until ``endReading()``.
    func beginReading() throws {
        if let outdated { throw outdated }
        guard let connection = statements?.connection else { throw StoreError.endedContext }
        try connection.statement("BEGIN").run()
        (isReading, isPresenceKnown) = (true, false)
        do {
            // BEGIN takes the state only with the first read (https://sqlite.org/lang_transaction.html).
            let first = try connection.statement("PRAGMA data_version")
            defer { first.reset() }
            if try first.step() { version = first.integer(0) }
        } catch {
            endReading()
            throw error
        }
    }

    /// Whether the state has new commits of another process. If this process has committed, too, only the writer can
    /// tell (`isNotified`).
    ///
    /// - Parameters:
    ///   - count: the number of this process's commits.
    ///   - isNotified: whether the writer has seen another process's commit since the last state.
    func seesOthers(besides count: Int, isNotified: Bool) -> Bool {
        let former = last
        last = (version, count)
        guard let former else { return false }
        let isNew = version != former.version
        if isNew, count != former.count { mayHaveMissedOthers = true }
        guard isNew && count == former.count || isNotified && mayHaveMissedOthers else { return false }
        mayHaveMissedOthers = false
        return true
    }

    /// - Throws: ``StoreError/FileProblem/migratedElsewhere``, also from all later reads.
    func checkModels(of file: StoreFile) throws {
        guard let connection = statements?.connection else { return }
        do {
            try file.checkModels(on: connection)
        } catch {
            outdated = StoreError(wrapping: error, path: file.path)
            endReading()
            throw error
        }
    }

    /// Checks once per state: this takes as long as reading a row.
    func checkPresence(of file: StoreFile) throws(StoreError) {
        if isReading, isPresenceKnown { return }
        try file.checkPresence()
        isPresenceKnown = isReading
    }

    func endReading() {
        guard isReading else { return }
        isReading = false
        answersByRow = nil
        try? statements?.connection.statement("COMMIT").run()
    }

    func reading() throws -> Statements {
        guard let statements, isReading else { throw StoreError.endedContext }
        return statements
    }

    func row(_ record: RecordID) throws -> Snapshot? {
        let table = try reading()[record.table]
        let statement = try table.rowStatement()
        statement.bind(record.row, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return table.model.snapshot(of: statement)
    }

    func find(_ identity: [StoredValue], in table: TableID) throws -> RowID? {
        try reading()[table].find(identity)
    }

    /// Nil: the row is deleted.
    func identity(of record: RecordID) throws -> [StoredValue]? {
        let table = try reading()[record.table]
        return try table.values(of: table.model.identityColumns, in: record.row)
    }

    func members(of list: List, owner: RowID) throws -> [RowID] { try reading().members(of: list, owner: owner) }

    func contains(_ rows: [RowID], in list: List, owner: RowID) throws -> Bool {
        let statements = try reading()
        return try rows.allSatisfy { try statements.contains($0, in: list, owner: owner) }
    }

    /// The rows whose pending edit leads a link from `target` elsewhere.
    func rows(of table: TableID, withUnsent link: Property, from target: RowID) throws -> [RowID] {
        let statements = try reading()[table]
        guard let column = statements.model.column(of: link.index) else { return [] }
        return try statements.rowsWithUnsentLink(column, from: target).filter { row in
            try statements.unsentChanges(of: row).entries[link.name]?.base == StoredValue(target)
        }
    }

    /// Links to identities whose row is missing.
    func pendingLinks(of source: RecordID, by property: PropertyIndex) throws -> [PendingLink] {
        try reading().pendingLinks(of: source, by: property)
    }

    /// The target's identity before a whole list cleared the link.
    func formerKey(of source: RecordID, by link: PropertyIndex) throws -> String? {
        try reading().formerKey(of: source, by: link)
    }

    /// The row's loaded properties. Nil: the row is deleted.
    func loadedMask(of record: RecordID) throws -> LoadedMask? {
        try reading()[record.table].loadedMask(of: record.row)
    }

    /// The JSON of a value that its stored form can't reproduce.
    func text(of property: PropertyIndex, in record: RecordID) throws -> String? {
        try reading().text(of: property, in: record)
    }

    /// Whether the server may have members that the file lacks.
    func isPartial(_ owner: ListOwner) throws -> Bool { try reading().isPartial(owner) }

    func repeatsMember(_ owner: ListOwner) throws -> Bool { try reading().repeatsMember(owner) }

    /// Whether the list was never fetched or set.
    func isUnloaded(_ owner: ListOwner) throws -> Bool { try reading().isUnloaded(owner) }

    func answers(to question: String) throws -> [UncheckedAnswer] { try reading().answers(to: question) }

    func answer(_ id: Int64) throws -> UncheckedAnswer? { try reading().answer(id) }

    func changeNotes(after last: Int64) throws -> [(id: Int64, note: ChangeNotes.Note)] {
        try reading().changeNotes(after: last)
    }

    func answers(about record: RecordID) throws -> [AnswersByRow.Answer] {
        let known = try answersByRow ?? reading().answersByRow()
        answersByRow = known
        return known.answers(about: record)
    }

    func listing(_ key: Listing.Key) throws -> Listing? { try reading().listing(key) }

    func listings() throws -> [Listing] { try reading().listings() }

    /// The URLs of stored answers about objects of a table.
    func answeredURLs(of table: TableID) throws -> [String] { try reading().answeredURLs(of: table) }

    func answeredRows(_ id: Int64) throws -> AnsweredRows? { try reading().answeredRows(id) }

    /// Nil: a part of the identity is missing.
    func pendingKey(of record: RecordID) throws -> String? { try Writer.pendingKey(of: record, in: reading()) }

    /// Saved edits that await an acknowledgement.
    func unsentChanges(of record: RecordID) throws -> UnsentChanges {
        try reading()[record.table].unsentChanges(of: record.row)
    }
}

extension Reader {
    /// In the order of insertion.
    func rowsWithUnsentChanges(of table: TableID) throws -> [RowID] { try reading()[table].rowsWithUnsentChanges() }

    func owners(of record: RecordID) throws -> [RecordID] {
        let statements = try reading()
        return try statements.schema.roots.filter(\.owns).flatMap { model in
            try model.properties.filter { $0.owns && $0.target == record.table }.flatMap { property -> [RowID] in
                if let list = property.list { return try statements.owners(of: list, member: record.row) }
                guard let column = model.column(of: property.index) else { return [] }
                return try statements[model.table].rows(referencing: record.row, by: column)
            }.map { RecordID(table: model.table, row: $0) }
        }
    }

    /// Edited memberships, by member.
    func pairs(of list: List, owner: RowID) throws -> [RowID: PairEdit] {
        try reading().pairs(of: list, owner: owner)
    }
}

extension ModelSchema {
    /// The current row of a statement that begins with ``TableStatements/selectRows``.
    func snapshot(of statement: RawStatement) -> Snapshot {
        Snapshot.row(of: statement, from: 1, slots: slots, count: properties.count)
    }
}
