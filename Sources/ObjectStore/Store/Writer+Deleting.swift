extension Writer {
    /// Deletes a row: links to it become nil, lists leave it out, what it owns and nothing else owns goes with it, and so does
    /// what its rules say.
    func delete(_ table: ModelSchema, _ id: Int64, _ changes: inout ChangeSet, _ rules: inout DeletionRules) throws {
        var waiting = try deleteRow(table, id, &changes, &rules)
        while let next = waiting.popLast() {
            let table = schema.tables[next.key.table]
            // After its owner's row is gone, so that owners which own each other come to an end.
            if try next.isCascade || !hasOwner(table, next.key.id) {
                waiting += try deleteRow(table, next.key.id, &changes, &rules)
            }
        }
    }

    /// Deletes those of the rows that have lost an owner and have no other now.
    func deleteOrphans(
        _ orphans: [WriteBatch.Key], _ changes: inout ChangeSet, _ rules: inout DeletionRules
    ) throws {
        for orphan in orphans where try !hasOwner(schema.tables[orphan.table], orphan.id) {
            try delete(schema.tables[orphan.table], orphan.id, &changes, &rules)
        }
    }

    /// The rows that a relationship leads to.
    func targets(of property: Property, _ table: ModelSchema, _ id: Int64) throws -> [WriteBatch.Key] {
        if let list = property.list {
            return try members(of: list, owner: id).map { WriteBatch.Key(table: list.target, id: $0) }
        }
        guard let link = property.link, let column = property.column,
            case .integer(let target) = try value(of: table.columns[column], table, id)
        else { return [] }
        return [WriteBatch.Key(table: link.target, id: target)]
    }

    /// A row that may have to go after another.
    private struct Following {
        let key: WriteBatch.Key
        /// Whether it goes whoever else owns it.
        let isCascade: Bool
    }

    /// - Returns: what it owned, and what goes with it by a rule.
    private func deleteRow(
        _ table: ModelSchema, _ id: Int64, _ changes: inout ChangeSet, _ rules: inout DeletionRules
    ) throws -> [Following] {
        var following = try owned(by: table, id).map { Following(key: $0, isCascade: false) }
        if table.hasDeleteRules {
            try rules.note(table, id, self)
            for property in table.properties where property.deleteRule == .cascade {
                following += try targets(of: property, table, id).map { Following(key: $0, isCascade: true) }
            }
        }
        for other in schema.tables {
            for column in other.columns where column.target == table.index {
                try unlink(other, column, from: id, &changes)
            }
            for list in other.lists where list.target == table.index { noteList(list, &changes) }
        }
        for list in table.lists { noteList(list, &changes) }
        if table.hasDeleteRules { try takeApart(table, id) }
        let statement = try connection.statement("DELETE FROM \(SQL.quoted(table.name)) WHERE _id = ?")
        statement.bind(id, at: 1)
        try statement.run()
        unsentRows[table.index].remove(id)
        guard connection.changes > 0 else { return [] }
        changes.tables[table.index].deleted.append(id)
        try forgetPendingLinks(of: table, id)
        return following
    }

    /// Clears what would set off the triggers that keep the rules for others.
    private func takeApart(_ table: ModelSchema, _ id: Int64) throws {
        for property in table.properties where property.deleteRule != .nullify {
            if let column = property.column {
                try clear(table.columns[column], of: table, where: "_id = ?", id)
            } else if case .join(let join, let isReversed)? = property.list?.storage {
                let statement = try connection.statement(
                    "DELETE FROM \(SQL.quoted(join.name)) WHERE \(isReversed ? "target_id" : "source_id") = ?")
                statement.bind(id, at: 1)
                try statement.run()
            }
        }
    }

    private func forgetPendingLinks(of table: ModelSchema, _ id: Int64) throws {
        guard pendingSources.contains(table.index) else { return }
        let statement = try connection.statement("DELETE FROM _pending_link WHERE source = ? AND source_id = ?")
        statement.bind(.text(table.name), at: 1)
        statement.bind(id, at: 2)
        try statement.run()
    }

    private func unlink(_ table: ModelSchema, _ column: Column, from id: Int64, _ changes: inout ChangeSet) throws {
        let name = SQL.quoted(column.name)
        let read = try connection.statement("SELECT _id FROM \(SQL.quoted(table.name)) WHERE \(name) = ?")
        read.bind(id, at: 1)
        while try read.step() { changes.tables[table.index].updated.append(read.integer(0)) }
        try clear(column, of: table, where: "\(name) = ?", id)
    }
}
