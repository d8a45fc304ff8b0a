/// What the server has confirmed, and what was deleted here, since the oldest request that waits for its reply: the reply to
/// an earlier request changes none of it, as it says what was before. Empty when no request is open.
///
/// What the running transaction notes is what its own reply is about, so that counts from the next one on.
struct RecentChanges {
    /// By row: when it was confirmed.
    private var rows: [RecordID: ChangeStamp] = [:]
    /// By list: when members were confirmed to have joined or left.
    private var members: [ListOwner: [RowID: ChangeStamp]] = [:]
    /// What the running transaction has noted anew, as it was before.
    private var formerRows: [RecordID: ChangeStamp?] = [:]
    private var formerMembers: [ListOwner: [RowID: ChangeStamp]?] = [:]
    /// By table and pending key: when a row of that identity was deleted.
    private var deleted: [TableID: [String: ChangeStamp]] = [:]
    /// By row: the columns that a later answer has written, and when that was asked for.
    private var reads: [RecordID: (stamp: ChangeStamp, columns: ColumnMask)] = [:]

    var isEmpty: Bool { rows.isEmpty && members.isEmpty && deleted.isEmpty && reads.isEmpty }

    // MARK: Noting

    mutating func beginTransaction() { (formerRows, formerMembers) = ([:], [:]) }

    mutating func note(_ record: RecordID) {
        if formerRows[record] == nil { formerRows.updateValue(rows[record], forKey: record) }
        rows[record] = .now()
    }

    mutating func note(_ changed: some Sequence<RowID>, of owner: ListOwner) {
        if formerMembers[owner] == nil { formerMembers.updateValue(members[owner], forKey: owner) }
        let stamp = ChangeStamp.now()
        for member in changed { members[owner, default: [:]][member] = stamp }
    }

    /// Notes what the answer to a question has written, while an older one is open.
    mutating func note(_ columns: ColumnMask, of record: RecordID, askedAt stamp: ChangeStamp) {
        guard let known = reads[record] else {
            reads[record] = (stamp, columns)
            return
        }
        reads[record] = (max(known.stamp, stamp), known.columns.union(columns))
    }

    mutating func noteDeletion(of key: String, in table: TableID) { deleted[table, default: [:]][key] = .now() }

    /// Lets go of what no open question is older than.
    mutating func forget(before question: ChangeStamp?) {
        guard !isEmpty else { return }
        guard let question else {
            self = RecentChanges()
            return
        }
        rows = rows.filter { $0.value > question }
        members = members.mapValues { $0.filter { $0.value > question } }.filter { !$0.value.isEmpty }
        deleted = deleted.mapValues { $0.filter { $0.value > question } }.filter { !$0.value.isEmpty }
        reads = reads.filter { $0.value.stamp > question }
    }

    // MARK: Asking

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

    /// Whether a row of that identity was deleted after that.
    func hasDeleted(_ key: String, in table: TableID, since stamp: ChangeStamp?) -> Bool {
        guard let stamp, let change = deleted[table]?[key] else { return false }
        return change > stamp
    }

    /// What a late answer makes of a list: who has joined or left since it was asked for stays, or stays away.
    ///
    /// - Parameters:
    ///   - wanted: the members that the answer names.
    ///   - old: the members now.
    func settled(
        _ wanted: [RowID], over old: [RowID], in list: List, of owner: ListOwner, since stamp: ChangeStamp?
    ) -> [RowID] {
        guard !isEmpty, let stamp else { return wanted }
        let (present, named) = (Set(old), Set(wanted))
        let isChanged = { row in hasMoved(row, in: list, of: owner, since: stamp) }
        return wanted.filter { present.contains($0) || !isChanged($0) }
            + old.filter { !named.contains($0) && isChanged($0) }
    }

    /// A list that is kept as its members' links changes with the members.
    private func hasMoved(_ row: RowID, in list: List, of owner: ListOwner, since stamp: ChangeStamp) -> Bool {
        guard case .join = list.storage else {
            return hasChanged(RecordID(table: list.target, row: row), since: stamp)
        }
        let changes = formerMembers[owner] ?? members[owner]
        return changes?[row].map { $0 > stamp } ?? false
    }
}
