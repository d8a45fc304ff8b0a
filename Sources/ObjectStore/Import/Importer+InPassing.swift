// An object without an identity may go out by a value of its own (`"labels": ["new"]`), or whole, within another one: the server
// makes it in passing. It is the object of those values that the reply names, or, where that is silent, the one that stands in
// its place when the server speaks of the relationship again.

extension Importer {
    /// The row without an identity that was sent by values which the object has now.
    func rowInPassing(of object: ReadingObject) throws -> RowID? {
        guard !request.inPassing.isEmpty else { return nil }
        let model = object.plan.model
        for sent in request.inPassing where sent.record.table == model.table {
            let isSame = sent.values.allSatisfy { property, value in
                model.column(of: property).map { object.frame[$0.index].stored == value } ?? false
            }
            guard isSame, case let row = writer.survivor(of: sent.record).row,
                try writer.isUnnamed(RecordID(table: model.table, row: row))
            else { continue }
            return row
        }
        return nil
    }

    /// A list is about to become others: members of it that were sent by a value, and have no identity yet, are those of that
    /// value that come.
    ///
    /// - Parameter old: the members in the file.
    /// - Returns: those that are in the file now.
    mutating func namingMembers(
        _ old: [RowID], by members: [RowID], of owner: ListOwner, in list: List
    ) throws -> [RowID] {
        guard !old.isEmpty, members != old, list.options.sentAs.hasValues,
            let attributes = schema.attributesSent(by: schema[owner.record.table][owner.property])
        else { return old }
        let (wanted, known) = (Set(members), Set(old))
        var unnamed = try old.filter { row in
            try !wanted.contains(row) && writer.isUnnamed(RecordID(table: list.target, row: row))
        }
        guard !unnamed.isEmpty else { return old }
        for row in members where !known.contains(row) {
            let named = RecordID(table: list.target, row: row)
            guard let index = try unnamed.firstIndex(where: { try writer.isMade($0, as: named, by: attributes) })
            else { continue }
            try unify(unnamed.remove(at: index), with: named)
        }
        return try writer.statements.members(of: list, owner: owner.record.row)
    }

    /// The same for what a row's links lead to.
    mutating func nameTargets(of object: ReadingObject, _ target: RowID?) throws {
        let plan = object.plan
        for column in plan.columnsSentByValues {
            guard let new = object.frame[column].row, let table = plan.model[column].target,
                let attributes = schema.attributesSent(by: plan.property(of: column)),
                let row = try target ?? find(object),
                let old = try plan.statements.value(of: plan.model[column], in: row).row, old != new,
                try writer.isUnnamed(RecordID(table: table, row: old)),
                try writer.isMade(old, as: RecordID(table: table, row: new), by: attributes),
                try !writer.isUnsent(plan.model[column].property, of: RecordID(table: plan.model.table, row: row))
            else { continue }
            try unify(old, with: RecordID(table: table, row: new))
        }
    }

    private mutating func unify(_ unnamed: RowID, with named: RecordID) throws {
        try writer.unify(RecordID(table: named.table, row: unnamed), with: named.row, &progress)
        noteOverwriteOfAll()
    }
}

extension Writer {
    /// Whether a row is there that the server has not named.
    fileprivate func isUnnamed(_ record: RecordID) throws -> Bool {
        let identity = try statements[record.table].values(of: schema[record.table].identityColumns, in: record.row)
        return identity?.contains { $0.isNull } ?? false
    }

    /// Whether a named row has the values that the server has taken of one that it has not named.
    fileprivate func isMade(_ unnamed: RowID, as named: RecordID, by attributes: [PropertyIndex]) throws -> Bool {
        let (table, model) = (statements[named.table], schema[named.table])
        let unsent = try table.unsentChanges(of: unnamed)
        let taken = attributes.filter { !unsent.contains(model[$0].name) }.compactMap { model.column(of: $0) }
        guard let values = try table.values(of: taken, in: unnamed), values.contains(where: { !$0.isNull }) else {
            return false
        }
        return try zip(taken, values).allSatisfy { column, value in
            try value.isNull || table.value(of: column, in: named.row) == value
        }
    }
}

extension RelationshipSending {
    /// Whether values of the target's own go out, rather than its identity.
    fileprivate var hasValues: Bool {
        switch self {
        case .key, .nested: true
        case .conventional, .identities, .identitiesByName, .never: false
        }
    }
}

extension Schema {
    /// The attributes of what a relationship leads to that go out with it, and stand for what has no identity; `nil` where it
    /// goes out by identity, or not, or owns embedded objects.
    package func attributesSent(by relationship: Property) -> [PropertyIndex]? {
        guard let sentAs = relationship.sentAs, sentAs.hasValues, let target = target(of: relationship),
            !target.isEmbedded
        else { return nil }
        switch sentAs {
        case .key(let name): return target.attribute(forJSON: name).flatMap { $0.column == nil ? nil : [$0.index] }
        case .nested: return target.declared.filter { $0.target == nil && !$0.isNeverSent }.map(\.index)
        case .conventional, .identities, .identitiesByName, .never: return nil
        }
    }
}
