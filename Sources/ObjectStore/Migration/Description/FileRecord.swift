/// What the library writes in a file about the file: the models that it was last opened with, those that it was opened
/// with before and not since, and the custom steps that were applied.
struct FileRecord {
    /// The tables for it; made by the first opening.
    static let statements = [
        "CREATE TABLE IF NOT EXISTS _schema (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE IF NOT EXISTS _migration (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID",
    ]

    /// The JSON of the ``SchemaDescription``; `nil` in a file of format 1.
    var models: String?
    /// The same of tables whose models were left out since.
    var retired: String?
    var applied: Set<String> = []

    init() {}

    init(_ connection: Connection) throws {
        let names = try connection.strings(
            "SELECT name FROM main.sqlite_schema WHERE name IN ('_schema', '_migration')")
        if names.contains("_schema") {
            let rows = try RawStatement(connection, "SELECT name, value FROM _schema")
            while try rows.step() {
                if rows.text(0) == "models" { models = rows.text(1) }
                if rows.text(0) == "retired" { retired = rows.text(1) }
            }
        }
        if names.contains("_migration") { applied = try Set(connection.strings("SELECT name FROM _migration")) }
    }

    func write(_ connection: Connection) throws {
        for statement in Self.statements { try connection.execute(statement) }
        try connection.execute("DELETE FROM _schema")
        let insert = try RawStatement(connection, "INSERT INTO _schema (name, value) VALUES (?, ?)")
        for (name, value) in [("models", models), ("retired", retired)] {
            guard let value else { continue }
            insert.bind(.text(name), at: 1)
            insert.bind(.text(value), at: 2)
            try insert.run()
        }
        let note = try RawStatement(connection, "INSERT OR IGNORE INTO _migration (name) VALUES (?)")
        for name in applied.sorted() {
            note.bind(.text(name), at: 1)
            try note.run()
        }
    }
}
