extension Writer {
    /// Notes what the server has confirmed, and writes batches, within the running transaction.
    ///
    /// - Throws: as ``apply(_:_:)``.
    func apply(
        _ batches: [WriteBatch], confirming confirmations: [WriteBatch.Confirmation], _ changes: inout ChangeSet
    ) throws {
        var batches = batches
        for confirmation in confirmations {
            let record = survivor(of: confirmation.record)
            let newer = try propertiesEdited(since: confirmation, in: record)
            let names = Set(newer.map { schema[record.table][$0].name })
            if unsentRows[record.table].contains(record.row) {
                try noteSent(confirmation.properties.filter { !names.contains($0) }, of: record)
                changes.noteUpdate(of: record)
            }
            for index in batches.indices where !newer.isEmpty { batches[index].remove(newer, of: record) }
        }
        for batch in batches { try apply(batch, &changes) }
    }

    /// Writes a batch within the running transaction.
    ///
    /// - Throws: ``StoreError/duplicateIdentity(model:identity:)``,
    ///   ``StoreError/deleteDenied(model:identity:relationship:count:)``; the caller ends the transaction.
    func apply(_ batch: WriteBatch, _ changes: inout ChangeSet) throws {
        let batch = survivors.isEmpty ? batch : survivor(of: batch)
        var progress = WriteProgress(batch, after: changes)
        for row in batch.rows { try write(row, &progress) }
        for membership in batch.memberships { try writeEdited(membership, &progress) }
        for deletion in batch.deletions { try delete(deletion, &progress) }
        try deleteOrphans(&progress)
        if schema.hasEmbedded { try checkEmbedding(batch, &progress) }
        try progress.rules.check(self)
        changes = progress.changes
    }

    /// The properties that were saved here, with another value, while the confirmed one was on its way: they are still
    /// unsent.
    private func propertiesEdited(
        since confirmation: WriteBatch.Confirmation, in record: RecordID
    ) throws -> Set<PropertyIndex> {
        guard unsentRows[record.table].contains(record.row) else { return [] }
        let model = schema[record.table]
        let statements = statements[record.table]
        let unsent = try statements.unsentChanges(of: record.row)
        return try Set(
            confirmation.sent.filter { property, value in
                guard unsent.bases[model[property].name] != nil, let column = model.column(of: property) else {
                    return false
                }
                let stored = try statements.value(of: column, in: record.row)
                return stored != value.known && stored != value.value
            }.keys)
    }

    // MARK: Rows

    private func write(_ row: WriteBatch.Row, _ progress: inout WriteProgress) throws {
        let (table, model) = (statements[row.record.table], schema[row.record.table])
        let isConfirmed = progress.isConfirmed
        let values = row.columnValues(in: model)
        // Another save may have inserted the row since the batch was made. What it wrote then is as new or newer, but for what
        // the server has confirmed.
        let isInsert = try row.isInsert && !table.contains(row.record.row)
        if row.isInsert, !isInsert, !isConfirmed { return }
        if !isInsert { try noteOrphans(of: row, &progress) }
        let edited = values.map(\.column).filter { row.isEdited($0.property) }
        let bases =
            try isConfirmed || model.isEmbedded
            ? [:] : bases(of: edited, in: row).merging(progress.identities.bases(of: row.record)) { $1 }
        if !isInsert { try noteUnsent(bases, of: row.record) }
        let record = try makingRoom(for: row, isInsert: isInsert, &progress) {
            if isInsert {
                try table.insert(values, as: row.record.row)
            } else {
                try table.update(values, in: row.record.row)
            }
        }
        if isInsert, record == row.record {
            try noteUnsent(bases, of: record)
            progress.changes.tables[record.table].inserted.append(record.row)
        } else {
            progress.changes.noteUpdate(of: record)
        }
        noteLinks(values.map(\.column), of: model, &progress.changes)
        if model.isEmbedded, !isInsert, !isConfirmed { try noteUnsentEmbedding(of: record, &progress) }
        try settlePendingLinks(of: row, writtenTo: record, isInsert: isInsert, &progress)
    }

    /// What the file says now of the columns that are about to change, by the property's name.
    func bases(of columns: [Column], in row: WriteBatch.Row) throws -> [String: StoredValue] {
        let (table, model) = (statements[row.record.table], schema[row.record.table])
        let known = try row.isInsert || columns.isEmpty ? nil : table.values(of: columns, in: row.record.row)
        return Dictionary(
            uniqueKeysWithValues: columns.enumerated().map { n, column in
                (model[column.property].name, known?[n] ?? .null)
            })
    }

    /// Lists whose members are rows with such a link may have changed.
    func noteLinks(_ columns: [Column], of model: ModelSchema, _ changes: inout ChangeSet) {
        for column in columns {
            guard let list = schema.inverse(of: model[column.property])?.list else { continue }
            changes.lists.insert(list.id)
        }
    }

    // MARK: Memberships

    /// Makes `members` the list, in their order. What leaves an owning list is noted.
    func write(_ membership: WriteBatch.Membership, _ progress: inout WriteProgress) throws {
        let owner = membership.owner
        guard let list = schema[owner.record.table][owner.property].list else { return }
        let change = try statements.setMembers(of: list, owner: owner.record.row, to: membership.members)
        progress.changes.tables[list.target].updated += change.updated
        if list.options.owns {
            progress.orphans += change.left.map { RecordID(table: list.target, row: $0) }
        }
        noteChange(of: list, &progress.changes)
    }

    /// The list changed, and so did its inverse.
    func noteChange(of list: List, _ changes: inout ChangeSet) {
        changes.lists.insert(list.id)
        guard let inverse = list.inverse, let other = schema[list.target][inverse].list else { return }
        changes.lists.insert(other.id)
    }

    /// Writes a list that was edited here, or that the server has confirmed.
    private func writeEdited(_ membership: WriteBatch.Membership, _ progress: inout WriteProgress) throws {
        let (record, property) = (membership.owner.record, membership.owner.property)
        guard !progress.isConfirmed else {
            // What the server says of a list that was edited here and not sent yet waits for that.
            if try !isUnsent(property, of: record) { try write(membership, &progress) }
            return
        }
        try write(merged(membership), &progress)
        let model = schema[record.table]
        if model.isEmbedded {
            try noteUnsentEmbedding(of: record, &progress)
        } else {
            try noteUnsent([model[property].name: .null], of: record)
        }
    }

    /// What an edited list comes to, with what others have done to it since it was read: the members and their order are the
    /// user's, those that others added come last, and one that has another owner by now stays there.
    private func merged(_ membership: WriteBatch.Membership) throws -> WriteBatch.Membership {
        let owner = membership.owner
        guard let base = membership.base, let list = schema[owner.record.table][owner.property].list else {
            return membership
        }
        let current = try statements.members(of: list, owner: owner.record.row)
        guard current != base else { return membership }
        let (known, present, wanted) = (Set(base), Set(current), Set(membership.members))
        var members: [RowID] = []
        for row in membership.members {
            let isGone = known.contains(row) && !present.contains(row)
            if try !isGone || !hasOtherOwner(row, in: list) { members.append(row) }
        }
        return WriteBatch.Membership(
            members + current.filter { !known.contains($0) && !wanted.contains($0) }, of: owner)
    }

    private func hasOtherOwner(_ row: RowID, in list: List) throws -> Bool {
        guard case .column(let property, _, _) = list.storage, let column = schema[list.target].column(of: property)
        else { return false }
        return try !statements[list.target].value(of: column, in: row).isNull
    }
}

extension WriteBatch.Row {
    /// The values that have a column, in the order of the properties.
    fileprivate func columnValues(in model: ModelSchema) -> [(column: Column, value: StoredValue)] {
        values.sorted { $0.key < $1.key }.compactMap { property, value in
            model.column(of: property).map { ($0, value) }
        }
    }

    /// Whether a value was set here, rather than a default.
    func isEdited(_ property: PropertyIndex) -> Bool { edited?.contains(property) != false }

    /// The values that were set here and have a column, in the order of the properties.
    func editedColumnValues(in model: ModelSchema) -> [(column: Column, value: StoredValue)] {
        columnValues(in: model).filter { isEdited($0.column.property) }
    }
}
