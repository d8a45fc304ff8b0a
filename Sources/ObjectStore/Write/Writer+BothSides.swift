// Both sides of a relationship are one fact. One transaction writes both columns of a one-to-one link. The server's
// value of one side doesn't overwrite a pending edit of the other.

extension Writer {
    // MARK: One-to-one

    struct PartnerChange {
        var hasCleared = false
        var hasSet = false
    }

    /// Sets the inverse of a one-to-one link to `target`, or nil, and clears all other links to either row.
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

    func isKept(_ column: Column, of source: RecordID, to target: RowID?) throws -> Bool {
        guard let target, let link = schema[source.table][column.property].link, let inverse = link.inverse,
            let back = schema[link.target].column(of: inverse)
        else { return true }
        return try statements[link.target].value(of: back, in: target).row == source.row
    }

    /// Call it after all rows were written: a later one may edit the inverse itself, and needs the former value as its
    /// base.
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

    // MARK: Pending edits of the other side

    func isUnsentBack(_ property: Property, from partner: RowID?) throws -> Bool {
        guard let partner, let link = property.link, let inverse = link.inverse,
            schema[link.target][inverse].link != nil
        else { return false }
        return try isUnsent(inverse, of: RecordID(table: link.target, row: partner))
    }

    /// Whether a pending edit contradicts a new value of a one-to-one link: of the partner's link, or of another row
    /// that is linked to the partner.
    ///
    /// - Parameter source: nil for a new row.
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

    /// Applies pending memberships to a list of the server's. A pending member comes behind all that preceded it in the
    /// file, or in a one-to-many list behind its predecessor.
    func keepingUnsent(
        _ members: [RowID], over old: [RowID], in list: List, of owner: RecordID
    ) throws -> [RowID] {
        let (known, wanted) = (Set(old), Set(members))
        if schema.hasPairs(list) {
            let edits = pairs.edits(of: list, owner.row)
            guard !edits.isEmpty else { return members }
            let staying = old.filter { !wanted.contains($0) && edits[$0]?.isMember == true }
            return members.filter { edits[$0]?.isMember != false }.with(Set(staying), behindAllAsIn: old)
        }
        guard let inverse = list.inverse, !unsentRows[list.target].isEmpty else { return members }
        func isDecided(_ row: RowID) throws -> Bool {
            try isUnsent(inverse, of: RecordID(table: list.target, row: row))
        }
        let staying = try old.filter { try !wanted.contains($0) && isDecided($0) }
        return try members.filter { try known.contains($0) || !isDecided($0) }.with(Set(staying), placedAsIn: old)
    }

    /// Clears the bases of edited links to the owner of an accepted list without their members. The server has cleared
    /// these links, so one that is set back must be sent again.
    ///
    /// - Parameter members: those that were sent.
    /// - Complexity: linear in the rows of the members' table with pending edits.
    func clearLinkBases(leaving owner: ListOwner, keeping members: [RowID], in list: List) throws {
        let model = schema[list.target]
        guard case .column(let link, _, _) = list.storage, !unsentRows[list.target].isEmpty, !model.isEmbedded,
            !model.identity.contains(link), !schema.isSentByList(model[link]), let column = model.column(of: link)
        else { return }
        let (sentMembers, owner) = (Set(members.map { survivor(of: $0, in: list.target) }), owner.record.row)
        for row in try statements[list.target].rowsWithUnsentLink(column, from: owner) where !sentMembers.contains(row)
        {
            let record = RecordID(table: list.target, row: row)
            try updateBases(.null, over: StoredValue(owner), of: column, in: record, since: nil)
        }
    }

    /// Whether to write an acknowledged change of one membership, unless a newer pending edit of the member's link
    /// prevents it.
    func mayWrite(
        _ member: RecordID, in list: List, to change: WriteBatch.Membership.Change, requestedAt requestTime: ChangeStamp
    ) throws -> Bool {
        guard list.isOfLinks, let inverse = list.inverse, try isUnsent(inverse, of: member) else { return true }
        let unsent = try statements[member.table].unsentChanges(of: member.row)
        // The removal ends an older pending move into this list. The member's link stays pending, since the server may
        // have it in its former list.
        guard change == .leaves, let move = unsent.entries[schema[member.table][inverse].name] else { return false }
        return move.stamp < requestTime
    }
}
