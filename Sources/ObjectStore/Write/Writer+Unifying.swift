// SQLite checks unique identities at each statement, so a row gives up its identity as soon as an earlier row of the
// batch needs it. Of two rows that turn out to be one object, the duplicate is deleted, and the survivor stays.

extension Writer {
    // MARK: Freeing identities

    /// Writes a row. If the batch deletes or renames the row with the same identity, that row's identity is cleared
    /// first. If the server has acknowledged the identity, the two rows become one.
    ///
    /// - Returns: the row that was written.
    /// - Throws: ``StoreError/duplicateIdentity(model:identity:)``.
    func freeingIdentity(
        for row: WriteBatch.Row, isInsert: Bool, _ progress: inout WriteProgress, _ write: () throws -> Void
    ) throws -> RecordID {
        do {
            try write()
        } catch let failure as SQLiteFailure where failure.isDuplicate {
            guard let holder = try holder(ofIdentityIn: row) else { throw failure }
            if try freeIdentity(by: holder, &progress) {
                try write()
            } else if progress.isConfirmed, isInsert || renamedRows[holder.table][holder.row] == nil {
                if isInsert {
                    try unify(row, with: holder, &progress)
                } else {
                    try unify(renamed: row, holder, &progress)
                }
                return holder
            } else {
                throw StoreError.duplicateIdentity(
                    model: schema[row.record.table].modelName,
                    identity: try identityText(of: row.record, after: row.values))
            }
        }
        return row.record
    }

    private func holder(ofIdentityIn row: WriteBatch.Row) throws -> RecordID? {
        let (table, model) = (statements[row.record.table], schema[row.record.table])
        let identity = try model.identity.map { property in
            if let value = row.values[property] { return value }
            guard let column = model.column(of: property) else { return .null }
            return try table.value(of: column, in: row.record.row)
        }
        return try table.find(identity).map { RecordID(table: model.table, row: $0) }
    }

    /// - Returns: whether the identity is free.
    private func freeIdentity(by record: RecordID, _ progress: inout WriteProgress) throws -> Bool {
        let model = schema[record.table]
        guard !progress.identities.hasFreedIdentity(record) else { return false }
        if progress.identities.deletes(record) {
            progress.identities.keep([:], of: record)
            try unname(record, model.identityColumns)
            return true
        }
        guard let row = progress.identities.row(record) else { return false }
        let changing = model.identity.filter { row.values[$0] != nil }
        guard try isToChange(changing, by: row) else { return false }
        let columns = row.values.keys.sorted().compactMap { model.column(of: $0) }
        progress.identities.keep(try bases(of: columns, in: record) ?? [:], of: record)
        try noteOrphans(of: row, &progress)
        try unname(record, changing.compactMap { model.column(of: $0) })
        return true
    }

    private func isToChange(_ properties: [PropertyIndex], by row: WriteBatch.Row) throws -> Bool {
        for property in properties {
            guard let column = schema[row.record.table].column(of: property) else { continue }
            let value = try statements[row.record.table].value(of: column, in: row.record.row)
            if value != row.values[property] { return true }
        }
        return false
    }

    /// One column is enough, since NULLs are never equal.
    private func unname(_ record: RecordID, _ columns: [Column]) throws {
        guard let column = columns.first(where: { $0.target == nil }) ?? columns.first else { return }
        try statements[record.table].clear(column, in: record.row)
    }

    // MARK: Survivors

    func survivor(of record: RecordID) -> RecordID {
        guard !survivors.isEmpty else { return record }
        var record = record
        while let row = survivors[record] { record = RecordID(table: record.table, row: row) }
        return record
    }

    func survivor(of row: RowID, in table: TableID) -> RowID {
        survivor(of: RecordID(table: table, row: row)).row
    }

    func survivor(of batch: WriteBatch) -> WriteBatch {
        guard !survivors.isEmpty else { return batch }
        var batch = batch
        batch.rows = batch.rows.map(survivor)
        batch.memberships = batch.memberships.map(survivor)
        batch.deletions = survivingDeletions(of: batch)
        return batch
    }

    /// When pruning, a duplicate's survivor stays, as a fetched list that omits the duplicate may have it.
    func survivingDeletions(of batch: WriteBatch) -> [RecordID] {
        guard !survivors.isEmpty else { return batch.deletions }
        return batch.isPruning
            ? batch.deletions.filter { survivors[$0] == nil } : batch.deletions.map { survivor(of: $0) }
    }

    func survivor(of row: WriteBatch.Row) -> WriteBatch.Row {
        guard !survivors.isEmpty else { return row }
        let record = survivor(of: row.record)
        let isOther = record != row.record
        var values = isOther ? row.values.filter { row.isEdited($0.key) } : row.values
        for (property, value) in values {
            guard let target = value.row, let link = schema[record.table][property].link else { continue }
            values[property] = StoredValue(survivor(of: target, in: link.target))
        }
        var survivor = row
        (survivor.record, survivor.values, survivor.isInsert) = (record, values, row.isInsert && !isOther)
        for (property, owner) in row.leaving {
            survivor.leaving[property] = schema[record.table][property].target.map { self.survivor(of: owner, in: $0) }
        }
        return survivor
    }

    func survivor(of membership: WriteBatch.Membership) -> WriteBatch.Membership {
        guard !survivors.isEmpty else { return membership }
        let owner = membership.owner
        guard let list = schema[owner.record.table][owner.property].list else { return membership }
        var seen: Set<RowID> = []
        var survivor = membership
        survivor.members = membership.members.map { self.survivor(of: $0, in: list.target) }
            .filter { seen.insert($0).inserted }
        survivor.owner = ListOwner(owner.property, of: self.survivor(of: owner.record))
        survivor.toggles = membership.toggles.map { toggles in
            Dictionary(toggles.map { (self.survivor(of: $0, in: list.target), $1) }, uniquingKeysWith: max)
        }
        return survivor
    }

    private func note(_ duplicate: RecordID, survivedBy survivor: RowID, _ changes: inout ChangeSet) {
        survivors[duplicate] = survivor
        unifiedInTransaction.append(duplicate)
        changes.unified.append(ChangeSet.Unification(duplicate: duplicate, survivor: survivor))
    }

    // MARK: Unifying

    // The duplicate's relationships and owners move to the survivor, without delete rules and triggers.

    /// Unifies a new object that the server has accepted with a row that an import has brought. The sent values are
    /// newer than the row's, except for its pending edits.
    private func unify(
        _ row: WriteBatch.Row, with survivor: RecordID, _ progress: inout WriteProgress
    ) throws {
        note(row.record, survivedBy: survivor.row, &progress.changes)
        try write(row, into: survivor)
        try moveLinks(to: row.record, survivor.row, &progress)
    }

    private func unify(
        renamed row: WriteBatch.Row, _ survivor: RecordID, _ progress: inout WriteProgress
    ) throws {
        try unify(row.record, with: survivor.row, &progress)
        try write(row, into: survivor)
    }

    private func write(_ row: WriteBatch.Row, into survivor: RecordID) throws {
        let unsent = try statements[survivor.table].unsentChanges(of: survivor.row)
        let model = schema[survivor.table]
        let values = row.editedColumnValues(in: model).filter { !unsent.contains(model[$0.column.property].name) }
        try statements[survivor.table].update(values, in: survivor.row)
    }

    /// Makes one row of two. The survivor's values stay, except for:
    ///
    /// - values of the duplicate that were just sent
    /// - pending edits of the duplicate that are newer than the survivor's
    /// - links that are nil in the survivor
    /// - lists, which get the members of both
    ///
    /// - Parameter sent: the names of the duplicate's properties that the server has just accepted.
    func unify(
        _ duplicate: RecordID, with survivor: RowID, sent: Set<String> = [], _ progress: inout WriteProgress
    ) throws {
        let target = RecordID(table: duplicate.table, row: survivor)
        let lists = try unifiedLists(of: duplicate, with: survivor, sent)
        try keepNewerValues(of: duplicate, in: survivor, sent, &progress)
        try moveLinks(to: duplicate, survivor, &progress)
        if pendingSources.contains(duplicate.table) {
            try statements.movePendingLinks(of: duplicate, to: survivor)
            try statements.deletePendingLinks(of: duplicate)
        }
        try noteLoaded(of: duplicate, sent, in: survivor)
        if pagedSources.contains(duplicate.table) {
            try statements.moveParts(of: duplicate, to: survivor)
            try statements.forgetParts(of: duplicate)
        }
        if tablesWithTexts.contains(duplicate.table) { try statements.moveTexts(of: duplicate, to: survivor) }
        if tablesWithValidators.contains(duplicate.table) {
            try statements.moveValidator(of: duplicate, to: survivor)
        }
        // These listings (``Listing``) are about the lists before.
        for row in [duplicate, RecordID(table: duplicate.table, row: survivor)] { try forgetListings(of: row) }
        note(duplicate, survivedBy: survivor, &progress.changes)
        for list in lists {
            let membership = WriteBatch.Membership(list.members, of: ListOwner(list.property, of: target))
            let members = self.survivor(of: membership).members
            _ = try statements.setMembers(of: list.list, owner: survivor, to: members)
            progress.orphans += list.orphans.map { Orphan(record: RecordID(table: list.list.target, row: $0)) }
        }
        try clearTriggerLinks(duplicate)
        try statements[duplicate.table].delete(duplicate.row)
        forgetUnsent(of: duplicate)
        // Identities that include a link to the duplicate now include the survivor.
        for model in schema.models(identifiedBy: duplicate.table) where !renamedRows[model.table].isEmpty {
            try readRenamedRows(of: model.table)
        }
        for column in schema[target.table].columns where column.target != nil {
            let partner = try statements[target.table].value(of: column, in: survivor).row
            try keepOneToOne(column, of: target, to: partner, &progress)
        }
        progress.changes.tables[duplicate.table].updated.append(survivor)
        for model in schema.roots { for list in model.lists { progress.changes.lists.insert(list.id) } }
    }

    private func noteLoaded(of duplicate: RecordID, _ sent: Set<String>, in survivor: RowID) throws {
        let (table, model) = (statements[duplicate.table], schema[duplicate.table])
        guard var loaded = try table.loadedMask(of: duplicate.row) else { return }
        for column in model.columns where !sent.contains(model[column.property].name) {
            loaded.columns.remove(column.index.rawValue)
        }
        try table.note(loaded, of: survivor)
    }

    /// Moves links, and memberships with their edits, marks and outbox entries.
    private func moveLinks(
        to duplicate: RecordID, _ survivor: RowID, _ progress: inout WriteProgress
    ) throws {
        for other in schema.roots {
            for column in other.columns where column.target == duplicate.table {
                try move(column, of: other, from: duplicate.row, to: survivor, &progress)
            }
        }
        try statements.moveMemberships(of: duplicate, to: survivor)
        try movePairs(of: duplicate, to: survivor)
        try moveMarks(of: duplicate, to: survivor)
        try moveQueued(of: duplicate, to: survivor)
    }

    /// Clears the duplicate's links, so that its deletion fires no trigger of a delete rule.
    private func clearTriggerLinks(_ duplicate: RecordID) throws {
        let model = schema[duplicate.table]
        for column in model.columns where column.target != nil {
            try statements[duplicate.table].clear(column, in: duplicate.row)
        }
        for list in model.lists {
            if case .join = list.storage { try statements.removeMembers(of: list, owner: duplicate.row) }
        }
    }

    private struct UnifiedList {
        let property: PropertyIndex
        let list: List
        let members: [RowID]
        var orphans: [RowID] = []
    }

    /// A duplicate's list that was just sent, or that a newer edit assigns as a whole, replaces the survivor's. Others
    /// get the members of both, with the pending memberships. Lists of embedded objects aren't combined: the survivor's
    /// stays unless it is empty.
    private func unifiedLists(
        of duplicate: RecordID, with survivor: RowID, _ sent: Set<String>
    ) throws -> [UnifiedList] {
        let model = schema[duplicate.table]
        let kept = try statements[model.table].unsentChanges(of: survivor)
        let unsent = try statements[model.table].unsentChanges(of: duplicate.row).later(than: kept)
        return try model.properties.compactMap { property in
            guard let list = property.list else { return nil }
            let own = try statements.members(of: list, owner: survivor)
            let other = try statements.members(of: list, owner: duplicate.row)
            let edit = unsent.entries[property.name]
            let isSent = sent.contains(property.name) && !kept.contains(property.name)
            guard isSent || edit != nil || !other.isEmpty else { return nil }
            let isEmbedded = schema[list.target].isEmbedded
            var members = other
            if !isSent, edit?.isAll != true, !isEmbedded || !own.isEmpty {
                members = isEmbedded ? own : unitedMembers(own, other, in: list, of: duplicate, and: survivor)
                if edit?.list?.isOrdered == true { members = other.order(of: members) }
            }
            let wanted = Set(members)
            return UnifiedList(
                property: property.index, list: list, members: members,
                orphans: isEmbedded ? (own + other).filter { !wanted.contains($0) } : [])
        }
    }

    /// The members of both lists. Of two pending edits of one membership, the later one decides.
    private func unitedMembers(
        _ own: [RowID], _ other: [RowID], in list: List, of duplicate: RecordID, and survivor: RowID
    ) -> [RowID] {
        let known = Set(own)
        let edits = pairs.edits(of: list, survivor)
            .merging(pairs.edits(of: list, duplicate.row)) { $0.stamp >= $1.stamp ? $0 : $1 }
        return (own + other.filter { !known.contains($0) }).filter { edits[$0]?.isMember != false }
    }

    private func move(
        _ column: Column, of model: ModelSchema, from duplicate: RowID, to survivor: RowID,
        _ progress: inout WriteProgress
    ) throws {
        let isIdentity = model.identity.contains(column.property)
        for row in try statements[model.table].rows(referencing: duplicate, by: column) {
            let record = RecordID(table: model.table, row: row)
            if isIdentity, let other = try holder(ofIdentityOf: record, referencing: survivor, by: column) {
                try unify(record, with: other, &progress)
                continue
            }
            try statements[model.table].set(column, to: survivor, in: row)
            progress.changes.noteUpdate(of: record)
        }
    }

    /// The other row with the same identity, once a row's link references `target`.
    private func holder(
        ofIdentityOf record: RecordID, referencing target: RowID, by column: Column
    ) throws -> RowID? {
        let table = statements[record.table]
        let identity = try schema[record.table].identityColumns.map { part in
            part.index == column.index ? StoredValue(target) : try table.value(of: part, in: record.row)
        }
        guard !identity.contains(.null), let other = try table.find(identity), other != record.row else { return nil }
        return other
    }

    /// Copies the duplicate's newer values, and its links that are nil in the survivor.
    private func keepNewerValues(
        of duplicate: RecordID, in survivor: RowID, _ sent: Set<String>, _ progress: inout WriteProgress
    ) throws {
        let (table, model) = (statements[duplicate.table], schema[duplicate.table])
        let keptUnsent = try table.unsentChanges(of: survivor)
        let unsent = try table.unsentChanges(of: duplicate.row).later(than: keptUnsent).entries
        let target = RecordID(table: duplicate.table, row: survivor)
        var edits: [String: UnsentEdit] = [:]
        var values: [(column: Column, value: StoredValue)] = []
        for column in model.columns where !model.identity.contains(column.property) {
            let property = model[column.property]
            let (kept, lost) = try (table.value(of: column, in: survivor), table.value(of: column, in: duplicate.row))
            let isNewer = sent.contains(property.name) && !keptUnsent.contains(property.name)
            if let entry = unsent[property.name] {
                edits[property.name] = UnsentEdit(from: kept, to: lost, entry.stamp)
            }
            let isEdited = try unsent[property.name] != nil || isUnsentBack(property, from: lost.row)
            if isEdited || isNewer {
                values.append((column, lost))
                if column.target != nil { try statements.deletePendingLinks(of: target, by: property.index) }
            } else if column.target != nil || property.choice != nil, kept.isNull, !lost.isNull,
                try !hasChosen(property.index, of: target)
            {
                values.append((column, lost))
            }
            let isLost = values.last?.column.index == column.index
            noteOrphan(of: property, keeping: isLost ? lost : kept, of: [kept, lost], &progress)
        }
        // The survivor gets the one-to-one links next.
        for (column, _) in values where column.target != nil { try table.clear(column, in: duplicate.row) }
        for list in model.properties where list.list != nil {
            if let entry = unsent[list.name] { edits[list.name] = UnsentEdit(from: .null, to: nil, entry.stamp) }
        }
        try noteUnsent(edits, of: target)
        var moved = try table.unsentChanges(of: survivor)
        for (name, entry) in unsent where entry.list != nil { moved.entries[name]?.list = entry.list }
        if !unsent.isEmpty { try set(moved, of: target) }
        try table.update(values, in: survivor)
    }

    /// Whether the relationship has a model's name, or a target by a hidden link.
    ///
    /// - Parameter property: the relationship, or one of its hidden links.
    private func hasChosen(_ property: PropertyIndex, of record: RecordID) throws -> Bool {
        let model = schema[record.table]
        guard let choice = model.choice(with: property) else { return false }
        return try choice.members.contains { other in
            try model.column(of: other).map { try !statements[record.table].value(of: $0, in: record.row).isNull }
                ?? false
        }
    }

    private func noteOrphan(
        of property: Property, keeping kept: StoredValue, of values: [StoredValue], _ progress: inout WriteProgress
    ) {
        guard let link = property.link, schema[link.target].isEmbedded else { return }
        progress.orphans += values.filter { $0 != kept }.compactMap(\.row).map {
            Orphan(record: RecordID(table: link.target, row: $0))
        }
    }

    // MARK: Identities in errors

    /// Values by property name, as text for errors.
    func identityText(
        of record: RecordID, after values: PropertyMap<StoredValue> = [:]
    ) throws -> [String: String] {
        let model = schema[record.table]
        var identity: [String: String] = [:]
        for column in model.identityColumns {
            let property = model[column.property]
            let value =
                try values[property.index] ?? statements[record.table].value(of: column, in: record.row)
            if let target = value.row, let link = property.link {
                let parts = try identityText(of: RecordID(table: link.target, row: target))
                guard !parts.isEmpty else { continue }
                identity[property.name] = parts.sorted { $0.key < $1.key }.map(\.value).joined(separator: "/")
            } else if !value.isNull {
                identity[property.name] = value.text
            }
        }
        return identity
    }
}

/// Rows that a batch deletes or renames, and those whose identity was cleared for another row.
struct BatchIdentities {
    private let batch: WriteBatch
    private var deleted: Set<RecordID>?
    private var renamed: [RecordID: WriteBatch.Row] = [:]
    private var bases: [RecordID: PropertyMap<StoredValue>] = [:]

    init(_ batch: WriteBatch) { self.batch = batch }

    mutating func deletes(_ record: RecordID) -> Bool {
        look()
        return deleted?.contains(record) == true
    }

    mutating func row(_ record: RecordID) -> WriteBatch.Row? {
        look()
        return renamed[record]
    }

    /// Indexes the batch at its first conflict, as most batches have none.
    private mutating func look() {
        guard deleted == nil else { return }
        deleted = Set(batch.deletions)
        for row in batch.rows where !row.isInsert { renamed[row.record] = row }
    }

    func bases(of record: RecordID) -> PropertyMap<StoredValue> { bases[record] ?? [:] }

    mutating func keep(_ values: PropertyMap<StoredValue>, of record: RecordID) { bases[record] = values }

    func hasFreedIdentity(_ record: RecordID) -> Bool { bases[record] != nil }
}

extension StoredValue {
    /// As text for errors.
    var text: String {
        switch self {
        case .null: "nil"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let text): text
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}
