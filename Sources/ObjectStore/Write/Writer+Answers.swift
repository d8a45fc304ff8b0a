/// An answer whose body was imported.
struct ImportedAnswer {
    let answer: StoredAnswer
    let rows: AnsweredRows
    let vouched: VouchedRows
    /// Whether all that the body says is in the file: nothing was left out, and nothing that is newer was kept in its
    /// stead.
    let isWhole: Bool
}

extension Writer {
    /// Notes what a transaction has changed, as answers may vouch for it, and stores its own answer.
    ///
    /// - Complexity: a statement where there are no answers, else linear in what has changed.
    func keepAnswers(after changes: ChangeSet) throws {
        if hasAnswers { try noteChanges(changes) }
        guard let answer = answerInTransaction else { return }
        try statements.write(answer.answer, answer.rows, vouching: answer.isWhole ? answer.vouched : nil)
    }

    /// A later answer has come that is not stored: those before it vouch for nothing any more.
    func spoilAnswers(to key: StoredAnswer.Key) throws { if hasAnswers { try statements.spoilAnswers(to: key) } }

    /// What was changed, in few ranges: to take some rows more for changed has them asked for once more.
    private func noteChanges(_ changes: ChangeSet) throws {
        if !changes.unified.isEmpty { return try statements.spoilAnswers() }
        let limit = 64
        for model in schema.roots {
            let rows = changes.tables[model.table]
            guard !rows.updated.isEmpty || !rows.deleted.isEmpty else { continue }
            let changed = RowRanges(rows.updated + rows.deleted).coarsened(to: limit)
            try statements.noteChanged(changed, VouchedRows.kind(model.table))
            let isMember = model.columns.contains { isListed($0.property, of: model) }
            let members = RowRanges((isMember ? rows.relinked : []) + rows.deleted).coarsened(to: limit)
            try statements.noteChanged(members, VouchedRows.kind(ofMembersIn: model.table))
        }
        guard !changes.listOwners.isEmpty else { return }
        var owners: [ListID: [RowID]] = [:]
        for owner in changes.listOwners {
            // A link is its row's own.
            guard let list = schema[owner.record.table][owner.property].list else { continue }
            owners[list.id, default: []].append(owner.record.row)
        }
        for (list, rows) in owners {
            try statements.noteChanged(RowRanges(rows).coarsened(to: limit), VouchedRows.kind(list))
        }
    }

    /// Writes which stored answers the server has said to be as they were, but for those of which something has changed
    /// since they were looked at.
    ///
    /// - Parameter limit: how many at most; each is looked up, and a save shall not wait for many.
    func keepConfirmations(limit: Int = 64) throws {
        confirmationsInTransaction = memory.unwrittenAnswers(limit: limit)
        let known = try confirmationsInTransaction.map { try statements.answer($0.id) }
        guard let change = known.compactMap({ $0?.change }).filter({ $0 >= 0 }).min() else { return }
        // Those of this transaction, too, which may yet be taken back: so not what contexts have read.
        var changes = ChangeNotes()
        changes.take(try statements.changeNotes(after: change - 1))
        for (kept, known) in zip(confirmationsInTransaction, known) where known.map(changes.areBeside) == true {
            try statements.confirmAnswer(kept.id, as: kept.answer)
        }
    }

    // MARK: Lists

    /// A list has other members than before.
    func noteOwner(_ owner: ListOwner, _ changes: inout ChangeSet) {
        if hasAnswers { changes.listOwners.insert(owner) }
    }

    /// So have those on the other side, of the rows that have joined it or left.
    func noteOwners(of list: List, with members: [RowID], _ changes: inout ChangeSet) {
        guard let inverse = list.inverse, schema[list.target][inverse].list != nil else { return }
        for member in members {
            changes.listOwners.insert(ListOwner(inverse, of: RecordID(table: list.target, row: member)))
        }
    }

    /// Whether a property is a link by which rows are in lists.
    func isListed(_ property: PropertyIndex, of model: ModelSchema) -> Bool {
        guard let link = model[property].link, let inverse = link.inverse else { return false }
        return schema[link.target][inverse].list != nil
    }

    /// Rows come into lists by their links.
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
