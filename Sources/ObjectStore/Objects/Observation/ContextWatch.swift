/// What somebody looks at in a context, and what has happened to it since they were told.
struct ContextWatch {
    /// The objects to which something was done.
    private var touched: [ObjectState] = []
    /// The observed objects whose links or lists somebody tracks.
    private var related: [ObjectIdentifier: Related] = [:]
    /// Whether links or lists may have changed of objects that are not touched themselves.
    private var isRelatedTouched = false
    /// What follows a query, and how many of them read each table.
    private var followers: [ObjectIdentifier: Follower] = [:]
    private var readers: [TableID: Int] = [:]
    /// The tables that questions read, as long as somebody wants to know.
    private(set) var tablesAsked: Set<TableID>?
    /// The drafts that were made of the context.
    private var draftEntries: [DraftEntry] = []
    /// What has happened to the tables that they read.
    private var news = TableNews()
    /// Whether those who look are being told: what they do is told when they have been.
    var isTelling = false

    private struct Related {
        weak var state: ObjectState?
    }

    private struct Follower {
        weak var query: (any QueryFollower)?
    }

    /// Whether somebody looks whether something embedded is edited.
    private var isWatchingParts = false
    /// The histories that record what is edited in it.
    private var historyEntries: [HistoryEntry] = []

    /// The edits that the user has taken back, rather than a save or the server.
    private(set) var takenBack: Set<TakenBack> = []

    struct TakenBack: Hashable {
        let record: RecordID
        let property: PropertyIndex
    }

    private struct DraftEntry {
        weak var context: ObjectContext?
    }

    private struct HistoryEntry {
        weak var history: UndoHistory?
    }

    /// Whether there is somebody to be told.
    @inline(__always)
    var hasNews: Bool { !touched.isEmpty || isRelatedTouched || !news.isEmpty }

    mutating func noteTouch(of state: ObjectState) { touched.append(state) }

    mutating func noteRelated(_ state: ObjectState) {
        let id = ObjectIdentifier(state)
        if related[id]?.state == nil { related[id] = Related(state: state) }
    }

    /// Lets owners be looked at when what is embedded in them is edited.
    ///
    /// - Returns: whether nobody has asked for it before.
    mutating func watchParts() -> Bool {
        defer { isWatchingParts = true }
        return !isWatchingParts
    }

    /// A list or an object that a link may lead to has changed.
    mutating func touchRelated() { isRelatedTouched = !related.isEmpty }

    /// What to look at, once.
    mutating func take() -> (states: [ObjectState], news: TableNews, followers: [any QueryFollower]) {
        var states = touched
        touched = []
        for state in states {
            if state.isChanged, isRead(state.model.table) { news.note(state) }
            (state.isTouched, state.isChanged) = (false, false)
        }
        if isWatchingParts, states.contains(where: { $0.model.isEmbedded }) { touchRelated() }
        if isRelatedTouched { addRelated(to: &states) }
        defer { news = TableNews() }
        return (states, news, news.isEmpty ? [] : takeFollowers())
    }

    /// Those that are still there. Nobody says when one is let go of, which may be on any thread.
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

    /// Lets a draft hear of each object to which something is done.
    mutating func addDraft(_ draft: ObjectContext) { draftEntries.append(DraftEntry(context: draft)) }

    mutating func removeDraft(_ draft: ObjectContext) {
        draftEntries.removeAll { $0.context == nil || $0.context === draft }
    }
}

// MARK: - Histories

extension ContextWatch {
    var histories: [UndoHistory] { historyEntries.isEmpty ? [] : historyEntries.compactMap(\.history) }

    /// Lets a history hear of each object to which something is done, as long as somebody holds it.
    mutating func addHistory(_ history: UndoHistory) {
        historyEntries.removeAll { $0.history == nil }
        historyEntries.append(HistoryEntry(history: history))
    }
}

extension ContextWatch {
    /// Notes that the user has taken back an edit.
    mutating func noteTakenBack(_ property: PropertyIndex, of record: RecordID) {
        if !historyEntries.isEmpty { takenBack.insert(TakenBack(record: record, property: property)) }
    }

    mutating func forgetTakenBack() { takenBack = [] }
}

// MARK: - Queries that are followed

/// What follows a query: a live result.
protocol QueryFollower: AnyObject {
    /// The tables that the query reads.
    var tables: Set<TableID> { get }
    /// Notes what has happened, and tells who looks if what they see is another.
    func follow(_ news: TableNews)
    /// The context has ended.
    func end()
}

/// What has happened to tables.
struct TableNews {
    /// The live objects of which something has another value, by table.
    private(set) var states: [TableID: [ObjectState]] = [:]
    /// The rows without a live object that were written.
    private(set) var rows: [TableID: [RowID]] = [:]
    /// The tables of which more has happened than that.
    private(set) var renewed: Set<TableID> = []

    var isEmpty: Bool { states.isEmpty && rows.isEmpty && renewed.isEmpty }
    var tables: Set<TableID> { renewed.union(states.keys).union(rows.keys) }

    mutating func note(_ state: ObjectState) { states[state.model.table, default: []].append(state) }
    mutating func note(_ written: [RowID], in table: TableID) { rows[table, default: []] += written }
    mutating func noteRenewal(of table: TableID) { renewed.insert(table) }
}

extension ContextWatch {
    var isFollowing: Bool { followers.values.contains { $0.query != nil } }

    /// Whether somebody follows a query that reads the table.
    func isRead(_ table: TableID) -> Bool { !readers.isEmpty && readers[table] != nil }

    /// Whether somebody wants to hear of each object of the model.
    ///
    /// Mostly there is nobody, which is seen where it is asked, without a call that all of this would be copied for.
    @inline(__always)
    func isWatching(_ model: ModelSchema) -> Bool {
        if !isWatchingParts, draftEntries.isEmpty, historyEntries.isEmpty, readers.isEmpty { return false }
        return hears(of: model)
    }

    private func hears(of model: ModelSchema) -> Bool {
        if isWatchingParts, model.isEmbedded { return true }
        return !draftEntries.isEmpty || historyEntries.contains { $0.history != nil } || isRead(model.table)
    }

    /// - Returns: the tables that nobody has read before.
    mutating func add(_ follower: any QueryFollower) -> Set<TableID> {
        followers[ObjectIdentifier(follower)] = Follower(query: follower)
        return addReader(of: follower.tables)
    }

    /// The same of tables that a follower reads from now on.
    mutating func addReader(of tables: Set<TableID>) -> Set<TableID> {
        let new = tables.filter { readers[$0] == nil }
        for table in tables { readers[table, default: 0] += 1 }
        return new
    }

    mutating func noteQuestion(of tables: Set<TableID>) { tablesAsked?.formUnion(tables) }

    /// - Returns: what was noted before.
    mutating func exchangeTablesAsked(for tables: Set<TableID>?) -> Set<TableID>? {
        defer { tablesAsked = tables }
        return tablesAsked
    }

    mutating func removeAll() -> [any QueryFollower] {
        defer { (followers, readers) = ([:], [:]) }
        return followers.values.compactMap(\.query)
    }

    /// Notes what a commit has done to the tables that somebody follows.
    ///
    /// - Parameters:
    ///   - unified: the tables of which rows became one.
    ///   - isLive: whether a row has a live object, which knows by itself what has changed of it.
    mutating func note(_ changes: ChangeSet, unified: Set<TableID>, in schema: Schema, isLive: (RecordID) -> Bool) {
        for table in changes.tables.ids where isRead(table) {
            let rows = changes.tables[table]
            let written = (rows.inserted + rows.updated).filter { !isLive(RecordID(table: table, row: $0)) }
            if !written.isEmpty { news.note(written, in: table) }
            if !rows.deleted.isEmpty, rows.deleted.contains(where: { !isLive(RecordID(table: table, row: $0)) }) {
                news.note([], in: table)
            }
        }
        for table in unified where isRead(table) { news.noteRenewal(of: table) }
        noteLists(changes.lists, in: schema)
    }

    private mutating func noteLists(_ lists: Set<ListID>, in schema: Schema) {
        guard !lists.isEmpty else { return }
        for model in schema.roots where isRead(model.table) && model.lists.contains(where: { lists.contains($0.id) }) {
            news.note([], in: model.table)
        }
        for join in lists.compactMap(schema.joinTable) where isRead(join) { news.note([], in: join) }
    }

    /// Anything may have happened.
    mutating func noteRenewal() {
        for table in readers.keys { news.noteRenewal(of: table) }
    }
}

// MARK: - In a context

extension ObjectContext {
    /// Tells who looks at what has changed, once for all that was done since they were told. Called where an operation
    /// ends, when both sides of each link say the same.
    func tellWatchers() {
        guard watch.hasNews || observed != nil, !watch.isTelling else { return }
        watch.isTelling = true
        defer {
            watch.isTelling = false
            tellTrackers()
        }
        while watch.hasNews {
            let (states, news, followers) = watch.take()
            for history in watch.histories { history.note(states) }
            watch.forgetTakenBack()
            for draft in watch.drafts { draft.inherit(from: states) }
            for state in states { state.tellTrackers() }
            for follower in followers where !follower.tables.isDisjoint(with: news.tables) { follower.follow(news) }
        }
    }

    /// Lets an object be looked at when what is embedded in others, or in it, is edited.
    func watchParts(of owner: ObjectState) {
        watch.noteRelated(owner)
        guard watch.watchParts() else { return }
        for model in schema.roots where model.isEmbedded { maps[model.table].watchAll() }
    }

    /// Takes the file's newest state, and tells who looks what has come of it.
    func bringUpToDate() {
        catchUp()
        tellWatchers()
    }

    /// Lets a query's follower hear of what happens to the tables that it reads, as long as somebody holds it, or until
    /// the context ends.
    func follow(_ follower: any QueryFollower) {
        guard !isEnded else { return follower.end() }
        watchAll(watch.add(follower))
    }

    /// Lets a follower hear of more tables.
    func watchReading(of tables: Set<TableID>) { if !isEnded { watchAll(watch.addReader(of: tables)) } }

    private func watchAll(_ tables: Set<TableID>) {
        for table in tables where maps.contains(table) { maps[table].watchAll() }
    }

    /// Notes the tables that a question reads, where somebody wants to know.
    func noteQuestion(of read: @autoclosure () -> TablesRead) {
        guard watch.tablesAsked != nil else { return }
        let read = read()
        watch.noteQuestion(of: read.tables.union(read.targets))
    }

    /// Runs `body`, and adds the tables that its questions read.
    func notingQuestions<Result>(of tables: inout Set<TableID>, _ body: () throws -> Result) rethrows -> Result {
        let outer = watch.exchangeTablesAsked(for: [])
        defer {
            let read = watch.exchangeTablesAsked(for: outer) ?? []
            watch.noteQuestion(of: read)
            tables.formUnion(read)
        }
        return try body()
    }
}
