// A list that has come in part, or not at all: the server has members that are not here, not even by identity. The file
// keeps that until all of it has come: what is here never goes out in place of what the server has.
//
// Whether the server has named a list at all stands in its owner's row (``SaidMask``), which the statement of the row
// writes along. Members that say themselves that they are in a list name no list.

extension Writer {
    /// Notes that the server has named a part of a list.
    ///
    /// - Parameter isNew: whether it names members that were not here; else a list that was whole still is.
    func notePart(of owner: ListOwner, isNew: Bool) throws {
        try statements.notePart(of: owner, isNew: isNew)
        pagedSources.insert(owner.record.table)
    }

    /// Notes that what is here of a list is all of it; not where a later answer has shown more.
    ///
    /// - Parameter asked: when the answer that says so was asked for; nil for one that is newer than all others.
    func noteWhole(_ owner: ListOwner, since asked: ChangeStamp? = nil) throws {
        try statements[owner.record.table].noteSaid(owner.property, of: owner.record.row)
        try noteRest(of: owner, since: asked)
    }

    /// Notes that a whole list has come, and whether the server has a member of it more than once.
    func noteWhole(_ membership: WriteBatch.Membership, since asked: ChangeStamp?) throws {
        try noteWhole(membership.owner, since: asked)
        try noteRepetition(membership.isRepeated, of: membership.owner, since: asked)
    }

    /// The same of a list that its owner's row has been noted to be said with.
    func noteRest(of owner: ListOwner, since asked: ChangeStamp? = nil) throws {
        guard pagedSources.contains(owner.record.table), !recentChanges.hasPart(of: owner, since: asked) else { return }
        try statements.noteWhole(owner)
    }

    /// Notes whether the server has a member of a list more than once. The file keeps each member once, so what is here
    /// never goes out in place of such a list; not where a later answer has said otherwise.
    ///
    /// - Parameter asked: as for ``noteWhole(_:since:)``, after which this is called.
    func noteRepetition(_ isRepeated: Bool, of owner: ListOwner, since asked: ChangeStamp? = nil) throws {
        guard isRepeated || repeatingSources.contains(owner.record.table),
            !recentChanges.hasNewer(owner, since: asked)
        else { return }
        try statements.noteRepetition(isRepeated, of: owner)
        guard isRepeated else { return }
        pagedSources.insert(owner.record.table)
        repeatingSources.insert(owner.record.table)
    }

    /// A list that the server has taken is what it has.
    func noteSentLists(_ confirmation: WriteBatch.Confirmation, of record: RecordID) throws {
        for property in confirmation.properties.compactMap(schema[record.table].property(named:)) {
            guard let list = property.list else { continue }
            let owner = ListOwner(property.index, of: record)
            try noteWhole(owner)
            try noteRepetition(false, of: owner)
            // Of one that is its members' links, these say the same.
            if case .join = list.storage, underway.oldestQuestion != nil { recentChanges.noteTold(owner) }
            if let members = confirmation.lists[property.index] {
                try noteToldLinks(leaving: owner, beside: members, in: list)
            }
        }
    }

    /// So are attributes and links, but for what is kept no longer then. The row is in the file.
    func noteSent(_ confirmation: WriteBatch.Confirmation) throws {
        let (record, properties) = (survivor(of: confirmation.record), Set(confirmation.properties))
        let model = schema[record.table]
        var said = SaidMask()
        for property in model.properties
        where property.list == nil && properties.contains(property.name) && !property.isForgotten {
            said.insert(property.index, of: model)
        }
        try statements[record.table].note(said, of: record.row)
    }

    /// Whether it isn't known that all of a list is here.
    func isPartial(_ owner: ListOwner) throws -> Bool {
        if try statements[owner.record.table].isUnsaid(owner.property, of: owner.record.row) { return true }
        return try pagedSources.contains(owner.record.table) && statements.hasPart(owner)
    }

    /// What a member of a list that is known in part is known by: its identity, or, where it has none, its row.
    func key(ofMember row: RowID, in list: List) throws -> String {
        let record = RecordID(table: list.target, row: row)
        let key = schema[list.target].isEmbedded ? nil : try knownKey(of: record)
        return key ?? "row \(row.rawValue)"
    }
}
