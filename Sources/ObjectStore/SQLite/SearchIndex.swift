/// The full text index of a table, and what keeps it in step: the statements that make it, and those that ask it.
///
/// For a table `issue` with two searchable columns:
///
/// | name | is |
/// |---|---|
/// | `_search(issue)` | an FTS5 table (https://sqlite.org/fts5.html) of the columns `c0` and `c1`, which keeps words and no text |
/// | `_search(issue)_text` | a view of the table's rows that gives it their text: external content |
/// | `_search(issue)_insert`, `_update`, `_delete` | triggers |
/// | `_search(issue)_changed` | rows that are yet to be indexed, with the text that the index has of them |
///
/// A trigger that writes to an FTS5 table makes SQLite open a savepoint for each statement, at which FTS5 writes out
/// what it has gathered: some 0.3 ms a row, ten times what the words cost. And another program has no
/// ``SearchTokenizer``, so its writing would fail. So triggers only note which rows change. The library's transactions
/// index what was noted at their end (``Connection/indexChangedText(_:)``). What another program has changed is looked
/// through by each search until this library has indexed it, which it does as soon as it hears of that.
struct SearchIndex {
    let model: ModelSchema
    /// The index's name as it stands in a statement.
    let name: String
    private let bareName: String

    /// `nil` for a table without searchable columns.
    ///
    /// - Parameter model: the table's root.
    init?(_ model: ModelSchema) {
        guard !model.searchable.isEmpty else { return nil }
        self.model = model
        bareName = Self.prefix + "(\(model.tableName))"
        name = SQL.quoted(bareName)
    }

    /// What the names begin with; that of no other table, index or trigger does.
    static let prefix = "_search"

    // MARK: Names

    private func part(_ suffix: String) -> String { SQL.quoted("\(bareName)_\(suffix)") }
    private var text: String { part("text") }
    private var changed: String { part("changed") }
    private var columns: [String] { model.searchable.indices.map { "c\($0)" } }
    private var columnList: String { columns.joined(separator: ", ") }

    /// The text of each column: that of a row whose class does not have the attribute is nothing.
    ///
    /// - Parameter row: what stands before the columns' names: `NEW.`.
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

    // MARK: Making it

    /// Made once, and kept while the models stay what they are.
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

    /// Made anew whenever the table may have been changed.
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
        // Not `OR IGNORE`: the statement that sets off a trigger decides on conflicts within it.
        """
        INSERT INTO \(changed) SELECT \(row)._id, \(values) \
        WHERE NOT EXISTS (SELECT 1 FROM \(changed) WHERE row = \(row)._id)
        """
    }

    /// Indexes all rows of the table anew.
    var rebuildStatement: String { "INSERT INTO \(name) (\(name)) VALUES ('rebuild')" }

    /// Indexes the rows anew once all of them are gone. What was noted of them is of no use then.
    var emptyingStatements: [String] { ["DELETE FROM \(changed)", rebuildStatement] }

    /// The statement that drops a table, view or trigger.
    static func dropping(_ type: String, _ name: String) -> String { "DROP \(type) IF EXISTS \(SQL.quoted(name))" }

    // MARK: Keeping it in step

    fileprivate var hasChanged: String { "SELECT 1 FROM \(changed) LIMIT 1" }
    /// The rows that are yet to be indexed.
    var changedRows: String { "SELECT row FROM \(changed)" }
    /// Those of them that are there, with the text of each column.
    var changedTexts: String {
        "SELECT _id, \(columnList) FROM \(text) WHERE _id IN (\(changedRows)) ORDER BY _id"
    }
    var columnCount: Int { model.searchable.count }

    /// Indexes what was noted. Old words go by the text that they came from, so all of them before any new ones; in the
    /// order of the rows, as FTS5 gathers no others.
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

    // MARK: Asking it

    /// The keys of the rows in which the words of the next parameter occur.
    ///
    /// - Parameter changed: which of the rows that are yet to be indexed have them; `nil` where all are indexed.
    func rows(matching expression: String, orAmong changed: [RowID]?) -> String {
        let indexed = "SELECT rowid FROM \(name) WHERE \(name) MATCH \(expression)"
        return changed.map { "\(indexed)\(unchanged) UNION ALL SELECT value FROM \(Self.rows($0))" } ?? indexed
    }

    /// The same with the rank of each, to be joined with the table: bm25, negative, the best one least. What is yet to
    /// be indexed comes first.
    func rankedRows(matching expression: String, orAmong changed: [RowID]?) -> String {
        let indexed =
            "SELECT rowid AS _found_row, rank AS \(Self.rank) FROM \(name) WHERE \(name) MATCH \(expression)"
        return changed.map { "\(indexed)\(unchanged) UNION ALL SELECT value, -9e999 FROM \(Self.rows($0))" } ?? indexed
    }

    private var unchanged: String { " AND rowid NOT IN (\(changedRows))" }

    private static func rows(_ rows: [RowID]) -> String {
        "json_each('[\(rows.map { String($0.rawValue) }.joined(separator: ","))]')"
    }

    /// The column that has the rank then.
    static let rank = "_found_rank"

    /// Of those of the rows in the JSON array of the last parameter, the rank and an excerpt. All rows that match are
    /// passed, once: to ask for each row by its key would weigh the words anew for each.
    var excerpts: String {
        """
        SELECT rowid, rank, snippet(\(name), -1, ?, ?, '…', ?) FROM \(name) \
        WHERE \(name) MATCH ? AND +rowid IN (SELECT value FROM json_each(?))
        """
    }
}

extension Schema {
    /// By table; the tables without searchable attributes have none.
    var searchIndexes: [SearchIndex] { roots.compactMap { SearchIndex($0) } }

    /// All that makes the full text indexes of a new file.
    var searchStatements: [String] {
        searchIndexes.flatMap { $0.tableStatements + $0.viewAndTriggerStatements }
    }
}

extension Connection {
    /// Whether some text was noted to be indexed.
    func hasChangedText(_ index: SearchIndex) throws -> Bool {
        let statement = try statement(index.hasChanged)
        defer { statement.reset() }
        return try statement.step()
    }

    /// Indexes the text that has changed since it was last indexed; within a transaction, at its end.
    func indexChangedText(_ indexes: [SearchIndex]) throws {
        for index in indexes where try hasChangedText(index) {
            for sql in index.indexingStatements { try statement(sql).run() }
        }
    }
}

extension String {
    /// As it stands between single quotes.
    fileprivate var escaped: String { split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") }
}
