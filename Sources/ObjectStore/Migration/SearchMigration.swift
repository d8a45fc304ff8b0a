/// Takes a file's full text indexes through a migration: those of tables whose text may have changed are made anew, the
/// others stay.
///
/// The views and triggers are away meanwhile: a change of tables would set them off, and what they name can't be
/// renamed.
struct SearchMigration {
    private let schema: Schema
    private let connection: Connection
    /// The statements that made what the file has of such indexes, by type and name.
    private let present: [Part: String]

    private struct Part: Hashable {
        let type: String
        let name: String
    }

    init(_ schema: Schema, on connection: Connection) throws {
        self.schema = schema
        self.connection = connection
        let made = try RawStatement(
            connection,
            """
            SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL \
            AND (name = '\(Self.formerFlag)' OR substr(name, 1, 8) = '\(SearchIndex.prefix)(')
            """)
        var present: [Part: String] = [:]
        while try made.step() { present[Part(type: made.text(0), name: made.text(1))] = made.text(2) }
        self.present = present
    }

    /// Drops the views and triggers.
    func takeApart() throws {
        for part in present.keys.sorted(by: { $0.name < $1.name }) where ["view", "trigger"].contains(part.type) {
            try connection.execute(SearchIndex.dropping(part.type, part.name))
        }
    }

    /// Makes what the models ask for, and drops what they don't.
    ///
    /// - Parameter hasChanged: whether the text of a table may have changed since ``takeApart()``.
    func putTogether(_ hasChanged: (ModelSchema) -> Bool) throws {
        let made = Set(present.values)
        let indexes = schema.searchIndexes
        let kept = indexes.filter { index in
            !hasChanged(index.model)
                && (index.tableStatements + index.viewAndTriggerStatements).allSatisfy(made.contains)
        }
        let keptStatements = Set(kept.flatMap(\.tableStatements))
        // What an FTS5 table keeps its words in goes with it.
        for (part, statement) in present.sorted(by: { $0.key.name < $1.key.name })
        where part.type == "table" && !keptStatements.contains(statement) && Self.isOwn(statement) {
            try connection.execute(SearchIndex.dropping(part.type, part.name))
        }
        for index in indexes {
            let isKept = kept.contains { $0.name == index.name }
            if !isKept { for statement in index.tableStatements { try connection.execute(statement) } }
            for statement in index.viewAndTriggerStatements { try connection.execute(statement) }
            if !isKept { try connection.execute(index.rebuildStatement) }
        }
    }

    /// A table that files of the format 8 and before have, to tell the library's own transactions from others.
    private static let formerFlag = "_search"

    /// Whether it made a table of ours, and not one that FTS5 keeps words in.
    private static func isOwn(_ statement: String) -> Bool {
        statement.hasPrefix("CREATE TABLE \(formerFlag) (") || statement.hasPrefix("CREATE VIRTUAL TABLE")
            || statement.contains("_changed\"")
    }
}

extension MigrationPlan {
    /// Whether a step may change the text of a table's rows. A column that is added or renamed changes the index's own
    /// statements where it is searched.
    func changesText(of table: String) -> Bool {
        steps.contains { step in
            switch step {
            case .fillNulls(table, _, _), .addTable(table, _), .renameTable(_, to: table), .unify: true
            case .rebuild(let rebuild): rebuild.model.tableName == table
            default: false
            }
        }
    }
}
