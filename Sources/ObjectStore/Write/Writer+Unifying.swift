// Identities are unique at each statement, and a batch is written row by row: what a later row of it gives up is free from
// the moment that an earlier one needs it. Two rows that turn out to be one object become one row.

extension Writer {
    // MARK: Making room

    /// Runs the write of a row. Where its identity is that of a row which the batch deletes or names anew, that one is
    /// unnamed first; where the server has said that it is another row's, the two become one.
    ///
    /// - Returns: the row that was written.
    /// - Throws: ``StoreError/duplicateIdentity(model:identity:)``.
    func makingRoom(
        for row: WriteBatch.Row, isInsert: Bool, _ progress: inout WriteProgress, _ write: () throws -> Void
    ) throws -> RecordID {
        do {
            try write()
        } catch let failure as SQLiteFailure where failure.isDuplicate {
            guard let holder = try holder(ofIdentityIn: row) else { throw failure }
            if try makeRoom(by: holder, &progress) {
                try write()
            } else if isInsert, progress.isConfirmed {
                try unify(row, with: holder, &progress.changes)
                return holder
            } else {
                throw StoreError.duplicateIdentity(
                    model: schema[row.record.table].modelName,
                    identity: try identityText(of: row.record, after: row.values))
            }
        }
        return row.record
    }

    /// The row that has the identity which another is about to get.
    private func holder(ofIdentityIn row: WriteBatch.Row) throws -> RecordID? {
        let (table, model) = (statements[row.record.table], schema[row.record.table])
        let identity = try model.identity.map { property in
            if let value = row.values[property] { return value }
            guard let column = model.column(of: property) else { return .null }
            return try table.value(of: column, in: row.record.row)
        }
        return try table.find(identity).map { RecordID(table: model.table, row: $0) }
    }

    /// - Returns: whether the row's identity is free now.
    private func makeRoom(by record: RecordID, _ progress: inout WriteProgress) throws -> Bool {
        let model = schema[record.table]
        guard !progress.identities.hasMadeRoom(record) else { return false }
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

    /// Whether a row is yet to get what the batch has for it; one that was written is as it will be.
    private func isToChange(_ properties: [PropertyIndex], by row: WriteBatch.Row) throws -> Bool {
        for property in properties {
            guard let column = schema[row.record.table].column(of: property) else { continue }
            let value = try statements[row.record.table].value(of: column, in: row.record.row)
            if value != row.values[property] { return true }
        }
        return false
    }

    /// One column less is enough, as NULLs are equal to nothing; a link is taken only where there is no attribute.
    private func unname(_ record: RecordID, _ columns: [Column]) throws {
        guard let column = columns.first(where: { $0.target == nil }) ?? columns.first else { return }
        try statements[record.table].clear(column, in: record.row)
    }

    // MARK: Survivors

    /// A row, or the one that it became one with.
    func survivor(of record: RecordID) -> RecordID {
        guard !survivors.isEmpty else { return record }
        var record = record
        while let row = survivors[record] { record = RecordID(table: record.table, row: row) }
        return record
    }

    private func survivor(of row: RowID, in table: TableID) -> RowID {
        survivor(of: RecordID(table: table, row: row)).row
    }

    /// The same batch about the survivors of its rows.
    func survivor(of batch: WriteBatch) -> WriteBatch {
        guard !survivors.isEmpty else { return batch }
        var batch = batch
        batch.rows = batch.rows.map(survivor)
        batch.memberships = batch.memberships.map(survivor)
        batch.deletions = batch.deletions.map { survivor(of: $0) }
        return batch
    }

    private func survivor(of row: WriteBatch.Row) -> WriteBatch.Row {
        let record = survivor(of: row.record)
        let isOther = record != row.record
        var values = isOther ? row.values.filter { row.isEdited($0.key) } : row.values
        for (property, value) in values {
            guard let target = value.row, let link = schema[record.table][property].link else { continue }
            values[property] = StoredValue(survivor(of: target, in: link.target))
        }
        var survivor = WriteBatch.Row(record, values: values, isInsert: row.isInsert && !isOther, edited: row.edited)
        for (property, owner) in row.leaving {
            survivor.leaving[property] = schema[record.table][property].target.map { self.survivor(of: owner, in: $0) }
        }
        return survivor
    }

    private func survivor(of membership: WriteBatch.Membership) -> WriteBatch.Membership {
        let owner = membership.owner
        guard let list = schema[owner.record.table][owner.property].list else { return membership }
        var seen: Set<RowID> = []
        return WriteBatch.Membership(
            membership.members.map { survivor(of: $0, in: list.target) }.filter { seen.insert($0).inserted },
            of: ListOwner(owner.property, of: survivor(of: owner.record)),
            base: membership.base?.map { survivor(of: $0, in: list.target) }, stamp: membership.stamp)
    }

    private func note(_ duplicate: RecordID, survivedBy survivor: RowID, _ changes: inout ChangeSet) {
        survivors[duplicate] = survivor
        changes.unified.append(ChangeSet.Unification(duplicate: duplicate, survivor: survivor))
    }

    // MARK: Unifying

    /// The server has confirmed a new object whose identity a row has that came meanwhile: they are one.
    private func unify(_ row: WriteBatch.Row, with survivor: RecordID, _ changes: inout ChangeSet) throws {
        note(row.record, survivedBy: survivor.row, &changes)
        let values = row.editedColumnValues(in: schema[survivor.table])
        try statements[survivor.table].update(values, in: survivor.row)
    }

    /// Makes one row of two. The survivor's values stand, but for what was changed in the duplicate and the server has not
    /// confirmed, and for links that reference nothing in the survivor.
    func unify(_ duplicate: RecordID, with survivor: RowID, _ progress: inout WriteProgress) throws {
        try keepUnsaid(of: duplicate, in: survivor)
        for other in schema.roots {
            for column in other.columns where column.target == duplicate.table {
                try move(column, of: other, from: duplicate.row, to: survivor, &progress)
            }
        }
        try statements.moveMemberships(of: duplicate, to: survivor)
        if pendingSources.contains(duplicate.table) {
            try statements.movePendingLinks(of: duplicate, to: survivor)
        }
        try delete(duplicate, &progress)
        progress.changes.tables[duplicate.table].deleted.removeAll { $0 == duplicate.row }
        progress.changes.tables[duplicate.table].updated.append(survivor)
        note(duplicate, survivedBy: survivor, &progress.changes)
        for model in schema.roots { for list in model.lists { progress.changes.lists.insert(list.id) } }
    }

    /// The links to the duplicate reference the survivor. A row that would then have another's identity, as two
    /// repositories' issue 1 when the repositories become one, becomes one with it.
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

    /// The other row that has the identity which a row would have if its link referenced `target`.
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

    /// Writes into the survivor what the duplicate says and it does not.
    private func keepUnsaid(of duplicate: RecordID, in survivor: RowID) throws {
        let (table, model) = (statements[duplicate.table], schema[duplicate.table])
        let unsent = try table.unsentChanges(of: duplicate.row).entries
        var edits: [String: UnsentEdit] = [:]
        var values: [(column: Column, value: StoredValue)] = []
        for column in model.columns where !model.identity.contains(column.property) {
            let name = model[column.property].name
            let (kept, lost) = try (table.value(of: column, in: survivor), table.value(of: column, in: duplicate.row))
            if let entry = unsent[name] {
                edits[name] = UnsentEdit(from: kept, to: lost, entry.stamp)
                values.append((column, lost))
            } else if column.target != nil, kept.isNull, !lost.isNull {
                values.append((column, lost))
            }
        }
        // A link with a to-one inverse is given up before another row takes it.
        for (column, _) in values where column.target != nil { try table.clear(column, in: duplicate.row) }
        for list in model.properties where list.list != nil {
            if let entry = unsent[list.name] { edits[list.name] = UnsentEdit(entry.stamp) }
        }
        try noteUnsent(edits, of: RecordID(table: duplicate.table, row: survivor))
        try table.update(values, in: survivor)
    }

    // MARK: Identities in errors

    /// The values of a row's identity by property name, as a reader is told them.
    func identityText(
        of record: RecordID, after values: [PropertyIndex: StoredValue] = [:]
    ) throws -> [String: String] {
        let model = schema[record.table]
        var identity: [String: String] = [:]
        for column in model.identityColumns {
            let property = model[column.property]
            let value =
                try values[property.index] ?? statements[record.table].value(of: column, in: record.row)
            if let target = value.row, let link = property.link {
                let parts = try identityText(of: RecordID(table: link.target, row: target))
                identity[property.name] = parts.sorted { $0.key < $1.key }.map(\.value).joined(separator: "/")
            } else {
                identity[property.name] = value.text
            }
        }
        return identity
    }
}

/// Which rows a batch will delete or name anew, and which of them have made room already for another row of it.
struct BatchIdentities {
    private let batch: WriteBatch
    private var deleted: Set<RecordID>?
    private var renamed: [RecordID: WriteBatch.Row] = [:]
    private var bases: [RecordID: [PropertyIndex: StoredValue]] = [:]

    init(_ batch: WriteBatch) { self.batch = batch }

    /// Whether the batch deletes the row.
    mutating func deletes(_ record: RecordID) -> Bool {
        look()
        return deleted?.contains(record) == true
    }

    /// The values that the batch has for a row that is there.
    mutating func row(_ record: RecordID) -> WriteBatch.Row? {
        look()
        return renamed[record]
    }

    /// Only a batch with a conflict is looked through.
    private mutating func look() {
        guard deleted == nil else { return }
        deleted = Set(batch.deletions)
        for row in batch.rows where !row.isInsert { renamed[row.record] = row }
    }

    /// What the file said of a row before it made room.
    func bases(of record: RecordID) -> [PropertyIndex: StoredValue] { bases[record] ?? [:] }

    mutating func keep(_ values: [PropertyIndex: StoredValue], of record: RecordID) { bases[record] = values }

    /// Whether the row has made room, so that what it is called now is not what it was called.
    func hasMadeRoom(_ record: RecordID) -> Bool { bases[record] != nil }
}

extension StoredValue {
    /// The value as a reader of an error is told it.
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
