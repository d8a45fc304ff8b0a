import JSONBytes

extension Importer {
    /// Takes the parts of the identity that the JSON leaves out from where the object stands, or from the row that it is known
    /// to be. `false` where a part can't be known: the object is rejected, never guessed.
    mutating func completeIdentity(_ plan: ImportPlan, _ frame: ImportFrame, _ target: Int64?) throws -> Bool {
        for column in plan.identity {
            let tag = unsafe frame.slots[column].tag
            if tag != .absent, tag != .null { continue }
            let property = plan.table.columns[column].property
            if let table = plan.table.columns[column].target, !frame.isPending(property),
                let container = containers.last(where: { $0.table == table })
            {
                frame.set(column, .integer(container.id))
            } else if target == nil {
                unknownIdentity = try pendingKey(plan, frame)
                reject(plan, .noIdentity(missing: plan.table.properties[property].jsonPath.joined(separator: ".")))
                return false
            }
        }
        return true
    }

    /// What an object is known by of which all is known but where a link leads, which has no row yet.
    func pendingKey(_ plan: ImportPlan, _ frame: ImportFrame) throws -> String? {
        var parts: [String] = []
        for column in plan.identity {
            let property = plan.table.properties[plan.table.columns[column].property]
            let slot = unsafe frame.slots[column]
            if let part = try writer.pendingKeyPart(slot.stored, property) {
                parts.append(part)
            } else if let pending = frame.pending.last(where: { $0.property == property.index }) {
                parts.append(pending.identity)
            } else if let table = plan.table.columns[column].target,
                let container = containers.last(where: { $0.table == table }),
                let part = try writer.pendingKey(of: schema.tables[table], container.id)
            {
                parts.append(part)
            } else {
                return nil
            }
        }
        return Writer.pendingKey(parts, of: plan.table)
    }

    private func hasIdentity(_ plan: ImportPlan, _ frame: ImportFrame) -> Bool {
        plan.identity.allSatisfy { column in
            let tag = unsafe frame.slots[column].tag
            return tag != .absent && tag != .null
        }
    }

    /// Writes the row, unless it says the same already.
    mutating func store(_ plan: ImportPlan, _ frame: ImportFrame, target: Int64?) throws -> StoredRow {
        let row: StoredRow
        if let target {
            row = try storeTarget(plan, frame, target)
        } else if plan.looksUpRows || plan.expectsRows || !writer.unsentRows[plan.table.index].isEmpty,
            let known = try find(plan, frame)
        {
            row = try update(plan, frame, known)
        } else {
            row = try upsert(plan, frame)
        }
        note(row, plan, frame)
        try keepOneToOne(plan, frame, row)
        return row
    }

    /// Writes an embedded object into the row that stood in its place, or a new one.
    mutating func storeEmbedded(_ plan: ImportPlan, _ frame: ImportFrame, _ known: Int64?) throws -> StoredRow {
        let row = if let known { try update(plan, frame, known) } else { try insert(plan, frame) }
        note(row, plan, frame)
        try keepOneToOne(plan, frame, row)
        return row
    }

    struct StoredRow {
        let id: Int64
        let status: ImportPlan.RowStatus
        var isNew: Bool { status == .inserted }
    }

    func find(_ plan: ImportPlan, _ frame: ImportFrame) throws -> Int64? {
        for (n, column) in plan.identity.enumerated() {
            unsafe plan.find.bind(frame.slots[column], at: Int32(n + 1))
        }
        guard try plan.find.step() else { return nil }
        defer { plan.find.reset() }
        return plan.find.integer(0)
    }

    private func insert(_ plan: ImportPlan, _ frame: ImportFrame) throws -> StoredRow {
        let key = writer.nextKeys[plan.table.index]
        try runUpsert(plan, frame, key)
        writer.nextKeys[plan.table.index] = key + 1
        return StoredRow(id: key, status: .inserted)
    }

    private func runUpsert(_ plan: ImportPlan, _ frame: ImportFrame, _ key: Int64) throws {
        let variant = try plan.upsert(frame.present)
        let statement = variant.statement
        statement.bind(key, at: 1)
        var parameter: Int32 = 2
        for column in variant.columns {
            unsafe statement.bind(frame.slots[column], at: parameter)
            parameter += 1
        }
        for value in variant.defaults {
            statement.bind(value(), at: parameter)
            parameter += 1
        }
        try statement.run()
    }

    private func upsert(_ plan: ImportPlan, _ frame: ImportFrame) throws -> StoredRow {
        let key = writer.nextKeys[plan.table.index]
        writer.connection.lastInsertedKey = 0
        try runUpsert(plan, frame, key)
        if writer.connection.lastInsertedKey != 0 {
            writer.nextKeys[plan.table.index] = key + 1
            plan.expectsRows = false
            return StoredRow(id: key, status: .inserted)
        }
        let status: ImportPlan.RowStatus = writer.connection.changes > 0 ? .updated : .unchanged
        plan.expectsRows = true
        guard let id = try find(plan, frame) else {
            // The upsert met a row of this identity, and this transaction is the only writer.
            throw StoreError.file(.damaged("the index \(plan.table.name)_identity"), path: writer.connection.path)
        }
        return StoredRow(id: id, status: status)
    }

    private mutating func update(_ plan: ImportPlan, _ frame: ImportFrame, _ id: Int64) throws -> StoredRow {
        var present = frame.present
        if !plan.owningColumns.isEmpty { try noteOrphans(plan, frame, id) }
        if writer.unsentRows[plan.table.index].contains(id) {
            // What was changed here and the server has not confirmed is kept.
            let unsent = try writer.unsentChanges(plan.table, id)
            for (index, column) in plan.table.columns.enumerated()
            where unsent.bases[plan.table.properties[column.property].name] != nil {
                present.remove(index)
            }
        }
        let variant = try plan.update(present)
        guard !variant.columns.isEmpty else { return StoredRow(id: id, status: .unchanged) }
        let statement = variant.statement
        statement.bind(id, at: 1)
        for (n, column) in variant.columns.enumerated() {
            unsafe statement.bind(frame.slots[column], at: Int32(n + 2))
        }
        try statement.run()
        return StoredRow(id: id, status: writer.connection.changes > 0 ? .updated : .unchanged)
    }

    /// Notes what loses its owner as the row's links change.
    private mutating func noteOrphans(_ plan: ImportPlan, _ frame: ImportFrame, _ id: Int64) throws {
        for column in plan.owningColumns where frame.has(column) {
            let property = plan.table.properties[plan.table.columns[column].property]
            guard let link = property.link,
                case .integer(let old) = try writer.value(of: plan.table.columns[column], plan.table, id),
                unsafe frame.slots[column].stored != .integer(old)
            else { continue }
            if link.options.owns { orphans.append(WriteBatch.Key(table: link.target, id: old)) }
            if link.inverse.map({ schema.tables[link.target].properties[$0].owns }) == true {
                orphans.append(WriteBatch.Key(table: plan.table.index, id: id))
            }
        }
    }

    // MARK: A reply about a row

    /// Writes into the row that the body is known to speak of. It may get its identity by this; where another row has that
    /// already, the two become one.
    private mutating func storeTarget(_ plan: ImportPlan, _ frame: ImportFrame, _ target: Int64) throws -> StoredRow {
        let isNamed = hasIdentity(plan, frame)
        let found = isNamed ? try find(plan, frame) : nil
        if found == target { return try update(plan, frame, target) }
        switch try identityState(of: target, plan) {
        case .missingRow:
            if let found { return try update(plan, frame, found) }
            guard isNamed else { throw StoreError.deletedObject(model: plan.table.modelName) }
            return try upsert(plan, frame)
        case .unnamed:
            guard let found else { return try promote(plan, frame, target) }
            try writer.unify(plan.table, target, with: found, &changes)
            return try update(plan, frame, found)
        case .named:
            if !isNamed { return try update(plan, frame, target) }
            // The body speaks of another object than was asked for: it is stored as that.
            if let found { return try update(plan, frame, found) }
            return try upsert(plan, frame)
        }
    }

    private mutating func promote(_ plan: ImportPlan, _ frame: ImportFrame, _ target: Int64) throws -> StoredRow {
        let row = try update(plan, frame, target)
        return row
    }

    private enum IdentityState {
        case missingRow, unnamed, named
    }

    private func identityState(of id: Int64, _ plan: ImportPlan) throws -> IdentityState {
        let names = SQL.identityColumns(plan.table)
        let statement = try writer.connection.statement(
            "SELECT \(SQL.list(names)) FROM \(SQL.quoted(plan.table.name)) WHERE _id = ?")
        statement.bind(id, at: 1)
        guard try statement.step() else { return .missingRow }
        defer { statement.reset() }
        return names.indices.contains { statement.isNull(Int32($0)) } ? .unnamed : .named
    }

    // MARK: Book-keeping

    private mutating func note(_ row: StoredRow, _ plan: ImportPlan, _ frame: ImportFrame) {
        if let earlier = plan.rows.updateValue(row.status, forKey: row.id) {
            // The object was here before in this body, and had other values: its earlier bytes say no longer what it is.
            if row.status == .updated { plan.repeats.removeAll(keepingCapacity: true) }
            if earlier == .inserted || (earlier == .updated && row.status == .unchanged) {
                plan.rows[row.id] = earlier
            }
        }
        guard row.status != .unchanged, !plan.hasNotedLinks else { return }
        plan.hasNotedLinks = true
        writer.noteLinks(plan.table, plan.table.columns, &changes)
    }

    func noteChange(_ id: Int64, _ plan: ImportPlan) {
        if plan.rows[id] != .inserted { plan.rows[id] = .updated }
    }

    /// A to-one link whose inverse is to-one leads back, and nothing else does.
    private mutating func keepOneToOne(_ plan: ImportPlan, _ frame: ImportFrame, _ row: StoredRow) throws {
        guard row.status != .unchanged, plan.hasOneToOne else { return }
        for (index, column) in plan.table.columns.enumerated() where frame.has(index) && column.target != nil {
            let target: Int64? = if case .integer(let id) = unsafe frame.slots[index].stored { id } else { nil }
            try writer.leadBack(plan.table, column, row.id, target, &changes)
        }
    }
}
