/// The statements that write a model's rows, one for each set of columns that objects were found to have.
final class UpsertStatements {
    /// A statement and what its parameters are.
    final class Variant {
        let statement: RawStatement
        /// The columns to bind, in the order of the parameters, the first of which is the local key.
        let columns: [Int]
        /// The parameters after those: what a new row has in columns that the JSON is silent about.
        let defaults: [@Sendable () -> StoredValue]

        init(statement: RawStatement, columns: [Int], defaults: [@Sendable () -> StoredValue]) {
            self.statement = statement
            self.columns = columns
            self.defaults = defaults
        }
    }

    private let table: ModelSchema
    /// By column: the quoted name of the column with the row's place in the list that is the inverse of this link.
    private let positions: [Int: String]
    private let connection: Connection
    private var upserts: [ColumnMask: Variant] = [:]
    private var updates: [ColumnMask: Variant] = [:]
    private var lastUpsert: (ColumnMask, Variant)?
    private var lastUpdate: (ColumnMask, Variant)?

    /// As many sets of columns as are kept; an API that sends more shapes than that pays for preparing them again.
    private static let limit = 64

    init(_ table: ModelSchema, _ schema: Schema, _ connection: Connection) {
        self.table = table
        var positions: [Int: String] = [:]
        for (index, column) in table.columns.enumerated() {
            positions[index] = schema.positionColumn(of: column, in: table).map(SQL.quoted)
        }
        self.positions = positions
        self.connection = connection
    }

    func upsert(_ present: ColumnMask) throws -> Variant {
        if let (mask, variant) = lastUpsert, mask == present { return variant }
        if upserts.count >= Self.limit { upserts.removeAll() }
        let variant = try upserts[present] ?? makeUpsert(present)
        upserts[present] = variant
        lastUpsert = (present, variant)
        return variant
    }

    func update(_ present: ColumnMask) throws -> Variant {
        if let (mask, variant) = lastUpdate, mask == present { return variant }
        if updates.count >= Self.limit { updates.removeAll() }
        let variant = try updates[present] ?? makeUpdate(present)
        updates[present] = variant
        lastUpdate = (present, variant)
        return variant
    }

    /// `INSERT … ON CONFLICT (identity) DO UPDATE SET … WHERE (any of them differs)`: an unchanged row is not written.
    ///
    /// Into a table with links, of which the row was looked up in vain, a plain `INSERT`.
    private func makeUpsert(_ present: ColumnMask) throws -> Variant {
        let columns = table.columns.indices.filter(present.contains)
        let absent = table.columns.indices.compactMap { column -> (Int, @Sendable () -> StoredValue)? in
            guard !present.contains(column),
                case .attribute(_, let value, _) = table.properties[table.columns[column].property].kind,
                !value().isNull
            else { return nil }
            return (column, value)
        }
        let names = ["_id"] + (columns + absent.map(\.0)).map { table.columns[$0].name }
        let identity = SQL.identityColumns(table)
        let changing = columns.filter { !identity.contains(table.columns[$0].name) }
        let others = changing.map { SQL.quoted(table.columns[$0].name) }
        let sets = changing.map { column in
            let name = SQL.quoted(table.columns[column].name)
            return "\(name) = excluded.\(name)" + resettingPosition(column, name, "excluded.\(name)")
        }
        let action =
            others.isEmpty
            ? "DO NOTHING"
            : """
            DO UPDATE SET \(sets.joined(separator: ", ")) \
            WHERE \(others.map { "\($0) IS NOT excluded.\($0)" }.joined(separator: " OR "))
            """
        let insert = """
            INSERT INTO \(SQL.quoted(table.name)) (\(SQL.list(names))) \
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            """
        let sql =
            table.hasLinks || identity.isEmpty ? insert : "\(insert) ON CONFLICT (\(SQL.list(identity))) \(action)"
        return Variant(
            statement: try RawStatement(connection, sql), columns: columns, defaults: absent.map(\.1))
    }

    /// `UPDATE … WHERE _id = ? AND (any of them differs)`.
    private func makeUpdate(_ present: ColumnMask) throws -> Variant {
        let columns = table.columns.indices.filter(present.contains)
        let names = columns.map { SQL.quoted(table.columns[$0].name) }
        let sets = zip(columns, names).enumerated().map { place, column in
            "\(column.1) = ?\(place + 2)" + resettingPosition(column.0, column.1, "?\(place + 2)")
        }.joined(separator: ", ")
        let changed = names.enumerated().map { "\($1) IS NOT ?\($0 + 2)" }.joined(separator: " OR ")
        let sql =
            columns.isEmpty
            ? "SELECT 1 WHERE ?1 IS NULL"
            : "UPDATE \(SQL.quoted(table.name)) SET \(sets) WHERE _id = ?1 AND (\(changed))"
        return Variant(statement: try RawStatement(connection, sql), columns: columns, defaults: [])
    }

    /// A row that comes under another owner comes last in its list, whatever place it had in the former one's.
    private func resettingPosition(_ column: Int, _ name: String, _ value: String) -> String {
        positions[column].map { ", \($0) = CASE WHEN \(name) IS \(value) THEN \($0) END" } ?? ""
    }
}

extension ModelSchema {
    /// Whether rows lead to others, by foreign keys.
    ///
    /// SQLite opens a statement journal for an upsert into such a table, and copies each page into it that the statement
    /// changes, the links' indexes included. So a row is looked up first, and inserted by a statement that needs none.
    var hasLinks: Bool { columns.contains { $0.target != nil } }
}
