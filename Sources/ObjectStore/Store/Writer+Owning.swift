// Relationships that own what they lead to: an object that no owner has any more is deleted.

extension Writer {
    func members(of list: List, owner: Int64) throws -> [Int64] {
        try memberStatements.members(of: list, owner: owner, schema, connection)
    }

    /// What a row owns by its lists and links.
    func owned(by table: ModelSchema, _ id: Int64) throws -> [WriteBatch.Key] {
        var owned: [WriteBatch.Key] = []
        for property in table.properties where property.owns { owned += try targets(of: property, table, id) }
        return owned
    }

    /// Notes what a row is about to lose, or to be lost by, as its links change.
    func noteOrphans(_ table: ModelSchema, _ row: WriteBatch.Row, _ orphans: inout [WriteBatch.Key]) throws {
        for (index, value) in row.values {
            let property = table.properties[index]
            guard let link = property.link, let column = property.column else { continue }
            let isOwned = link.inverse.flatMap { schema.tables[link.target].properties[$0].owns } ?? false
            guard link.options.owns || isOwned,
                case .integer(let old) = try self.value(of: table.columns[column], table, row.id),
                value != .integer(old)
            else { continue }
            if link.options.owns { orphans.append(WriteBatch.Key(table: link.target, id: old)) }
            if isOwned { orphans.append(WriteBatch.Key(table: table.index, id: row.id)) }
        }
    }

    /// Whether some owning relationship leads to the row.
    func hasOwner(_ table: ModelSchema, _ id: Int64) throws -> Bool {
        for owner in schema.tables {
            for property in owner.properties where property.owns && property.target == table.index {
                if try leads(property, of: owner, to: table, id) { return true }
            }
        }
        return false
    }

    private func leads(_ property: Property, of owner: ModelSchema, to table: ModelSchema, _ id: Int64) throws -> Bool {
        let sql: String
        if let column = property.column {
            sql = "SELECT 1 FROM \(SQL.quoted(owner.name)) WHERE \(SQL.quoted(owner.columns[column].name)) = ? LIMIT 1"
        } else {
            switch property.list?.storage {
            case .column(_, let column, _):
                sql = "SELECT 1 FROM \(SQL.quoted(table.name)) WHERE _id = ? AND \(SQL.quoted(column)) IS NOT NULL"
            case .join(let join, let isReversed):
                let column = isReversed ? "source_id" : "target_id"
                sql = "SELECT 1 FROM \(SQL.quoted(join.name)) WHERE \(column) = ? LIMIT 1"
            case nil: return false
            }
        }
        let statement = try connection.statement(sql)
        statement.bind(id, at: 1)
        guard try statement.step() else { return false }
        statement.reset()
        return true
    }

    func value(of column: Column, _ table: ModelSchema, _ id: Int64) throws -> StoredValue {
        let statement = try connection.statement(
            "SELECT \(SQL.quoted(column.name)) FROM \(SQL.quoted(table.name)) WHERE _id = ?")
        statement.bind(id, at: 1)
        guard try statement.step() else { return .null }
        defer { statement.reset() }
        return statement.value(0)
    }
}

extension Property {
    var owns: Bool { link?.options.owns ?? list?.options.owns ?? false }
    fileprivate var target: Int? { link?.target ?? list?.target }
}
