// Deletions of rows, of the rows that only they owned, and by delete rules.

extension Writer {
    /// Deletes a row, the rows that only it owned, and those by a `.cascade` rule. Links to it become nil, and lists
    /// lose it.
    func delete(_ record: RecordID, _ progress: inout WriteProgress) throws {
        var following = try deleteRow(record, &progress)
        while let next = following.popLast() {
            // A context has an unsaved move of this row to another owner.
            if !schema[next.record.table].isEmbedded, operations.isEdited(next.record) { continue }
            // The owner's row is gone, so rows that own each other don't keep each other.
            if try next.isCascade || !hasOwner(next.record) { following += try deleteRow(next.record, &progress) }
        }
    }

    /// - Parameters:
    ///   - isLeftOut: whether a fetched list has omitted them. Rows with pending edits stay then, except embedded ones,
    ///     whose edits are sent with their owner.
    ///   - kept: rows with unsaved edits, which stay then.
    /// - Returns: the number of deleted rows, without embedded ones.
    @discardableResult
    func deleteOrphans(
        _ progress: inout WriteProgress, isLeftOut: Bool = false, keeping kept: Set<RecordID> = []
    ) throws -> Int {
        var count = 0
        for orphan in progress.orphans where try !hasOwner(orphan.record) {
            let isEmbedded = schema[orphan.record.table].isEmbedded
            if isLeftOut, !isEmbedded, try !mayPrune(orphan.record, requestedAt: progress.requestTime, keeping: kept) {
                continue
            }
            try noteDeletedPart(orphan, &progress)
            try delete(orphan.record, &progress)
            if !isEmbedded { count += 1 }
        }
        progress.orphans = []
        return count
    }

    struct Following {
        let record: RecordID
        /// Deleted even with another owner.
        let isCascade: Bool
    }

    /// - Returns: the rows that it owned, and those by a `.cascade` rule.
    private func deleteRow(_ record: RecordID, _ progress: inout WriteProgress) throws -> [Following] {
        let model = schema[record.table]
        let following = try followers(of: record)
        if model.hasDeleteRules { try progress.rules.note(record, self) }
        operationsInTransaction.deleted.insert(record)
        if operations.oldestRequestStart != nil {
            for key in try [pendingKey(of: record), knownKey(of: record)].compactMap(\.self) {
                recentChanges.noteDeletion(of: key, in: record.table)
            }
        }
        if progress.deletedRows != nil { try keepDeleted(record, in: &progress.deletedRows!) }
        if !progress.isConfirmed { try unloadLinks(to: record) }
        try unlink(record, &progress.changes)
        let edited = try forgetPairs(of: record)
        // A queued deletion can be discarded, so its marks stay.
        if progress.deletedRows == nil { try forgetMarks(of: record) }
        try forgetQueued(of: record, &progress.changes)
        if model.hasDeleteRules { try clearTriggerLinks(record) }
        let isDeleted = try statements[record.table].delete(record.row)
        forgetUnsent(of: record)
        for owner in edited { try settle(owner) }
        guard isDeleted else { return [] }
        progress.changes.tables[record.table].deleted.append(record.row)
        if pendingSources.contains(record.table) { try statements.deletePendingLinks(of: record) }
        if pagedSources.contains(record.table) { try statements.forgetParts(of: record) }
        if tablesWithTexts.contains(record.table) { try statements.forgetTexts(of: record) }
        if tablesWithValidators.contains(record.table) { try statements.setValidator(nil, of: record) }
        try forgetListings(of: record)
        return following
    }

    /// Rows that follow by ownership, or by a `.cascade` rule.
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

    /// Marks links to a locally deleted row as unknown: the server still has the row and the links.
    private func unloadLinks(to record: RecordID) throws {
        guard schema.hasLinks(to: record.table), !schema[record.table].isEmbedded, try knownKey(of: record) != nil
        else {
            return
        }
        for other in schema.roots {
            let table = statements[other.table]
            for column in other.columns where column.target == record.table {
                for row in try table.rows(referencing: record.row, by: column) {
                    try table.noteUnloaded(column.property, of: row)
                }
            }
        }
    }

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

    /// Clears relationships whose delete rules are triggers. Those are for other programs' deletions; the writer has
    /// applied the rules.
    private func clearTriggerLinks(_ record: RecordID) throws {
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

    func targets(of property: Property, in record: RecordID) throws -> [RecordID] {
        if let list = property.list {
            return try statements.members(of: list, owner: record.row).map { RecordID(table: list.target, row: $0) }
        }
        guard let link = property.link, let column = schema[record.table].column(of: property.index),
            let target = try statements[record.table].value(of: column, in: record.row).row
        else { return [] }
        return [RecordID(table: link.target, row: target)]
    }

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

    private func hasOwner(_ record: RecordID) throws -> Bool {
        for owner in schema.roots where owner.owns {
            for property in owner.properties where property.owns && property.target == record.table {
                if try hasSource(of: property, in: owner, to: record.row) { return true }
            }
        }
        return false
    }

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

    /// Notes rows that lose an owner: the owned former targets of the row's links, or the row itself.
    func noteOrphans(of row: WriteBatch.Row, _ progress: inout WriteProgress) throws {
        let model = schema[row.record.table]
        for (property, value) in row.values {
            if let column = model.column(of: property) {
                try noteOrphan(of: row.record, changing: column, to: value, &progress)
            }
        }
    }

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

/// Rows protected by `.deny` rules. They are checked after all deletions, so that an object can be deleted with those
/// that would keep it.
struct DeletionRules {
    /// Whether the server has made the deletions. Then no rule applies.
    let isConfirmed: Bool
    private var denials: [Denial] = []

    private struct Denial {
        let error: (Int) -> StoreError
        let targets: [RecordID]
    }

    init(isConfirmed: Bool) { self.isConfirmed = isConfirmed }

    /// Call it before the row is deleted.
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

    /// - Throws: ``StoreError/deleteDenied(model:identity:relationship:count:)`` if a noted row still exists.
    func check(_ writer: Writer) throws {
        for denial in denials {
            let count = try denial.targets.count { try writer.statements[$0.table].contains($0.row) }
            if count > 0 { throw denial.error(count) }
        }
    }
}
