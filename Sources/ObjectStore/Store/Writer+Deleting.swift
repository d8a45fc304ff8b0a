extension Writer {
    /// Deletes a row: links to it become nil, lists leave it out, what it owns and nothing else owns goes with it.
    func delete(_ table: Table, _ id: Int64, _ changes: inout ChangeSet) throws {
        var waiting = try deleteRow(table, id, &changes)
        while let next = waiting.popLast() {
            let table = schema.tables[next.table]
            // After its owner's row is gone, so that owners which own each other come to an end.
            if try !hasOwner(table, next.id) { waiting += try deleteRow(table, next.id, &changes) }
        }
    }

    /// Deletes those of the rows that have lost an owner and have no other now.
    func deleteOrphans(_ orphans: [WriteBatch.Key], _ changes: inout ChangeSet) throws {
        for orphan in orphans where try !hasOwner(schema.tables[orphan.table], orphan.id) {
            try delete(schema.tables[orphan.table], orphan.id, &changes)
        }
    }

    /// - Returns: what it owned.
    private func deleteRow(_ table: Table, _ id: Int64, _ changes: inout ChangeSet) throws -> [WriteBatch.Key] {
        let owned = try owned(by: table, id)
        for other in schema.tables {
            for column in other.columns where column.target == table.index {
                try unlink(other, column, from: id, &changes)
            }
            for list in other.lists where list.target == table.index { noteList(list, &changes) }
        }
        for list in table.lists { noteList(list, &changes) }
        let statement = try connection.statement("DELETE FROM \(SQL.quoted(table.name)) WHERE _id = ?")
        statement.bind(id, at: 1)
        try statement.run()
        unsentRows[table.index].remove(id)
        guard connection.changes > 0 else { return [] }
        changes.tables[table.index].deleted.append(id)
        try forgetPendingLinks(of: table, id)
        return owned
    }

    private func forgetPendingLinks(of table: Table, _ id: Int64) throws {
        guard pendingSources.contains(table.index) else { return }
        let statement = try connection.statement("DELETE FROM _pending_link WHERE source = ? AND source_id = ?")
        statement.bind(.text(table.name), at: 1)
        statement.bind(id, at: 2)
        try statement.run()
    }

    private func unlink(_ table: Table, _ column: Column, from id: Int64, _ changes: inout ChangeSet) throws {
        let name = SQL.quoted(column.name)
        let read = try connection.statement("SELECT _id FROM \(SQL.quoted(table.name)) WHERE \(name) = ?")
        read.bind(id, at: 1)
        while try read.step() { changes.tables[table.index].updated.append(read.integer(0)) }
        try clear(column, of: table, where: "\(name) = ?", id)
    }
}
