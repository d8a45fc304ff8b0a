extension Schema {
    /// The statements that make the tables of a new file: STRICT, a local integer key, the identity under a unique index,
    /// a column for each attribute and link, foreign keys with indexes, a table for each many-to-many relationship.
    var creationStatements: [String] {
        tables.flatMap { creationStatements(for: $0) } + joinTables.flatMap { creationStatements(for: $0) }
            + Self.bookkeepingStatements
    }

    /// Links whose target is not here yet: made when it arrives. How each attribute was last written in JSON.
    static let bookkeepingStatements = [
        """
        CREATE TABLE IF NOT EXISTS _pending_link (
            source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL,
            target TEXT NOT NULL, target_identity TEXT NOT NULL, position INTEGER,
            PRIMARY KEY (target, target_identity, source, source_id, relationship)) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS _pending_link_source ON _pending_link(source, source_id)",
        """
        CREATE TABLE IF NOT EXISTS _wire_shape (
            model TEXT NOT NULL, property TEXT NOT NULL, shape INTEGER NOT NULL,
            PRIMARY KEY (model, property)) STRICT, WITHOUT ROWID
        """,
    ]

    var joinTables: [JoinTable] {
        tables.flatMap(\.lists).compactMap { list in
            if case .join(let join, isReversed: false) = list.storage { join } else { nil }
        }
    }

    /// The names of the columns that keep the order of lists whose members are this table's rows.
    func positionColumns(of table: ModelSchema) -> [String] {
        tables.flatMap(\.lists).compactMap { list in
            guard list.target == table.index, case .column(_, _, let position) = list.storage else { return nil }
            return position
        }
    }

    /// The column that keeps the places in the list which is the inverse of a link.
    func positionColumn(of column: Column, in table: ModelSchema) -> String? {
        guard let link = table.properties[column.property].link, let inverse = link.inverse,
            case .column(_, _, let position) = tables[link.target].properties[inverse].list?.storage
        else { return nil }
        return position
    }

    func definition(of column: Column) -> String {
        var definition = "\(SQL.quoted(column.name)) \(column.type.rawValue)"
        if let target = column.target {
            // Deferred, so that objects that lead to each other can be written in any order.
            definition +=
                " REFERENCES \(SQL.quoted(tables[target].name))(_id) ON DELETE \(column.onTargetDeleted.action) "
                + "DEFERRABLE INITIALLY DEFERRED"
        }
        return definition
    }

    private func creationStatements(for table: ModelSchema) -> [String] {
        var columns = ["_id INTEGER PRIMARY KEY NOT NULL"]
        columns += table.columns.map(definition)
        columns += positionColumns(of: table).map { "\(SQL.quoted($0)) INTEGER" }
        columns.append("_unsent TEXT")
        return [
            "CREATE TABLE \(SQL.quoted(table.name)) (\n    \(columns.joined(separator: ",\n    "))) STRICT"
        ] + indexStatements(for: table)
    }

    func indexStatements(for table: ModelSchema) -> [String] {
        var statements: [String] = []
        let identity = SQL.identityColumns(table)
        if !identity.isEmpty {
            statements.append(
                "CREATE UNIQUE INDEX \(SQL.quoted("\(table.name)_identity")) "
                    + "ON \(SQL.quoted(table.name))(\(SQL.list(identity)))")
        }
        for column in table.columns where column.target != nil && identity.first != column.name {
            statements.append(
                "CREATE INDEX \(SQL.quoted("\(table.name)_\(column.name)")) "
                    + "ON \(SQL.quoted(table.name))(\(SQL.quoted(column.name)))")
        }
        return statements
    }

    private func creationStatements(for join: JoinTable) -> [String] {
        [
            """
            CREATE TABLE \(SQL.quoted(join.name)) (
                source_id INTEGER NOT NULL REFERENCES \(SQL.quoted(tables[join.source].name))(_id) ON DELETE CASCADE
                    DEFERRABLE INITIALLY DEFERRED,
                target_id INTEGER NOT NULL REFERENCES \(SQL.quoted(tables[join.target].name))(_id) ON DELETE CASCADE
                    DEFERRABLE INITIALLY DEFERRED,
                position INTEGER\(join.isTwoSided ? ", inverse_position INTEGER" : ""),
                PRIMARY KEY (source_id, target_id)) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX \(SQL.quoted("\(join.name)_target")) ON \(SQL.quoted(join.name))(target_id)",
        ]
    }
}

extension DeleteRule {
    /// What SQLite does to the rows that refer to the deleted one. It refuses with `RESTRICT` at once, even where the
    /// reference is deferred (https://sqlite.org/foreignkeys.html#fk_actions).
    fileprivate var action: String {
        switch self {
        case .nullify: "SET NULL"
        case .cascade: "CASCADE"
        case .deny: "RESTRICT"
        }
    }
}
