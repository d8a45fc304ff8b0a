// Answers to questions that are older than what has happened here since: who has joined or left a list by then stays
// so.

extension Writer {
    /// What the server says of a list, without what waits to be sent of its members' own side, or has changed since it
    /// was asked for.
    func settled(
        _ membership: WriteBatch.Membership, in list: List, since asked: ChangeStamp?
    ) throws -> [RowID] {
        let isLate = recentChanges.hasAny(since: asked)
        guard isLate || !pairs.isEmpty || !unsentRows[list.target].isEmpty else { return membership.members }
        let old = try statements.members(of: list, owner: membership.owner.record.row)
        let kept = try keepingUnsent(
            withoutDismissed(membership.members, of: membership.owner, in: list), over: old, in: list,
            of: membership.owner.record)
        return recentChanges.settled(
            kept, over: old, in: list, of: membership.owner, by: schema.linkColumn(of: list), since: asked)
    }

    /// While an older question is open, keeps that an answer has brought the whole of a list.
    func noteAnswer(_ membership: WriteBatch.Membership, askedAt asked: ChangeStamp?) {
        guard let asked, let oldest = underway.oldestQuestion, oldest < asked else { return }
        recentChanges.note(membership.members, of: membership.owner, isWhole: true, askedAt: asked)
    }

    /// While a question is open, keeps who joins or leaves a list by the server's word.
    ///
    /// - Parameter asked: not nil for the answer to a question, which says what was before.
    func noteRecentChange(
        to membership: WriteBatch.Membership, of list: List, unless asked: ChangeStamp?
    ) throws {
        guard asked == nil, underway.oldestQuestion != nil else { return }
        let owner = membership.owner
        let current = try Set(statements.members(of: list, owner: owner.record.row))
        noteRecentChange(of: current.symmetricDifference(membership.members), in: list, of: owner)
    }

    func noteRecentChange(of changed: Set<RowID>, in list: List, of owner: ListOwner) {
        if case .join = list.storage {
            recentChanges.note(changed, of: owner)
            // It is the other direction's list as well.
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
