/// Acknowledged changes and deletions since the oldest open request. Replies requested before them must not undo them.
/// Empty without open requests.
///
/// `since` is the time at which the reply that is being stored was requested. A transaction doesn't see its own notes,
/// which are about that reply.
struct RecentChanges {
    /// When each row was acknowledged.
    private var rows: [RecordID: ChangeStamp] = [:]
    /// When a member's change was acknowledged, or the newest reply with the member was requested.
    private var members: [ListOwner: [RowID: ChangeStamp]] = [:]
    /// When replies with each list were requested.
    private var lists: [ListOwner: ListRead] = [:]
    /// Acknowledgements of whole lists.
    private var acknowledgedLists: [ListOwner: ChangeStamp] = [:]
    /// When rows were deleted, by table and key of the identity.
    private var deleted: [TableID: [String: ChangeStamp]] = [:]
    /// Rows with an acknowledged new identity, by table and former identity.
    private var renamed: [TableID: [[StoredValue]: Renaming]] = [:]
    /// The columns that newer replies have written.
    private var reads: [RecordID: Read] = [:]
    /// At least the newest of these times.
    private var newest = ChangeStamp.earliest
    /// The oldest open request when notes were last removed.
    private var oldestRequestStart: ChangeStamp?
    /// The number of notes since ``beginCounting()``.
    private(set) var noteCount = 0

    // The values before the running transaction, for its reads and a rollback.
    private var formerRows: [RecordID: ChangeStamp?] = [:]
    private var formerMembers: [ListOwner: [RowID: ChangeStamp]?] = [:]
    private var formerLists: [ListOwner: ListRead?] = [:]
    private var formerAcknowledgedLists: [ListOwner: ChangeStamp?] = [:]
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
        /// Whether the reply has inserted the row.
        var isNew: Bool
    }

    /// When the last replies with the whole list, and with a part, were requested.
    private struct ListRead {
        var whole = ChangeStamp.earliest
        var part = ChangeStamp.earliest
    }

    var isEmpty: Bool {
        rows.isEmpty && members.isEmpty && lists.isEmpty && acknowledgedLists.isEmpty && deleted.isEmpty
            && reads.isEmpty
            && renamed.isEmpty
    }

    // MARK: Noting

    mutating func beginTransaction() {
        (formerRows, formerMembers, formerLists, formerDeleted, formerReads) = ([:], [:], [:], [:], [:])
        (formerAcknowledgedLists, formerRenamed) = ([:], [:])
    }

    mutating func beginCounting() { noteCount = 0 }

    mutating func rollBack() {
        for (record, former) in formerRows { rows[record] = former }
        for (owner, former) in formerMembers { members[owner] = former }
        for (owner, former) in formerLists { lists[owner] = former }
        for (owner, former) in formerAcknowledgedLists { acknowledgedLists[owner] = former }
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

    /// Notes the columns that a reply has written, while an older request is open.
    ///
    /// - Parameter isNew: whether the reply has inserted the row.
    mutating func note(
        _ columns: ColumnMask, of record: RecordID, requestedAt stamp: ChangeStamp, isNew: Bool = false
    ) {
        let known = reads[record]
        if formerReads[record] == nil { formerReads.updateValue(known, forKey: record) }
        newest = max(newest, stamp)
        reads[record] = Read(
            stamp: known.map { max($0.stamp, stamp) } ?? stamp, columns: known?.columns.union(columns) ?? columns,
            isNew: known?.isNew ?? isNew)
        noteCount += 1
    }

    mutating func note(_ named: [RowID], of owner: ListOwner, isWhole: Bool, requestedAt stamp: ChangeStamp) {
        newest = max(newest, stamp)
        if formerLists[owner] == nil { formerLists.updateValue(lists[owner], forKey: owner) }
        noteCount += 1
        guard !isWhole else {
            lists[owner, default: ListRead()].whole = max(lists[owner]?.whole ?? stamp, stamp)
            return
        }
        lists[owner, default: ListRead()].part = max(lists[owner]?.part ?? stamp, stamp)
        note(named, of: owner, requestedAt: stamp)
    }

    /// Notes members that a reply has or omits.
    mutating func note(_ named: some Sequence<RowID>, of owner: ListOwner, requestedAt stamp: ChangeStamp) {
        newest = max(newest, stamp)
        if formerMembers[owner] == nil { formerMembers.updateValue(members[owner], forKey: owner) }
        for row in named {
            members[owner, default: [:]][row, default: stamp] = max(members[owner]?[row] ?? stamp, stamp)
            noteCount += 1
        }
    }

    mutating func noteAcknowledged(_ owner: ListOwner) {
        if formerAcknowledgedLists[owner] == nil {
            formerAcknowledgedLists.updateValue(acknowledgedLists[owner], forKey: owner)
        }
        newest = .now()
        acknowledgedLists[owner] = newest
        noteCount += 1
    }

    mutating func noteDeletion(of key: String, in table: TableID) {
        if formerDeleted[table] == nil { formerDeleted.updateValue(deleted[table], forKey: table) }
        newest = .now()
        deleted[table, default: [:]][key] = newest
        noteCount += 1
    }

    mutating func note(_ identity: [StoredValue], ofRenamed record: RecordID) {
        if formerRenamed[record.table]?[identity] == nil {
            formerRenamed[record.table, default: [:]].updateValue(renamed[record.table]?[identity], forKey: identity)
        }
        newest = .now()
        renamed[record.table, default: [:]][identity] = Renaming(row: record.row, stamp: newest)
        noteCount += 1
    }

    mutating func forget(before requestTime: ChangeStamp?) {
        guard !isEmpty else { return }
        guard let requestTime else {
            self = RecentChanges()
            return
        }
        // All later notes are newer.
        guard requestTime != oldestRequestStart else { return }
        oldestRequestStart = requestTime
        rows = rows.filter { $0.value > requestTime }
        members = members.mapValues { $0.filter { $0.value > requestTime } }.filter { !$0.value.isEmpty }
        lists = lists.filter { max($0.value.whole, $0.value.part) > requestTime }
        acknowledgedLists = acknowledgedLists.filter { $0.value > requestTime }
        deleted = deleted.mapValues { $0.filter { $0.value > requestTime } }.filter { !$0.value.isEmpty }
        reads = reads.filter { $0.value.stamp > requestTime }
        renamed = renamed.mapValues { $0.filter { $0.value.stamp > requestTime } }.filter { !$0.value.isEmpty }
    }

    // MARK: Queries

    func hasAny(since stamp: ChangeStamp?) -> Bool {
        guard let stamp, !isEmpty else { return false }
        return newest > stamp
    }

    /// Whether an acknowledgement has changed the row.
    func hasChanged(_ record: RecordID, since stamp: ChangeStamp?) -> Bool {
        guard let stamp, let change = formerRows[record] ?? rows[record] else { return false }
        return change > stamp
    }

    func readColumns(of record: RecordID, since stamp: ChangeStamp?) -> ColumnMask? {
        guard let stamp, let read = reads[record], read.stamp > stamp else { return nil }
        return read.columns
    }

    /// Whether the reply to a later request has inserted the row.
    func isMade(_ record: RecordID, since stamp: ChangeStamp?) -> Bool {
        guard let stamp, let read = reads[record], read.stamp > stamp else { return false }
        return read.isNew
    }

    func hasWhole(_ owner: ListOwner, since stamp: ChangeStamp?) -> Bool {
        guard let stamp, let read = lists[owner] else { return false }
        return read.whole > stamp
    }

    private func isAcknowledged(_ owner: ListOwner, since stamp: ChangeStamp) -> Bool {
        guard let change = formerAcknowledgedLists[owner] ?? acknowledgedLists[owner] else { return false }
        return change > stamp
    }

    /// Whether the reply to a later request had a part of the list. The server may have more members than in an earlier
    /// reply.
    func hasPart(of owner: ListOwner, since stamp: ChangeStamp?) -> Bool {
        guard let stamp, let read = lists[owner] else { return false }
        return read.part > stamp
    }

    /// Whether a reply or an acknowledgement is newer.
    func hasNewer(_ owner: ListOwner, since stamp: ChangeStamp?) -> Bool {
        guard let stamp else { return false }
        return hasWhole(owner, since: stamp) || hasPart(of: owner, since: stamp) || isAcknowledged(owner, since: stamp)
    }

    func hasDeleted(_ key: String, in table: TableID, since stamp: ChangeStamp?) -> Bool {
        guard let stamp, let change = deleted[table]?[key] else { return false }
        return change > stamp
    }

    func hasRenamed(in table: TableID, since stamp: ChangeStamp?) -> Bool {
        !renamed.isEmpty && hasAny(since: stamp) && renamed[table] != nil
    }

    /// The row that had the identity then, and has another now.
    func row(formerlyNamed identity: [StoredValue], in table: TableID, since stamp: ChangeStamp?) -> RowID? {
        let former = formerRenamed[table]?[identity] ?? renamed[table]?[identity]
        guard let stamp, let former, former.stamp > stamp else { return nil }
        return former.row
    }

    /// Applies a late reply. Members that were added or removed after its request stay so.
    ///
    /// - Parameters:
    ///   - wanted: the members in the reply.
    ///   - old: the members in the file.
    ///   - link: of the members, for a one-to-many list.
    func settled(
        _ wanted: [RowID], over old: [RowID], in list: List, of owner: ListOwner, by link: Column?,
        since stamp: ChangeStamp?
    ) -> [RowID] {
        guard !isEmpty, let stamp else { return wanted }
        if hasWhole(owner, since: stamp) || isAcknowledged(owner, since: stamp) { return old }
        let (present, named) = (Set(old), Set(wanted))
        let isChanged = { row in hasMoved(row, in: list, of: owner, by: link, since: stamp) }
        return wanted.filter { present.contains($0) || !isChanged($0) }
            + old.filter { !named.contains($0) && isChanged($0) }
    }

    /// Whether a membership has changed. An acknowledged list decides about all possible members. In a one-to-many
    /// list, an acknowledged row of the member, or a newer reply with its link, counts, too.
    func hasMoved(
        _ row: RowID, in list: List, of owner: ListOwner, by link: Column?, since stamp: ChangeStamp?
    ) -> Bool {
        guard let stamp, !isEmpty else { return false }
        let changes = formerMembers[owner] ?? members[owner]
        if let change = changes?[row], change > stamp { return true }
        let record = RecordID(table: list.target, row: row)
        if !acknowledgedLists.isEmpty {
            if isAcknowledged(owner, since: stamp) { return true }
            if let inverse = list.inverse, isAcknowledged(ListOwner(inverse, of: record), since: stamp) { return true }
        }
        guard let link else { return false }
        return hasChanged(record, since: stamp)
            || readColumns(of: record, since: stamp)?.contains(link.index.rawValue) == true
    }
}

extension Schema {
    /// The column of the members' links. Nil: the list has a table of its own.
    func linkColumn(of list: List) -> Column? {
        guard case .column(let property, _, _) = list.storage else { return nil }
        return self[list.target].column(of: property)
    }
}
