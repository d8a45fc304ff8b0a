/// Rebuilds the full text indexes of tables whose text may have changed.
///
/// Views and triggers are dropped meanwhile. Changes of tables would run the triggers, and columns that they name
/// couldn't be renamed.
struct SearchMigration {
    private let schema: Schema
    private let connection: Connection
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

    func dropTriggers() throws {
        for part in present.keys.sorted(by: { $0.name < $1.name }) where ["view", "trigger"].contains(part.type) {
            try connection.execute(SearchIndex.dropping(part.type, part.name))
        }
    }

    /// - Parameter hasChanged: whether a table's text may have changed since ``dropTriggers()``.
    func restoreTriggers(_ hasChanged: (ModelSchema) -> Bool) throws {
        let made = Set(present.values)
        let indexes = schema.searchIndexes
        let kept = indexes.filter { index in
            !hasChanged(index.model)
                && (index.tableStatements + index.viewAndTriggerStatements).allSatisfy(made.contains)
        }
        let keptStatements = Set(kept.flatMap(\.tableStatements))
        // With an FTS5 table go the tables that store its words.
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

    /// A table of formats up to 8, which told the library's transactions from others.
    private static let formerFlag = "_search"

    /// Whether the library made the table, rather than FTS5.
    private static func isOwn(_ statement: String) -> Bool {
        statement.hasPrefix("CREATE TABLE \(formerFlag) (") || statement.hasPrefix("CREATE VIRTUAL TABLE")
            || statement.contains("_changed\"")
    }
}

extension MigrationPlan {
    /// An added or renamed column changes the statements of its index instead.
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
