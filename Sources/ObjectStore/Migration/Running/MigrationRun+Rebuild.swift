extension MigrationRun {
    /// Makes the table anew beside the old one, fills it, and puts it in the old one's place.
    ///
    /// https://sqlite.org/lang_altertable.html#otheralter: foreign keys are not enforced meanwhile, and links by the table's
    /// name lead to the new one.
    mutating func rebuild(_ rebuild: TableRebuild) throws {
        let name = SQL.quoted(rebuild.table)
        let new = SQL.quoted("_new_\(rebuild.table)")
        let end = rebuild.statement.firstIndex(of: "(") ?? rebuild.statement.startIndex
        try connection.execute("CREATE TABLE \(new) \(rebuild.statement[end...])")
        if rebuild.convertsRows {
            try convertRows(rebuild, into: new)
        } else {
            try copyRows(rebuild, into: new)
        }
        try connection.execute("DROP TABLE \(name)")
        try connection.execute("ALTER TABLE \(new) RENAME TO \(name)")
    }

    /// Within SQLite, some thousand rows at a time.
    private func copyRows(_ rebuild: TableRebuild, into new: String) throws {
        var values: [StoredValue] = []
        let expressions = rebuild.columns.map { _, source -> String in
            switch source {
            case .copy(let old), .convert(let old, _): return SQL.quoted(old)
            case .fill(let old, let value):
                values.append(value)
                return "coalesce(\(SQL.quoted(old)), ?\(values.count + 1))"
            case .constant(let value):
                values.append(value)
                return "?\(values.count + 1)"
            }
        }
        let total = try connection.integer("SELECT count(*) FROM \(SQL.quoted(rebuild.table))")
        let statement = try RawStatement(
            connection,
            """
            INSERT INTO \(new) (\(SQL.list(rebuild.columns.map(\.name)))) \
            SELECT \(expressions.joined(separator: ", ")) FROM \(SQL.quoted(rebuild.table)) \
            WHERE _id > ?1 ORDER BY _id LIMIT \(Self.rowsAtATime)
            """)
        for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 2)) }
        var last = Int64.min
        var done: Int64 = 0
        while true {
            statement.bind(last, at: 1)
            try statement.run()
            let written = Int64(connection.changes)
            guard written > 0 else { break }
            done += written
            last = connection.lastInsertedKey
            report(done, of: total)
        }
    }

    /// Row by row, where values convert or steps in code are applied.
    private mutating func convertRows(_ rebuild: TableRebuild, into new: String) throws {
        let total = try connection.integer("SELECT count(*) FROM \(SQL.quoted(rebuild.table))")
        var conversion = RowConversion(rebuild, schema.tables[rebuild.index])
        let read = try RawStatement(
            connection,
            "SELECT \(SQL.list(conversion.oldColumns)) FROM \(SQL.quoted(rebuild.table)) ORDER BY _id")
        let places = rebuild.columns.map { _ in "?" }.joined(separator: ", ")
        let write = try RawStatement(
            connection, "INSERT INTO \(new) (\(SQL.list(rebuild.columns.map(\.name)))) VALUES (\(places))")
        var done: Int64 = 0
        while try read.step() {
            for (index, value) in try conversion.convert(read).enumerated() {
                write.bind(value, at: Int32(index + 1))
            }
            try write.run()
            done += 1
            if done % Self.rowsAtATime == 0 { report(done, of: total) }
        }
        report(done, of: total)
        problems += conversion.problems
    }
}
