// A list that was edited here and waits to be sent goes out whole. So that it doesn't undo what others have done at the
// server meanwhile, `_unsent` keeps what was added and removed, and whatever the server says of the list goes beneath
// that.

extension Writer {
    /// Keeps what an edit has added to a list and taken out of it, together with the edits before that wait as well.
    ///
    /// - Parameters:
    ///   - current: the members in the file, where the edit does not say what it was made of.
    ///   - written: the members that it has come to there, with what others have added that the edit knows nothing of.
    ///   - isFirst: whether no edit before it waits.
    ///   - told: those of which the server is being told by their own lists.
    func noteDifference(
        of membership: WriteBatch.Membership, over current: [RowID], writing written: [RowID], in list: List,
        isFirst: Bool, besideTold told: Set<RowID>
    ) throws {
        let owner = membership.owner
        let (table, model) = (statements[owner.record.table], schema[owner.record.table])
        // What the server doesn't know it says nothing of.
        guard !schema[list.target].isEmbedded, try !isPartial(owner),
            try table.values(of: model.identityColumns, in: owner.record.row)?.contains(where: \.isNull) == false
        else { return }
        var unsent = try table.unsentChanges(of: owner.record.row)
        let name = model[owner.property].name
        guard var entry = unsent.entries[name] else { return }
        let base = membership.base ?? current
        let (known, wanted) = (Set(base), Set(membership.members))
        // One that leaves none of what there was means all that the list has.
        guard !wanted.isEmpty, known.isEmpty || !known.isDisjoint(with: wanted) else {
            underway.noteWhole(owner, at: entry.stamp)
            guard entry.difference != nil else { return }
            unsent.entries[name]?.difference = nil
            return try set(unsent, of: owner.record)
        }
        guard var difference = entry.difference ?? (isFirst ? UnsentChanges.Difference() : nil) else {
            let toggled = membership.toggled(over: current)
            return underway.noteDecision(on: toggled, ofWhole: owner, at: entry.stamp)
        }
        underway.forgetWhole(owner)
        // What is on its way may have done at the server what is taken back here.
        let isSent = underway.isSent(owner.property, of: owner.record)
        for row in base where !wanted.contains(row) {
            let isTakenBack = difference.added.remove(row) != nil
            if !isTakenBack || isSent || told.contains(row) {
                difference.removed.insert(try key(ofMember: row, in: list))
            }
        }
        for row in membership.members where !known.contains(row) {
            let isTakenBack =
                try !difference.removed.isEmpty && difference.removed.remove(key(ofMember: row, in: list)) != nil
            if !isTakenBack || isSent || told.contains(row) { difference.added.insert(row) }
        }
        for row in membership.decided {
            if wanted.contains(row) {
                difference.added.insert(row)
            } else if try statements[list.target].contains(row) {
                difference.removed.insert(try key(ofMember: row, in: list))
            }
        }
        difference.added.formIntersection(written)
        difference.removed.formUnion(membership.dismissed)
        if let stamp = membership.stamp {
            underway.noteDecision(on: membership.toggled(over: current), of: owner, at: stamp)
        }
        guard entry.difference != difference else { return }
        entry.difference = difference
        unsent.entries[name] = entry
        try set(unsent, of: owner.record)
    }

    /// The members whose own lists are on their way to the server, and so say whether they are in this one.
    ///
    /// - Parameter members: who is asked about; not made where nothing is on its way.
    func beingTold(of members: @autoclosure () -> Set<RowID>, in list: List) -> Set<RowID> {
        guard let inverse = list.inverse, schema[list.target][inverse].list != nil, underway.hasSends else { return [] }
        return underway.sending(inverse, among: members(), of: list.target)
    }

    /// Whether an edit of a list that is its members' links has only taken out some that the server hasn't heard of:
    /// their links are what it last said of them again. Then there is nothing to send.
    func areSetBack(
        _ membership: WriteBatch.Membership, over current: [RowID], in list: List
    ) throws -> Bool {
        guard case .column(let link, _, _) = list.storage, !schema[list.target][link].isNeverSent,
            membership.dismissed.isEmpty, let base = membership.base
        else { return false }
        let left = membership.toggled(over: current)
        guard !left.isEmpty, base.filter({ !left.contains($0) }) == membership.members else { return false }
        return try left.allSatisfy { row in
            let member = RecordID(table: list.target, row: row)
            return try statements[list.target].contains(row) && !isUnsent(link, of: member)
        }
    }

    /// Whether an edit of a list waits to be sent that was made after that, and may say something of the member.
    func hasDecided(_ member: RowID, in list: List, of owner: ListOwner, since stamp: ChangeStamp) throws -> Bool {
        let unsent = try statements[owner.record.table].unsentChanges(of: owner.record.row)
        let name = schema[owner.record.table][owner.property].name
        guard let entry = unsent.entries[name], entry.stamp > stamp else { return false }
        guard let difference = entry.difference else { return true }
        guard underway.hasDecided(member, of: owner, since: stamp) ?? true else { return false }
        return try difference.added.contains(member) || difference.removed.contains(key(ofMember: member, in: list))
    }

    /// The server was told of one member of a list alone: of that an edit which waits says nothing any more.
    func noteTold(_ member: RowID, in list: List, of owner: ListOwner) throws {
        let (record, name) = (owner.record, schema[owner.record.table][owner.property].name)
        guard unsentRows[record.table].contains(record.row) else { return }
        var unsent = try statements[record.table].unsentChanges(of: record.row)
        guard var difference = unsent.entries[name]?.difference else { return }
        difference.added.remove(member)
        difference.removed.remove(try key(ofMember: member, in: list))
        let known = try statements.members(of: list, owner: record.row).filter { !difference.added.contains($0) }
        unsent.entries[name]?.difference = difference
        unsent.entries[name]?.base = UnsentChanges.digest(of: known, waiting: difference.removed)
        try set(unsent, of: record)
    }

    /// The members that were taken out of a list by edits which wait to be sent; `nil` where that isn't known.
    func removedMembers(_ owner: ListOwner) throws -> Set<String>? {
        let unsent = try statements[owner.record.table].unsentChanges(of: owner.record.row)
        return unsent.entries[schema[owner.record.table][owner.property].name]?.difference?.removed
    }

    /// The server has said all of a list that was edited here, and waits to be sent: the edits are made on that.
    ///
    /// - Parameter asked: when that was asked for.
    func rebaseUnsent(
        _ owner: ListOwner, of list: List, onto whole: [RowID], since asked: ChangeStamp?,
        _ progress: inout WriteProgress
    ) throws {
        let (record, name) = (owner.record, schema[owner.record.table][owner.property].name)
        var unsent = try statements[record.table].unsentChanges(of: record.row)
        let current = try statements.members(of: list, owner: record.row)
        let present = Set(current)
        guard var difference = unsent.entries[name]?.difference, try !isPartial(owner) else { return }
        difference.added = Set(difference.added.map { survivor(of: RecordID(table: list.target, row: $0)).row })
        // Of one that is gone it isn't known whether it has become another, which must not count as the server's.
        guard difference.added.isSubset(of: present), !recentChanges.hasWhole(owner, since: asked)
        else { return }
        // An answer that is older than what has happened here says nothing of the edit.
        guard
            recentChanges.settled(
                whole, over: current, in: list, of: owner, by: schema.linkColumn(of: list), since: asked) == whole
        else { return }
        var removed: Set<String> = []
        var known = current.filter { !difference.added.contains($0) }
        for row in whole where !difference.removed.isEmpty && !present.contains(row) {
            let key = try key(ofMember: row, in: list)
            if difference.removed.contains(key) {
                removed.insert(key)
                known.append(row)
            }
        }
        let members = try keepingUnsent(
            current.rebased(from: known, onto: whole), over: current, in: list, of: record)
        let waiting = try statements.pendingLinks(of: record, by: owner.property).map(\.key)
        removed.formUnion(difference.removed.intersection(waiting))
        unsent.entries[name]?.base = UnsentChanges.digest(of: whole, waiting: waiting)
        var rest = UnsentChanges.Difference(added: Set(members).subtracting(whole), removed: removed)
        if underway.isSent(owner.property, of: record) {
            // What is on its way may undo at the server what was edited since, and what that has now as if by itself.
            rest.added.formUnion(difference.added.intersection(members))
            rest.removed.formUnion(difference.removed)
        }
        unsent.entries[name]?.difference = rest
        if members == whole, waiting.isEmpty, !underway.isSent(record) { unsent.entries[name] = nil }
        try set(unsent, of: record)
        guard members != current else { return }
        let listed = try omitting(from: members, over: current, in: list, of: record, askedAt: asked, &progress)
        try write(WriteBatch.Membership(listed, of: owner), &progress)
        progress.changes.noteUpdate(of: record)
    }
}
