// Deletions, and what they take with them: what a row owned and nothing else owns, and what its delete rules say.

extension Writer {
    /// Deletes a row: links to it become nil, lists leave it out, what it owns and nothing else owns goes with it, and
    /// so does what its rules say.
    func delete(_ record: RecordID, _ progress: inout WriteProgress) throws {
        var following = try deleteRow(record, &progress)
        while let next = following.popLast() {
            // A context has moved it to another owner.
            if !schema[next.record.table].isEmbedded, underway.isEdited(next.record) { continue }
            // After its owner's row is gone, so that owners which own each other come to an end.
            if try next.isCascade || !hasOwner(next.record) { following += try deleteRow(next.record, &progress) }
        }
    }

    /// Deletes those of the orphans that have no other owner now. Where the server has left them out, what waits to be
    /// sent stays, as what is embedded does not: that goes out with what it is in.
    ///
    /// - Parameter kept: what is not to go then, as it is edited in a context.
    /// - Returns: how many, parts of others not counted.
    @discardableResult
    func deleteOrphans(
        _ progress: inout WriteProgress, isLeftOut: Bool = false, keeping kept: Set<RecordID> = []
    ) throws -> Int {
        var count = 0
        for orphan in progress.orphans where try !hasOwner(orphan.record) {
            let isEmbedded = schema[orphan.record.table].isEmbedded
            if isLeftOut, !isEmbedded, try !mayPrune(orphan.record, askedAt: progress.asked, keeping: kept) {
                continue
            }
            try noteLost(orphan, &progress)
            try delete(orphan.record, &progress)
            if !isEmbedded { count += 1 }
        }
        progress.orphans = []
        return count
    }

    /// A row that may have to go after another.
    struct Following {
        let record: RecordID
        /// Whether it goes whoever else owns it.
        let isCascade: Bool
    }

    /// - Returns: what it owned, and what goes with it by a rule.
    private func deleteRow(_ record: RecordID, _ progress: inout WriteProgress) throws -> [Following] {
        let model = schema[record.table]
        let following = try followers(of: record)
        if model.hasDeleteRules { try progress.rules.note(record, self) }
        underwayInTransaction.deleted.insert(record)
        if underway.oldestQuestion != nil {
            for key in try [pendingKey(of: record), knownKey(of: record)].compactMap(\.self) {
                recentChanges.noteDeletion(of: key, in: record.table)
            }
        }
        if progress.deletedRows != nil { try keepDeleted(record, in: &progress.deletedRows!) }
        if !progress.isConfirmed { try unsayLinks(to: record) }
        try unlink(record, &progress.changes)
        try forgetPairs(of: record)
        // A queued deletion can be taken back.
        if progress.deletedRows == nil { try forgetMarks(of: record) }
        try forgetQueued(of: record, &progress.changes)
        if model.hasDeleteRules { try takeApart(record) }
        let isDeleted = try statements[record.table].delete(record.row)
        forgetUnsent(of: record)
        guard isDeleted else { return [] }
        progress.changes.tables[record.table].deleted.append(record.row)
        if pendingSources.contains(record.table) { try statements.deletePendingLinks(of: record) }
        if pagedSources.contains(record.table) { try statements.forgetParts(of: record) }
        if tablesWithTexts.contains(record.table) { try statements.forgetTexts(of: record) }
        if tablesWithValidators.contains(record.table) { try statements.setValidator(nil, of: record) }
        try forgetListings(of: record)
        return following
    }

    /// What a row owns, and what goes with it by a rule.
    func followers(of record: RecordID) throws -> [Following] {
        let model = schema[record.table]
        var following: [Following] = []
        if model.owns {
            for property in model.properties where property.owns {
                following += try targets(of: property, in: record).map { Following(record: $0, isCascade: false) }
            }
        }
        if model.hasDeleteRules {
            for property in model.properties where property.deleteRule == .cascade {
                following += try targets(of: property, in: record).map { Following(record: $0, isCascade: true) }
            }
        }
        return following
    }

    /// A row goes that the server still has, as nobody has told it: what links to the row here links to it there, and
    /// is not known any more.
    private func unsayLinks(to record: RecordID) throws {
        guard schema.hasLinks(to: record.table), !schema[record.table].isEmbedded, try knownKey(of: record) != nil
        else {
            return
        }
        for other in schema.roots {
            let table = statements[other.table]
            for column in other.columns where column.target == record.table {
                for row in try table.rows(referencing: record.row, by: column) {
                    try table.noteUnsaid(column.property, of: row)
                }
            }
        }
    }

    /// Clears the links to a row, and notes the lists that it was a member or the owner of.
    private func unlink(_ record: RecordID, _ changes: inout ChangeSet) throws {
        for other in schema.roots {
            for column in other.columns where column.target == record.table {
                changes.tables[other.table].updated +=
                    try statements[other.table].rows(referencing: record.row, by: column)
                try statements[other.table].clear(column, referencing: record.row)
            }
            for list in other.lists where list.target == record.table { noteChange(of: list, &changes) }
        }
        for list in schema[record.table].lists { noteChange(of: list, &changes) }
    }

    /// Clears what would set off the triggers that keep the rules for others.
    private func takeApart(_ record: RecordID) throws {
        let model = schema[record.table]
        for property in model.properties where property.deleteRule != .nullify {
            if let column = model.column(of: property.index) {
                try statements[record.table].clear(column, in: record.row)
            } else if let list = property.list, case .join = list.storage {
                try statements.removeMembers(of: list, owner: record.row)
            }
        }
    }

    // MARK: Relationships and owners

    /// The rows that a relationship references.
    func targets(of property: Property, in record: RecordID) throws -> [RecordID] {
        if let list = property.list {
            return try statements.members(of: list, owner: record.row).map { RecordID(table: list.target, row: $0) }
        }
        guard let link = property.link, let column = schema[record.table].column(of: property.index),
            let target = try statements[record.table].value(of: column, in: record.row).row
        else { return [] }
        return [RecordID(table: link.target, row: target)]
    }

    /// The rows that reference another by a relationship.
    func sources(of property: Property, in model: ModelSchema, to row: RowID) throws -> [RowID] {
        if let column = model.column(of: property.index) {
            return try statements[model.table].rows(referencing: row, by: column)
        }
        return try property.list.map { try statements.owners(of: $0, member: row) } ?? []
    }

    private func hasSource(of property: Property, in model: ModelSchema, to row: RowID) throws -> Bool {
        if let column = model.column(of: property.index) {
            return try statements[model.table].hasRow(referencing: row, by: column)
        }
        return try property.list.map { try statements.hasOwner(of: $0, member: row) } ?? false
    }

    /// Whether some owning relationship references the row.
    private func hasOwner(_ record: RecordID) throws -> Bool {
        for owner in schema.roots where owner.owns {
            for property in owner.properties where property.owns && property.target == record.table {
                if try hasSource(of: property, in: owner, to: record.row) { return true }
            }
        }
        return false
    }

    /// The lists and links that own a row.
    func owners(of record: RecordID) throws -> [ListOwner] {
        var owners: [ListOwner] = []
        for owner in schema.roots where owner.owns {
            for property in owner.properties where property.owns && property.target == record.table {
                owners += try sources(of: property, in: owner, to: record.row).map {
                    ListOwner(property.index, of: RecordID(table: owner.table, row: $0))
                }
            }
        }
        return owners
    }

    /// Notes what a row is about to lose, or to be lost by, as its links change.
    func noteOrphans(of row: WriteBatch.Row, _ progress: inout WriteProgress) throws {
        let model = schema[row.record.table]
        for (property, value) in row.values {
            if let column = model.column(of: property) {
                try noteOrphan(of: row.record, changing: column, to: value, &progress)
            }
        }
    }

    /// The same for one column.
    func noteOrphan(
        of record: RecordID, changing column: Column, to value: StoredValue, _ progress: inout WriteProgress
    ) throws {
        guard column.target != nil, case let property = schema[record.table][column.property],
            let link = property.link
        else { return }
        let isOwned = schema.inverse(of: property)?.owns == true
        guard link.options.owns || isOwned,
            let old = try statements[record.table].value(of: column, in: record.row).row, value.row != old
        else { return }
        let former = RecordID(table: link.target, row: old)
        if link.options.owns {
            progress.orphans.append(Orphan(record: former, former: ListOwner(property.index, of: record)))
        }
        if isOwned, let inverse = link.inverse {
            progress.orphans.append(Orphan(record: record, former: ListOwner(inverse, of: former)))
        }
    }
}

/// What a transaction's deletions must not take away: looked at when all of them are made, so that an object may go
/// together with what it would else be kept by.
struct DeletionRules {
    /// Whether the deletions are the server's word, which no rule of ours denies.
    let isConfirmed: Bool
    private var denials: [Denial] = []

    private struct Denial {
        let error: (Int) -> StoreError
        let targets: [RecordID]
    }

    init(isConfirmed: Bool) { self.isConfirmed = isConfirmed }

    /// Notes what a row that is about to be deleted references by relationships that deny it.
    mutating func note(_ record: RecordID, _ writer: Writer) throws {
        let model = writer.schema[record.table]
        guard !isConfirmed, model.hasDeleteRules else { return }
        for property in model.properties where property.deleteRule == .deny {
            let targets = try writer.targets(of: property, in: record)
            if targets.isEmpty { continue }
            let identity = try writer.identityText(of: record)
            denials.append(
                Denial(
                    error: {
                        .deleteDenied(
                            model: model.modelName, identity: identity, relationship: property.name, count: $0)
                    }, targets: targets))
        }
    }

    /// - Throws: ``StoreError/deleteDenied(model:identity:relationship:count:)`` where something is still there.
    func check(_ writer: Writer) throws {
        for denial in denials {
            let count = try denial.targets.count { try writer.statements[$0.table].contains($0.row) }
            if count > 0 { throw denial.error(count) }
        }
    }
}
