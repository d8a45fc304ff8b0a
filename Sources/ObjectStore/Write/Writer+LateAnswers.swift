// Replies that were requested before acknowledged changes, which they must not undo.

extension Writer {
    /// Applies the list's pending edits, and the changes since it was requested.
    func settled(
        _ membership: WriteBatch.Membership, in list: List, since requestTime: ChangeStamp?
    ) throws -> [RowID] {
        let isLate = recentChanges.hasAny(since: requestTime)
        guard isLate || !pairs.isEmpty || !unsentRows[list.target].isEmpty else { return membership.members }
        let old = try statements.members(of: list, owner: membership.owner.record.row)
        let kept = try keepingUnsent(
            withoutDismissed(membership.members, of: membership.owner, in: list), over: old, in: list,
            of: membership.owner.record)
        return recentChanges.settled(
            kept, over: old, in: list, of: membership.owner, by: schema.linkColumn(of: list), since: requestTime)
    }

    /// Notes a whole list, while an older request is open.
    func noteAnswer(_ membership: WriteBatch.Membership, requestedAt requestTime: ChangeStamp?) {
        guard let requestTime, let oldest = operations.oldestRequestStart, oldest < requestTime else { return }
        recentChanges.note(membership.members, of: membership.owner, isWhole: true, requestedAt: requestTime)
    }

    /// Notes members that the server has added or removed, while a request is open.
    ///
    /// - Parameter requestTime: when the reply was requested. Nil: the change was acknowledged. Only these changes are
    ///   noted.
    func noteRecentChange(
        to membership: WriteBatch.Membership, of list: List, unless requestTime: ChangeStamp?
    ) throws {
        guard requestTime == nil, operations.oldestRequestStart != nil else { return }
        let owner = membership.owner
        let current = try Set(statements.members(of: list, owner: owner.record.row))
        noteRecentChange(of: current.symmetricDifference(membership.members), in: list, of: owner)
    }

    func noteRecentChange(of changed: Set<RowID>, in list: List, of owner: ListOwner) {
        if case .join = list.storage {
            recentChanges.note(changed, of: owner)
            guard let inverse = list.inverse else { return }
            for row in changed {
                let other = ListOwner(inverse, of: RecordID(table: list.target, row: row))
                recentChanges.note(CollectionOfOne(owner.record.row), of: other)
            }
        } else {
            for row in changed { recentChanges.note(RecordID(table: list.target, row: row)) }
        }
    }
}
