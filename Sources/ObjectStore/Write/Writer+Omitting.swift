// Whole lists of the server's that omit former members. If the list is stored as its members' links:
//
// | the omitted member | |
// |---|---|
// | has a deletion that was requested before the list | is deleted |
// | has the link in its identity | is deleted, since it can't be elsewhere; stays if edits or newer changes keep it |
// | has the link in its URL | leaves the list; the file keeps the owner's identity for the URL |
// | any other | leaves the list |

extension Writer {
    /// - Parameters:
    ///   - wanted: the server's members.
    ///   - old: the members in the file.
    ///   - requestTime: of the list.
    /// - Returns: the members to write. Those that stay keep their places. Those whose identity needs the link come
    ///   last, until they are deleted at the end of the transaction.
    func omitting(
        from wanted: [RowID], over old: [RowID], in list: List, of owner: RecordID,
        requestedAt requestTime: ChangeStamp?,
        _ progress: inout WriteProgress
    ) throws -> [RowID] {
        guard case .column(let link, _, _) = list.storage, !schema[list.target].isEmbedded else { return wanted }
        let present = Set(wanted)
        let left = old.filter { !present.contains($0) }
        guard !left.isEmpty else { return wanted }
        var (staying, going): (Set<RowID>, [RowID]) = ([], [])
        for row in left {
            let record = RecordID(table: list.target, row: row)
            if schema.namesMembers(list) {
                guard try mayPrune(record, requestedAt: requestTime, keeping: progress.kept) else {
                    staying.insert(row)
                    continue
                }
                going.append(row)
            } else if try !isDeletionProven(record, requestedAt: requestTime, keeping: progress.kept) {
                if schema.isAddress(link, of: list.target) { try keepAddress(of: record, by: link, owner) }
                continue
            }
            progress.omitted.append(Omission(record: record, requestTime: requestTime))
        }
        return wanted.with(staying, placedAsIn: old) + going
    }

    /// The same, for lists fetched with all of their pages.
    func omittingWherePruned(
        from wanted: [RowID], over old: [RowID], in list: List, of owner: RecordID, _ progress: inout WriteProgress
    ) throws -> [RowID] {
        guard progress.isPruning else { return wanted }
        return try omitting(from: wanted, over: old, in: list, of: owner, requestedAt: progress.requestTime, &progress)
    }

    /// Forgets the owner kept for a member's URL, as the member has left it.
    func forgetFormerOwner(of member: RecordID, in list: List) throws {
        guard case .column(let link, _, _) = list.storage, pendingSources.contains(list.target) else { return }
        try statements.deletePendingLinks(of: member, by: link)
    }

    /// Deletes rows noted by ``omitting(from:over:in:of:requestedAt:_:)``.
    ///
    /// - Parameter isNamed: whether another part of the body has the row.
    /// - Returns: the number of deleted rows.
    @discardableResult
    func deleteOmitted(
        _ progress: inout WriteProgress, unless isNamed: (RecordID) -> Bool = { _ in false }
    ) throws -> Int {
        let omitted = progress.omitted
        progress.omitted = []
        var count = 0
        for omission in omitted where !isNamed(omission.record) {
            let record = omission.record
            guard try statements[record.table].contains(record.row),
                try mayPrune(record, requestedAt: omission.requestTime, keeping: progress.kept)
            else { continue }
            try delete(record, &progress)
            count += 1
        }
        return count
    }

    /// Keeps the owner's identity for the URL of a row that leaves the list.
    private func keepAddress(of record: RecordID, by link: PropertyIndex, _ owner: RecordID) throws {
        guard let key = try knownKey(of: owner) else { return }
        try statements.deletePendingLinks(of: record, by: link)
        try remember(
            PendingLink(
                source: record, property: link, target: owner.table, key: key, position: PendingLink.formerPosition))
    }
}

struct Omission {
    let record: RecordID
    /// When the list was requested.
    let requestTime: ChangeStamp?
}
