extension Writer {
    /// A to-one link whose inverse is to-one leads back, and nothing else does: called when the link of `source` has come to
    /// lead to `target`, or nowhere.
    func leadBack(
        _ table: ModelSchema, _ column: Column, _ source: Int64, _ target: Int64?, _ changes: inout ChangeSet
    ) throws {
        guard let link = table.properties[column.property].link, let inverse = link.inverse,
            let back = schema.tables[link.target].properties[inverse].column
        else { return }
        let other = schema.tables[link.target]
        let backName = SQL.quoted(other.columns[back].name)
        let name = SQL.quoted(column.name)
        let value = target.map(StoredValue.integer) ?? .null
        try change(
            other, "UPDATE \(SQL.quoted(other.name)) SET \(backName) = NULL WHERE \(backName) = ?1 AND _id IS NOT ?2",
            source, value, &changes)
        guard target != nil else { return }
        try change(
            table, "UPDATE \(SQL.quoted(table.name)) SET \(name) = NULL WHERE \(name) = ?2 AND _id <> ?1", source,
            value,
            &changes)
        try change(
            other, "UPDATE \(SQL.quoted(other.name)) SET \(backName) = ?1 WHERE _id = ?2 AND \(backName) IS NOT ?1",
            source, value, &changes)
    }

    private func change(
        _ table: ModelSchema, _ sql: String, _ id: Int64, _ target: StoredValue, _ changes: inout ChangeSet
    ) throws {
        let statement = try connection.statement(sql + " RETURNING _id")
        statement.bind(id, at: 1)
        statement.bind(target, at: 2)
        while try statement.step() { changes.tables[table.index].updated.append(statement.integer(0)) }
    }
}
