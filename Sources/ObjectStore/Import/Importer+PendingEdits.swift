// The server's values become the bases of pending edits, which stay on top. Values of later replies stay.

extension Importer {
    /// Ends the edit of an identity that the server shows.
    func confirmIdentity(of object: ReadingObject, in row: RowID, _ unsent: inout UnsentChanges) throws {
        let (plan, table) = (object.plan, object.plan.model.table)
        if try isShown(object, in: row, unsent) {
            for property in plan.model.identity { unsent.entries[plan.model[property].name] = nil }
            return try writer.set(unsent, of: RecordID(table: table, row: row))
        }
        guard plan.mayBeRenamed, writer.renamedRows[table][row] != nil,
            plan.identity.allSatisfy({ object.frame.hasValue($0) })
        else { return }
        if try isCalled(row, by: object) {
            for property in plan.model.identity { unsent.entries[plan.model[property].name] = nil }
        } else if try isSentIdentity(of: object, in: row) {
            // The server has accepted an earlier edit.
            for (column, value) in zip(plan.model.identityColumns, object.identity) {
                unsent.entries[plan.model[column.property].name]?.base = value
            }
        } else {
            return
        }
        try writer.setTaken(unsent, of: RecordID(table: table, row: row))
    }

    /// Whether the server shows a new object under its local identity.
    private func isShown(_ object: ReadingObject, in row: RowID, _ unsent: UnsentChanges) throws -> Bool {
        let plan = object.plan
        let isNew = plan.model.identity.contains { unsent.entries[plan.model[$0].name]?.base.isNull == true }
        guard isNew, plan.identity.allSatisfy({ object.frame.hasValue($0) }) else { return false }
        return try plan.statements.values(of: plan.model.identityColumns, in: row) == object.identity
    }

    /// Whether the object's identity was sent, and edited again since.
    private func isSentIdentity(of object: ReadingObject, in row: RowID) throws -> Bool {
        let table = object.plan.model.table
        return try writer.operations.row(sentAs: object.identity, in: table) == row
            && writer.row(namedBy: object.identity, in: table, since: request.requestTime) == row
    }

    /// Notes the former identity, if the server shows one that was sent before it was saved.
    ///
    /// - Parameter present: the columns to be written.
    func noteSentIdentity(of object: ReadingObject, in row: RowID, writing present: ColumnMask) throws {
        let (plan, table) = (object.plan, object.plan.model.table)
        guard plan.mayBeRenamed, !plan.identity.isEmpty,
            plan.identity.allSatisfy({ present.contains($0.rawValue) && object.frame.hasValue($0) }),
            let former = try writer.statements[table].values(of: plan.model.identityColumns, in: row),
            former != object.identity, try isSentIdentity(of: object, in: row)
        else { return }
        writer.noteFormerIdentity(former, of: RecordID(table: table, row: row))
    }

    /// Makes the server's values bases. An equal edit is dropped, unless it is at risk.
    ///
    /// Three kinds of bases stay: the identity, by which the row was found; links that lists send, which identify
    /// former members; embedded objects, which are matched by them.
    ///
    /// - Returns: the columns of edited properties in the object.
    @discardableResult
    func updateBases(_ object: ReadingObject, in row: RowID, beneath unsent: UnsentChanges) throws -> ColumnMask {
        let (plan, frame) = (object.plan, object.frame)
        let record = RecordID(table: plan.model.table, row: row)
        var (rebased, columnsBelowEdits) = (unsent, ColumnMask())
        let newer = newerColumns(of: record)
        for column in plan.model.columns
        where !plan.identity.contains(column.index) && !newer.contains(column.index.rawValue) {
            let name = plan.model[column.property].name
            guard rebased.entries[name] != nil else { continue }
            let base: StoredValue
            if let waiting = frame.pending.first(where: { $0.property == column.property }) {
                base = .text(waiting.key)
            } else if frame.has(column.index) {
                base = frame[column.index].stored
            } else {
                continue
            }
            columnsBelowEdits.insert(column.index.rawValue)
            let isKept =
                column.target.map { schema[$0].isEmbedded || plan.statements.sentByLists[column.property] != nil }
                ?? false
            if isKept { continue }
            rebased.entries[name]?.rebase(onto: base, from: source(of: record))
            if plan.model.choice(with: column.property) != nil { continue }
            let value = try plan.statements.value(of: column, in: row)
            if try FactRules.isRedundant(
                value, over: base,
                isAtRisk: writer.operations.isAtRisk(record, in: request.requestTime) || leadsToUnknown(value, column))
            {
                rebased.entries[name] = nil
                writer.settledInTransaction.insert(record)
            }
        }
        for choice in plan.model.choices
        where choice.members.contains(where: { columnsBelowEdits.contains($0, of: plan.model) }) {
            if try isRedundant(choice, in: rebased, of: record) {
                for member in choice.members { rebased.entries[plan.model[member].name] = nil }
                writer.settledInTransaction.insert(record)
            }
        }
        if rebased != unsent { try writer.set(rebased, of: record) }
        return columnsBelowEdits
    }

    /// Whether all parts of the edit equal the server's, and none is at risk.
    private func isRedundant(_ choice: Choice, in unsent: UnsentChanges, of record: RecordID) throws -> Bool {
        let model = schema[record.table]
        var (values, bases): ([StoredValue], [StoredValue]) = ([], [])
        var isUnknown = false
        for member in choice.members {
            guard let entry = unsent.entries[model[member].name], let column = model.column(of: member) else {
                continue
            }
            let value = try writer.statements[record.table].value(of: column, in: record.row)
            isUnknown = try isUnknown || leadsToUnknown(value, column)
            values.append(value)
            bases.append(entry.base)
        }
        return choice.isSame(values, as: bases)
            && !writer.operations.isAtRisk(record, in: request.requestTime) && !isUnknown
    }

    /// Whether the link's target is unknown to the server.
    private func leadsToUnknown(_ value: StoredValue, _ column: Column) throws -> Bool {
        guard let table = column.target, let row = value.row, writer.unsentRows[table].contains(row) else {
            return false
        }
        return try !schema[table].isEmbedded && !writer.isAtServer(RecordID(table: table, row: row))
    }

    /// Whether the body is the reply to the row's change. It outranks later fetches, which the server may have answered
    /// before the change.
    func isAnswered(_ record: RecordID) -> Bool {
        guard request.isConfirmation, let target = request.target, request.table == record.table else { return false }
        return writer.survivor(of: RecordID(table: record.table, row: target)) == record
    }

    private func source(of record: RecordID) -> UnsentChanges.Entry.Source {
        if isAnswered(record) || request.isResolution { return .decided }
        return writer.operations.isAtRisk(record, in: request.requestTime) ? .unclear : .others
    }

    /// The columns written by a later reply.
    private func newerColumns(of record: RecordID) -> ColumnMask {
        guard isLate, !isAnswered(record) else { return ColumnMask() }
        return writer.recentChanges.readColumns(of: record, since: request.requestTime) ?? ColumnMask()
    }

    func leaveNewer(of object: ReadingObject, in row: RowID, from present: inout ColumnMask) {
        let plan = object.plan
        let newer = newerColumns(of: RecordID(table: plan.model.table, row: row))
        guard !newer.isEmpty else { return }
        for column in plan.model.columns where newer.contains(column.index.rawValue) {
            present.remove(column.index.rawValue)
            object.frame.failedColumns.remove(column.index.rawValue)
            guard column.target != nil, !plan.identity.contains(column.index) else { continue }
            object.frame[column.index] = .absent
            object.frame.pending.removeAll { $0.property == column.property }
        }
    }
}

extension ColumnMask {
    fileprivate func contains(_ property: PropertyIndex, of model: ModelSchema) -> Bool {
        model.columnIndex(of: property).map { contains($0.rawValue) } ?? false
    }
}
