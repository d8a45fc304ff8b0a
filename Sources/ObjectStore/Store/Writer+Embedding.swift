// Embedded objects belong to one row, and what is changed in them is a change of that row's relationship.

extension Writer {
    /// The relationships that lead to a row by which it is owned, with their rows.
    func owners(of table: ModelSchema, _ id: Int64) throws -> [(table: ModelSchema, property: Property, id: Int64)] {
        var owners: [(table: ModelSchema, property: Property, id: Int64)] = []
        for owner in schema.tables {
            for property in owner.properties
            where property.owns && (property.link?.target ?? property.list?.target) == table.index {
                for id in try sources(of: property, owner, leadingTo: id) { owners.append((owner, property, id)) }
            }
        }
        return owners
    }

    private func sources(of property: Property, _ owner: ModelSchema, leadingTo id: Int64) throws -> [Int64] {
        let sql: String
        if let column = property.column {
            sql = "SELECT _id FROM \(SQL.quoted(owner.name)) WHERE \(SQL.quoted(owner.columns[column].name)) = ?"
        } else {
            switch property.list?.storage {
            case .column(_, let column, _):
                let target = schema.tables[property.list?.target ?? owner.index]
                sql = """
                    SELECT \(SQL.quoted(column)) FROM \(SQL.quoted(target.name)) \
                    WHERE _id = ? AND \(SQL.quoted(column)) IS NOT NULL
                    """
            case .join(let join, let isReversed):
                let (mine, theirs) = isReversed ? ("target_id", "source_id") : ("source_id", "target_id")
                sql = "SELECT \(mine) FROM \(SQL.quoted(join.name)) WHERE \(theirs) = ?"
            case nil: return []
            }
        }
        let statement = try connection.statement(sql)
        statement.bind(id, at: 1)
        var sources: [Int64] = []
        while try statement.step() { sources.append(statement.integer(0)) }
        return sources
    }

    /// Notes that the server does not know of a change within a row: the relationship goes out as a whole.
    func noteUnsentEmbedding(_ table: ModelSchema, _ id: Int64, _ changes: inout ChangeSet) throws {
        for owner in try owners(of: table, id) {
            if owner.table.isEmbedded {
                try noteUnsentEmbedding(owner.table, owner.id, &changes)
            } else {
                try noteUnsent(owner.table, owner.id, [owner.property.name: .null])
                changes.tables[owner.table.index].updated.append(owner.id)
            }
        }
    }

    /// After a batch is written: what is embedded and led to by nothing goes, and nothing is led to twice.
    ///
    /// - Throws: ``StoreError/sharedObject(model:)``.
    func checkEmbedding(_ batch: WriteBatch, _ changes: inout ChangeSet, _ rules: inout DeletionRules) throws {
        var keys: Set<WriteBatch.Key> = []
        for row in batch.rows {
            let table = schema.tables[row.table]
            if table.isEmbedded { keys.insert(WriteBatch.Key(table: row.table, id: row.id)) }
            for (index, value) in row.values {
                guard let link = table.properties[index].link, schema.tables[link.target].isEmbedded,
                    case .integer(let id) = value
                else { continue }
                keys.insert(WriteBatch.Key(table: link.target, id: id))
            }
        }
        for membership in batch.memberships {
            guard let list = schema.tables[membership.table].properties[membership.property].list,
                schema.tables[list.target].isEmbedded
            else { continue }
            for id in membership.members { keys.insert(WriteBatch.Key(table: list.target, id: id)) }
        }
        for key in keys {
            let table = schema.tables[key.table]
            let count = try owners(of: table, key.id).count
            if count > 1 { throw StoreError.sharedObject(model: table.modelName) }
            if count == 0 { try delete(table, key.id, &changes, &rules) }
        }
    }
}
