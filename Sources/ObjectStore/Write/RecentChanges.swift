/// What the server has confirmed, and what was deleted here, since the oldest request that waits for its reply: the
/// reply to an earlier request changes none of it, as it says what was before. Empty when no request is open.
///
/// What the running transaction notes is what its own reply is about, so that counts from the next one on.
struct RecentChanges {
    /// By row: when it was confirmed.
    private var rows: [RecordID: ChangeStamp] = [:]
    /// By list: when members were confirmed to have joined or left, or a later answer was asked for that names them.
    private var members: [ListOwner: [RowID: ChangeStamp]] = [:]
    /// By list: what later answers have brought.
    private var lists: [ListOwner: ListRead] = [:]
    /// By list that was sent whole: when the server was confirmed to have taken it.
    private var told: [ListOwner: ChangeStamp] = [:]
    /// By table and pending key: when a row of that identity was deleted.
    private var deleted: [TableID: [String: ChangeStamp]] = [:]
    /// By table and the identity that the server knew a row by before it took an edit of that: the row, and when that
    /// was.
    private var renamed: [TableID: [[StoredValue]: Renaming]] = [:]
    /// By row: the columns that a later answer has written, and when that was asked for.
    private var reads: [RecordID: Read] = [:]
    /// The newest of all these stamps, or a newer one.
    private var newest = ChangeStamp.earliest
    /// The oldest open question when something was last let go of.
    private var oldestQuestion: ChangeStamp?
    /// How much was noted since nothing was, or since ``beginCounting()``.
    private(set) var noteCount = 0

    // What the running transaction has noted anew, as it was before.
    private var formerRows: [RecordID: ChangeStamp?] = [:]
    private var formerMembers: [ListOwner: [RowID: ChangeStamp]?] = [:]
    private var formerLists: [ListOwner: ListRead?] = [:]
    private var formerTold: [ListOwner: ChangeStamp?] = [:]
    private var formerDeleted: [TableID: [String: ChangeStamp]?] = [:]
    private var formerReads: [RecordID: Read?] = [:]
    private var formerRenamed: [TableID: [[StoredValue]: Renaming?]] = [:]

    private struct Renaming {
        let row: RowID
        let stamp: ChangeStamp
    }

    private struct Read {
        var stamp: ChangeStamp
        var columns: ColumnMask
        /// Whether it has brought the row.
        var isNew: Bool
    }

    /// When the last answer was asked for that has brought the whole of a list, and the last one that has brought a
    /// part.
    private struct ListRead {
        var whole = ChangeStamp.earliest
        var part = ChangeStamp.earliest
    }

    var isEmpty: Bool {
        rows.isEmpty && members.isEmpty && lists.isEmpty && told.isEmpty && deleted.isEmpty && reads.isEmpty
            && renamed.isEmpty
    }

    // MARK: Noting

    mutating func beginTransaction() {
        (formerRows, formerMembers, formerLists, formerDeleted, formerReads) = ([:], [:], [:], [:], [:])
        (formerTold, formerRenamed) = ([:], [:])
    }

    mutating func beginCounting() { noteCount = 0 }

    /// Takes back what the transaction has noted: it did not come to be.
    mutating func rollBack() {
        for (record, former) in formerRows { rows[record] = former }
        for (owner, former) in formerMembers { members[owner] = former }
        for (owner, former) in formerLists { lists[owner] = former }
        for (owner, former) in formerTold { told[owner] = former }
        for (table, former) in formerDeleted { deleted[table] = former }
        for (record, former) in formerReads { reads[record] = former }
        for (table, identities) in formerRenamed {
            for (identity, former) in identities { renamed[table]?[identity] = former }
        }
        beginTransaction()
    }

    mutating func note(_ record: RecordID) {
        if formerRows[record] == nil { formerRows.updateValue(rows[record], forKey: record) }
        newest = .now()
        rows[record] = newest
        noteCount += 1
    }

    mutating func note(_ changed: some Sequence<RowID>, of owner: ListOwner) {
        if formerMembers[owner] == nil { formerMembers.updateValue(members[owner], forKey: owner) }
        newest = .now()
        for member in changed {
            members[owner, default: [:]][member] = newest
            noteCount += 1
        }
    }

    /// Notes what the answer to a question has written, while an older one is open.
    ///
    /// - Parameter isNew: whether the row was not there before.
    mutating func note(
        _ columns: ColumnMask, of record: RecordID, askedAt stamp: ChangeStamp, isNew: Bool = false
    ) {
        let known = reads[record]
        if formerReads[record] == nil { formerReads.updateValue(known, forKey: record) }
        newest = max(newest, stamp)
        reads[record] = Read(
            stamp: known.map { max($0.stamp, stamp) } ?? stamp, columns: known?.columns.union(columns) ?? columns,
            isNew: known?.isNew ?? isNew)
        noteCount += 1
    }

    /// Notes what the answer to a question says of a list, while an older one is open: the whole, or a part of it.
    mutating func note(_ named: [RowID], of owner: ListOwner, isWhole: Bool, askedAt stamp: ChangeStamp) {
        newest = max(newest, stamp)
        if formerLists[owner] == nil { formerLists.updateValue(lists[owner], forKey: owner) }
        noteCount += 1
        guard !isWhole else {
            lists[owner, default: ListRead()].whole = max(lists[owner]?.whole ?? stamp, stamp)
            return
        }
        lists[owner, default: ListRead()].part = max(lists[owner]?.part ?? stamp, stamp)
        note(named, of: owner, askedAt: stamp)
    }

    /// Notes members that the answer to a question has named or left out, while an older one is open.
    mutating func note(_ named: some Sequence<RowID>, of owner: ListOwner, askedAt stamp: ChangeStamp) {
        newest = max(newest, stamp)
        if formerMembers[owner] == nil { formerMembers.updateValue(members[owner], forKey: owner) }
        for row in named {
            members[owner, default: [:]][row, default: stamp] = max(members[owner]?[row] ?? stamp, stamp)
            noteCount += 1
        }
    }

    /// Notes that the server has taken the whole of a list.
    mutating func noteTold(_ owner: ListOwner) {
        if formerTold[owner] == nil { formerTold.updateValue(told[owner], forKey: owner) }
        newest = .now()
        told[owner] = newest
        noteCount += 1
    }

    mutating func noteDeletion(of key: String, in table: TableID) {
        if formerDeleted[table] == nil { formerDeleted.updateValue(deleted[table], forKey: table) }
        newest = .now()
        deleted[table, default: [:]][key] = newest
        noteCount += 1
    }

    /// Notes that the server knew a row by that identity until now.
    mutating func note(_ identity: [StoredValue], ofRenamed record: RecordID) {
        if formerRenamed[record.table]?[identity] == nil {
            formerRenamed[record.table, default: [:]].updateValue(renamed[record.table]?[identity], forKey: identity)
        }
        newest = .now()
        renamed[record.table, default: [:]][identity] = Renaming(row: record.row, stamp: newest)
        noteCount += 1
    }

    /// Lets go of what no open question is older than.
    mutating func forget(before question: ChangeStamp?) {
        guard !isEmpty else { return }
        guard let question else {
            self = RecentChanges()
            return
        }
        // What was noted since is newer than a question that was open then.
        guard question != oldestQuestion else { return }
        oldestQuestion = question
        rows = rows.filter { $0.value > question }
        members = members.mapValues { $0.filter { $0.value > question } }.filter { !$0.value.isEmpty }
        lists = lists.filter { max($0.value.whole, $0.value.part) > question }
        told = told.filter { $0.value > question }
        deleted = deleted.mapValues { $0.filter { $0.value > question } }.filter { !$0.value.isEmpty }
        reads = reads.filter { $0.value.stamp > question }
        renamed = renamed.mapValues { $0.filter { $0.value.stamp > question } }.filter { !$0.value.isEmpty }
    }

    // MARK: Asking

    /// Whether anything is newer than that.
    func hasAny(since stamp: ChangeStamp?) -> Bool {
        guard let stamp, !isEmpty else { return false }
        return newest > stamp
    }

    /// Whether the row was confirmed after that.
    func hasChanged(_ record: RecordID, since stamp: ChangeStamp?) -> Bool {
        guard let stamp, let change = formerRows[record] ?? rows[record] else { return false }
        return change > stamp
    }

    /// The columns that the answer to a later question has written.
    func readColumns(of record: RecordID, since stamp: ChangeStamp?) -> ColumnMask? {
        guard let stamp, let read = reads[record], read.stamp > stamp else { return nil }
        return read.columns
    }

    /// Whether the answer to a later question has brought the row.
    func isMade(_ record: RecordID, since stamp: ChangeStamp?) -> Bool {
        guard let stamp, let read = reads[record], read.stamp > stamp else { return false }
        return read.isNew
    }

    /// Whether the answer to a later question has brought the whole list.
    func hasWhole(_ owner: ListOwner, since stamp: ChangeStamp?) -> Bool {
        guard let stamp, let read = lists[owner] else { return false }
        return read.whole > stamp
    }

    /// Whether the server has taken the whole list after that.
    private func isTold(_ owner: ListOwner, since stamp: ChangeStamp) -> Bool {
        guard let change = formerTold[owner] ?? told[owner] else { return false }
        return change > stamp
    }

    /// Whether the answer to a later question has brought a part of the list, so that there may be more than an earlier
    /// one says.
    func hasPart(of owner: ListOwner, since stamp: ChangeStamp?) -> Bool {
        guard let stamp, let read = lists[owner] else { return false }
        return read.part > stamp
    }

    /// Whether an answer to a later question, or a request that the server has taken, says what the list is.
    func hasNewer(_ owner: ListOwner, since stamp: ChangeStamp?) -> Bool {
        guard let stamp else { return false }
        return hasWhole(owner, since: stamp) || hasPart(of: owner, since: stamp) || isTold(owner, since: stamp)
    }

    /// Whether a row of that identity was deleted after that.
    func hasDeleted(_ key: String, in table: TableID, since stamp: ChangeStamp?) -> Bool {
        guard let stamp, let change = deleted[table]?[key] else { return false }
        return change > stamp
    }

    /// Whether a row of the table may have got another identity after that.
    func hasRenamed(in table: TableID, since stamp: ChangeStamp?) -> Bool {
        !renamed.isEmpty && hasAny(since: stamp) && renamed[table] != nil
    }

    /// The row that had that identity then, and has another now.
    func row(formerlyNamed identity: [StoredValue], in table: TableID, since stamp: ChangeStamp?) -> RowID? {
        let former = formerRenamed[table]?[identity] ?? renamed[table]?[identity]
        guard let stamp, let former, former.stamp > stamp else { return nil }
        return former.row
    }

    /// What a late answer makes of a list: who has joined or left since it was asked for stays, or stays away.
    ///
    /// - Parameters:
    ///   - wanted: the members that the answer names.
    ///   - old: the members now.
    ///   - link: the column of the members' links, where the list is kept as these.
    func settled(
        _ wanted: [RowID], over old: [RowID], in list: List, of owner: ListOwner, by link: Column?,
        since stamp: ChangeStamp?
    ) -> [RowID] {
        guard !isEmpty, let stamp else { return wanted }
        if hasWhole(owner, since: stamp) || isTold(owner, since: stamp) { return old }
        let (present, named) = (Set(old), Set(wanted))
        let isChanged = { row in hasMoved(row, in: list, of: owner, by: link, since: stamp) }
        return wanted.filter { present.contains($0) || !isChanged($0) }
            + old.filter { !named.contains($0) && isChanged($0) }
    }

    /// A list that is kept as its members' links changes with the members, and what a later answer says of such a link
    /// holds.
    func hasMoved(
        _ row: RowID, in list: List, of owner: ListOwner, by link: Column?, since stamp: ChangeStamp?
    ) -> Bool {
        guard let stamp, !isEmpty else { return false }
        let changes = formerMembers[owner] ?? members[owner]
        if let change = changes?[row], change > stamp { return true }
        let record = RecordID(table: list.target, row: row)
        if !told.isEmpty, let inverse = list.inverse, isTold(ListOwner(inverse, of: record), since: stamp) {
            return true
        }
        guard let link else { return false }
        return hasChanged(record, since: stamp)
            || readColumns(of: record, since: stamp)?.contains(link.index.rawValue) == true
    }
}

extension Schema {
    /// The column of the members' links; `nil` for a list that is kept in a table of its own.
    func linkColumn(of list: List) -> Column? {
        guard case .column(let property, _, _) = list.storage else { return nil }
        return self[list.target].column(of: property)
    }
}
