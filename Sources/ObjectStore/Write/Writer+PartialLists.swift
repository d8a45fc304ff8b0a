// Tracks lists that were fetched partially or not at all, so that an incomplete list is never sent in place of the
// server's.
//
// The owner's row has a bit for each list that the server has sent (``LoadedMask``). Links of members leave it unset.

extension Writer {
    /// Notes that the server has sent a part of a list.
    ///
    /// - Parameter isNew: whether the part has members that the file lacks. Otherwise a whole list stays whole.
    func notePart(of owner: ListOwner, isNew: Bool) throws {
        try statements.notePart(of: owner, isNew: isNew)
        pagedSources.insert(owner.record.table)
    }

    /// Notes that the file has all members, unless the reply to a later request has shown more.
    ///
    /// - Parameter requestTime: when the reply was requested. Nil: it is newer than all others.
    func noteWhole(_ owner: ListOwner, since requestTime: ChangeStamp? = nil) throws {
        try statements[owner.record.table].noteLoaded(owner.property, of: owner.record.row)
        try noteRest(of: owner, since: requestTime)
    }

    func noteWhole(_ membership: WriteBatch.Membership, since requestTime: ChangeStamp?) throws {
        try noteWhole(membership.owner, since: requestTime)
        try noteRepetition(membership.isRepeated, of: membership.owner, since: requestTime)
    }

    func noteRest(of owner: ListOwner, since requestTime: ChangeStamp? = nil) throws {
        guard pagedSources.contains(owner.record.table), !recentChanges.hasPart(of: owner, since: requestTime) else {
            return
        }
        try statements.noteWhole(owner)
    }

    /// The file has each member once, so it never sends a list in which the server repeats one. The reply to a later
    /// request takes precedence.
    ///
    /// - Parameter requestTime: as for ``noteWhole(_:since:)``, which must be called before.
    func noteRepetition(_ isRepeated: Bool, of owner: ListOwner, since requestTime: ChangeStamp? = nil) throws {
        guard isRepeated || repeatingSources.contains(owner.record.table),
            !recentChanges.hasNewer(owner, since: requestTime)
        else { return }
        try statements.noteRepetition(isRepeated, of: owner)
        guard isRepeated else { return }
        pagedSources.insert(owner.record.table)
        repeatingSources.insert(owner.record.table)
    }

    func noteSentLists(_ confirmation: WriteBatch.Confirmation, of record: RecordID) throws {
        for property in confirmation.properties.compactMap(schema[record.table].property(named:)) {
            guard let list = property.list else { continue }
            let owner = ListOwner(property.index, of: record)
            try noteWhole(owner)
            try noteRepetition(false, of: owner)
            // A one-to-many list's acknowledged members are noted instead.
            if case .join = list.storage, operations.oldestRequestStart != nil { recentChanges.noteAcknowledged(owner) }
            if let members = confirmation.lists[property.index] {
                try clearLinkBases(leaving: owner, keeping: members, in: list)
            }
        }
    }

    /// Marks acknowledged attributes and links as loaded, except secrets, which are removed now.
    func noteSent(_ confirmation: WriteBatch.Confirmation) throws {
        let (record, properties) = (survivor(of: confirmation.record), Set(confirmation.properties))
        let model = schema[record.table]
        var loaded = LoadedMask()
        for property in model.properties
        where property.list == nil && properties.contains(property.name) && !property.isForgotten {
            loaded.insert(property.index, of: model)
        }
        try statements[record.table].note(loaded, of: record.row)
    }

    func isPartial(_ owner: ListOwner) throws -> Bool {
        if try statements[owner.record.table].isUnloaded(owner.property, of: owner.record.row) { return true }
        return try pagedSources.contains(owner.record.table) && statements.hasPart(owner)
    }

    /// The key of a member, kept after its row is gone: its identity at the server, or else its row.
    func key(ofMember row: RowID, in list: List) throws -> String {
        let record = RecordID(table: list.target, row: row)
        let key = schema[list.target].isEmbedded ? nil : try knownKey(of: record)
        return key ?? "row \(row.rawValue)"
    }
}
