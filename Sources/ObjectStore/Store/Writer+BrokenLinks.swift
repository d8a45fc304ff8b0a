extension Writer {
    /// Clears what a batch links to rows that another context has deleted since the batch was made.
    func clearBrokenLinks(of batch: WriteBatch) throws {
        for row in batch.rows {
            let table = schema.tables[row.table]
            for (index, value) in row.values {
                guard case .integer(let id) = value, let link = table.properties[index].link,
                    let column = table.properties[index].column, try !hasRow(schema.tables[link.target], id)
                else { continue }
                try clear(table.columns[column], of: table, where: "_id = ?", row.id)
            }
        }
        for membership in batch.memberships { try clearBrokenLinks(of: membership) }
    }

    private func clearBrokenLinks(of membership: WriteBatch.Membership) throws {
        let owner = schema.tables[membership.table]
        guard let list = owner.properties[membership.property].list else { return }
        let target = schema.tables[list.target]
        let hasOwner = try hasRow(owner, membership.owner)
        switch list.storage {
        case .column(let property, let name, _):
            guard !hasOwner, let column = target.properties[property].column else { return }
            try clear(target.columns[column], of: target, where: "\(SQL.quoted(name)) = ?", membership.owner)
        case .join(let join, let isReversed):
            let (mine, theirs) = isReversed ? ("target_id", "source_id") : ("source_id", "target_id")
            let condition =
                hasOwner ? "AND NOT EXISTS (SELECT 1 FROM \(SQL.quoted(target.name)) WHERE _id = \(theirs))" : ""
            let delete = try connection.statement(
                "DELETE FROM \(SQL.quoted(join.name)) WHERE \(mine) = ? \(condition)")
            delete.bind(membership.owner, at: 1)
            try delete.run()
        }
    }

    /// Makes a link lead nowhere, and forgets the row's place in the list that is its inverse.
    func clear(_ column: Column, of table: ModelSchema, where condition: String, _ id: Int64) throws {
        let names = [column.name] + (positionColumn(of: column, in: table).map { [$0] } ?? [])
        let sets = names.map { "\(SQL.quoted($0)) = NULL" }.joined(separator: ", ")
        let statement = try connection.statement("UPDATE \(SQL.quoted(table.name)) SET \(sets) WHERE \(condition)")
        statement.bind(id, at: 1)
        try statement.run()
    }

    /// The column that keeps the places in the list which is the inverse of a link.
    func positionColumn(of column: Column, in table: ModelSchema) -> String? {
        schema.positionColumn(of: column, in: table)
    }

    func hasRow(_ table: ModelSchema, _ id: Int64) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM \(SQL.quoted(table.name)) WHERE _id = ?")
        statement.bind(id, at: 1)
        guard try statement.step() else { return false }
        statement.reset()
        return true
    }
}
