/// The tables that a file has, as SQLite itself describes them.
struct FileLayout: Equatable, Sendable {
    /// By name.
    var tables: [String: TableLayout] = [:]

    /// Reads it from an open file.
    init(_ connection: Connection) throws {
        // The underscore isn't a wildcard, as the name's beginning is compared.
        let names = try connection.strings(
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'")
        for name in names { tables[name] = try TableLayout(of: name, connection) }
    }

    /// What a new file has that these statements make.
    init(madeBy statements: [String]) throws {
        self = try Connection.inMemory { connection in
            for statement in statements { try connection.execute(statement) }
            return try FileLayout(connection)
        }
    }

    /// Whether the file has tables besides those that this library keeps for itself.
    var hasModels: Bool { tables.keys.contains { !$0.hasPrefix("_") } }

    /// The links from any table to one: the table and the column.
    func links(to target: String) -> [(table: String, column: String)] {
        tables.sorted { $0.key < $1.key }.flatMap { name, table in
            table.columns.filter { $0.target == target }.map { (name, $0.name) }
        }
    }
}

struct TableLayout: Equatable, Sendable {
    var columns: [ColumnLayout] = []
    /// By name, the statements that make the indexes.
    var indexes: [String: String] = [:]
    /// The statement that made the table.
    var statement = ""

    init(of name: String, _ connection: Connection) throws {
        try readColumns(of: name, connection)
        try readLinks(of: name, connection)
        let made = try RawStatement(
            connection, "SELECT type, name, sql FROM main.sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL")
        made.bind(.text(name), at: 1)
        while try made.step() {
            switch made.text(0) {
            case "index": indexes[made.text(1)] = made.text(2)
            case "table": statement = made.text(2)
            default: continue
            }
        }
    }

    private mutating func readColumns(of name: String, _ connection: Connection) throws {
        let info = try RawStatement(
            connection, "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?)")
        info.bind(.text(name), at: 1)
        while try info.step() {
            columns.append(
                ColumnLayout(
                    name: info.text(0), type: info.text(1), isRequired: info.integer(2) != 0,
                    hasDefault: !info.isNull(3), isKey: info.integer(4) != 0))
        }
    }

    private mutating func readLinks(of name: String, _ connection: Connection) throws {
        let keys = try RawStatement(
            connection, "SELECT \"from\", \"table\", on_delete FROM pragma_foreign_key_list(?)")
        keys.bind(.text(name), at: 1)
        while try keys.step() {
            guard let index = columns.firstIndex(where: { $0.name == keys.text(0) }) else { continue }
            columns[index].target = keys.text(1)
            columns[index].onDelete = keys.text(2)
        }
    }

    func column(_ name: String) -> ColumnLayout? { columns.first { $0.name == name } }
    /// Whether this library made the table for a model.
    var isModelTable: Bool { column("_id") != nil && column("_unsent") != nil }
    /// Whether this library made the table for a to-many relationship.
    var isJoinTable: Bool { column("source_id")?.target != nil && column("target_id")?.target != nil }
}

struct ColumnLayout: Equatable, Sendable {
    var name: String
    var type: String
    var isRequired: Bool
    /// Whether the statement that made the table, or added the column, has a `DEFAULT`.
    var hasDefault: Bool
    var isKey: Bool
    /// The table whose key it holds.
    var target: String?
    /// What becomes of the row when that key's row is deleted.
    var onDelete = ""

    /// Whether a column can become the other one by a change of its name alone.
    func isLike(_ other: ColumnLayout) -> Bool {
        (type, isRequired, isKey, target, onDelete)
            == (other.type, other.isRequired, other.isKey, other.target, other.onDelete)
    }
}

extension Connection {
    /// The first column of the first row as a whole number; 0 when there is none.
    func integer(_ sql: String) throws(SQLiteFailure) -> Int64 {
        let statement = try RawStatement(self, sql)
        guard try statement.step() else { return 0 }
        return statement.integer(0)
    }

    /// The first column of every row.
    func strings(_ sql: String) throws(SQLiteFailure) -> [String] {
        let statement = try RawStatement(self, sql)
        var strings: [String] = []
        while try statement.step() { strings.append(statement.text(0)) }
        return strings
    }
}
