// A creation with an unknown outcome and the only imported object with the same natural key are one object, and their
// rows become one.

extension Writer {
    /// - Parameter shown: the rows that an import has brought or confirmed.
    func adoptCreations(in table: TableID, among shown: [RowID], _ progress: inout WriteProgress) throws {
        let model = schema[table]
        let natural = model.options.natural.compactMap { name in
            model.property(named: name).flatMap { model.column(of: $0.index) }
        }
        guard !natural.isEmpty, natural.count == model.options.natural.count else { return }
        for record in try undecidedCreations(in: table) {
            guard let creation = try creation(of: record), let key = try naturalKey(natural, of: record, creation),
                let row = try onlyRow(with: key, in: natural, of: table, among: shown)
            else { continue }
            if creation.entry.action == .delete {
                try name(record, by: row, &progress)
            } else {
                try adopt(row, as: record, by: creation, &progress)
            }
        }
    }

    private struct QueuedCreation {
        let entry: QueuedWrite
        let sent: SentBody
    }

    /// The new rows, deleted ones included, in requests with an unknown outcome.
    private func undecidedCreations(in table: TableID) throws -> [RecordID] {
        let records = sendMarks.keys.filter { $0.part == .row && $0.record.table == table }.map(\.record)
        return try records.filter { record in
            if operations.isBeingSent(record) || operations.isSentElsewhere(record) { return false }
            return try hasRow(record) ? !isAtServer(record) : undecidedDeletion(of: record) != nil
        }.sorted { $0.row < $1.row }
    }

    private func creation(of record: RecordID) throws -> QueuedCreation? {
        let entry = try hasRow(record) ? queuedCreation(of: record) : statements.queuedWrite(QueuedSubject(record))
        guard let entry, let sent = SentBody(text: entry.sent) else { return nil }
        return QueuedCreation(entry: entry, sent: sent)
    }

    /// The natural key that a creation has sent. Nil: a value is missing, or was edited since.
    private func naturalKey(
        _ columns: [Column], of record: RecordID, _ creation: QueuedCreation
    ) throws -> [StoredValue]? {
        let model = schema[record.table]
        let unsent = try creation.entry.rows?.unsentOfRoot ?? statements[record.table].unsentChanges(of: record.row)
        let values = try columns.compactMap { column -> StoredValue? in
            let stamp = unsent.entries[model[column.property].name]?.stamp
            if let stamp, !creation.sent.stamps.contains(stamp) { return nil }
            let value =
                try creation.entry.rows.map { $0.rows.first?.cells[column.name]?.value ?? .null }
                ?? statements[record.table].value(of: column, in: record.row)
            return value.isNull ? nil : value
        }
        return values.count == columns.count ? values : nil
    }

    /// The server's only row with these values. Nil: there are several, or the import hasn't shown it.
    private func onlyRow(
        with key: [StoredValue], in columns: [Column], of table: TableID, among shown: [RowID]
    ) throws -> RowID? {
        let isSame = { (row: RowID) in
            try zip(columns, key).allSatisfy { try self.statements[table].value(of: $0, in: row) == $1 }
        }
        guard let row = try shown.first(where: isSame) else { return nil }
        let all = try statements.rows(of: table, with: key, in: columns).filter { row in
            try isAtServer(RecordID(table: table, row: row))
        }
        return all == [row] ? row : nil
    }

    /// Gives a locally deleted object this row's identity, so that its deletion can be sent.
    private func name(_ record: RecordID, by row: RowID, _ progress: inout WriteProgress) throws {
        let model = schema[record.table]
        var values = PropertyValues(model: model.modelName)
        for column in model.columns where column.target == nil {
            values.attributes[model[column.property].name] = try statements[record.table].value(of: column, in: row)
        }
        _ = try settleDeletion(of: record, by: values, &progress)
    }

    /// Unifies a local object with this row. Of the sent edits, those that equal the row's values are acknowledged, as
    /// are lists, values that only a creation sends, and values in URLs. Others stay pending.
    private func adopt(
        _ row: RowID, as record: RecordID, by creation: QueuedCreation, _ progress: inout WriteProgress
    ) throws {
        let (table, model) = (statements[record.table], schema[record.table])
        let unsent = try table.unsentChanges(of: record.row).entries
        let taken = try model.properties.filter { property in
            guard let stamp = unsent[property.name]?.stamp, creation.sent.stamps.contains(stamp) else { return false }
            guard let column = model.column(of: property.index), !property.isFixed, !model.hasInURL(property) else {
                return true
            }
            return try table.value(of: column, in: record.row) == table.value(of: column, in: row)
        }
        let confirmation = WriteBatch.Confirmation(
            of: record, properties: taken.map(\.name), edits: creation.sent.stamps)
        _ = try confirm(confirmation, of: record, &progress.changes)
        try settle(record)
        try end(creation.entry.subject, at: creation.entry.version, &progress)
        try unify(record, with: row, &progress)
        progress.changes.changesOutbox = true
    }
}
