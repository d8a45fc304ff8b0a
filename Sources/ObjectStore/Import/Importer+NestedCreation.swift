// A request may send a new object within another one, by value (`"labels": ["new"]`) or whole. The server creates both.
// The new object is matched with the object of the same values in this reply, or in a later one.

extension Importer {
    /// The new row that was sent with the object's values.
    func rowOfNestedCreation(of object: ReadingObject) throws -> RowID? {
        guard !request.nestedCreations.isEmpty else { return nil }
        let model = object.plan.model
        for sent in request.nestedCreations where sent.record.table == model.table {
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

    /// Unifies members sent by value with the server's new members of the same values.
    ///
    /// - Returns: the file's members afterwards.
    mutating func unifyingMembers(
        _ old: [RowID], by members: [RowID], of owner: ListOwner, in list: List, isReply: Bool = false
    ) throws -> [RowID] {
        guard !old.isEmpty, members != old, list.options.sentAs.hasValues,
            let attributes = schema.attributesSent(by: schema[owner.record.table][owner.property])
        else { return old }
        let (wanted, known) = (Set(members), Set(old))
        var unnamed = try old.filter { row in
            try !wanted.contains(row) && writer.isUnnamed(RecordID(table: list.target, row: row))
        }
        guard !unnamed.isEmpty else { return old }
        for row in members where !known.contains(row) || isReply && isMadeSince(row, in: list.target) {
            let named = RecordID(table: list.target, row: row)
            guard let index = try unnamed.firstIndex(where: { try writer.isMade($0, as: named, by: attributes) })
            else { continue }
            try unify(unnamed.remove(at: index), with: named)
        }
        if case .key = list.options.sentAs {
            // Equal values are one object at the server.
            for row in unnamed {
                let same = try members.first {
                    try writer.isMade(row, as: RecordID(table: list.target, row: $0), by: attributes)
                }
                guard let same else { continue }
                unnamed.removeAll { $0 == row }
                try unify(row, with: RecordID(table: list.target, row: same))
            }
        }
        if isReply { try unifyByPosition(unnamed, of: old, by: members, in: list) }
        return try writer.statements.members(of: list, owner: owner.record.row)
    }

    /// As `unifyingMembers`, for nested objects sent by a request in flight or with an unknown outcome.
    mutating func unifyMembersAtRisk(by members: [RowID], of owner: ListOwner, in list: List) throws {
        guard list.options.sentAs == .nested, !schema[list.target].isEmbedded, writer.operations.isSent(owner.record),
            let attributes = schema.attributesSent(by: schema[owner.record.table][owner.property])
        else { return }
        let old = try writer.statements.members(of: list, owner: owner.record.row)
        let known = Set(old)
        var unnamed = try old.filter { try writer.isUnnamed(RecordID(table: list.target, row: $0)) }
        for row in members where !unnamed.isEmpty && !known.contains(row) {
            let index = try unnamed.firstIndex { try writer.mayBeMade($0, as: row, in: list.target, by: attributes) }
            guard let index else { continue }
            try unify(unnamed.remove(at: index), with: RecordID(table: list.target, row: row))
        }
    }

    /// Unifies members in equal places, if the reply has as many as the request. The server may have changed their
    /// values.
    private mutating func unifyByPosition(
        _ unnamed: [RowID], of old: [RowID], by members: [RowID], in list: List
    ) throws {
        // A later reply may have inserted some.
        let sent = old.filter { !isMadeSince($0, in: list.target) }
        guard !unnamed.isEmpty, members.count == sent.count else { return }
        let (known, left) = (Set(sent), Set(unnamed))
        for (sent, row) in zip(sent, members) where left.contains(sent) && !known.contains(row) {
            guard isMadeJustNow(row, in: list.target) || isMadeSince(row, in: list.target) else { continue }
            try unify(sent, with: RecordID(table: list.target, row: row))
        }
    }

    /// Whether the reply to a later request inserted the row.
    private func isMadeSince(_ row: RowID, in table: TableID) -> Bool {
        isLate && writer.recentChanges.isMade(RecordID(table: table, row: row), since: request.requestTime)
    }

    private func isMadeJustNow(_ row: RowID, in table: TableID) -> Bool {
        planInUse(table)?.rows[row.rawValue] == .inserted
    }

    /// Unifies new objects that were sent as link targets.
    mutating func unifyTargets(of object: ReadingObject, _ target: RowID?) throws {
        let plan = object.plan
        for column in plan.columnsSentByValues {
            guard let new = object.frame[column].row, let table = plan.model[column].target,
                let attributes = schema.attributesSent(by: plan.property(of: column)),
                let row = try target ?? find(object),
                let old = try plan.statements.value(of: plan.model[column], in: row).row, old != new,
                try writer.isUnnamed(RecordID(table: table, row: old)),
                try isSent(plan.model[column].property, of: row, plan) && isMadeJustNow(new, in: table)
                    || writer.isMade(old, as: RecordID(table: table, row: new), by: attributes),
                try !writer.isUnsent(plan.model[column].property, of: RecordID(table: plan.model.table, row: row))
            else { continue }
            try unify(old, with: RecordID(table: table, row: new))
        }
    }

    /// Leaves out edits that were sent within the request's target and repeated by the body, which acknowledges them.
    func unsentChanges(of object: ReadingObject, in row: RowID) throws -> UnsentChanges {
        let (plan, record) = (object.plan, RecordID(table: object.plan.model.table, row: row))
        let unsent = try plan.statements.unsentChanges(of: row)
        guard let sent = request.nestedEdits[record] else { return unsent }
        var rest = unsent
        for column in plan.model.attributeColumns where object.frame.has(column.index) {
            let name = plan.model[column.property].name
            guard let entry = unsent.entries[name], sent.contains(entry.stamp),
                try plan.statements.value(of: column, in: row) == object.frame[column.index].stored
            else { continue }
            rest.entries[name] = nil
        }
        if rest != unsent { try writer.set(rest, of: record) }
        return rest
    }

    /// Also unifies new rows sent within the new row.
    private mutating func unify(_ unnamed: RowID, with named: RecordID, within outer: Set<RowID> = []) throws {
        let record = RecordID(table: named.table, row: unnamed)
        for property in schema[named.table].properties {
            guard let attributes = schema.attributesSent(by: property), let table = property.target else { continue }
            let sent = try writer.targets(of: property, in: record).filter { target in
                try !outer.contains(target.row) && target != record && writer.isUnnamed(target)
            }
            guard !sent.isEmpty else { continue }
            var made = try writer.targets(of: property, in: named)
            for target in sent {
                guard let index = try made.firstIndex(where: { try writer.isMade(target.row, as: $0, by: attributes) })
                else { continue }
                try unify(
                    target.row, with: RecordID(table: table, row: made.remove(at: index).row),
                    within: outer.union([unnamed]))
            }
        }
        try writer.unify(RecordID(table: named.table, row: unnamed), with: named.row, &progress)
        noteOverwriteOfAll()
    }
}

extension Writer {
    fileprivate func isUnnamed(_ record: RecordID) throws -> Bool {
        let identity = try statements[record.table].values(of: schema[record.table].identityColumns, in: record.row)
        return identity?.contains { $0.isNull } ?? false
    }

    /// Compares `named` with values that may have been sent.
    fileprivate func mayBeMade(
        _ unnamed: RowID, as named: RowID, in table: TableID, by attributes: [PropertyIndex]
    ) throws -> Bool {
        let (statements, model) = (statements[table], schema[table])
        let columns = attributes.compactMap { model.column(of: $0) }
        guard let sent = try statements.values(of: columns, in: unnamed),
            let received = try statements.values(of: columns, in: named)
        else { return false }
        return model.mayBeMade(received, of: sent, in: columns)
    }

    /// Compares `named` with the acknowledged values of `unnamed`.
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
    fileprivate var hasValues: Bool {
        switch self {
        case .key, .nested: true
        case .conventional, .identities, .identitiesByName, .never: false
        }
    }
}

extension Schema {
    /// Whether requests with the relationship's targets include this property's. False for the link back.
    package func isSentWithin(_ property: Property, of relationship: Property) -> Bool {
        guard property.sentAs?.hasValues == true, property.index != relationship.inverse else { return false }
        return target(of: property)?.isEmbedded == false
    }

    package func isSentWhole(_ relationship: Property) -> Bool { relationship.sentAs == .nested }

    /// The attributes that stand for the target's identity in a request. Nil unless the relationship is sent by value,
    /// and for an embedded target.
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
