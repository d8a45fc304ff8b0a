// Both sides of a link are one fact: a one-to-one link is kept on both sides in the same transaction, and what waits to
// be sent of one side is not overwritten by what the server says of the other.

extension Writer {
    // MARK: One-to-one

    /// What the upkeep of a one-to-one link has changed in other rows.
    struct PartnerChange {
        /// Whether a link that said otherwise was cleared.
        var hasCleared = false
        /// Whether the partner's own link was set.
        var hasSet = false
    }

    /// A to-one link whose inverse is to-one is referenced back, and by nothing else: called when the link of `source`
    /// has come to reference `target`, or nothing.
    @discardableResult
    func keepOneToOne(
        _ column: Column, of source: RecordID, to target: RowID?, _ progress: inout WriteProgress
    ) throws -> PartnerChange {
        var change = PartnerChange()
        guard let link = schema[source.table][column.property].link, let inverse = link.inverse,
            let back = schema[link.target].column(of: inverse)
        else { return change }
        let former = try statements[link.target].clear(back, referencing: source.row, exceptIn: target)
        progress.changes.tables[link.target].updated += former
        change.hasCleared = !former.isEmpty
        guard let target else { return change }
        let others = try statements[source.table].clear(column, referencing: target, exceptIn: source.row)
        progress.changes.tables[source.table].updated += others
        change.hasCleared = change.hasCleared || !others.isEmpty
        if try statements[link.target].set(back, to: source.row, in: target) {
            progress.changes.tables[link.target].updated.append(target)
            change.hasSet = true
        }
        return change
    }

    /// Whether a one-to-one link is referenced back, as far as the rows at its ends say.
    func isKept(_ column: Column, of source: RecordID, to target: RowID?) throws -> Bool {
        guard let target, let link = schema[source.table][column.property].link, let inverse = link.inverse,
            let back = schema[link.target].column(of: inverse)
        else { return true }
        return try statements[link.target].value(of: back, in: target).row == source.row
    }

    /// The rows of a batch are written: their one-to-one links are kept as the file says them now. After all of them,
    /// as a later row of the batch may say the same of the other side, and must find what the file said before.
    func keepOneToOneLinks(of batch: WriteBatch, _ progress: inout WriteProgress) throws {
        for row in batch.rows {
            let model = schema[row.record.table]
            guard model.hasLinks else { continue }
            let record = survivor(of: row.record)
            for (property, _) in row.values
            where schema.back(of: property, in: model.table)?.isLink == true && row.isEdited(property) {
                guard let column = model.column(of: property) else { continue }
                let target = try statements[record.table].value(of: column, in: record.row).row
                try keepOneToOne(column, of: record, to: target, &progress)
            }
        }
    }

    // MARK: What waits to be sent of the other side

    /// Whether the partner that a one-to-one link references has an unsent link back.
    func isUnsentBack(_ property: Property, from partner: RowID?) throws -> Bool {
        guard let partner, let link = property.link, let inverse = link.inverse,
            schema[link.target][inverse].link != nil
        else { return false }
        return try isUnsent(inverse, of: RecordID(table: link.target, row: partner))
    }

    /// Whether what waits to be sent says otherwise than a one-to-one link that `source` is about to get, or to lose:
    /// the partner's own link, or that of another row which the partner was given to here.
    ///
    /// - Parameter source: the row that has the link; `nil` for a new one.
    func isPartnerUnsent(of column: Column, in source: (table: TableID, row: RowID?), _ target: RowID) throws -> Bool {
        guard let link = schema[source.table][column.property].link,
            !unsentRows[link.target].isEmpty || !unsentRows[source.table].isEmpty, let inverse = link.inverse,
            schema[link.target][inverse].link != nil
        else { return false }
        if try isUnsentBack(schema[source.table][column.property], from: target) { return true }
        guard let back = schema[link.target].column(of: inverse),
            let rival = try statements[link.target].value(of: back, in: target).row, rival != source.row
        else { return false }
        return try isUnsent(column.property, of: RecordID(table: source.table, row: rival))
    }

    /// What the server says of a list, but that a member neither joins it nor leaves it of which what waits to be sent
    /// of its own side of the relationship says whether it is one. Who stays so stands behind what they stood behind.
    ///
    /// - Parameter edit: what the server has taken of the list.
    func keepingUnsent(
        _ members: [RowID], over old: [RowID], in list: List, of owner: RecordID,
        confirming edit: WriteBatch.Membership? = nil
    ) throws -> [RowID] {
        guard list.inverse != nil, !unsentRows[list.target].isEmpty else { return members }
        let (known, wanted) = (Set(old), Set(members))
        let toggled = edit?.toggled(over: old) ?? []
        func isDecided(_ row: RowID) throws -> Bool {
            try isDecidedBack(row, in: list, of: owner, since: toggled.contains(row) ? edit?.stamp : nil)
        }
        let staying = try old.filter { try !wanted.contains($0) && isDecided($0) }
        return try members.filter { try known.contains($0) || !isDecided($0) }.with(Set(staying), placedAsIn: old)
    }

    /// Whether what waits to be sent of a member's own side says whether it is in the list: a link does, and so does a
    /// list, of which it may be known what else it says nothing of.
    ///
    /// - Parameter stamp: the edit of this side that is to be newer; nil for what is no edit.
    func isDecidedBack(
        _ row: RowID, in list: List, of owner: RecordID, since stamp: ChangeStamp? = nil
    ) throws -> Bool {
        guard let inverse = list.inverse, unsentRows[list.target].contains(row) else { return false }
        let property = schema[list.target][inverse]
        let unsent = try statements[list.target].unsentChanges(of: row)
        guard let entry = unsent.entries[property.name] else { return false }
        if let stamp, property.list != nil, entry.stamp < stamp { return false }
        guard let back = property.list else { return true }
        let record = RecordID(table: list.target, row: row)
        guard let difference = entry.difference else {
            return stamp.flatMap {
                underway.hasDecided(owner.row, ofWhole: ListOwner(inverse, of: record), since: $0)
            } ?? true
        }
        if let stamp, underway.hasDecided(owner.row, of: ListOwner(inverse, of: record), since: stamp) == false {
            return false
        }
        return try difference.added.contains(owner.row)
            || difference.removed.contains(key(ofMember: owner.row, in: back))
    }

    /// An edit of a list is the last word on the members that it adds and takes out: what waits to be sent of their own
    /// lists since before says nothing of it any more. Not so of a list that is never sent: it is told by theirs.
    ///
    /// - Parameter former: the members before.
    func overruleBacks(
        by edit: WriteBatch.Membership, over former: [RowID], in list: List, _ changes: inout ChangeSet
    ) throws {
        guard let stamp = edit.stamp, let back = back(of: list), !unsentRows[list.target].isEmpty,
            !schema[edit.owner.record.table][edit.owner.property].isNeverSent
        else { return }
        let owner = edit.owner.record.row
        for row in edit.toggled(over: former) {
            try revise(back.property, of: RecordID(table: list.target, row: row), noting: &changes) {
                entry, difference in
                guard entry.stamp < stamp else { return false }
                return try difference.added.remove(owner) != nil
                    || difference.removed.remove(key(ofMember: owner, in: back.list)) != nil
            }
        }
    }

    /// The server has taken the whole of a list: what waits to be sent of its members' own lists, and says the same of
    /// it, the server has.
    ///
    /// - Complexity: linear in the members, and in the rows of their table that wait to be taken out of lists.
    func noteToldBacks(
        _ members: [RowID], of owner: RecordID, in list: List, _ changes: inout ChangeSet
    ) throws {
        guard let back = back(of: list), !unsentRows[list.target].isEmpty else { return }
        let told = Set(members.map { survivor(of: $0, in: list.target) })
        for row in try told.union(rowsWithRemovals(in: list.target)) where unsentRows[list.target].contains(row) {
            let member = RecordID(table: list.target, row: row)
            // What is on its way of the member itself may undo it.
            if underway.isSent(back.property.index, of: member) { continue }
            if told.contains(row) { try forgetBase(ofWhole: back.property, of: member) }
            try revise(back.property, of: member, noting: &changes) { _, difference in
                if told.contains(row) { return difference.added.remove(owner.row) != nil }
                if difference.removed.isEmpty { return false }
                return try difference.removed.remove(key(ofMember: owner.row, in: back.list)) != nil
            }
        }
    }

    /// The server has taken a list without rows that were in it when it last spoke of their links, and that lead
    /// elsewhere here: for it these lead nowhere, so that one that comes back has something to send.
    ///
    /// - Parameter members: those that it was told.
    /// - Complexity: linear in the unsent rows of the members' table.
    func noteToldLinks(leaving owner: ListOwner, beside members: [RowID], in list: List) throws {
        let model = schema[list.target]
        guard case .column(let link, _, _) = list.storage, !unsentRows[list.target].isEmpty, !model.isEmbedded,
            !model.identity.contains(link), !schema.isSentByList(model[link]), let column = model.column(of: link)
        else { return }
        let (told, owner) = (Set(members.map { survivor(of: $0, in: list.target) }), owner.record.row)
        for row in try statements[list.target].rowsWithUnsentLink(column, from: owner) where !told.contains(row) {
            try keepSaid(
                .null, over: StoredValue(owner), of: model[link], in: RecordID(table: list.target, row: row))
        }
    }

    /// The server was told of a member from its other side, beside a list that waits to be sent as all that it has.
    /// That has something to send whatever it is set back to, as nobody has said what the server has of it.
    private func forgetBase(ofWhole property: Property, of member: RecordID) throws {
        var unsent = try statements[member.table].unsentChanges(of: member.row)
        // That of a part says what the edit was made of.
        guard let entry = unsent.entries[property.name], entry.difference == nil, !entry.base.isNull,
            UnsentChanges.keys(in: entry.base) == nil
        else { return }
        unsent.entries[property.name]?.base = .null
        try set(unsent, of: member)
    }

    private func rowsWithRemovals(in table: TableID) throws -> Set<RowID> {
        if let known = rowsWithRemovals[table] { return known }
        let found = try unsentRows[table].filter { try statements[table].unsentChanges(of: $0).hasRemovals }
        rowsWithRemovals[table] = found
        return found
    }

    /// The list that a list's members have, where it is one.
    private func back(of list: List) -> (property: Property, list: List)? {
        guard let inverse = list.inverse, case let property = schema[list.target][inverse], let back = property.list
        else { return nil }
        return (property, back)
    }

    /// Changes what an edited list that waits to be sent adds and takes out; nothing waits where that was all of it.
    ///
    /// - Parameter change: whether there is something to change, which it has changed then.
    private func revise(
        _ property: Property, of member: RecordID, noting changes: inout ChangeSet,
        by change: (UnsentChanges.Entry, inout UnsentChanges.Difference) throws -> Bool
    ) throws {
        guard unsentRows[member.table].contains(member.row), let list = property.list else { return }
        var unsent = try statements[member.table].unsentChanges(of: member.row)
        guard let entry = unsent.entries[property.name], let former = entry.difference else { return }
        var difference = former
        guard try change(entry, &difference) else { return }
        let members = try statements.members(of: list, owner: member.row)
        func digest(without added: Set<RowID>, waiting removed: Set<String>) -> StoredValue {
            UnsentChanges.digest(of: members.filter { !added.contains($0) }, waiting: removed)
        }
        unsent.entries[property.name]?.difference = difference
        unsent.entries[property.name]?.base = digest(without: difference.added, waiting: difference.removed)
        // An order that was edited waits still.
        let isInOrder =
            digest(without: [], waiting: []) == entry.base
            || former.removed.isEmpty && digest(without: former.added, waiting: []) == entry.base
        if difference == UnsentChanges.Difference(), isInOrder, !underway.isSent(member) {
            unsent.entries[property.name] = nil
        }
        try set(unsent, of: member)
        changes.noteUpdate(of: member, keepsLinks: true)
    }

    /// The server has said of members whether they are in a list, and the file has it so. Lists of theirs that wait to
    /// be sent, and say nothing of that, are from then on edits of lists which say the same: what they are set back to.
    func rebaseUnsentBacks(
        of rows: some Sequence<RowID>, in list: List, of owner: RecordID, _ changes: inout ChangeSet
    ) throws {
        guard let back = back(of: list), !unsentRows[list.target].isEmpty else { return }
        let name = back.property.name
        for row in rows where unsentRows[list.target].contains(row) {
            var unsent = try statements[list.target].unsentChanges(of: row)
            guard let difference = unsent.entries[name]?.difference, try !isDecidedBack(row, in: list, of: owner) else {
                continue
            }
            let known = try statements.members(of: back.list, owner: row).filter { !difference.added.contains($0) }
            // What was taken out of it the server has: no list of what is here says the same.
            unsent.entries[name]?.base = UnsentChanges.digest(of: known, waiting: difference.removed)
            let member = RecordID(table: list.target, row: row)
            try set(unsent, of: member)
            changes.noteUpdate(of: member, keepsLinks: true)
        }
    }

    /// Whether the server's word on one membership is written, as what waits to be sent of the member's own side says
    /// nothing of that.
    func isOpen(
        _ member: RecordID, in list: List, of owner: RecordID, to change: WriteBatch.Membership.Change,
        askedAt asked: ChangeStamp
    ) throws -> Bool {
        guard let inverse = list.inverse, try isUnsent(inverse, of: member) else { return true }
        let property = schema[member.table][inverse]
        let unsent = try statements[member.table].unsentChanges(of: member.row)
        // An older move into the list, of which the server hasn't heard, becomes one out of where that has the member.
        if property.link != nil, change == .leaves, let move = unsent.entries[property.name], move.stamp < asked {
            return true
        }
        return try !isDecidedBack(member.row, in: list, of: owner, since: asked)
    }
}
