// Creates tables, indexes and triggers. Migrations have their own statements for changes of tables.

extension Schema {
    /// The statements for a new file. A file stores this text. If it differs from the models' statements, the models
    /// have changed.
    var creationStatements: [String] {
        roots.flatMap { creationStatements(of: $0) } + joinTables.flatMap { creationStatements(of: $0) }
            + Self.bookkeepingStatements
    }

    /// Documentation/StoreFile.md describes these tables.
    static let bookkeepingStatements = [
        """
        CREATE TABLE IF NOT EXISTS _pending_link (
            source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL,
            target TEXT NOT NULL, target_identity TEXT NOT NULL, position INTEGER,
            PRIMARY KEY (target, target_identity, source, source_id, relationship)) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS _pending_link_source ON _pending_link(source, source_id)",
        """
        CREATE TABLE IF NOT EXISTS _pair (
            list TEXT NOT NULL, source_id INTEGER NOT NULL, target_id INTEGER NOT NULL,
            is_member INTEGER NOT NULL, base INTEGER, stamp INTEGER NOT NULL, sides INTEGER NOT NULL,
            PRIMARY KEY (list, source_id, target_id)) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS _pair_target ON _pair(list, target_id)",
        """
        CREATE TABLE IF NOT EXISTS _send (
            source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL,
            holder TEXT NOT NULL, lists TEXT,
            PRIMARY KEY (source, source_id, relationship)) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS _outbox (
            source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL, member INTEGER NOT NULL,
            number INTEGER NOT NULL, edition INTEGER NOT NULL DEFAULT 0, action INTEGER NOT NULL,
            account TEXT NOT NULL, since REAL NOT NULL, key TEXT, rejection TEXT, sent TEXT, object TEXT,
            PRIMARY KEY (source, source_id, relationship, member)) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS _outbox_member ON _outbox(member) WHERE member <> 0",
        "CREATE INDEX IF NOT EXISTS _outbox_key ON _outbox(key) WHERE key IS NOT NULL",
        "CREATE INDEX IF NOT EXISTS _outbox_rejection ON _outbox(number) WHERE rejection IS NOT NULL",
        """
        CREATE TABLE IF NOT EXISTS _lease (
            name TEXT PRIMARY KEY NOT NULL, holder TEXT NOT NULL) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS _validator (
            model TEXT NOT NULL, row INTEGER NOT NULL, text TEXT NOT NULL,
            PRIMARY KEY (model, row)) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS _tombstone (
            model TEXT NOT NULL, key TEXT NOT NULL, version ANY NOT NULL,
            PRIMARY KEY (model, key)) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS _paged_list (
            source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL, is_whole INTEGER NOT NULL,
            PRIMARY KEY (source, source_id, relationship)) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS _listing (
            source TEXT NOT NULL, source_id INTEGER NOT NULL, relationship TEXT NOT NULL, scope TEXT NOT NULL,
            begun REAL NOT NULL, listed REAL NOT NULL, whole REAL, pages INTEGER NOT NULL, objects INTEGER NOT NULL,
            total INTEGER, bookmark BLOB NOT NULL, token TEXT,
            PRIMARY KEY (source, source_id, relationship, scope)) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS _wire_shape (
            model TEXT NOT NULL, property TEXT NOT NULL, shape INTEGER NOT NULL,
            PRIMARY KEY (model, property)) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS _wire_text (
            model TEXT NOT NULL, row INTEGER NOT NULL, property TEXT NOT NULL, text TEXT NOT NULL,
            PRIMARY KEY (model, row, property)) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS _wire_name (
            model TEXT NOT NULL, property TEXT NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY (model, property)) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS _answer (
            id INTEGER PRIMARY KEY, question TEXT NOT NULL, credential TEXT NOT NULL, variant TEXT NOT NULL,
            model TEXT NOT NULL, url TEXT NOT NULL, vary TEXT NOT NULL, etag TEXT, modified TEXT,
            checked REAL NOT NULL, age INTEGER NOT NULL, lifetime INTEGER,
            stale_if_error INTEGER, stale_while_revalidate INTEGER,
            must_revalidate INTEGER NOT NULL, detail BLOB NOT NULL, roots BLOB NOT NULL,
            element_count INTEGER NOT NULL, is_list INTEGER NOT NULL, object_count INTEGER NOT NULL,
            vouched BLOB NOT NULL, checked_change INTEGER NOT NULL) STRICT
        """,
        "CREATE UNIQUE INDEX IF NOT EXISTS _answer_key ON _answer(question, credential, variant)",
        """
        CREATE TABLE IF NOT EXISTS _answer_change (
            id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT
        """,
        """
        CREATE TABLE IF NOT EXISTS _last_row (
            model TEXT PRIMARY KEY NOT NULL, row INTEGER NOT NULL) STRICT, WITHOUT ROWID
        """,
    ]

    /// The tables to empty when the store is erased. `_answer_change` stays, because contexts know the last id that
    /// they have read. `_last_row` stays, so that row ids and numbers are never used again.
    static let tablesAboutRows = [
        "_pending_link", "_pair", "_send", "_outbox", "_lease", "_validator", "_tombstone", "_paged_list", "_listing",
        "_wire_text", "_answer",
    ]

    /// `is_whole` of two unified lists: 0 (partial) if either has it, else 2 (repeats a member) if either has it.
    static let wholenessOfBoth =
        """
        CASE WHEN min(is_whole, excluded.is_whole) = 0 THEN 0 ELSE max(is_whole, excluded.is_whole) END
        """

    /// The tables of ``FileRecord``, created whenever opening a store changes its file.
    static let recordStatements = [
        "CREATE TABLE IF NOT EXISTS _schema (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE IF NOT EXISTS _migration (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID",
    ]

    // MARK: Tables

    private func creationStatements(of model: ModelSchema) -> [String] {
        var columns = ["_id INTEGER PRIMARY KEY NOT NULL"]
        columns += model.columns.map(definition)
        columns += model.loadedColumns.map { "\(SQL.quoted($0)) INTEGER" }
        columns += positionColumns(of: model).map { "\(SQL.quoted($0)) INTEGER" }
        columns.append("_unsent TEXT")
        return ["CREATE TABLE \(model.sqlName) (\n    \(columns.joined(separator: ",\n    "))) STRICT"]
            + indexStatements(of: model)
    }

    private func definition(of column: Column) -> String {
        let definition = "\(column.sqlName) \(column.type.rawValue)"
        guard let target = column.target else { return definition }
        return definition + SQL.reference(to: self[target].sqlName, onDelete: column.onTargetDeleted.action)
    }

    private func indexStatements(of model: ModelSchema) -> [String] {
        var statements: [String] = []
        let identity = model.identityColumns
        if !identity.isEmpty {
            let name = SQL.quoted(model.identityIndexName)
            let columns = identity.map(\.sqlName).joined(separator: ", ")
            statements.append("CREATE UNIQUE INDEX \(name) ON \(model.sqlName)(\(columns))")
        }
        for column in model.indexedLinks {
            let name = SQL.quoted(model.indexName(of: column))
            statements.append("CREATE INDEX \(name) ON \(model.sqlName)(\(column.sqlName))")
        }
        // With this partial index, finding pending edits costs the same for any size of the table.
        let unsent = SQL.quoted("_unsent_\(model.tableName)")
        statements.append("CREATE INDEX \(unsent) ON \(model.sqlName)(_id) WHERE _unsent IS NOT NULL")
        for columns in model.declaredIndexes {
            // The brackets distinguish this name from table names.
            let name = SQL.quoted("_index_\(model.tableName)(\(columns.map(\.name).joined(separator: ",")))")
            statements.append(
                "CREATE INDEX \(name) ON \(model.sqlName)(\(columns.map(\.sqlName).joined(separator: ", ")))")
        }
        return statements
    }

    private func creationStatements(of join: JoinTable) -> [String] {
        [
            """
            CREATE TABLE \(SQL.quoted(join.name)) (
                source_id INTEGER NOT NULL REFERENCES \(self[join.source].sqlName)(_id) ON DELETE CASCADE
                    DEFERRABLE INITIALLY DEFERRED,
                target_id INTEGER NOT NULL REFERENCES \(self[join.target].sqlName)(_id) ON DELETE CASCADE
                    DEFERRABLE INITIALLY DEFERRED,
                position INTEGER\(join.isTwoSided ? ", inverse_position INTEGER" : ""),
                PRIMARY KEY (source_id, target_id)) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX \(SQL.quoted(join.indexName)) ON \(SQL.quoted(join.name))(target_id)",
        ]
    }

    var joinTables: [JoinTable] { roots.flatMap(\.lists).compactMap(\.joinTable) }

    // MARK: The order of lists

    /// Columns of positions in lists that are stored as links of this model's rows.
    func positionColumns(of model: ModelSchema) -> [String] {
        roots.flatMap(\.lists).compactMap { list in
            guard list.target == model.table, case .column(_, _, let position) = list.storage else { return nil }
            return position
        }
    }

    /// The column of the row's position in a link's inverse list. `nil` if the link lacks such a list.
    func positionColumn(of column: Column, in model: ModelSchema) -> String? {
        guard let link = model[column.property].link, let inverse = link.inverse,
            case .column(_, _, let position) = self[link.target][inverse].list?.storage
        else { return nil }
        return position
    }
}

// MARK: Erasing

extension Schema {
    /// Links whose delete rule is `deny` are cleared first.
    var erasingStatements: [String] {
        let denying = roots.flatMap { model in
            model.columns.filter { $0.onTargetDeleted == .deny }.map {
                "UPDATE \(model.sqlName) SET \($0.sqlName) = NULL WHERE \($0.sqlName) IS NOT NULL"
            }
        }
        let tables = joinTables.map { SQL.quoted($0.name) } + roots.map(\.sqlName) + Self.tablesAboutRows
        return denying + tables.map { "DELETE FROM \($0)" }
    }
}

// MARK: Triggers

// Triggers enforce delete rules that foreign keys can't express, for other programs. The library's writer applies the
// rules itself.

extension Schema {
    var ruleTriggers: [String: String] {
        var triggers: [String: String] = [:]
        for model in roots {
            for property in model.properties where property.deleteRule != .nullify {
                guard let body = triggerBody(of: property, in: model) else { continue }
                let name = "\(Self.triggerPrefix)\(model.tableName)_\(property.name)"
                triggers[name] = "CREATE TRIGGER \(SQL.quoted(name)) \(body)"
            }
        }
        return triggers
    }

    /// Only triggers of delete rules have the prefix, so they can be dropped at any time.
    private static let triggerPrefix = "_rule_"

    private func triggerBody(of property: Property, in model: ModelSchema) -> String? {
        let owner = model.sqlName
        let message = "'\(model.modelName).\(property.name) denies the deletion'"
        if let link = property.link, let column = model.column(of: property.index), !hasLinkAsInverse(link) {
            let name = column.sqlName
            return property.deleteRule == .deny
                ? "BEFORE DELETE ON \(owner) WHEN OLD.\(name) IS NOT NULL BEGIN SELECT RAISE(ABORT, \(message)); END"
                : "AFTER DELETE ON \(owner) BEGIN DELETE FROM \(self[link.target].sqlName) WHERE _id = OLD.\(name); END"
        }
        guard let list = property.list, case .join(let join, let isReversed) = list.storage else { return nil }
        let side = JoinSide(join, isReversed: isReversed)
        if property.deleteRule == .deny {
            return "BEFORE DELETE ON \(owner) WHEN EXISTS (SELECT 1 FROM \(side.table) WHERE \(side.owner) = OLD._id) "
                + "BEGIN SELECT RAISE(ABORT, \(message)); END"
        }
        // The join table's foreign key deletes its rows before any trigger of the owner runs.
        return "AFTER DELETE ON \(side.table) WHEN NOT EXISTS (SELECT 1 FROM \(owner) WHERE _id = OLD.\(side.owner)) "
            + "BEGIN DELETE FROM \(self[list.target].sqlName) WHERE _id = OLD.\(side.member); END"
    }

    /// Whether the inverse is a link, too. Its foreign key then enforces the rule.
    private func hasLinkAsInverse(_ link: Link) -> Bool {
        link.inverse.map { self[link.target][$0].link != nil } ?? false
    }

    /// Runs `body` while the triggers of delete rules are dropped. A change of tables would otherwise count as a
    /// deletion of objects, and SQLite refuses to rename some columns that triggers use.
    func withoutTriggers<Result>(on connection: Connection, _ body: () throws -> Result) throws -> Result {
        let present = try RawStatement(
            connection, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, 6) = ?")
        present.bind(.text(Self.triggerPrefix), at: 1)
        var names: [String] = []
        while try present.step() { names.append(present.text(0)) }
        for name in names.sorted() { try connection.execute("DROP TRIGGER \(SQL.quoted(name))") }
        let result = try body()
        for (_, statement) in ruleTriggers.sorted(by: { $0.key < $1.key }) { try connection.execute(statement) }
        return result
    }
}

extension SQL {
    /// Deferred, so that rows which reference each other can be written in any order.
    ///
    /// - Parameters:
    ///   - table: the referenced table's name, quoted.
    ///   - action: the effect on the row if the referenced row is deleted.
    static func reference(to table: String, onDelete action: String) -> String {
        " REFERENCES \(table)(_id) ON DELETE \(action) DEFERRABLE INITIALLY DEFERRED"
    }
}

extension DeleteRule {
    /// `RESTRICT` fails at once, even if the constraint is deferred (https://sqlite.org/foreignkeys.html#fk_actions).
    fileprivate var action: String {
        switch self {
        case .nullify: "SET NULL"
        case .cascade: "CASCADE"
        case .deny: "RESTRICT"
        }
    }
}
