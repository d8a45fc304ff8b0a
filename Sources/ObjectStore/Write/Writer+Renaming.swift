// A row with an edited identity has two: contexts show the edited one, in its columns, and the server has another
// (`RenamedRows`). Replies use the server's until the edit is acknowledged, and replies to earlier requests even after
// that (`RecentChanges`).

extension Writer {
    // MARK: Finding rows

    /// Whether the server may have a row under another identity than its columns.
    func mayBeRenamed(_ table: TableID, since requestTime: ChangeStamp?) -> Bool {
        !renamedRows[table].isEmpty || operations.hasSentIdentities(in: table)
            || recentChanges.hasRenamed(in: table, since: requestTime)
    }

    /// The row that a reply means. Nil: the file lacks it.
    ///
    /// - Parameters:
    ///   - identity: in the order of ``ModelSchema/identity``.
    ///   - requestTime: when the reply was requested.
    func row(namedBy identity: [StoredValue], in table: TableID, since requestTime: ChangeStamp?) throws -> RowID? {
        if let row = recentChanges.row(formerlyNamed: identity, in: table, since: requestTime) {
            let row = survivor(of: row, in: table)
            return try statements[table].contains(row) ? row : nil
        }
        if let row = renamedRows[table].row(knownBy: identity) { return row }
        guard let row = try statements[table].find(identity) else { return try row(sentAs: identity, in: table) }
        return hasClaimed(row, in: table, identity) ? nil : row
    }

    /// The row that was sent with an identity that no row in the file has, because the edit is unsaved, or a later one
    /// has replaced it.
    private func row(sentAs identity: [StoredValue], in table: TableID) throws -> RowID? {
        guard let sent = operations.row(sentAs: identity, in: table) else { return nil }
        let row = survivor(of: sent, in: table)
        return try statements[table].contains(row) ? row : nil
    }

    /// The server's identity before a sent edit. Nil: there is none.
    func nameBeforeEdit(of row: RowID, in table: TableID) throws -> [StoredValue]? {
        if let known = renamedRows[table][row] { return known }
        guard operations.hasSentName(RecordID(table: table, row: row)) else { return nil }
        return try statements[table].values(of: schema[table].identityColumns, in: row)
    }

    /// The row that has an identity at the server. Nil: the file lacks it.
    func row(knownBy identity: [StoredValue], in table: TableID) throws -> RowID? {
        if let row = renamedRows[table].row(knownBy: identity) { return row }
        guard let row = try statements[table].find(identity), renamedRows[table][row] == nil else { return nil }
        return row
    }

    /// The row that has an identity by an edit that the server lacks. If the server uses this identity, it means
    /// another object.
    ///
    /// - Parameter evenIfSent: whether the row counts although the server may have the edit.
    func claimant(
        of identity: [StoredValue], in table: TableID, evenIfSent: Bool = false
    ) throws -> RowID? {
        guard !renamedRows[table].isEmpty, renamedRows[table].row(knownBy: identity) == nil,
            let row = try statements[table].find(identity)
        else { return nil }
        return hasClaimed(row, in: table, identity, evenIfSent: evenIfSent) ? row : nil
    }

    private func hasClaimed(
        _ row: RowID, in table: TableID, _ identity: [StoredValue], evenIfSent: Bool = false
    ) -> Bool {
        guard let known = renamedRows[table][row], known != identity else { return false }
        return evenIfSent || !operations.mayBeRenamed(RecordID(table: table, row: row))
    }

    // MARK: Noting

    func noteKnownIdentity(of record: RecordID, _ unsent: UnsentChanges) throws {
        let known = try knownIdentity(of: record, unsent)
        if known != renamedRows[record.table][record.row] { renamedRows[record.table][record.row] = known }
    }

    func setTaken(_ unsent: UnsentChanges, of record: RecordID) throws {
        let former = renamedRows[record.table][record.row]
        try set(unsent, of: record)
        if let former, renamedRows[record.table][record.row] != former { noteFormerIdentity(former, of: record) }
    }

    /// The server's identity. Nil: it is the one in the columns, or the server has none.
    private func knownIdentity(of record: RecordID, _ unsent: UnsentChanges) throws -> [StoredValue]? {
        let model = schema[record.table]
        guard model.identity.contains(where: { unsent.entries[model[$0].name]?.base.isNull == false }) else {
            return nil
        }
        let columns = model.identityColumns
        guard let values = try statements[record.table].values(of: columns, in: record.row) else { return nil }
        let identity = zip(columns, values).map { column, value in
            let known = unsent.entries[model[column.property].name]?.base ?? value
            guard let row = known.row, let table = column.target else { return known }
            return StoredValue(survivor(of: row, in: table))
        }
        return identity.contains(.null) ? nil : identity
    }

    /// Replies to open requests still use this identity.
    func noteFormerIdentity(_ identity: [StoredValue], of record: RecordID) {
        guard operations.oldestRequestStart != nil else { return }
        recentChanges.note(record)
        recentChanges.note(identity, ofRenamed: record)
    }

    /// Gives a row the server's new identity, which becomes the base of a pending edit.
    func rename(
        _ record: RecordID, from known: [StoredValue], to identity: [StoredValue], _ progress: inout WriteProgress
    ) throws {
        let (table, model) = (statements[record.table], schema[record.table])
        noteFormerIdentity(known, of: record)
        var unsent = try table.unsentChanges(of: record.row)
        var values: [(column: Column, value: StoredValue)] = []
        for (column, value) in zip(model.identityColumns, identity) {
            let name = model[column.property].name
            if unsent.contains(name) { unsent.entries[name]?.base = value } else { values.append((column, value)) }
        }
        try table.update(values, in: record.row)
        if !unsent.isEmpty { try set(unsent, of: record) }
        progress.changes.noteUpdate(of: record)
        try resolvePendingLinks(toRenamed: record, &progress)
    }

    /// Sets pending links to a row, and to those whose identity includes it.
    func resolvePendingLinks(toRenamed record: RecordID, _ progress: inout WriteProgress) throws {
        let tables = schema.tables(namedBy: record.table)
        guard !tables.isDisjoint(with: pendingTargets) else { return }
        var seen: Set<RecordID> = []
        var waiting = [record]
        while let next = waiting.popLast() {
            guard seen.insert(next).inserted else { continue }
            if pendingTargets.contains(next.table), let key = try pendingKey(of: next) {
                try resolvePendingLinks(to: next, key: key, &progress)
            }
            for model in schema.models(identifiedBy: next.table) {
                for column in model.identityColumns where column.target == next.table {
                    waiting += try statements[model.table].rows(referencing: next.row, by: column)
                        .map { RecordID(table: model.table, row: $0) }
                }
            }
        }
    }

    func forgetUnsent(of record: RecordID) {
        unsentRows[record.table].remove(record.row)
        renamedRows[record.table][record.row] = nil
    }

    func readRenamedRows(of table: TableID) throws {
        renamedRows[table] = RenamedRows()
        for row in try statements[table].rowsWithUnsentIdentity() {
            let record = RecordID(table: table, row: row)
            renamedRows[table][row] = try knownIdentity(of: record, statements[table].unsentChanges(of: row))
        }
    }

    func knownKey(of record: RecordID) throws -> String? {
        guard let known = renamedRows[record.table][record.row] else { return try pendingKey(of: record) }
        return try pendingKey(ofIdentity: known, of: schema[record.table])
    }
}

/// A body uses both identities of a row, so the edited one means another object. The import is repeated.
struct TwoNames: Error {
    let record: RecordID
}

extension Schema {
    /// The table, and those whose identities include links to its rows, also through others.
    fileprivate func tables(namedBy table: TableID) -> Set<TableID> {
        var tables: Set<TableID> = []
        var waiting = [table]
        while let next = waiting.popLast() {
            if tables.insert(next).inserted { waiting += models(identifiedBy: next).map(\.table) }
        }
        return tables
    }
}
