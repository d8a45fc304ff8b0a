/// The observers of a context, and the changes to notify them of.
struct ContextWatch {
    private var touched: [ObjectState] = []
    /// The observed objects whose links or lists are tracked.
    private var related: [ObjectIdentifier: Related] = [:]
    /// Whether tracked links or lists of unchanged objects may have changed, too.
    private var isRelatedTouched = false
    /// The live results, and the number of them by table read.
    private var followers: [ObjectIdentifier: Follower] = [:]
    private var readers: [TableID: Int] = [:]
    /// The tables read while ``ObjectContext/notingQueriedTables(of:_:)`` runs; nil otherwise.
    private(set) var queriedTables: Set<TableID>?
    private var draftEntries: [DraftEntry] = []
    private var tableChanges = TableChanges()
    /// Whether observers are being notified. Changes that they make are reported afterwards.
    var isNotifying = false

    private struct Related {
        weak var state: ObjectState?
    }

    private struct Follower {
        weak var query: (any QueryFollower)?
    }

    /// Whether an owner of embedded objects is observed.
    private var isWatchingParts = false
    private var historyEntries: [HistoryEntry] = []

    /// The edits discarded by the user, rather than by a save or the server.
    private(set) var discardedEdits: Set<DiscardedEdit> = []

    struct DiscardedEdit: Hashable {
        let record: RecordID
        let property: PropertyIndex
    }

    private struct DraftEntry {
        weak var context: ObjectContext?
    }

    private struct HistoryEntry {
        weak var history: UndoHistory?
    }

    @inline(__always)
    var hasUnreportedChanges: Bool { !touched.isEmpty || isRelatedTouched || !tableChanges.isEmpty }

    mutating func noteTouch(of state: ObjectState) { touched.append(state) }

    mutating func noteRelated(_ state: ObjectState) {
        let id = ObjectIdentifier(state)
        if related[id]?.state == nil { related[id] = Related(state: state) }
    }

    /// Makes edits of embedded objects count as changes of their owners.
    ///
    /// - Returns: whether this is the first call.
    mutating func watchParts() -> Bool {
        defer { isWatchingParts = true }
        return !isWatchingParts
    }

    mutating func touchRelated() { isRelatedTouched = !related.isEmpty }

    /// Returns and forgets the changes, and returns the live results to notify.
    mutating func take() -> (states: [ObjectState], tableChanges: TableChanges, followers: [any QueryFollower]) {
        var states = touched
        touched = []
        for state in states {
            if state.isChanged, isRead(state.model.table) { tableChanges.note(state) }
            (state.isTouched, state.isChanged) = (false, false)
        }
        if isWatchingParts, states.contains(where: { $0.model.isEmbedded }) { touchRelated() }
        if isRelatedTouched { addRelated(to: &states) }
        defer { tableChanges = TableChanges() }
        return (states, tableChanges, tableChanges.isEmpty ? [] : takeFollowers())
    }

    /// Forgets released results. Their release may happen on any thread.
    private mutating func takeFollowers() -> [any QueryFollower] {
        let living = followers.values.compactMap(\.query)
        guard living.count < followers.count else { return living }
        followers = followers.filter { $0.value.query != nil }
        readers = living.reduce(into: [:]) { readers, follower in
            for table in follower.tables { readers[table, default: 0] += 1 }
        }
        return living
    }

    private mutating func addRelated(to states: inout [ObjectState]) {
        isRelatedTouched = false
        let seen = Set(states.map { ObjectIdentifier($0) })
        for (id, entry) in related {
            guard let state = entry.state else {
                related[id] = nil
                continue
            }
            if !seen.contains(id) { states.append(state) }
        }
    }
}

// MARK: - Drafts

extension ContextWatch {
    var drafts: [ObjectContext] { draftEntries.compactMap(\.context) }

    /// Adds a draft, which copies each changed object's edits.
    mutating func addDraft(_ draft: ObjectContext) { draftEntries.append(DraftEntry(context: draft)) }

    mutating func removeDraft(_ draft: ObjectContext) {
        draftEntries.removeAll { $0.context == nil || $0.context === draft }
    }
}

// MARK: - Histories

extension ContextWatch {
    var histories: [UndoHistory] { historyEntries.isEmpty ? [] : historyEntries.compactMap(\.history) }

    mutating func addHistory(_ history: UndoHistory) {
        historyEntries.removeAll { $0.history == nil }
        historyEntries.append(HistoryEntry(history: history))
    }
}

extension ContextWatch {
    mutating func noteDiscardedEdit(_ property: PropertyIndex, of record: RecordID) {
        if !historyEntries.isEmpty { discardedEdits.insert(DiscardedEdit(record: record, property: property)) }
    }

    mutating func forgetDiscardedEdits() { discardedEdits = [] }
}

// MARK: - Live results

protocol QueryFollower: AnyObject {
    var tables: Set<TableID> { get }
    func follow(_ tableChanges: TableChanges)
    func end()
}

struct TableChanges {
    /// The live objects with changed values, by table.
    private(set) var states: [TableID: [ObjectState]] = [:]
    /// The written rows without live objects, by table.
    private(set) var rows: [TableID: [RowID]] = [:]
    /// The tables with other changes. Results that read them are fetched again.
    private(set) var renewed: Set<TableID> = []

    var isEmpty: Bool { states.isEmpty && rows.isEmpty && renewed.isEmpty }
    var tables: Set<TableID> { renewed.union(states.keys).union(rows.keys) }

    mutating func note(_ state: ObjectState) { states[state.model.table, default: []].append(state) }
    mutating func note(_ written: [RowID], in table: TableID) { rows[table, default: []] += written }
    mutating func noteRenewal(of table: TableID) { renewed.insert(table) }
}

extension ContextWatch {
    var isFollowing: Bool { followers.values.contains { $0.query != nil } }

    func isRead(_ table: TableID) -> Bool { !readers.isEmpty && readers[table] != nil }

    /// Whether someone needs all changes of the model's objects. The usual answer is inline, since a call would copy
    /// this value.
    @inline(__always)
    func isWatching(_ model: ModelSchema) -> Bool {
        if !isWatchingParts, draftEntries.isEmpty, historyEntries.isEmpty, readers.isEmpty { return false }
        return hears(of: model)
    }

    private func hears(of model: ModelSchema) -> Bool {
        if isWatchingParts, model.isEmbedded { return true }
        return !draftEntries.isEmpty || historyEntries.contains { $0.history != nil } || isRead(model.table)
    }

    /// - Returns: the tables that no other live result reads.
    mutating func add(_ follower: any QueryFollower) -> Set<TableID> {
        followers[ObjectIdentifier(follower)] = Follower(query: follower)
        return addReader(of: follower.tables)
    }

    /// - Returns: the tables that no other live result reads.
    mutating func addReader(of tables: Set<TableID>) -> Set<TableID> {
        let new = tables.filter { readers[$0] == nil }
        for table in tables { readers[table, default: 0] += 1 }
        return new
    }

    mutating func noteQueriedTables(of tables: Set<TableID>) { queriedTables?.formUnion(tables) }

    /// - Returns: the former tables.
    mutating func exchangeQueriedTables(for tables: Set<TableID>?) -> Set<TableID>? {
        defer { queriedTables = tables }
        return queriedTables
    }

    mutating func removeAll() -> [any QueryFollower] {
        defer { (followers, readers) = ([:], [:]) }
        return followers.values.compactMap(\.query)
    }

    /// - Parameter isLive: whether a row has a live object, which notes its changes itself.
    mutating func note(_ changes: ChangeSet, unified: Set<TableID>, in schema: Schema, isLive: (RecordID) -> Bool) {
        for table in changes.tables.ids where isRead(table) {
            let rows = changes.tables[table]
            let written = (rows.inserted + rows.updated).filter { !isLive(RecordID(table: table, row: $0)) }
            if !written.isEmpty { tableChanges.note(written, in: table) }
            if !rows.deleted.isEmpty, rows.deleted.contains(where: { !isLive(RecordID(table: table, row: $0)) }) {
                tableChanges.note([], in: table)
            }
        }
        for table in unified where isRead(table) { tableChanges.noteRenewal(of: table) }
        noteLists(changes.lists, in: schema)
    }

    private mutating func noteLists(_ lists: Set<ListID>, in schema: Schema) {
        guard !lists.isEmpty else { return }
        for model in schema.roots where isRead(model.table) && model.lists.contains(where: { lists.contains($0.id) }) {
            tableChanges.note([], in: model.table)
        }
        for join in lists.compactMap(schema.joinTable) where isRead(join) { tableChanges.note([], in: join) }
    }

    mutating func noteRenewal() {
        for table in readers.keys { tableChanges.noteRenewal(of: table) }
    }
}

// MARK: - In a context

extension ObjectContext {
    /// Notifies all observers once. Call it at the end of an operation, when both sides of each link agree.
    func notifyObservers() {
        guard watch.hasUnreportedChanges || observed != nil, !watch.isNotifying else { return }
        watch.isNotifying = true
        defer {
            watch.isNotifying = false
            notifyTrackers()
        }
        while watch.hasUnreportedChanges {
            let (states, tableChanges, followers) = watch.take()
            for history in watch.histories { history.note(states) }
            watch.forgetDiscardedEdits()
            for draft in watch.drafts { draft.inherit(from: states) }
            for state in states { state.notifyTrackers() }
            for follower in followers where !follower.tables.isDisjoint(with: tableChanges.tables) {
                follower.follow(tableChanges)
            }
        }
    }

    func watchParts(of owner: ObjectState) {
        watch.noteRelated(owner)
        guard watch.watchParts() else { return }
        for model in schema.roots where model.isEmbedded { maps[model.table].watchAll() }
    }

    /// Merges the newest commits and notifies observers.
    func bringUpToDate() {
        catchUp()
        notifyObservers()
    }

    /// Notifies a live result of changes until it is released or the context ends.
    func follow(_ follower: any QueryFollower) {
        guard !isEnded else { return follower.end() }
        watchAll(watch.add(follower))
    }

    func watchReading(of tables: Set<TableID>) { if !isEnded { watchAll(watch.addReader(of: tables)) } }

    private func watchAll(_ tables: Set<TableID>) {
        for table in tables where maps.contains(table) { maps[table].watchAll() }
    }

    func noteQueriedTables(of read: @autoclosure () -> TablesRead) {
        guard watch.queriedTables != nil else { return }
        let read = read()
        watch.noteQueriedTables(of: read.tables.union(read.targets))
    }

    /// Runs `body`, and adds the tables that its queries read.
    func notingQueriedTables<Result>(of tables: inout Set<TableID>, _ body: () throws -> Result) rethrows -> Result {
        let outer = watch.exchangeQueriedTables(for: [])
        defer {
            let read = watch.exchangeQueriedTables(for: outer) ?? []
            watch.noteQueriedTables(of: read)
            tables.formUnion(read)
        }
        return try body()
    }
}
