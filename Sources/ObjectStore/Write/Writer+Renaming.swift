// A row whose identity was edited here has two: the one in its columns, which contexts see, and the one that the server
// knows it by (`RenamedRows`). What the server says it says by the latter, until it has taken the edit; its answers to
// earlier questions say it even after that (`RecentChanges`).

extension Writer {
    // MARK: Finding rows

    /// Whether the server may mean a row of the table by another identity than the one in its columns.
    func mayBeRenamed(_ table: TableID, since asked: ChangeStamp?) -> Bool {
        !renamedRows[table].isEmpty || underway.hasSentNames(in: table)
            || recentChanges.hasRenamed(in: table, since: asked)
    }

    /// The row that the server means by an identity; `nil` where it means none that is here.
    ///
    /// - Parameters:
    ///   - identity: the parts, in the order of ``ModelSchema/identity``.
    ///   - asked: when the question was asked that it answers.
    func row(namedBy identity: [StoredValue], in table: TableID, since asked: ChangeStamp?) throws -> RowID? {
        if let row = recentChanges.row(formerlyNamed: identity, in: table, since: asked) {
            let row = survivor(of: row, in: table)
            return try statements[table].contains(row) ? row : nil
        }
        if let row = renamedRows[table].row(knownBy: identity) { return row }
        guard let row = try statements[table].find(identity) else { return try row(sentAs: identity, in: table) }
        return hasClaimed(row, in: table, identity) ? nil : row
    }

    /// The row that was sent with an identity which no row has: by an edit that is not stored, or that another has
    /// followed.
    private func row(sentAs identity: [StoredValue], in table: TableID) throws -> RowID? {
        guard let sent = underway.row(sentAs: identity, in: table) else { return nil }
        let row = survivor(of: sent, in: table)
        return try statements[table].contains(row) ? row : nil
    }

    /// What the server knew a row by before it was told another identity; `nil` for one of which it wasn't.
    func nameBeforeEdit(of row: RowID, in table: TableID) throws -> [StoredValue]? {
        if let known = renamedRows[table][row] { return known }
        guard underway.hasSentName(RecordID(table: table, row: row)) else { return nil }
        return try statements[table].values(of: schema[table].identityColumns, in: row)
    }

    /// The row that the server knows by an identity; `nil` if none is here.
    func row(knownBy identity: [StoredValue], in table: TableID) throws -> RowID? {
        if let row = renamedRows[table].row(knownBy: identity) { return row }
        guard let row = try statements[table].find(identity), renamedRows[table][row] == nil else { return nil }
        return row
    }

    /// The row that an edit has given an identity which the server was not told: what it names by that is another
    /// object.
    ///
    /// - Parameter evenIfSent: whether the row counts as well where the server may have been told.
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
        return evenIfSent || !underway.mayBeRenamed(RecordID(table: table, row: row))
    }

    // MARK: Noting

    /// Notes what the server knows a row by, whose unsent changes have changed.
    func noteKnownIdentity(of record: RecordID, _ unsent: UnsentChanges) throws {
        let known = try knownIdentity(of: record, unsent)
        if known != renamedRows[record.table][record.row] { renamedRows[record.table][record.row] = known }
    }

    /// Sets what is unsent of a row, of which the server has taken something.
    func setTaken(_ unsent: UnsentChanges, of record: RecordID) throws {
        let former = renamedRows[record.table][record.row]
        try set(unsent, of: record)
        if let former, renamedRows[record.table][record.row] != former { noteFormerIdentity(former, of: record) }
    }

    /// What the server knows a row by; `nil` where that is what it has here, or nothing.
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

    /// Notes that the server knows a row by another identity from now on: its answers to earlier questions still say
    /// the former.
    func noteFormerIdentity(_ identity: [StoredValue], of record: RecordID) {
        guard underway.oldestQuestion != nil else { return }
        recentChanges.note(record)
        recentChanges.note(identity, ofRenamed: record)
    }

    /// Changes a row's identity to the one that the server has made. A pending edit of the identity stays, with the new
    /// identity as its base.
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

    /// Makes the links that wait for a row by the name that it has now, and for those that have it in their identity.
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

    /// A row that goes has no unsent changes.
    func forgetUnsent(of record: RecordID) {
        unsentRows[record.table].remove(record.row)
        renamedRows[record.table][record.row] = nil
    }

    /// Reads again which rows of a table were renamed.
    func readRenamedRows(of table: TableID) throws {
        renamedRows[table] = RenamedRows()
        for row in try statements[table].rowsWithUnsentIdentity() {
            let record = RecordID(table: table, row: row)
            renamedRows[table][row] = try knownIdentity(of: record, statements[table].unsentChanges(of: row))
        }
    }

    /// What a link to a row would wait for, if that were not here: the identity that the server knows.
    func knownKey(of record: RecordID) throws -> String? {
        guard let known = renamedRows[record.table][record.row] else { return try pendingKey(of: record) }
        return try pendingKey(ofIdentity: known, of: schema[record.table])
    }
}

/// A body has named a renamed row by one of its identities, and by the other what is thus another object: nothing of it
/// is to be taken for the row.
struct TwoNames: Error {
    let record: RecordID
}

extension Schema {
    /// A table, and those of rows whose identity leads to its rows, over others too.
    fileprivate func tables(namedBy table: TableID) -> Set<TableID> {
        var tables: Set<TableID> = []
        var waiting = [table]
        while let next = waiting.popLast() {
            if tables.insert(next).inserted { waiting += models(identifiedBy: next).map(\.table) }
        }
        return tables
    }
}
