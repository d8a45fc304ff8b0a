import Foundation

// The rows of a queued deletion are deleted at once, and the entry keeps them until the server has deleted the object.
// If the creation has an unknown outcome, the entry first waits for a reply that names the object, or shows that it
// doesn't exist.

extension Writer {
    /// Deletes a row, and queues its deletion if the server may have the object.
    func deleteQueued(_ record: RecordID, account: String, _ progress: inout WriteProgress) throws {
        let isUndecided = try !isAtServer(record) && isSent(record)
        guard try isUndecided || isAtServer(record) else { return try delete(record, &progress) }
        let creation = try isUndecided ? queuedCreation(of: record) : nil
        if isUndecided { try keepRisk(of: record) }
        let key = try knownKey(of: record)
        let validator = try tablesWithValidators.contains(record.table) ? statements.validator(of: record) : nil
        progress.deletedRows = DeletedRows()
        try delete(record, &progress)
        var rows = progress.deletedRows
        progress.deletedRows = nil
        rows?.key = key
        rows?.validator = validator
        rows?.undecided = isUndecided ? true : nil
        let subject = QueuedSubject(record)
        // A repeated creation uses the account that has sent it.
        try statements.queue(
            .delete, subject, account: creation?.account ?? account, since: Date().timeIntervalSince1970, rows: rows)
        if let sent = creation?.sent { try statements.setSent(sent, of: subject) }
        noteQueued(in: record.table)
        tablesOfQueuedDeletions.insert(record.table)
    }

    /// The entry that creates an object, its own or a list's, preferably one that was sent.
    func queuedCreation(of record: RecordID) throws -> QueuedWrite? {
        guard tablesOfQueuedWrites.contains(record.table) else { return nil }
        let entries = try statements.queuedSubjects(of: record).compactMap { try statements.queuedWrite($0) }
        let creations = entries.filter { entry in
            entry.action == .add ? member(of: entry.subject) == record : entry.subject == QueuedSubject(record)
        }
        return creations.first { $0.sent != nil } ?? creations.first
    }

    /// Removes acknowledged edits from a queued deletion. The values that were sent become the bases of later edits.
    ///
    /// - Returns: whether there is such a deletion.
    func confirmDeleted(_ confirmation: WriteBatch.Confirmation, of record: RecordID) throws -> Bool {
        guard tablesOfQueuedWrites.contains(record.table), try !hasRow(record),
            var rows = try statements.queuedWrite(QueuedSubject(record))?.rows
        else { return false }
        let (names, model) = (Set(confirmation.properties), schema[record.table])
        rows.changeUnsentOfRoot { unsent in
            for (name, entry) in unsent.entries where names.contains(name) {
                if confirmation.edits.contains(entry.stamp) {
                    unsent.entries[name] = nil
                } else if let property = model.property(named: name) {
                    let sent = confirmation.values[property.index]
                    unsent.entries[name]?.rebase(onto: base(of: entry, sent: sent), from: .decided)
                }
            }
        }
        rows.pairs = rows.pairs?.filter { !confirmation.edits.contains(ChangeStamp($0.stamp)) }
        try statements.setRows(rows, of: QueuedSubject(record))
        return true
    }

    func undecidedDeletion(of record: RecordID) throws -> DeletedRows? {
        guard tablesOfQueuedWrites.contains(record.table) else { return nil }
        return try statements.queuedWrite(QueuedSubject(record))?.rows.flatMap { $0.isUndecided ? $0 : nil }
    }

    /// Settles a deletion that waited for the outcome of the object's creation. The server has created the object, so
    /// the deletion can be sent.
    ///
    /// - Parameter values: the object's attributes in the reply.
    /// - Returns: false if there is no such deletion, or if the values lack the identity.
    func settleDeletion(
        of record: RecordID, by values: PropertyValues, _ progress: inout WriteProgress
    ) throws -> Bool {
        guard var rows = try undecidedDeletion(of: record) else { return false }
        let model = schema.model(of: rows, in: record.table)
        rows.take(values, of: model)
        let identity = model.identity.map { rows.serverValue(model[$0], of: model) }
        guard !identity.contains(.null) else { return false }
        rows.key = try pendingKey(ofIdentity: identity, of: model)
        rows.undecided = nil
        // If the deletion is discarded, the list's request isn't repeated.
        rows.forgetCreation()
        try statements.setRows(rows, of: QueuedSubject(record))
        try statements.setSent(nil, of: QueuedSubject(record))
        try settle(record)
        try deleteOther(than: rows, in: record.table, &progress)
        progress.changes.changesOutbox = true
        return true
    }

    /// Deletes another row of an object that the server has deleted. A list may have shown it while the creation's
    /// outcome was unknown.
    func deleteOther(than rows: DeletedRows, in table: TableID, _ progress: inout WriteProgress) throws {
        let model = schema[table]
        let identity = model.identity.map { rows.serverValue(model[$0], of: model) }
        guard !identity.isEmpty, !identity.contains(.null), let row = try statements[table].find(identity),
            case let record = RecordID(table: table, row: row), try isAtServer(record)
        else { return }
        try delete(record, &progress)
    }
}

// MARK: Deleted rows

extension Writer {
    func records(of deleted: DeletedRows) -> [RecordID] {
        deleted.rows.compactMap { row in
            guard let model = schema.roots.first(where: { $0.tableName == row.table }),
                let id = row.cells["_id"]?.value.row
            else { return nil }
            return RecordID(table: model.table, row: id)
        }
    }

    /// Keeps a row, with the links and memberships that lead to it, before it is deleted.
    func keepDeleted(_ record: RecordID, in rows: inout DeletedRows) throws {
        try noteIncomplete(record)
        guard let row = try statements.cells(of: record) else { return }
        rows.rows.append(row)
        for subject in try statements.queuedSubjects(of: record) {
            guard let entry = try statements.queuedWrite(subject), entry.action != .delete else { continue }
            rows.writes = (rows.writes ?? []).union([DeletedRows.Write(entry, in: schema)])
        }
        for other in schema.roots {
            for column in other.columns where column.target == record.table {
                for row in try statements[other.table].rows(referencing: record.row, by: column) {
                    rows.links.insert(
                        DeletedRows.LinkCell(
                            table: other.tableName, row: row.rawValue, column: column.name, target: record.row.rawValue)
                    )
                }
            }
        }
        for join in schema.joinTables where join.source == record.table || join.target == record.table {
            rows.members.formUnion(try statements.joinedRows(with: record, in: join))
        }
        for (pair, _) in editedPairs(of: record) {
            // An entry of the outbox makes the edits that no list sends again.
            guard let edit = pairs[pair], !edit.sides.isEmpty else { continue }
            if rows.pairs == nil { rows.pairs = [] }
            rows.pairs?.insert(DeletedRows.PairCell(pair, edit))
        }
    }

    /// Pending links, and the records of incomplete lists, go with the row. If the row returns, these relationships are
    /// unknown until a fetch, so a request never sends them in place of the server's.
    private func noteIncomplete(_ record: RecordID) throws {
        let model = schema[record.table]
        var unknown = LoadedMask()
        for property in model.properties where property.target != nil {
            let owner = ListOwner(property.index, of: record)
            let isWaiting =
                try pendingSources.contains(record.table)
                && !statements.pendingLinks(of: record, by: property.index).isEmpty
            let isIncomplete =
                try property.list != nil && pagedSources.contains(record.table)
                && (statements.hasPart(owner) || statements.repeatsMember(owner))
            if isWaiting || isIncomplete { unknown.insert(property.index, of: model) }
        }
        if !unknown.isEmpty { try statements[record.table].noteUnloaded(unknown, of: record.row) }
    }

    /// Inserts deleted rows again, except those whose identity another row has by now.
    func restore(_ deleted: DeletedRows, _ progress: inout WriteProgress) throws {
        var restored: Set<RecordID> = []
        for row in deleted.rows {
            guard let model = schema.roots.first(where: { $0.tableName == row.table }),
                let id = row.cells["_id"]?.value.row, case let record = RecordID(table: model.table, row: id),
                try !hasRow(record), try statements.insert(row, of: model)
            else { continue }
            if row == deleted.rows.first { try setValidator(deleted.validator, of: record) }
            restored.insert(record)
            // ``hasRow(_:)`` compares new rows with the newest one.
            if id.isOfNewObject { newestMade[model.table] = max(newestMade[model.table], id) }
            progress.changes.tables[model.table].inserted.append(id)
            let unsent = try statements[model.table].unsentChanges(of: id)
            if !unsent.isEmpty { try set(unsent, of: record) }
        }
        // Targets of their links may be deleted.
        for record in restored { try clearBrokenLinks(of: record) }
        for link in deleted.links {
            guard let model = schema.roots.first(where: { $0.tableName == link.table }),
                let column = model.columns.first(where: { $0.name == link.column }), let target = column.target,
                restored.contains(RecordID(table: target, row: RowID(link.target))),
                try statements[model.table].value(of: column, in: RowID(link.row)).isNull,
                try statements[model.table].contains(RowID(link.row))
            else { continue }
            try statements[model.table].update([(column, .integer(link.target))], in: RowID(link.row))
            progress.changes.noteUpdate(of: RecordID(table: model.table, row: RowID(link.row)))
        }
        for member in deleted.members {
            guard let join = schema.joinTable(named: member.table),
                let source = member.cells["source_id"]?.value.row, let target = member.cells["target_id"]?.value.row,
                try statements[join.source].contains(source), try statements[join.target].contains(target)
            else { continue }
            try statements.insert(member, ofJoin: join)
        }
        // A list's entry has the time of its last edit.
        for cell in (deleted.pairs ?? []).sorted(by: { $0.stamp > $1.stamp }) { try restore(cell.edit, of: cell.pair) }
        for model in schema.roots { for list in model.lists { progress.changes.lists.insert(list.id) } }
        for record in records(of: deleted) where !restored.contains(record) { try settle(record) }
        try queueAgain(deleted.writes ?? [])
    }

    private func queueAgain(_ writes: Set<DeletedRows.Write>) throws {
        for write in writes.sorted(by: { $0.number < $1.number }) {
            guard let (action, subject) = write.change(in: schema), try statements.queuedWrite(subject) == nil else {
                continue
            }
            try queue(action, subject, account: write.account)
            // A creation with an unknown outcome is repeated as it was sent.
            if let sent = write.sent { try statements.setSent(sent, of: subject) }
        }
    }

    private func clearBrokenLinks(of record: RecordID) throws {
        let table = statements[record.table]
        for column in schema[record.table].columns {
            guard let target = column.target, let row = try table.value(of: column, in: record.row).row,
                try !statements[target].contains(row)
            else { continue }
            try table.clear(column, in: record.row)
        }
    }
}
