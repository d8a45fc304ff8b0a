import Conventions
import Foundation
import GRDBSQLite
import Synchronization

/// The file's only writing connection, and the state that it keeps between transactions.
///
/// ```
/// StoreFile ─▶ Writer                one for each file
///              ├─ Statements         the SQL; by table TableStatements
///              ├─ LearnedShapes      how the server last wrote each attribute
///              ├─ FileMemory         state shared with the writers of other stores on the file
///              │  └─ InFlightOperations  requests and saves in progress
///              ├─ RecentChanges      changes since the oldest open request; its reply doesn't undo them
///              ├─ StopSignal         cancels the running transaction
///              ├─ WriteBatch         the changes of one save, or of one reply
///              └─ WriteProgress      the state of one transaction, passed through all of the below
///                 ├─ ChangeSet       the changed rows, which contexts merge
///                 ├─ DeletionRules   the rows that `.deny` rules protect
///                 └─ BatchIdentities the identities that rows of the batch give up
/// ```
///
/// Each extension is a file of its own, named after its task.
///
/// `@unchecked Sendable` is safe: all mutable members are used only on the writer's serial queue. The immutable members
/// that other threads read (`shapes`, `memory`) are Sendable themselves.
final class Writer: @unchecked Sendable {
    let schema: Schema
    let connection: Connection
    let statements: Statements
    /// Each transaction updates them at its end.
    private let searchIndexes: [SearchIndex]
    /// The next rows. Numbers of deleted ones aren't reused, even by another process, because a context could mistake a
    /// new row for a deleted one.
    var nextRows: TableMap<RowID>
    /// The newest row of each table that a context has created, in any process.
    var newestMade: TableMap<RowID>
    /// Rows with saved edits that the server hasn't acknowledged. An import must not overwrite them.
    var unsentRows: TableMap<Set<RowID>>
    /// Rows with an edited identity, by the server's identity.
    var renamedRows: TableMap<RenamedRows>
    /// The targets of pending links, and the tables with such links.
    var pendingTargets: Set<TableID> = []
    var pendingSources: Set<TableID> = []
    /// Tables of rows with partially fetched lists.
    var pagedSources: Set<TableID> = []
    /// Tables of rows with a list in which the server repeats a member.
    var repeatingSources: Set<TableID> = []
    /// Tables of rows with a stored ``Listing``.
    var listedSources: Set<TableID> = []
    private(set) var tablesWithTexts: Set<TableID> = []
    var tablesWithValidators: Set<TableID> = []
    /// The row that each duplicate was unified with. Batches that name the duplicate apply to it.
    var survivors: [RecordID: RowID] = [:]
    var unifiedInTransaction: [RecordID] = []
    let memory: FileMemory
    var operations: InFlightOperations { memory.operations }
    /// Edits that the server has acknowledged recently. A save that was made before, and still has such an edit,
    /// doesn't write it again.
    var confirmedEdits: Set<ChangeStamp> = []
    var recentChanges = RecentChanges()
    /// As committed.
    let shapes: LearnedShapes
    var shapesInTransaction: [LearnedShape] = []
    var operationsInTransaction = InFlightOperations.Changes()
    /// The pending edits of memberships: the table `_pair`, in memory.
    var pairs = PairLog()
    /// The table `_send`, in memory: facts in flight or with an unknown outcome.
    var sendMarks: [SentFact: SendMark] = [:]
    /// Tables of rows, or of deleted objects, with entries in the outbox.
    var tablesOfQueuedWrites: Set<TableID> = []
    var tablesOfQueuedDeletions: Set<TableID> = []
    /// Rows that have just lost their last pending edit, perhaps with an entry in the outbox.
    var settledQueue: Set<RecordID> = []
    /// Rows with changed pending edits, but unchanged values.
    var settledInTransaction: Set<RecordID> = []
    private var spellingsInTransaction: [LearnedSpelling] = []
    /// Whether the file has stored answers, which changes may invalidate.
    private(set) var hasAnswers = false
    private var hasReadNamedRows = false
    var answerInTransaction: ImportedAnswer?
    var confirmationsInTransaction: [KeptAnswer] = []
    var listingsInTransaction: [Listing] = []
    /// Import plans, made at first use, with statements of this connection.
    var plans: TableMap<AnyObject?>
    var stop = StopSignal()
    /// Retries for a lock of another connection, one every five milliseconds.
    private var patience = 1000
    /// `PRAGMA data_version` at the last transaction. Each commit of another connection changes it.
    private var dataVersion: Int64 = 0
    /// `PRAGMA data_version` at the last check for commits of other processes.
    private var checkedVersion: Int64 = 0
    /// Whether another process has committed since ``takeOthers()``.
    private var hasOthers = false
    /// Throws if another process has migrated the file to other models.
    private let checkModels: (Connection) throws -> Void
    /// Pages in the WAL after the last commit.
    private var walPages: Int32 = 0
    /// The same at the last checkpoint.
    private var copiedPages: Int32 = 0
    /// Whether readers kept the last checkpoint from copying all pages.
    private var isBehind = false

    init(
        schema: Schema, connection: Connection, memory: FileMemory,
        checkModels: @escaping (Connection) throws -> Void = { _ in }
    ) throws {
        self.schema = schema
        self.checkModels = checkModels
        self.memory = memory
        self.connection = connection
        statements = Statements(schema, on: connection)
        searchIndexes = schema.searchIndexes
        nextRows = TableMap(repeating: RowID(1), count: schema.roots.count)
        newestMade = TableMap(repeating: RowID(.min), count: schema.roots.count)
        unsentRows = TableMap(repeating: [], count: schema.roots.count)
        renamedRows = TableMap(repeating: RenamedRows(), count: schema.roots.count)
        plans = TableMap(repeating: nil, count: schema.roots.count)
        shapes = LearnedShapes(schema)
        // Safe: SQLite calls the hook within a commit, on the writer's queue. The connection closes before this object
        // ends.
        unsafe sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<Writer>.fromOpaque(context).takeUnretainedValue().walPages = pages
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
        // Safe: SQLite calls it within a call of this connection.
        unsafe sqlite3_busy_handler(
            connection.handle,
            { context, count in
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<Writer>.fromOpaque(context).takeUnretainedValue().waitsForLock(count) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
        try readLearned()
        // Contexts read the marks before the first transaction.
        try readMarks()
        checkedVersion = try readVersion()
    }

    private func readLearned() throws {
        shapes.take(try statements.wireShapes())
        shapes.take(try statements.spellings())
    }

    /// Call it before the connection closes.
    func close() {
        unsafe sqlite3_wal_hook(connection.handle, nil, nil)
        unsafe sqlite3_busy_handler(connection.handle, nil, nil)
        memory.forget(ObjectIdentifier(self))
        plans = TableMap(repeating: nil, count: schema.roots.count)
        statements.removeAll()
        connection.forgetStatements()
    }

    // MARK: Locks

    /// - Returns: whether to try again.
    private func waitsForLock(_ count: Int32) -> Bool {
        guard Int(count) < patience, stop.reason == nil else { return false }
        usleep(5000)
        return true
    }

    // MARK: Checkpoints

    /// Whether the WAL has grown by 1000 pages since the last checkpoint, SQLite's default
    /// (https://sqlite.org/wal.html#automatic_checkpoint); by 200 if readers blocked that one.
    var wantsCheckpoint: Bool {
        if walPages < copiedPages { (copiedPages, isBehind) = (0, false) }
        return walPages - copiedPages > (isBehind ? 200 : 1000)
    }

    /// Copies the pages that no reader blocks into the file, and empties the WAL if all were copied.
    ///
    /// If readers have kept the WAL from being emptied until it exceeds 5 MB, this waits up to a quarter of a second
    /// for them. Readers that begin meanwhile read the file alone.
    func checkpoint() {
        copiedPages = walPages
        let isLarge = walPages > 1250
        let isCopied = checkpoint(SQLITE_CHECKPOINT_PASSIVE, patience: 0)
        isBehind = !(isCopied || isLarge) || !checkpoint(SQLITE_CHECKPOINT_TRUNCATE, patience: isLarge ? 50 : 0)
    }

    /// - Returns: whether all of the WAL is in the file and, if the mode says so, it is empty.
    func checkpoint(_ mode: Int32, patience: Int) -> Bool {
        var pages: Int32 = 0
        var copied: Int32 = 0
        let usual = self.patience
        self.patience = patience
        defer { self.patience = usual }
        let code = unsafe sqlite3_wal_checkpoint_v2(connection.handle, nil, mode, &pages, &copied)
        return code == SQLITE_OK && pages == copied
    }

    // MARK: Transactions

    /// - Parameter committing: is called with the changes and the function that commits.
    func transaction<Result>(
        _ body: (Writer) throws -> (Result, ChangeSet), committing: (ChangeSet, () throws -> Void) throws -> Void
    ) throws -> Result {
        try connection.statement("BEGIN IMMEDIATE").run()
        takeMemory()
        defer { giveMemoryBack() }
        (shapesInTransaction, spellingsInTransaction) = ([], [])
        (operationsInTransaction, unifiedInTransaction, settledInTransaction) = (InFlightOperations.Changes(), [], [])
        (answerInTransaction, confirmationsInTransaction, settledQueue) = (nil, [], [])
        recentChanges.beginTransaction()
        let confirmedBefore = confirmedEdits
        do {
            try refreshMemory()
            hasAnswers = try statements.hasAnswers
            let (changed, lastQueued) = (connection.totalChanges, statements.lastQueuedNumber)
            var (result, changes) = try body(self)
            try endSettledQueue(&changes)
            changes.hasNewEntries = statements.lastQueuedNumber != lastQueued
            try keepLastRows(deletedBy: changes)
            try keepAnswers(after: changes)
            // Contexts reread the pending edits. Stored answers stay valid, as the values are unchanged.
            for record in settledInTransaction { changes.noteUpdate(of: record, keepsLinks: true) }
            try keepListings(since: changed)
            if connection.totalChanges != changed, confirmationsInTransaction.isEmpty { try keepConfirmations() }
            try connection.indexChangedText(searchIndexes)
            try committing(changes) {
                try operations.commit(operationsInTransaction) { try connection.statement("COMMIT").run() }
            }
            // A save that was made before the commit still has these edits.
            confirmedEdits.formUnion(operationsInTransaction.confirmed)
            memory.noteWritten(listingsInTransaction)
            memory.noteWritten(confirmationsInTransaction)
            shapes.take(shapesInTransaction)
            shapes.take(spellingsInTransaction)
            return result
        } catch {
            // A full disk or an interrupt may have ended the transaction already.
            if unsafe sqlite3_get_autocommit(connection.handle) == 0 { try? connection.execute("ROLLBACK") }
            dataVersion = 0
            confirmedEdits = confirmedBefore
            for duplicate in unifiedInTransaction { survivors[duplicate] = nil }
            recentChanges.rollBack()
            throw error
        }
    }

    private func readVersion() throws -> Int64 {
        let statement = try connection.statement("PRAGMA data_version")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Detects commits of other processes by `PRAGMA data_version`.
    ///
    /// - Parameter isWriting: whether this connection has the write lock. Without it, a change may come from another
    ///   store of this process, whose own writer notes the commits of other processes.
    private func noteVersion(_ version: Int64, isWriting: Bool) {
        guard version != checkedVersion else { return }
        checkedVersion = version
        if isWriting || !memory.wasWritten(byAnotherThan: ObjectIdentifier(self)) { hasOthers = true }
    }

    /// Call it outside of transactions.
    func lookForOthers() {
        // If this read fails, the next transaction reports the error.
        if let version = try? readVersion() { noteVersion(version, isWriting: false) }
    }

    var hasChangedText: Bool { searchIndexes.contains { (try? connection.hasChangedText($0)) == true } }

    /// Whether another process had committed by the last check.
    func takeOthers() -> Bool {
        defer { hasOthers = false }
        return hasOthers
    }

    private func takeMemory() {
        let contents = memory.take()
        (recentChanges, survivors, confirmedEdits) = (
            contents.recentChanges, contents.survivors, contents.confirmedEdits
        )
        if let rows = contents.nextRows { nextRows = rows }
    }

    private func giveMemoryBack() {
        memory.giveBack(
            FileMemory.Contents(
                recentChanges: recentChanges, survivors: survivors, confirmedEdits: confirmedEdits, nextRows: nextRows),
            by: ObjectIdentifier(self))
        (recentChanges, survivors, confirmedEdits) = (RecentChanges(), [:], [])
    }

    func forgetFile() { dataVersion = 0 }

    private func refreshMemory() throws {
        let version = try readVersion()
        guard version != dataVersion else { return }
        noteVersion(version, isWriting: true)
        try checkModels(connection)
        dataVersion = version
        (pendingSources, pendingTargets) = try statements.tablesOfPendingLinks()
        pagedSources = try statements.tablesOfPagedLists()
        repeatingSources = try statements.tablesOfRepeatedMembers()
        listedSources = try statements.tablesOfListings()
        tablesWithTexts = try statements.tablesOfTexts()
        tablesWithValidators = try statements.tablesOfValidators()
        pairs = try statements.pairs()
        (tablesOfQueuedWrites, tablesOfQueuedDeletions) = try statements.tablesOfQueuedWrites()
        try readLearned()
        let named = try lastNamedRows().merging(statements.lastDeletedRows(), uniquingKeysWith: max)
        for table in schema.roots.map(\.table) {
            if let last = try statements[table].lastRow() {
                nextRows[table] = max(nextRows[table], last.next, RowID(1))
            }
            if let last = named[table] { nextRows[table] = max(nextRows[table], last.next) }
            if let made = try statements[table].lastMadeRow() { newestMade[table] = max(newestMade[table], made) }
            unsentRows[table] = Set(try statements[table].rowsWithUnsentChanges())
            try readRenamedRows(of: table)
        }
        try readMarks()
    }

    /// The highest rows in stored answers and pending edits. New rows get higher numbers, even if these rows are
    /// deleted.
    ///
    /// Each writer reads it once. Later numbers come from this writer, or from one that has read the same.
    private func lastNamedRows() throws -> [TableID: RowID] {
        guard !hasReadNamedRows else { return [:] }
        hasReadNamedRows = true
        return try statements.lastAnsweredRows().merging(statements.lastRowsInUnsentChanges(), uniquingKeysWith: max)
    }

    /// A deleted last row keeps its number, because another process may show it, and would take a new row for it.
    private func keepLastRows(deletedBy changes: ChangeSet) throws {
        var deleted = changes.unified.map(\.duplicate)
        for table in changes.tables.ids {
            guard let last = changes.tables[table].deleted.max() else { continue }
            deleted.append(RecordID(table: table, row: last))
        }
        for record in deleted where !record.row.isOfNewObject {
            if let last = try statements[record.table].lastRow(), last > record.row { continue }
            try statements.noteLastDeleted(record)
        }
    }

    func keep(_ shapes: [LearnedShape]) throws {
        for shape in shapes { try statements.write(shape) }
        shapesInTransaction += shapes
    }

    func keep(_ spelling: LearnedSpelling) throws {
        try statements.write(spelling)
        spellingsInTransaction.append(spelling)
    }

    // MARK: Texts of values

    /// Keeps the text of a value that the stored value can't reproduce.
    func keep(_ text: String, of property: PropertyIndex, in record: RecordID) throws {
        try statements.write(text, of: property, in: record)
        tablesWithTexts.insert(record.table)
    }

    func keepDays(of column: Column, in model: ModelSchema) throws {
        try statements.writeDays(of: column, in: model)
        tablesWithTexts.insert(model.table)
    }

    // MARK: Pending edits

    func isUnsent(_ property: PropertyIndex, of record: RecordID) throws -> Bool {
        guard unsentRows[record.table].contains(record.row) else { return false }
        let name = schema[record.table][property].name
        return try statements[record.table].unsentChanges(of: record.row).contains(name)
    }

    func unsentChanges(of record: RecordID) throws -> UnsentChanges {
        guard unsentRows[record.table].contains(record.row) else { return UnsentChanges() }
        return try statements[record.table].unsentChanges(of: record.row)
    }

    /// The properties of a new object with newer edits in the file: an object that was sent within another's request is
    /// written with its reply, and a save may come first.
    func editsStored(since edited: EditMap, of row: WriteBatch.Row) throws -> Set<PropertyIndex> {
        guard row.isInsert, case let entries = try unsentChanges(of: row.record).entries, !entries.isEmpty else {
            return []
        }
        let table = statements[row.record.table]
        let newer = edited.filter { property, edit in
            unsentName(of: property, in: table).flatMap { entries[$0] }.map { edit.stamp < $0.stamp } ?? false
        }
        return Set(newer.map(\.key))
    }

    /// Sets the base of an edited link to the server's value. An equal edit is dropped, unless it is at risk.
    ///
    /// - Parameters:
    ///   - former: the base that the value replaces. Nil: any.
    ///   - requestTime: when the value was requested.
    func updateBases(
        _ base: StoredValue, over former: StoredValue? = nil, of column: Column, in record: RecordID,
        since requestTime: ChangeStamp?
    ) throws {
        let name = schema[record.table][column.property].name
        var unsent = try unsentChanges(of: record)
        guard let known = unsent.entries[name]?.base, former ?? known == known else { return }
        let value = try statements[record.table].value(of: column, in: record.row)
        let isRedundant = FactRules.isRedundant(
            value, over: base, isAtRisk: operations.isAtRisk(record, in: requestTime))
        guard isRedundant || known != base else { return }
        unsent.entries[name]?.base = base
        if isRedundant { unsent.entries[name] = nil }
        try set(unsent, of: record)
        if isRedundant { settledInTransaction.insert(record) }
    }

    /// A property keeps the base of its first edit. An edit that equals it is dropped, unless the server may have
    /// another value.
    func noteUnsent(_ edits: [String: UnsentEdit], of record: RecordID) throws {
        guard !edits.isEmpty else { return }
        var unsent = try unsentChanges(of: record)
        let known = unsent.entries
        var setBack: Set<String> = []
        for (name, edit) in edits {
            let base = known[name]?.base ?? edit.base
            let isSetBack =
                try edit.value.map { value in
                    try FactRules.isRedundant(
                        value, over: base,
                        isAtRisk: !isBaseCertain(on: name, of: record) { known[$0]?.base ?? edits[$0]?.base })
                } ?? false
            if isSetBack { setBack.insert(name) }
            unsent.entries[name] = UnsentChanges.Entry(base: base, origin: known[name]?.origin, stamp: edit.stamp)
        }
        for name in droppable(setBack, of: Set(unsent.entries.keys), in: schema[record.table]) {
            unsent.entries[name] = nil
        }
        try set(unsent, of: record)
        try markSent(of: record)
    }

    /// Whether a base is surely the server's value: the server has the object, and all requests with the object, or
    /// with this link, have a known outcome. False for embedded objects.
    func isBaseCertain(on property: String, of record: RecordID) throws -> Bool {
        let entries = try unsentChanges(of: record).entries
        return try isBaseCertain(on: property, of: record) { entries[$0]?.base }
    }

    private func isBaseCertain(
        on property: String, of record: RecordID, _ base: (String) -> StoredValue?
    ) throws -> Bool {
        let model = schema[record.table]
        // Embedded rows are sent with the object that contains them. So they are never in flight themselves.
        guard !operations.isSent(record), !model.isEmbedded,
            !operations.openLinks(of: record).contains(where: { model[$0].name == property })
        else { return false }
        return try isAtServer(record, base)
    }

    func set(_ unsent: UnsentChanges, of record: RecordID) throws {
        try statements[record.table].setUnsentChanges(unsent, of: record.row)
        if unsent.isEmpty {
            unsentRows[record.table].remove(record.row)
            try forgetMarks(of: record)
            noteSettled(record)
        } else {
            unsentRows[record.table].insert(record.row)
        }
        try noteKnownIdentity(of: record, unsent)
    }
}

struct UnsentEdit {
    /// The value in the file before the edit.
    let base: StoredValue
    /// The value after the edit. Nil: it can't be compared, so the edit never counts as set back.
    let value: StoredValue?
    let stamp: ChangeStamp

    init(from base: StoredValue = .null, to value: StoredValue? = nil, _ stamp: ChangeStamp = .now()) {
        self.base = base
        self.value = value
        self.stamp = stamp
    }
}

extension RowID {
    var next: RowID { RowID(rawValue + 1) }
}

// MARK: How the server wrote each attribute

/// How the server last wrote each attribute, and its spelling of keys. Imports write it, requests read it.
package final class LearnedShapes: Sendable {
    private let shapes: Mutex<TableMap<[WireShape]>>
    /// Keys whose spelling differs from the conventions.
    private let spellings = Mutex<[TableID: [PropertyIndex: String]]>([:])

    init(_ schema: Schema) {
        shapes = Mutex(TableMap(schema) { Array(repeating: .standard, count: $0.properties.count) })
    }

    /// The standard shape for an attribute that was never received, and for an unknown class.
    package subscript(table: TableID, property: PropertyIndex) -> WireShape {
        shapes.withLock { shapes in
            guard shapes.contains(table), shapes[table].indices.contains(property.rawValue) else { return .standard }
            return shapes[table][property.rawValue]
        }
    }

    func all(of table: TableID) -> [WireShape] { shapes.withLock { $0[table] } }

    func take(_ learned: [LearnedShape]) {
        shapes.withLock { shapes in
            for shape in learned { shapes[shape.table][shape.property.rawValue] = shape.shape }
        }
    }

    // MARK: Names

    func spellings(of table: TableID) -> [PropertyIndex: String] { spellings.withLock { $0[table] ?? [:] } }

    func take(_ learned: [LearnedSpelling]) {
        guard !learned.isEmpty else { return }
        spellings.withLock { spellings in
            for spelling in learned { spellings[spelling.table, default: [:]][spelling.property] = spelling.key }
        }
    }

    /// The path in the server's spelling.
    package func path(of property: Property, in model: ModelSchema) -> [String] {
        let path = property.documentPath
        guard let key = spellings.withLock({ $0[model.table]?[property.index] }), let name = property.jsonPath.first,
            let index = path.firstIndex(of: name), model.names?.inbound.match(key)?.property == property.index.rawValue
        else { return path }
        return path[..<index] + [key] + path[(index + 1)...]
    }

    /// Nil if the server follows the conventions.
    package func learnedPath(of property: Property, in model: ModelSchema) -> [String]? {
        let path = path(of: property, in: model)
        return path == property.documentPath ? nil : path
    }

    /// Nil if the server follows the conventions.
    package func identityKey(of property: Property, in model: ModelSchema) -> String? {
        let attribute = model.relationshipsAtKeys.first { $0.value == property.index }?.key ?? property.index
        guard let key = spellings.withLock({ $0[model.table]?[property.index] ?? $0[model.table]?[attribute] }) else {
            return nil
        }
        let loose = InboundNames.looseKey(for: key)
        return model.identityKeys.contains { $1 == property.index && InboundNames.looseKey(for: $0) == loose }
            ? key : nil
    }
}
