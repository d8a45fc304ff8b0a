// Rows of one identity become one: the newest, with what only the older ones have. Links and lists that led to any of them
// lead to it.

extension MigrationRun {
    /// Begins with these tables; rows whose identity includes a link to what became one may be the same now too.
    mutating func unite(_ tables: [Int]) throws {
        var waiting = tables
        while let index = waiting.popLast() {
            guard try unite(schema.tables[index]) else { continue }
            for other in schema.tables
            where other.identity.contains(where: { other.properties[$0].link?.target == index }) {
                waiting.append(other.index)
            }
        }
    }

    /// - Returns: whether there were any.
    private func unite(_ table: ModelSchema) throws -> Bool {
        try findSame(table)
        defer { try? connection.execute("DROP TABLE IF EXISTS temp._same") }
        guard try connection.integer("SELECT count(*) FROM temp._same") > 0 else { return false }
        let layout = try FileLayout(connection)
        try mergeUnsent(table)
        try mergeValues(table, layout)
        for (name, column) in layout.links(to: table.name) { try relink(name, column, layout) }
        try relinkPending(table)
        try relinkUnsent(table)
        try connection.execute(
            "DELETE FROM \(SQL.quoted(table.name)) WHERE _id IN (SELECT old FROM temp._same)")
        try mendOneToOne(table)
        return true
    }

    /// Each row that goes, the row that it becomes, and its age among those: 1 for the newest that goes.
    private func findSame(_ table: ModelSchema) throws {
        let identity = SQL.list(SQL.identityColumns(table))
        let isWhole = SQL.identityColumns(table).map { "\(SQL.quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
        try connection.execute("DROP TABLE IF EXISTS temp._same")
        try connection.execute(
            "CREATE TEMP TABLE _same (old INTEGER PRIMARY KEY, new INTEGER NOT NULL, age INTEGER NOT NULL)")
        guard !identity.isEmpty else { return }
        try connection.execute(
            """
            INSERT INTO temp._same SELECT * FROM (
                SELECT _id, first_value(_id) OVER same AS new, row_number() OVER same - 1 AS age
                FROM \(SQL.quoted(table.name)) WHERE \(isWhole)
                WINDOW same AS (PARTITION BY \(identity) ORDER BY _id DESC)) WHERE age > 0
            """)
        try connection.execute("CREATE INDEX temp._same_new ON _same(new)")
    }

    /// What the newest row lacks comes from the newest one that has it.
    private func mergeValues(_ table: ModelSchema, _ layout: FileLayout) throws {
        let name = SQL.quoted(table.name)
        let columns = layout.tables[table.name]?.columns.map(\.name).filter { !["_id", "_unsent"].contains($0) } ?? []
        guard !columns.isEmpty else { return }
        let sets = columns.map(SQL.quoted).map { column in
            """
            \(column) = coalesce(\(column), (
                SELECT older.\(column) FROM temp._same JOIN \(name) AS older ON older._id = old
                WHERE new = \(name)._id AND older.\(column) IS NOT NULL ORDER BY age LIMIT 1))
            """
        }
        // A nil that was set here and not sent yet is a value of its own.
        try connection.execute(
            """
            UPDATE \(name) SET \(sets.joined(separator: ", ")) \
            WHERE _id IN (SELECT new FROM temp._same) AND _unsent IS NULL
            """)
        let kept = try RawStatement(
            connection,
            "SELECT _id, _unsent FROM \(name) WHERE _id IN (SELECT new FROM temp._same) AND _unsent IS NOT NULL")
        var rows: [(Int64, UnsentChanges)] = []
        while try kept.step() { rows.append((kept.integer(0), UnsentChanges(text: kept.text(1)))) }
        for (id, unsent) in rows {
            let edited = Set(
                table.columns.filter { unsent.bases[table.properties[$0.property].name] != nil }.map(\.name))
            let others = zip(columns, sets).filter { !edited.contains($0.0) }.map(\.1)
            guard !others.isEmpty else { continue }
            try connection.execute("UPDATE \(name) SET \(others.joined(separator: ", ")) WHERE _id = \(id)")
        }
    }

    /// What was changed here and not sent, in any of the rows, wins over what the server said, with what it said.
    private func mergeUnsent(_ table: ModelSchema) throws {
        let name = SQL.quoted(table.name)
        let read = try RawStatement(
            connection,
            "SELECT new, old, _unsent FROM temp._same JOIN \(name) ON _id = old WHERE _unsent IS NOT NULL ORDER BY new, age"
        )
        var rows: [(new: Int64, old: Int64, unsent: UnsentChanges)] = []
        while try read.step() { rows.append((read.integer(0), read.integer(1), UnsentChanges(text: read.text(2)))) }
        for row in rows {
            var unsent = try unsent(table.name, row.new)
            let added = row.unsent.bases.filter { unsent.bases[$0.key] == nil }
            for column in table.columns where added[table.properties[column.property].name] != nil {
                let quoted = SQL.quoted(column.name)
                try connection.execute(
                    """
                    UPDATE \(name) SET \(quoted) = (SELECT older.\(quoted) FROM \(name) AS older WHERE older._id = \(row.old)) \
                    WHERE _id = \(row.new)
                    """)
            }
            unsent.bases.merge(added) { first, _ in first }
            try setUnsent(table.name, row.new, unsent)
        }
    }

    // MARK: Links

    /// Brings the links in one column to the rows that stay. In a list, what an older row had comes after what a newer one
    /// had.
    private func relink(_ table: String, _ column: String, _ layout: FileLayout) throws {
        let name = SQL.quoted(table)
        let link = SQL.quoted(column)
        let same = "SELECT new FROM temp._same WHERE old = \(link)"
        if let position = positionColumn(table, column, layout).map(SQL.quoted) {
            let room = try connection.integer("SELECT coalesce(max(\(position)), -1) + 1 FROM \(name)")
            try connection.execute(
                """
                UPDATE \(name) SET \(position) = \(position) + \(room) * (SELECT age FROM temp._same WHERE old = \(link)) \
                WHERE \(link) IN (SELECT old FROM temp._same)
                """)
        }
        try connection.execute(
            "UPDATE OR IGNORE \(name) SET \(link) = (\(same)) WHERE \(link) IN (SELECT old FROM temp._same)")
        // What is left leads where another row leads already: a member that both lists had.
        if layout.tables[table]?.isJoinTable ?? false {
            try connection.execute("DELETE FROM \(name) WHERE \(link) IN (SELECT old FROM temp._same)")
        }
    }

    private func positionColumn(_ table: String, _ column: String, _ layout: FileLayout) -> String? {
        guard let columns = layout.tables[table], !columns.isJoinTable else {
            let position = column == "source_id" ? "position" : "inverse_position"
            return layout.tables[table]?.column(position)?.name
        }
        let owner = schema.tables.first { $0.name == table && $0.columns.contains { $0.name == column } }
        guard let owner, let link = owner.columns.first(where: { $0.name == column }) else { return nil }
        return schema.positionColumn(of: link, in: owner)
    }

    private func relinkPending(_ table: ModelSchema) throws {
        let statement = try RawStatement(
            connection,
            """
            UPDATE OR REPLACE _pending_link SET source_id = (SELECT new FROM temp._same WHERE old = source_id) \
            WHERE source = ? AND source_id IN (SELECT old FROM temp._same)
            """)
        statement.bind(.text(table.name), at: 1)
        try statement.run()
    }

    /// What the server last said of a link is a local key too.
    private func relinkUnsent(_ target: ModelSchema) throws {
        let read = try RawStatement(connection, "SELECT old, new FROM temp._same")
        var new: [Int64: Int64] = [:]
        while try read.step() { new[read.integer(0)] = read.integer(1) }
        for table in schema.tables {
            let links = table.properties.filter { $0.link?.target == target.index }.map(\.name)
            guard !links.isEmpty else { continue }
            var changed: [(Int64, UnsentChanges)] = []
            try eachUnsent(table.name) { id, unsent in
                var mended = unsent
                for name in links {
                    guard case .integer(let old)? = unsent.bases[name], let key = new[old] else { continue }
                    mended.bases[name] = .integer(key)
                }
                if mended != unsent { changed.append((id, mended)) }
            }
            for (id, unsent) in changed { try setUnsent(table.name, id, unsent) }
        }
    }

    /// Where two rows each had a partner, the one that the newest row leads to stays it.
    private func mendOneToOne(_ table: ModelSchema) throws {
        for property in table.properties {
            guard let link = property.link, let inverse = link.inverse, let column = property.column else { continue }
            let other = schema.tables[link.target]
            guard other.properties[inverse].link != nil, let back = other.properties[inverse].column else { continue }
            let (own, theirs) = (SQL.quoted(table.columns[column].name), SQL.quoted(other.columns[back].name))
            try connection.execute(
                """
                UPDATE \(SQL.quoted(other.name)) AS partner SET \(theirs) = NULL \
                WHERE \(theirs) IN (SELECT new FROM temp._same) AND EXISTS (
                    SELECT 1 FROM \(SQL.quoted(table.name)) AS kept
                    WHERE kept._id = partner.\(theirs) AND kept.\(own) IS NOT NULL AND kept.\(own) <> partner._id)
                """)
        }
    }
}
