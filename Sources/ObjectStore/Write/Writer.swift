import Conventions
import Foundation
import GRDBSQLite
import Synchronization

/// The one connection that writes, and what it remembers between transactions.
///
/// ```
/// StoreFile ─▶ Writer                one for each file
///              ├─ Statements         the SQL; by table TableStatements
///              ├─ LearnedShapes      how the server last wrote each attribute
///              ├─ FileMemory         what it shares with the writers of other stores on the file
///              │  └─ Underway        what contexts have on its way: questions, saves, sends
///              ├─ RecentChanges      what has changed since the oldest open question, which its answer leaves alone
///              ├─ StopSignal         why the running transaction is to end early
///              ├─ WriteBatch         what a save writes, or a reply's confirmation
///              └─ WriteProgress      what a transaction has done so far: passed through all of the below
///                 ├─ ChangeSet       what contexts merge
///                 ├─ DeletionRules   what must not be deleted
///                 └─ BatchIdentities which identities the batch is still to set free
/// ```
///
/// | file | what it does in a transaction, and what an import calls of it |
/// |---|---|
/// | Writer | transactions, checkpoints, memory: `transaction`, `nextRows`, `isUnsent(_:of:)` |
/// | Writer+Batch | writes batches: `apply`, `write(_:_:)` of a membership, `noteLinks` |
/// | Writer+Deleting | deletes, by owners and rules: `delete`, `deleteOrphans`, `noteOrphan`, `targets(of:in:)` |
/// | Writer+Erasing | deletes everything: `erase`, `shred` |
/// | Writer+Omitting | members that a whole list leaves out: `omitting`, `deleteOmitted` |
/// | Writer+Embedding | edits within embedded rows, and what is lost of them: `editedParts`, `keep(_:of:said:isSame:)` |
/// | Writer+Unifying | makes one row of two: `unify(_:with:_:)`, `survivor(of:)` |
/// | Writer+BothSides | one-to-one links on both sides, unsent other sides: `keepOneToOne`, `isPartnerUnsent`, `keepingUnsent` |
/// | Writer+ListFacts | what waits to be sent of lists: `noteSaved`, `confirm`, `receive`, `settle` |
/// | Writer+Renaming | rows that the server knows by another identity: `row(namedBy:in:since:)`, `claimant(of:in:)` |
/// | Writer+Outbox | what is queued to be sent: `applyOutbox`, `endSettledQueue`, `isDeletionQueued` |
/// | Writer+QueuedDeletions | deletions that are queued, also of objects that the server may not have: `deleteQueued`, `settleDeletion` |
/// | Writer+NaturalKeys | objects of creations without a known outcome that an import brings: `adoptCreations` |
/// | Writer+Sends | the facts in requests without an outcome: `mark`, `unmark` |
/// | Writer+Answers | what the server's answers vouch for: `keepAnswers(after:)`, `noteOwner` |
/// | Writer+PendingLinks | links and members that wait: `pendingKey`, `remember`, `resolvePendingLinks`, `placeArrivals` |
///
/// Every member is used within the writer's queue only, which runs one block at a time: that is what makes it safe to
/// hand the reference to other threads.
final class Writer: @unchecked Sendable {
    let schema: Schema
    let connection: Connection
    let statements: Statements
    /// The full text indexes that each transaction brings up to date at its end.
    private let searchIndexes: [SearchIndex]
    /// The row that the next new one gets. Those of deleted rows are not used again, also not by another process, so
    /// that a context can't take a new row for one that it knew.
    var nextRows: TableMap<RowID>
    /// The newest row of each table that was made by a context, here or by another process.
    var newestMade: TableMap<RowID>
    /// The rows with local changes that the server has not confirmed, which an import must not overwrite.
    var unsentRows: TableMap<Set<RowID>>
    /// Those of them whose identity was changed, by the one that the server knows.
    var renamedRows: TableMap<RenamedRows>
    /// The tables that have the targets of pending links to come, and those that have rows with pending links.
    var pendingTargets: Set<TableID> = []
    var pendingSources: Set<TableID> = []
    /// The tables of rows with lists that came in parts.
    var pagedSources: Set<TableID> = []
    /// Those of rows with a list of which the server has a member more than once.
    var repeatingSources: Set<TableID> = []
    /// Those of rows with lists of which it is known how far they have been listed.
    var listedSources: Set<TableID> = []
    /// Those of rows with values whose texts are kept.
    private(set) var tablesWithTexts: Set<TableID> = []
    /// The tables with rows that have validators.
    var tablesWithValidators: Set<TableID> = []
    /// By duplicate: the row that it became one with. What was on its way to the file means that one.
    var survivors: [RecordID: RowID] = [:]
    /// Those that the running transaction has made one.
    var unifiedInTransaction: [RecordID] = []
    /// What the other writers of the file remember too.
    let memory: FileMemory
    /// What contexts have on its way to the server and to the writers.
    var underway: Underway { memory.underway }
    /// Edits that were acknowledged lately. A save that was made before, and has one of them, doesn't write it again.
    var confirmedEdits: Set<ChangeStamp> = []
    /// What has changed here since the oldest question that waits for its answer.
    var recentChanges = RecentChanges()
    /// How the server last wrote each attribute, as committed.
    let shapes: LearnedShapes
    /// What the running transaction adds to that.
    var shapesInTransaction: [LearnedShape] = []
    /// What the running transaction changes of what is under way.
    var underwayInTransaction = Underway.Changes()
    /// The edits of memberships that the server has not confirmed.
    var pairs = PairLog()
    /// The facts of requests that are in flight or have an unknown outcome: the table `_send`, in memory.
    var sendMarks: [SentFact: SendMark] = [:]
    /// The tables of rows with entries in the outbox, and those of deleted objects with entries.
    var tablesOfQueuedWrites: Set<TableID> = []
    var tablesOfQueuedDeletions: Set<TableID> = []
    /// The rows whose last pending edit the running transaction has ended, and that may have an entry.
    var settledQueue: Set<RecordID> = []
    /// The rows of which the running transaction has changed or ended the pending edit of a list.
    var settledInTransaction: Set<RecordID> = []
    private var spellingsInTransaction: [LearnedSpelling] = []
    /// Whether the file has answers that may vouch for what the running transaction changes.
    private(set) var hasAnswers = false
    /// Whether it was looked up which rows they and unsent changes name.
    private var hasReadNamedRows = false
    /// The answer whose body the running transaction has imported.
    var answerInTransaction: ImportedAnswer?
    /// The answers of which the running transaction writes that they are as they were.
    var confirmationsInTransaction: [KeptAnswer] = []
    /// What the running transaction writes of how far lists have been listed.
    var listingsInTransaction: [Listing] = []
    /// What the import of each table's objects keeps with the connection, statements among it; made at first use.
    var plans: TableMap<AnyObject?>
    /// What may stop the running transaction.
    var stop = StopSignal()
    /// How often a lock that another connection holds is waited for, five milliseconds each time.
    private var patience = 1000
    /// `PRAGMA data_version`, which another process's commit changes.
    private var dataVersion: Int64 = 0
    /// The same when others were last told of.
    private var toldVersion: Int64 = 0
    /// Whether others have committed since then.
    private var hasOthers = false
    /// Throws when the file is not of these models any more.
    private let checkModels: (Connection) throws -> Void
    /// How many pages the WAL held after the last commit.
    private var walPages: Int32 = 0
    /// The same at the last checkpoint.
    private var copiedPages: Int32 = 0
    /// Whether readers kept the last checkpoint from copying all.
    private var isBehind = false

    /// - Parameter checkModels: throws when another process has brought the file to other models.
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
        // The hook runs within the commit, so on the writer's queue, and the connection closes before this object ends.
        unsafe sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<Writer>.fromOpaque(context).takeUnretainedValue().walPages = pages
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
        // Likewise within a call of this connection's.
        unsafe sqlite3_busy_handler(
            connection.handle,
            { context, count in
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<Writer>.fromOpaque(context).takeUnretainedValue().waitsForLock(count) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
        try readLearned()
        // Contexts ask for it before anything is written.
        try readMarks()
        toldVersion = try readVersion()
    }

    /// What imports have learned so far of how the server writes.
    private func readLearned() throws {
        shapes.take(try statements.wireShapes())
        shapes.take(try statements.spellings())
    }

    /// Forgets the hook and the statements, before the connection closes.
    func close() {
        unsafe sqlite3_wal_hook(connection.handle, nil, nil)
        unsafe sqlite3_busy_handler(connection.handle, nil, nil)
        memory.forget(ObjectIdentifier(self))
        plans = TableMap(repeating: nil, count: schema.roots.count)
        statements.removeAll()
        connection.forgetStatements()
    }

    // MARK: Locks

    /// Waits some milliseconds for another connection's lock.
    ///
    /// - Parameter count: how often it has been waited for already.
    /// - Returns: whether to try again.
    private func waitsForLock(_ count: Int32) -> Bool {
        guard Int(count) < patience, stop.reason == nil else { return false }
        usleep(5000)
        return true
    }

    // MARK: Checkpoints

    /// Whether the WAL has grown by so much since the last checkpoint that another is due. 1000 pages are SQLite's own
    /// default: https://sqlite.org/wal.html#automatic_checkpoint. One that readers were in the way of is tried again
    /// sooner.
    var wantsCheckpoint: Bool {
        if walPages < copiedPages { (copiedPages, isBehind) = (0, false) }
        return walPages - copiedPages > (isBehind ? 200 : 1000)
    }

    /// Copies as much of the WAL into the file as no reader keeps from it, and empties it when that is all.
    ///
    /// It waits for nobody, unless readers that come and go have kept the WAL from being emptied until it has more than
    /// 5 MB: then a quarter of a second for them to go. Those that come meanwhile need the WAL no longer.
    func checkpoint() {
        copiedPages = walPages
        let isLarge = walPages > 1250
        let isCopied = checkpoint(SQLITE_CHECKPOINT_PASSIVE, patience: 0)
        isBehind = !(isCopied || isLarge) || !checkpoint(SQLITE_CHECKPOINT_TRUNCATE, patience: isLarge ? 50 : 0)
    }

    /// - Returns: whether all of the WAL is in the file and, if the mode says so, the WAL is empty.
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

    /// Runs `body` in one transaction: all of it is in the file afterwards, or nothing.
    ///
    /// - Parameter committing: what is done with what has changed, around the commit that it calls.
    func transaction<Result>(
        _ body: (Writer) throws -> (Result, ChangeSet), committing: (ChangeSet, () throws -> Void) throws -> Void
    ) throws -> Result {
        try connection.statement("BEGIN IMMEDIATE").run()
        takeMemory()
        defer { giveMemoryBack() }
        (shapesInTransaction, spellingsInTransaction) = ([], [])
        (underwayInTransaction, unifiedInTransaction, settledInTransaction) = (Underway.Changes(), [], [])
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
            // Their values are the same, so the answers stay intact, but contexts tell of their unsent properties.
            for record in settledInTransaction { changes.noteUpdate(of: record, keepsLinks: true) }
            try keepListings(since: changed)
            if connection.totalChanges != changed, confirmationsInTransaction.isEmpty { try keepConfirmations() }
            try connection.indexChangedText(searchIndexes)
            try committing(changes) {
                try underway.commit(underwayInTransaction) { try connection.statement("COMMIT").run() }
            }
            // A save that was made before the commit, and comes later, still has these edits.
            confirmedEdits.formUnion(underwayInTransaction.confirmed)
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

    /// - Parameter isWriting: whether nobody else can write now. Else another store of this process, if it was the last
    ///   that wrote, tells what of it is its own.
    private func noteVersion(_ version: Int64, isWriting: Bool) {
        guard version != toldVersion else { return }
        toldVersion = version
        if isWriting || !memory.wasWritten(byAnotherThan: ObjectIdentifier(self)) { hasOthers = true }
    }

    /// Looks whether another process has committed something; outside of transactions.
    func lookForOthers() {
        // Where it can't be read, the next transaction says so.
        if let version = try? readVersion() { noteVersion(version, isWriting: false) }
    }

    /// Whether another program has changed text that is yet to be indexed.
    var hasChangedText: Bool { searchIndexes.contains { (try? connection.hasChangedText($0)) == true } }

    /// Whether another process has committed something since this was last asked, as far as was looked.
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

    /// Has the next transaction read all of it again.
    func forgetFile() { dataVersion = 0 }

    /// Reads again what another process may have changed.
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

    /// The last rows that stored answers and unsent changes name, once: an object that is made must not get the number
    /// of one that is gone and which one of them still names. What was made since this writer began has its number from
    /// it, or from one that has asked the same.
    private func lastNamedRows() throws -> [TableID: RowID] {
        guard !hasReadNamedRows else { return [:] }
        hasReadNamedRows = true
        return try statements.lastAnsweredRows().merging(statements.lastRowsInUnsentChanges(), uniquingKeysWith: max)
    }

    /// Notes in the file which rows were the last of their tables, where these are deleted: another process may show
    /// them still, and what is made next must not be taken for them.
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

    /// Writes wire shapes within the running transaction; others see them once it is committed.
    func keep(_ shapes: [LearnedShape]) throws {
        for shape in shapes { try statements.write(shape) }
        shapesInTransaction += shapes
    }

    /// The same for a spelling.
    func keep(_ spelling: LearnedSpelling) throws {
        try statements.write(spelling)
        spellingsInTransaction.append(spelling)
    }

    // MARK: Texts of values

    /// Keeps the JSON of a value that can't be written again as it came.
    func keep(_ text: String, of property: PropertyIndex, in record: RecordID) throws {
        try statements.write(text, of: property, in: record)
        tablesWithTexts.insert(record.table)
    }

    /// Keeps of all values of an attribute that they are days.
    func keepDays(of column: Column, in model: ModelSchema) throws {
        try statements.writeDays(of: column, in: model)
        tablesWithTexts.insert(model.table)
    }

    // MARK: Unsent changes

    /// Whether a property was changed here and the server has not confirmed it.
    func isUnsent(_ property: PropertyIndex, of record: RecordID) throws -> Bool {
        guard unsentRows[record.table].contains(record.row) else { return false }
        let name = schema[record.table][property].name
        return try statements[record.table].unsentChanges(of: record.row).contains(name)
    }

    func unsentChanges(of record: RecordID) throws -> UnsentChanges {
        guard unsentRows[record.table].contains(record.row) else { return UnsentChanges() }
        return try statements[record.table].unsentChanges(of: record.row)
    }

    /// The properties that were edited again and saved before a new object is stored with what it was sent along with.
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

    /// Sets the base of an edited link to a value of the server's. An edit that has this value is dropped.
    ///
    /// - Parameters:
    ///   - former: the base that the value replaces. Nil: any.
    ///   - asked: when the value was requested.
    func receive(
        _ base: StoredValue, over former: StoredValue? = nil, of column: Column, in record: RecordID,
        since asked: ChangeStamp?
    ) throws {
        let name = schema[record.table][column.property].name
        var unsent = try unsentChanges(of: record)
        guard let known = unsent.entries[name]?.base, former ?? known == known else { return }
        let value = try statements[record.table].value(of: column, in: record.row)
        let isRedundant = FactRules.isRedundant(value, over: base, isAtRisk: underway.isAtRisk(record, in: asked))
        guard isRedundant || known != base else { return }
        unsent.entries[name]?.base = base
        if isRedundant { unsent.entries[name] = nil }
        try set(unsent, of: record)
        if isRedundant { settledInTransaction.insert(record) }
    }

    /// Adds to the changes that the server has not confirmed. What it last said of a property is kept from the first
    /// change on; a property that is set back to that is not to be sent any more, unless the server may have been told
    /// otherwise.
    func noteUnsent(_ edits: [String: UnsentEdit], of record: RecordID) throws {
        guard !edits.isEmpty else { return }
        var unsent = try unsentChanges(of: record)
        let known = unsent.entries
        for (name, edit) in edits {
            let base = known[name]?.base ?? edit.base
            let isSetBack =
                try edit.value.map { value in
                    try FactRules.isRedundant(
                        value, over: base,
                        isAtRisk: !hasLastWord(on: name, of: record) { known[$0]?.base ?? edits[$0]?.base })
                } ?? false
            unsent.entries[name] =
                isSetBack
                ? nil : UnsentChanges.Entry(base: base, origin: known[name]?.origin, stamp: edit.stamp)
        }
        try set(unsent, of: record)
        try markSent(of: record)
    }

    /// Whether what the server last said of a row's property is what it has: it has said the row's identity, and was
    /// told nothing since that it has not confirmed.
    func hasLastWord(on property: String, of record: RecordID) throws -> Bool {
        let entries = try unsentChanges(of: record).entries
        return try hasLastWord(on: property, of: record) { entries[$0]?.base }
    }

    /// - Parameter base: what it last said of what is unsent, by name.
    private func hasLastWord(
        on property: String, of record: RecordID, _ base: (String) -> StoredValue?
    ) throws -> Bool {
        let model = schema[record.table]
        // Of an embedded object, who sends what it is in knows.
        guard !underway.isSent(record), !model.isEmbedded,
            !underway.linksBeingTold(of: record).contains(where: { model[$0].name == property })
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

/// An edit that is stored and that the server has not confirmed.
struct UnsentEdit {
    /// What the file said before.
    let base: StoredValue
    /// What it says now; `nil` where there is nothing to compare, so that the edit is never set back.
    let value: StoredValue?
    let stamp: ChangeStamp

    init(from base: StoredValue = .null, to value: StoredValue? = nil, _ stamp: ChangeStamp = .now()) {
        self.base = base
        self.value = value
        self.stamp = stamp
    }
}

extension RowID {
    /// The key after this one.
    var next: RowID { RowID(rawValue + 1) }
}

// MARK: How the server wrote each attribute

/// How the server last wrote each attribute and the names that it spells its own way, as the file says it: read by
/// whoever sends, written by imports.
package final class LearnedShapes: Sendable {
    /// By table and property.
    private let shapes: Mutex<TableMap<[WireShape]>>
    /// The keys of properties that are spelt otherwise than the conventions spell them.
    private let spellings = Mutex<[TableID: [PropertyIndex: String]]>([:])

    init(_ schema: Schema) {
        shapes = Mutex(TableMap(schema) { Array(repeating: .standard, count: $0.properties.count) })
    }

    /// The standard shape for what never came, and for a class that the store does not know.
    package subscript(table: TableID, property: PropertyIndex) -> WireShape {
        shapes.withLock { shapes in
            guard shapes.contains(table), shapes[table].indices.contains(property.rawValue) else { return .standard }
            return shapes[table][property.rawValue]
        }
    }

    /// By property.
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

    /// The JSON key path of a property of a model, as the server last spelt it.
    package func path(of property: Property, in model: ModelSchema) -> [String] {
        let path = property.documentPath
        guard let key = spellings.withLock({ $0[model.table]?[property.index] }), let name = property.jsonPath.first,
            let index = path.firstIndex(of: name), model.names?.inbound.match(key)?.property == property.index.rawValue
        else { return path }
        return path[..<index] + [key] + path[(index + 1)...]
    }

    /// The same, where the server has spelt it otherwise than the conventions do; `nil` where it hasn't.
    package func learnedPath(of property: Property, in model: ModelSchema) -> [String]? {
        let path = path(of: property, in: model)
        return path == property.documentPath ? nil : path
    }

    /// The key that holds the identities of a relationship, as the server last spelt it; `nil` where it hasn't its own
    /// spelling.
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
