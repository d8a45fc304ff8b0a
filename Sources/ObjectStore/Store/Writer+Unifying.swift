// Two rows that turn out to be one object: all that leads to the one leads to the other, and the one goes.

extension Writer {
    /// Makes `old` one with `new`, whose values stand, but for what was changed in `old` and the server has not confirmed, and
    /// for links that lead nowhere in `new`.
    func unify(_ table: ModelSchema, _ old: Int64, with new: Int64, _ changes: inout ChangeSet) throws {
        try takeOver(table, old, new)
        for other in schema.tables {
            for column in other.columns where column.target == table.index {
                try move(column, of: other, from: old, to: new, &changes)
            }
        }
        for join in schema.joinTables {
            for (column, end) in [("source_id", join.source), ("target_id", join.target)] where end == table.index {
                let move = try connection.statement(
                    "UPDATE OR IGNORE \(SQL.quoted(join.name)) SET \(column) = ?1 WHERE \(column) = ?2")
                move.bind(new, at: 1)
                move.bind(old, at: 2)
                try move.run()
            }
        }
        try movePendingLinks(table, from: old, to: new)
        var rules = DeletionRules(isConfirmed: true)
        try delete(table, old, &changes, &rules)
        changes.tables[table.index].deleted.removeAll { $0 == old }
        changes.tables[table.index].updated.append(new)
        changes.replaced.append(ChangeSet.Replacement(table: table.index, old: old, new: new))
        successors[WriteBatch.Key(table: table.index, id: old)] = new
        for table in schema.tables { for list in table.lists { changes.lists.insert(list.number) } }
    }

    /// The links to a row lead to the other. A row that would then have another's identity, as two repositories' issue 1
    /// when the repositories become one, becomes one with it.
    private func move(
        _ column: Column, of table: ModelSchema, from old: Int64, to new: Int64, _ changes: inout ChangeSet
    ) throws {
        let name = SQL.quoted(column.name)
        let read = try connection.statement("SELECT _id FROM \(SQL.quoted(table.name)) WHERE \(name) = ?")
        read.bind(old, at: 1)
        var rows: [Int64] = []
        while try read.step() { rows.append(read.integer(0)) }
        let isIdentity = table.identity.contains(column.property)
        for id in rows {
            if isIdentity, let twin = try twin(of: id, column, leadingTo: new, table) {
                try unify(table, id, with: twin, &changes)
                continue
            }
            let move = try connection.statement("UPDATE \(SQL.quoted(table.name)) SET \(name) = ? WHERE _id = ?")
            move.bind(new, at: 1)
            move.bind(id, at: 2)
            try move.run()
            changes.tables[table.index].updated.append(id)
        }
    }

    private func twin(of id: Int64, _ column: Column, leadingTo new: Int64, _ table: ModelSchema) throws -> Int64? {
        let identity = try table.identity.compactMap { table.properties[$0].column }.map { index in
            let part = table.columns[index]
            return part.property == column.property ? .integer(new) : try value(of: part, table, id)
        }
        guard !identity.contains(.null), let twin = try find(table, identity: identity), twin != id else { return nil }
        return twin
    }

    /// What the row that goes says and the one that stays does not.
    private func takeOver(_ table: ModelSchema, _ old: Int64, _ new: Int64) throws {
        let unsent = try unsentChanges(table, old).bases
        var bases: [String: StoredValue] = [:]
        var values: [(column: Column, value: StoredValue)] = []
        for column in table.columns where !table.identity.contains(column.property) {
            let property = table.properties[column.property]
            let (mine, theirs) = try (value(of: column, table, new), value(of: column, table, old))
            if unsent[property.name] != nil {
                bases[property.name] = mine
                values.append((column, theirs))
            } else if column.target != nil, mine.isNull, !theirs.isNull {
                values.append((column, theirs))
            }
        }
        // A link with a to-one inverse is given up before another row takes it.
        for (column, _) in values where column.target != nil { try clear(column, of: table, where: "_id = ?", old) }
        for list in table.properties where list.list != nil && unsent[list.name] != nil { bases[list.name] = .null }
        try noteUnsent(table, new, bases)
        try update(table, new, values)
    }

    private func movePendingLinks(_ table: ModelSchema, from old: Int64, to new: Int64) throws {
        guard pendingSources.contains(table.index) else { return }
        let move = try connection.statement(
            "UPDATE OR IGNORE _pending_link SET source_id = ?3 WHERE source = ?1 AND source_id = ?2")
        move.bind(.text(table.name), at: 1)
        move.bind(old, at: 2)
        move.bind(new, at: 3)
        try move.run()
    }
}
