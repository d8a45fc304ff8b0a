/// A reply to a GET, stored to be used again.
struct ImportedAnswer {
    let answer: StoredAnswer
    let rows: AnsweredRows
    let covered: CoveredRows
    /// Whether the file has the whole body, without rejected parts and newer values.
    let isWhole: Bool
}

extension Writer {
    /// Invalidates the answers that changes affect, and stores the transaction's own.
    ///
    /// - Complexity: one statement without answers, otherwise linear in the changes.
    func keepAnswers(after changes: ChangeSet) throws {
        if hasAnswers { try noteChanges(changes) }
        guard let answer = answerInTransaction else { return }
        try statements.write(answer.answer, answer.rows, covering: answer.isWhole ? answer.covered : nil)
    }

    func spoilAnswers(to key: StoredAnswer.Key) throws { if hasAnswers { try statements.spoilAnswers(to: key) } }

    /// Notes changes as at most 64 ranges for each table. They may include unchanged rows, whose answers are fetched
    /// again.
    private func noteChanges(_ changes: ChangeSet) throws {
        if !changes.unified.isEmpty { return try statements.spoilAnswers() }
        let limit = 64
        for model in schema.roots {
            let rows = changes.tables[model.table]
            guard !rows.updated.isEmpty || !rows.deleted.isEmpty else { continue }
            let changed = RowRanges(rows.updated + rows.deleted).coarsened(to: limit)
            try statements.noteChanged(changed, CoveredRows.kind(model.table))
            let isMember = model.columns.contains { isListed($0.property, of: model) }
            let members = RowRanges((isMember ? rows.relinked : []) + rows.deleted).coarsened(to: limit)
            try statements.noteChanged(members, CoveredRows.kind(ofMembersIn: model.table))
        }
        guard !changes.listOwners.isEmpty else { return }
        var owners: [ListID: [RowID]] = [:]
        for owner in changes.listOwners {
            // A changed link is noted with its row.
            guard let list = schema[owner.record.table][owner.property].list else { continue }
            owners[list.id, default: []].append(owner.record.row)
        }
        for (list, rows) in owners {
            try statements.noteChanged(RowRanges(rows).coarsened(to: limit), CoveredRows.kind(list))
        }
    }

    /// Writes confirmations (304) of stored answers, unless rows have changed since.
    ///
    /// - Parameter limit: Each needs a lookup, which delays a save.
    func keepConfirmations(limit: Int = 64) throws {
        confirmationsInTransaction = memory.unwrittenAnswers(limit: limit)
        let known = try confirmationsInTransaction.map { try statements.answer($0.id) }
        guard let change = known.compactMap({ $0?.change }).filter({ $0 >= 0 }).min() else { return }
        // The running transaction's changes may be rolled back, so they stay out of the shared notes.
        var changes = ChangeNotes()
        changes.take(try statements.changeNotes(after: change - 1))
        for (kept, known) in zip(confirmationsInTransaction, known) where known.map(changes.leaveIntact) == true {
            try statements.confirmAnswer(kept.id, as: kept.answer)
        }
    }

    // MARK: Lists

    func noteOwner(_ owner: ListOwner, _ changes: inout ChangeSet) {
        if hasAnswers { changes.listOwners.insert(owner) }
    }

    func noteOwners(of list: List, with members: [RowID], _ changes: inout ChangeSet) {
        guard let inverse = list.inverse, schema[list.target][inverse].list != nil else { return }
        for member in members {
            changes.listOwners.insert(ListOwner(inverse, of: RecordID(table: list.target, row: member)))
        }
    }

    func isListed(_ property: PropertyIndex, of model: ModelSchema) -> Bool {
        guard let link = model[property].link, let inverse = link.inverse else { return false }
        return schema[link.target][inverse].list != nil
    }

    func noteListOwners(
        by values: PropertyMap<StoredValue>, of model: ModelSchema, _ changes: inout ChangeSet
    ) {
        for (property, value) in values {
            guard let row = value.row, let link = model[property].link, let inverse = link.inverse,
                schema[link.target][inverse].list != nil
            else { continue }
            changes.listOwners.insert(ListOwner(inverse, of: RecordID(table: link.target, row: row)))
        }
    }
}
