import GRDB
import GRDBSQLite

/// A context's own connection for reading. It holds one state of the file from when the context begins to read until
/// its actor is free again, so that all that the context reads in one step belongs together, and no longer: a state
/// that is held keeps the WAL from being emptied, and a system may end an app that holds a file's lock in the
/// background.
///
/// It is used on its context's actor only.
final class Reader {
    /// Keeps the connection open; used itself only to open and close it.
    private var queue: DatabaseQueue?
    private var statements: Statements?
    private(set) var isReading = false
    /// `PRAGMA data_version` of the state, which is another after each commit of another connection.
    private var version: Int64 = 0
    /// The same of the state before, and the number of this process's commits then.
    private var last: (version: Int64, count: Int)?
    /// Whether a state was taken since others were last looked for that may have had theirs beside this process's own.
    private var mayHaveMissedOthers = false
    /// Why this can't be read any more.
    private var outdated: StoreError?
    /// What the state has, once somebody has asked.
    private var answersByRow: AnswersByRow?
    /// Whether the file was asked for since the state was taken.
    private var isPresenceKnown = false

    init(_ file: StoreFile) throws(StoreError) {
        try file.checkPresence()
        do {
            let queue = try DatabaseQueue(path: file.path, configuration: file.readerConfiguration)
            // GRDB's queue is not used while this object lives, so no other thread is on the connection, which is what
            // SQLite's multi-thread mode asks for (https://sqlite.org/threadsafe.html).
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
            // BEGIN alone takes nothing: the first read does (https://sqlite.org/lang_transaction.html).
            let first = try connection.statement("PRAGMA data_version")
            defer { first.reset() }
            if try first.step() { version = first.integer(0) }
        } catch {
            endReading()
            throw error
        }
    }

    /// Whether the state has what another process has committed. Where this process has committed too since the last
    /// state, only who is told can know.
    ///
    /// - Parameters:
    ///   - count: of this process's commits.
    ///   - isTold: whether somebody has seen another process's commit since the last state.
    func seesOthers(beside count: Int, isTold: Bool) -> Bool {
        let former = last
        last = (version, count)
        guard let former else { return false }
        let isNew = version != former.version
        if isNew, count != former.count { mayHaveMissedOthers = true }
        guard isNew && count == former.count || isTold && mayHaveMissedOthers else { return false }
        mayHaveMissedOthers = false
        return true
    }

    /// - Throws: ``StoreError/FileProblem/migratedElsewhere`` when another process has brought the file to other
    ///   models; then this reads nothing any more.
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

    /// Asks once for each state whether the file is still there, which takes as long as to read a row.
    func checkPresence(of file: StoreFile) throws(StoreError) {
        if isReading, isPresenceKnown { return }
        try file.checkPresence()
        isPresenceKnown = isReading
    }

    /// Gives up the state that was read.
    func endReading() {
        guard isReading else { return }
        isReading = false
        answersByRow = nil
        try? statements?.connection.statement("COMMIT").run()
    }

    /// The statements, at the state that this reader holds.
    func reading() throws -> Statements {
        guard let statements, isReading else { throw StoreError.endedContext }
        return statements
    }

    /// `nil` when there is no such row.
    func row(_ record: RecordID) throws -> Snapshot? {
        let table = try reading()[record.table]
        let statement = try table.rowStatement()
        statement.bind(record.row, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return table.model.snapshot(of: statement)
    }

    /// The row of an identity; `nil` when there is none.
    func find(_ identity: [StoredValue], in table: TableID) throws -> RowID? {
        try reading()[table].find(identity)
    }

    /// The values of a row's identity, in its order; `nil` when there is no such row.
    func identity(of record: RecordID) throws -> [StoredValue]? {
        let table = try reading()[record.table]
        return try table.values(of: table.model.identityColumns, in: record.row)
    }

    /// A list's members, in its order.
    func members(of list: List, owner: RowID) throws -> [RowID] { try reading().members(of: list, owner: owner) }

    /// Whether all of the rows are members of a list.
    func contains(_ rows: [RowID], in list: List, owner: RowID) throws -> Bool {
        let statements = try reading()
        return try rows.allSatisfy { try statements.contains($0, in: list, owner: owner) }
    }

    /// The rows with a link that is saved and not confirmed, and of which the server last said that it references
    /// `target`.
    func rows(of table: TableID, withUnsent link: Property, from target: RowID) throws -> [RowID] {
        let statements = try reading()[table]
        guard let column = statements.model.column(of: link.index) else { return [] }
        return try statements.rowsWithUnsentLink(column, from: target).filter { row in
            try statements.unsentChanges(of: row).entries[link.name]?.base == StoredValue(target)
        }
    }

    /// What a relationship of a row leads to and no row has yet.
    func pendingLinks(of source: RecordID, by property: PropertyIndex) throws -> [PendingLink] {
        try reading().pendingLinks(of: source, by: property)
    }

    /// The identity that a row's link led to before a whole list cleared it.
    func formerKey(of source: RecordID, by link: PropertyIndex) throws -> String? {
        try reading().formerKey(of: source, by: link)
    }

    /// Which properties of a row somebody has said something of; `nil` when there is no such row.
    func said(of record: RecordID) throws -> SaidMask? { try reading()[record.table].said(of: record.row) }

    /// The JSON of a value that can't be written again as it came; `nil` where none is kept.
    func text(of property: PropertyIndex, in record: RecordID) throws -> String? {
        try reading().text(of: property, in: record)
    }

    /// Whether it isn't known that all of a list is here.
    func isPartial(_ owner: ListOwner) throws -> Bool { try reading().isPartial(owner) }

    /// Whether the server has a member of a list more than once.
    func repeatsMember(_ owner: ListOwner) throws -> Bool { try reading().repeatsMember(owner) }

    /// Whether nothing of a list has come.
    func isUnsaid(_ owner: ListOwner) throws -> Bool { try reading().isUnsaid(owner) }

    /// The answers to a question that are stored, without their rows.
    func answers(to question: String) throws -> [UncheckedAnswer] { try reading().answers(to: question) }

    /// A stored answer, without its rows; `nil` when it is gone.
    func answer(_ id: Int64) throws -> UncheckedAnswer? { try reading().answer(id) }

    /// The notes of what has changed that follow one.
    func changeNotes(after last: Int64) throws -> [(id: Int64, note: ChangeNotes.Note)] {
        try reading().changeNotes(after: last)
    }

    /// The answers that have said what a row is.
    func answers(about record: RecordID) throws -> [AnswersByRow.Answer] {
        let known = try answersByRow ?? reading().answersByRow()
        answersByRow = known
        return known.answers(about: record)
    }

    /// How far a list has been listed.
    func listing(_ key: Listing.Key) throws -> Listing? { try reading().listing(key) }

    /// All of which that is known.
    func listings() throws -> [Listing] { try reading().listings() }

    /// The URLs of the answers about objects of a table.
    func answeredURLs(of table: TableID) throws -> [String] { try reading().answeredURLs(of: table) }

    /// What was read of an answer's body; `nil` when it is gone.
    func answeredRows(_ id: Int64) throws -> AnsweredRows? { try reading().answeredRows(id) }

    /// What a link to a row would wait for, if that were not here; `nil` when a part of its identity is missing.
    func pendingKey(of record: RecordID) throws -> String? { try Writer.pendingKey(of: record, in: reading()) }

    /// The properties of a row that are saved and that the server has not confirmed.
    func unsentChanges(of record: RecordID) throws -> UnsentChanges {
        try reading()[record.table].unsentChanges(of: record.row)
    }
}

extension Reader {
    /// The rows of a table with saved edits that the server has not confirmed, in the order of insertion.
    func rowsWithUnsentChanges(of table: TableID) throws -> [RowID] { try reading()[table].rowsWithUnsentChanges() }

    /// The rows that own a row by a link or a list.
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

    /// The edits of memberships of an owner's list that are saved and not confirmed, by member.
    func pairs(of list: List, owner: RowID) throws -> [RowID: PairEdit] {
        try reading().pairs(of: list, owner: owner)
    }
}

extension ModelSchema {
    /// The row that a statement stands on, which begins with ``TableStatements/selectRows``.
    func snapshot(of statement: RawStatement) -> Snapshot {
        Snapshot.row(of: statement, from: 1, slots: slots, count: properties.count)
    }
}
