/// The full text index of a table.
///
/// | name, for a table `issue` | is |
/// |---|---|
/// | `_search(issue)` | an FTS5 table (https://sqlite.org/fts5.html) with columns `c0`, `c1`, …; it stores words only |
/// | `_search(issue)_text` | a view that supplies the text of each row (external content) |
/// | `_search(issue)_insert`, `_update`, `_delete` | triggers |
/// | `_search(issue)_changed` | rows to index again, with the text that is indexed now |
///
/// The triggers only record changed rows. A trigger that writes to an FTS5 table flushes FTS5's data for each
/// statement, which takes 0.3 ms a row, and it would fail in other programs, which lack ``SearchTokenizer``.
///
/// The library's transactions index recorded rows when they end. Rows that another program changes are indexed as soon
/// as the library notices. Until then, each search looks through them.
struct SearchIndex {
    let model: ModelSchema
    let name: String
    private let bareName: String

    /// Fails for a table without searchable columns.
    ///
    /// - Parameter model: the root model of the table.
    init?(_ model: ModelSchema) {
        guard !model.searchable.isEmpty else { return nil }
        self.model = model
        bareName = Self.prefix + "(\(model.tableName))"
        name = SQL.quoted(bareName)
    }

    /// The prefix of all these names, and of no others.
    static let prefix = "_search"

    // MARK: Names

    private func part(_ suffix: String) -> String { SQL.quoted("\(bareName)_\(suffix)") }
    private var text: String { part("text") }
    private var changed: String { part("changed") }
    private var columns: [String] { model.searchable.indices.map { "c\($0)" } }
    private var columnList: String { columns.joined(separator: ", ") }

    /// The texts in SQL: NULL if the row's model lacks the attribute.
    ///
    /// - Parameter row: the prefix of columns, such as `NEW.`.
    private func texts(_ row: String = "") -> [String] {
        model.searchable.map { column in
            let name = row + column.sqlName
            guard let family = model.family, !model.has(column.property) else { return name }
            let owners = model.models.filter { $0.has(column.property) }
            let values = owners.flatMap { family.values(of: $0.submodel) }.compactMap(SQL.literal)
            return
                "CASE WHEN \(row)\(model[family.column].sqlName) IN (\(values.joined(separator: ", "))) THEN \(name) END"
        }
    }

    private func textList(_ row: String = "") -> String { texts(row).joined(separator: ", ") }

    // MARK: Creation

    /// These tables stay until the models change.
    var tableStatements: [String] {
        let types = columns.map { ", \($0) TEXT" }.joined()
        return [
            """
            CREATE VIRTUAL TABLE \(name) USING fts5(\(columnList), \
            content='\(bareName.escaped)_text', content_rowid='_id', tokenize='\(SearchTokenizer.declaration)')
            """,
            "CREATE TABLE \(changed) (row INTEGER PRIMARY KEY NOT NULL, was INTEGER NOT NULL\(types)) STRICT",
        ]
    }

    /// Created again after each change of the models.
    var viewAndTriggerStatements: [String] {
        let selected = zip(texts(), columns).map { "\($0) AS \($1)" }.joined(separator: ", ")
        let sources = (model.searchable + (model.family.map { [model[$0.column]] } ?? [])).map(\.sqlName)
        let differences = zip(texts("OLD."), texts("NEW.")).map { "\($0) IS NOT \($1)" }.joined(separator: " OR ")
        return [
            "CREATE VIEW \(text) AS SELECT _id, \(selected) FROM \(model.sqlName)",
            """
            CREATE TRIGGER \(part("insert")) AFTER INSERT ON \(model.sqlName) BEGIN
                \(noting("NEW", "0, \(columns.map { _ in "NULL" }.joined(separator: ", "))")); END
            """,
            """
            CREATE TRIGGER \(part("update")) AFTER UPDATE OF \(sources.joined(separator: ", ")) ON \(model.sqlName) \
            WHEN \(differences) BEGIN
                \(noting("OLD", "1, \(textList("OLD."))")); END
            """,
            """
            CREATE TRIGGER \(part("delete")) AFTER DELETE ON \(model.sqlName) BEGIN
                \(noting("OLD", "1, \(textList("OLD."))")); END
            """,
        ]
    }

    private func noting(_ row: String, _ values: String) -> String {
        // Within a trigger, the conflict clause of the outer statement counts, so `OR IGNORE` has no effect.
        """
        INSERT INTO \(changed) SELECT \(row)._id, \(values) \
        WHERE NOT EXISTS (SELECT 1 FROM \(changed) WHERE row = \(row)._id)
        """
    }

    var rebuildStatement: String { "INSERT INTO \(name) (\(name)) VALUES ('rebuild')" }

    /// For use after all rows were deleted.
    var emptyingStatements: [String] { ["DELETE FROM \(changed)", rebuildStatement] }

    static func dropping(_ type: String, _ name: String) -> String { "DROP \(type) IF EXISTS \(SQL.quoted(name))" }

    // MARK: Updates

    fileprivate var hasChanged: String { "SELECT 1 FROM \(changed) LIMIT 1" }
    var changedRows: String { "SELECT row FROM \(changed)" }
    /// The rows to index again that still exist.
    var changedTexts: String {
        "SELECT _id, \(columnList) FROM \(text) WHERE _id IN (\(changedRows)) ORDER BY _id"
    }
    var columnCount: Int { model.searchable.count }

    /// FTS5 removes words by the text that they came from, so all removals come before the additions. Rows are sorted,
    /// because FTS5 flushes its data when row ids decrease.
    fileprivate var indexingStatements: [String] {
        [
            """
            INSERT INTO \(name) (\(name), rowid, \(columnList)) \
            SELECT 'delete', row, \(columnList) FROM \(changed) WHERE was ORDER BY row
            """,
            """
            INSERT INTO \(name) (rowid, \(columnList)) \
            SELECT _id, \(columnList) FROM \(text) WHERE _id IN (SELECT row FROM \(changed)) ORDER BY _id
            """,
            "DELETE FROM \(changed)",
        ]
    }

    // MARK: Queries

    /// - Parameter changed: the matching rows among those to index again. `nil` if all rows are indexed.
    func rows(matching expression: String, orAmong changed: [RowID]?) -> String {
        let indexed = "SELECT rowid FROM \(name) WHERE \(name) MATCH \(expression)"
        return changed.map { "\(indexed)\(unchanged) UNION ALL SELECT value FROM \(Self.rows($0))" } ?? indexed
    }

    /// For a join, with the rank bm25: negative, best first. Rows to index again come first.
    func rankedRows(matching expression: String, orAmong changed: [RowID]?) -> String {
        let indexed =
            "SELECT rowid AS _found_row, rank AS \(Self.rank) FROM \(name) WHERE \(name) MATCH \(expression)"
        return changed.map { "\(indexed)\(unchanged) UNION ALL SELECT value, -9e999 FROM \(Self.rows($0))" } ?? indexed
    }

    private var unchanged: String { " AND rowid NOT IN (\(changedRows))" }

    private static func rows(_ rows: [RowID]) -> String {
        "json_each('[\(rows.map { String($0.rawValue) }.joined(separator: ","))]')"
    }

    static let rank = "_found_rank"

    /// Excerpts of the rows in the JSON array of the last parameter. Walks once through all matches: a lookup by row id
    /// computes the words' weights again.
    var excerpts: String {
        """
        SELECT rowid, rank, snippet(\(name), -1, ?, ?, '…', ?) FROM \(name) \
        WHERE \(name) MATCH ? AND +rowid IN (SELECT value FROM json_each(?))
        """
    }
}

extension Schema {
    var searchIndexes: [SearchIndex] { roots.compactMap { SearchIndex($0) } }

    var searchStatements: [String] {
        searchIndexes.flatMap { $0.tableStatements + $0.viewAndTriggerStatements }
    }
}

extension Connection {
    func hasChangedText(_ index: SearchIndex) throws -> Bool {
        let statement = try statement(index.hasChanged)
        defer { statement.reset() }
        return try statement.step()
    }

    /// Call it at the end of a transaction.
    func indexChangedText(_ indexes: [SearchIndex]) throws {
        for index in indexes where try hasChangedText(index) {
            for sql in index.indexingStatements { try statement(sql).run() }
        }
    }
}

extension String {
    fileprivate var escaped: String { split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") }
}
