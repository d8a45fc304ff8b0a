/// Reads and writes the rows of one table. A property is *loaded* if the server has reported it or it was set locally.
/// Others have their defaults, and aren't sent.
final class TableStatements {
    let model: ModelSchema
    /// `SELECT _id, …` with all columns, in the order of ``ModelSchema/slots``.
    let selectRows: String
    private let connection: Connection
    /// Links that requests omit because the inverse list sends them.
    let sentByLists: [PropertyIndex: String]
    /// Properties that requests omit altogether.
    private let neverSent: Set<String>
    /// By column: the quoted column with the row's position in this link's inverse list.
    private let positions: [String?]
    private var statements: [RawStatement?]
    private var columnStatements: [RawStatement?]
    private var selections: [[ColumnIndex]: RawStatement] = [:]
    private let insertions = RowStatements()
    private let plainInsertions = RowStatements()
    private let updates = RowStatements()
    private let plainUpdates = RowStatements()

    init(_ model: ModelSchema, of schema: Schema, on connection: Connection) {
        self.model = model
        self.connection = connection
        let links = model.neverSent.isEmpty ? [] : model.properties.filter(schema.isSentByList)
        sentByLists = Dictionary(links.map { ($0.index, $0.name) }) { first, _ in first }
        neverSent = model.neverSent.subtracting(sentByLists.values)
        selectRows = "SELECT \(model.rowColumns) FROM \(model.sqlName)"
        positions = model.columns.map { schema.sqlPosition(of: $0, in: model) }
        statements = Array(repeating: nil, count: Purpose.allCases.count)
        columnStatements = Array(repeating: nil, count: ColumnPurpose.allCases.count * model.columns.count)
    }

    func removeAll() {
        for index in statements.indices { statements[index] = nil }
        for index in columnStatements.indices { columnStatements[index] = nil }
        selections = [:]
        insertions.removeAll()
        plainInsertions.removeAll()
        updates.removeAll()
        plainUpdates.removeAll()
    }

    // MARK: Reading rows

    /// - Parameter identity: the values in the order of ``ModelSchema/identity``.
    func find(_ identity: [StoredValue]) throws(SQLiteFailure) -> RowID? {
        let statement = try findStatement()
        for (n, value) in identity.enumerated() { statement.bind(value, at: Int32(n + 1)) }
        return try statement.firstRow()
    }

    /// `SELECT _id … WHERE identity = ?`, with a parameter for each value. It never finds embedded objects.
    func findStatement() throws(SQLiteFailure) -> RawStatement { try statement(.find) }

    func rowStatement() throws(SQLiteFailure) -> RawStatement { try statement(.row) }

    func identityRowStatement() throws(SQLiteFailure) -> RawStatement { try statement(.identityRow) }

    /// Selects ``ModelSchema/comparedColumns`` by identity (embedded objects: by row id) for
    /// ``RawStatement/has(_:at:)``.
    func comparisonStatement() throws(SQLiteFailure) -> RawStatement { try statement(.comparison) }

    func contains(_ row: RowID) throws(SQLiteFailure) -> Bool {
        let statement = try statement(.contains)
        statement.bind(row, at: 1)
        return try statement.firstRow() != nil
    }

    /// `null` if the row is missing.
    func value(of column: Column, in row: RowID) throws(SQLiteFailure) -> StoredValue {
        let statement = try statement(.value, column)
        statement.bind(row, at: 1)
        guard try statement.step() else { return .null }
        defer { statement.reset() }
        return statement.value(0)
    }

    func values(of columns: [Column], in row: RowID) throws(SQLiteFailure) -> [StoredValue]? {
        let statement = try selection(columns)
        statement.bind(row, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return columns.indices.map { statement.value(Int32($0)) }
    }

    /// In ascending order of their ids.
    func rows(referencing target: RowID, by column: Column) throws(SQLiteFailure) -> [RowID] {
        let statement = try statement(.referencing, column)
        statement.bind(target, at: 1)
        return try statement.rows()
    }

    func hasRow(referencing target: RowID, by column: Column) throws(SQLiteFailure) -> Bool {
        let statement = try statement(.referencing, column)
        statement.bind(target, at: 1)
        return try statement.firstRow() != nil
    }

    func lastRow() throws(SQLiteFailure) -> RowID? { try statement(.lastRow).firstRow() }

    /// Rows created locally have negative ids; this is the greatest.
    func lastMadeRow() throws(SQLiteFailure) -> RowID? { try statement(.lastMadeRow).firstRow() }

    // MARK: Writing rows

    /// Attributes that are left out get their defaults. If the table has no links, a row with the same identity is
    /// updated where values differ.
    func insertion(of columns: ColumnMask) throws(SQLiteFailure) -> RowStatement {
        try insertions.statement(of: columns) { columns throws(SQLiteFailure) in try makeInsertion(columns) }
    }

    /// Updates a row if any value differs.
    func update(of columns: ColumnMask) throws(SQLiteFailure) -> RowStatement {
        try updates.statement(of: columns) { columns throws(SQLiteFailure) in
            try makeUpdate(columns, notingLoaded: true)
        }
    }

    /// - Parameter unsent: the text of ``UnsentChanges``.
    /// - Throws: a failure with ``SQLiteFailure/isDuplicate`` if another row has the identity.
    func insert(
        _ values: [ColumnValue], as row: RowID, unsent: String?
    ) throws(SQLiteFailure) {
        let statement = try plainInsertions.statement(of: ColumnMask(values)) {
            columns throws(SQLiteFailure) in try makePlainInsertion(columns)
        }
        // After the id and the columns.
        statement.statement.bind(unsent.map(StoredValue.text) ?? .null, at: Int32(values.count + 2))
        try statement.run(values, row)
    }

    /// Updates all values if one differs. If the owner changes, the row becomes the new owner's last member.
    ///
    /// - Throws: a failure with ``SQLiteFailure/isDuplicate`` if another row has the identity.
    func update(_ values: [ColumnValue], in row: RowID) throws(SQLiteFailure) {
        guard !values.isEmpty else { return }
        let columns = ColumnMask(values)
        if model.isEmbedded { return try updateEmbedded(values, columns, in: row) }
        let statement = try plainUpdates.statement(of: columns) { columns throws(SQLiteFailure) in
            try makeUpdate(columns, notingLoaded: false)
        }
        try statement.run(values, row)
    }

    func update(_ values: [(column: Column, value: StoredValue)], in row: RowID) throws(SQLiteFailure) {
        try update(values.map { ($0.column.index, $0.value) }, in: row)
    }

    /// The columns become loaded at once, because the server acknowledges embedded objects only with their owner.
    private func updateEmbedded(
        _ values: [ColumnValue], _ columns: ColumnMask, in row: RowID
    ) throws(SQLiteFailure) {
        let update = try update(of: columns)
        update.bind(LoadedMask(columns: columns), unloading: ColumnMask(), of: model)
        try update.run(values, row)
    }

    @discardableResult
    func delete(_ row: RowID) throws(SQLiteFailure) -> Bool {
        let statement = try statement(.delete)
        statement.bind(row, at: 1)
        try statement.run()
        return connection.changes > 0
    }

    // MARK: Links

    /// Clears a link's position in the inverse list, too.
    func clear(_ column: Column, in row: RowID) throws(SQLiteFailure) {
        let statement = try statement(.clear, column)
        statement.bind(row, at: 1)
        try statement.run()
    }

    /// Clears the positions in the inverse list, too.
    func clear(_ column: Column, referencing target: RowID) throws(SQLiteFailure) {
        let statement = try statement(.clearReferencing, column)
        statement.bind(target, at: 1)
        try statement.run()
    }

    /// The link must lack an inverse list.
    ///
    /// - Returns: the changed rows.
    func clear(
        _ column: Column, referencing target: RowID, exceptIn row: RowID?
    ) throws(SQLiteFailure) -> [RowID] {
        let statement = try statement(.clearOthers, column)
        statement.bind(target, at: 1)
        statement.bind(StoredValue(row), at: 2)
        return try statement.rows()
    }

    /// The position in the inverse list stays.
    ///
    /// - Returns: whether the link changed.
    @discardableResult
    func set(_ column: Column, to target: RowID, in row: RowID) throws(SQLiteFailure) -> Bool {
        try setLink(.set, column, to: target, in: row)
    }

    /// Sets a link that is NULL.
    ///
    /// - Returns: whether the link changed.
    func fill(_ column: Column, with target: RowID, in row: RowID) throws(SQLiteFailure) -> Bool {
        try setLink(.fill, column, to: target, in: row)
    }

    private func setLink(
        _ purpose: ColumnPurpose, _ column: Column, to target: RowID, in row: RowID
    ) throws(SQLiteFailure) -> Bool {
        let statement = try statement(purpose, column)
        statement.bind(target, at: 1)
        statement.bind(row, at: 2)
        try statement.run()
        return connection.changes > 0
    }

    // MARK: Loaded properties

    /// `nil` if the row is missing.
    func loadedMask(of row: RowID) throws(SQLiteFailure) -> LoadedMask? {
        let statement = try statement(.loaded)
        statement.bind(row, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        var loaded = LoadedMask()
        // NULL reads as 0.
        for word in model.loadedColumns.indices { loaded[word, of: model] = statement.integer(Int32(word)) }
        return loaded
    }

    func note(_ loaded: LoadedMask, of row: RowID) throws(SQLiteFailure) {
        guard !loaded.isEmpty else { return }
        let statement = try statement(.noteLoaded)
        statement.bind(row, at: 1)
        for word in model.loadedColumns.indices { statement.bind(loaded[word, of: model], at: Int32(word + 2)) }
        try statement.run()
    }

    /// Whether a list's members are unknown. `false` if the row is missing.
    func isUnloaded(_ list: PropertyIndex, of row: RowID) throws(SQLiteFailure) -> Bool {
        try loadedMask(of: row).map { !$0.contains(list, of: model) } ?? false
    }

    /// The server has reported the property, or the object was created locally.
    func noteLoaded(_ property: PropertyIndex, of row: RowID) throws(SQLiteFailure) {
        var loaded = LoadedMask()
        loaded.insert(property, of: model)
        try note(loaded, of: row)
    }

    /// The server's value may have changed.
    func noteUnloaded(_ property: PropertyIndex, of row: RowID) throws(SQLiteFailure) {
        var unloaded = LoadedMask()
        unloaded.insert(property, of: model)
        try noteUnloaded(unloaded, of: row)
    }

    func noteUnloaded(_ unloaded: LoadedMask, of row: RowID) throws(SQLiteFailure) {
        guard let loaded = try loadedMask(of: row), case let rest = loaded.subtracting(unloaded), rest != loaded else {
            return
        }
        let statement = try statement(.setLoaded)
        statement.bind(row, at: 1)
        for word in model.loadedColumns.indices { statement.bind(rest[word, of: model], at: Int32(word + 2)) }
        try statement.run()
    }

    // MARK: Pending edits

    func unsentChanges(of row: RowID) throws(SQLiteFailure) -> UnsentChanges {
        let statement = try statement(.unsent)
        statement.bind(row, at: 1)
        guard try statement.step() else { return UnsentChanges() }
        defer { statement.reset() }
        var changes = UnsentChanges(text: statement.isNull(0) ? nil : statement.text(0))
        // The models may have allowed sending the property when the file was written.
        if !neverSent.isEmpty { changes.entries = changes.entries.filter { !neverSent.contains($0.key) } }
        return changes
    }

    func setUnsentChanges(_ changes: UnsentChanges, of row: RowID) throws(SQLiteFailure) {
        let statement = try statement(.setUnsent)
        statement.bind(changes.text.map(StoredValue.text) ?? .null, at: 1)
        statement.bind(row, at: 2)
        try statement.run()
    }

    func rowsWithUnsentChanges() throws(SQLiteFailure) -> [RowID] { try statement(.rowsWithUnsent).rows() }

    /// Rows with a pending edit of a link whose base is `target`, or for `nil` any known base. The text search in
    /// `_unsent` may find more.
    func rowsWithUnsentLink(_ column: Column, from target: RowID? = nil) throws(SQLiteFailure) -> [RowID] {
        let statement = try statement(.unsent, column)
        statement.bind(.text(UnsentChanges.mention(of: target)), at: 1)
        return try statement.rows()
    }

    /// Rows with a pending edit of the identity whose base is known, and perhaps others.
    func rowsWithUnsentIdentity() throws(SQLiteFailure) -> [RowID] { try statement(.rowsWithUnsentIdentity).rows() }

    // MARK: SQL

    private enum Purpose: Int, CaseIterable {
        case find, row, identityRow, comparison, contains, lastRow, lastMadeRow, delete, unsent, setUnsent,
            rowsWithUnsent, rowsWithUnsentIdentity, loaded, noteLoaded, setLoaded
    }

    private func statement(_ purpose: Purpose) throws(SQLiteFailure) -> RawStatement {
        if let known = statements[purpose.rawValue] { return known }
        let statement = try RawStatement(connection, sql(purpose))
        statements[purpose.rawValue] = statement
        return statement
    }

    private func sql(_ purpose: Purpose) -> String {
        let table = model.sqlName
        let unsent = "SELECT _id FROM \(table) WHERE _unsent IS NOT NULL"
        return switch purpose {
        case .find: "SELECT _id FROM \(table) WHERE \(model.identityCondition)"
        case .row: "\(selectRows) WHERE _id = ?"
        case .identityRow: "\(selectRows) WHERE \(model.identityCondition)"
        case .comparison: "SELECT \(model.comparedColumns) FROM \(table) WHERE \(model.comparedCondition)"
        case .contains: "SELECT _id FROM \(table) WHERE _id = ?"
        // `max(_id)` would return one row with NULL for an empty table.
        case .lastRow: "SELECT _id FROM \(table) ORDER BY _id DESC LIMIT 1"
        case .lastMadeRow: "SELECT _id FROM \(table) WHERE _id < 0 ORDER BY _id DESC LIMIT 1"
        case .delete: "DELETE FROM \(table) WHERE _id = ?"
        case .unsent: "SELECT _unsent FROM \(table) WHERE _id = ?"
        case .setUnsent: "UPDATE \(table) SET _unsent = ? WHERE _id = ?"
        case .rowsWithUnsent: unsent
        case .rowsWithUnsentIdentity:
            "\(unsent) AND \(UnsentChanges.sqlMention(ofAny: model.identity.map { model[$0].name }))"
        case .loaded: "SELECT \(model.loadedColumns.joined(separator: ", ")) FROM \(table) WHERE _id = ?"
        case .noteLoaded: noteLoadedSQL
        case .setLoaded:
            """
            UPDATE \(table) SET \(model.loadedColumns.enumerated().map { "\($1) = ?\($0 + 2)" }.joined(separator: ", ")) \
            WHERE _id = ?1
            """
        }
    }

    private var noteLoadedSQL: String {
        let words = model.loadedColumns.enumerated().map { n, name in
            (name: name, known: "ifnull(\(name), 0)", loaded: "?\(n + 2)")
        }
        let sets = words.map { "\($0.name) = \($0.known) | \($0.loaded)" }.joined(separator: ", ")
        let differences = words.map { "\($0.known) & \($0.loaded) <> \($0.loaded)" }.joined(separator: " OR ")
        return "UPDATE \(model.sqlName) SET \(sets) WHERE _id = ?1 AND (\(differences))"
    }

    private enum ColumnPurpose: Int, CaseIterable {
        case value, referencing, clear, clearReferencing, clearOthers, set, fill, unsent
    }

    private func statement(_ purpose: ColumnPurpose, _ column: Column) throws(SQLiteFailure) -> RawStatement {
        let index = purpose.rawValue * model.columns.count + column.index.rawValue
        if let known = columnStatements[index] { return known }
        let statement = try RawStatement(connection, sql(purpose, column))
        columnStatements[index] = statement
        return statement
    }

    private func sql(_ purpose: ColumnPurpose, _ column: Column) -> String {
        let (table, name) = (model.sqlName, column.sqlName)
        let cleared = "\(name) = NULL" + (positions[column.index.rawValue].map { ", \($0) = NULL" } ?? "")
        return switch purpose {
        case .value: "SELECT \(name) FROM \(table) WHERE _id = ?"
        case .referencing: "SELECT _id FROM \(table) WHERE \(name) = ?"
        case .clear: "UPDATE \(table) SET \(cleared) WHERE _id = ?"
        case .clearReferencing: "UPDATE \(table) SET \(cleared) WHERE \(name) = ?"
        case .clearOthers: "UPDATE \(table) SET \(name) = NULL WHERE \(name) = ?1 AND _id IS NOT ?2 RETURNING _id"
        case .set: "UPDATE \(table) SET \(name) = ?1 WHERE _id = ?2 AND \(name) IS NOT ?1"
        case .fill: "UPDATE \(table) SET \(name) = ?1 WHERE _id = ?2 AND \(name) IS NULL"
        case .unsent:
            """
            SELECT _id FROM \(table) WHERE _unsent IS NOT NULL \
            AND \(UnsentChanges.sqlMention(of: model[column.property].name)) AND instr(_unsent, ?)
            """
        }
    }

    private func selection(_ columns: [Column]) throws(SQLiteFailure) -> RawStatement {
        let key = columns.map(\.index)
        if let known = selections[key] { return known }
        if selections.count >= RowStatements.limit { selections.removeAll() }
        let names = columns.isEmpty ? "NULL" : columns.map(\.sqlName).joined(separator: ", ")
        let statement = try RawStatement(connection, "SELECT \(names) FROM \(model.sqlName) WHERE _id = ?")
        selections[key] = statement
        return statement
    }

    /// `INSERT … ON CONFLICT (identity) DO UPDATE SET … WHERE (any value differs)`, so only changed rows are written.
    /// If the table has links, callers look the row up first, so a plain `INSERT` suffices.
    private func makeInsertion(_ mask: ColumnMask) throws(SQLiteFailure) -> RowStatement {
        let columns = model.columns.filter { mask.contains($0.index.rawValue) }
        let absent = model.columns.compactMap { column -> (column: Column, value: @Sendable () -> StoredValue)? in
            guard !mask.contains(column.index.rawValue), case .attribute(_, let value, _) = model[column.property].kind,
                !value().isNull
            else { return nil }
            return (column, value)
        }
        var sql = insertSQL(columns + absent.map(\.column), and: model.loadedColumns)
        let identity = model.identityColumns
        if !model.hasLinks, !identity.isEmpty {
            let names = identity.map(\.sqlName).joined(separator: ", ")
            sql += " ON CONFLICT (\(names)) \(conflictAction(columns, loaded: columns.count + absent.count + 2))"
        }
        return RowStatement(
            try RawStatement(connection, sql), columns: columns.map(\.index), defaults: absent.map(\.value),
            loaded: columns.count + absent.count + 2,
            unloaded: model.hasLinks || identity.isEmpty ? 0 : model.loadedWords)
    }

    private func makePlainInsertion(_ mask: ColumnMask) throws(SQLiteFailure) -> RowStatement {
        let columns = model.columns.filter { mask.contains($0.index.rawValue) }
        // All lists of an object that is created locally are loaded, and all properties of an embedded one.
        var loaded = LoadedMask()
        for property in model.properties where model.isEmbedded || property.list != nil {
            loaded.insert(property.index, of: model)
        }
        let words = model.loadedColumns.enumerated().map { n, name in (name: name, value: loaded[n, of: model]) }
        return RowStatement(
            try RawStatement(connection, insertSQL(columns, and: ["_unsent"], words)), columns: columns.map(\.index))
    }

    private func insertSQL(
        _ columns: [Column], and others: [String], _ constants: [(name: String, value: Int64)] = []
    ) -> String {
        let names = ["_id"] + columns.map(\.sqlName) + others
        let values = names.map { _ in "?" } + constants.map { "\($0.value)" }
        return """
            INSERT INTO \(model.sqlName) (\((names + constants.map(\.name)).joined(separator: ", "))) \
            VALUES (\(values.joined(separator: ", ")))
            """
    }

    private func conflictAction(_ columns: [Column], loaded firstLoaded: Int) -> String {
        let changing = columns.filter { !model.identity.contains($0.property) }
        let sets = changing.map { column in
            "\(column.sqlName) = excluded.\(column.sqlName)"
                + resettingPosition(of: column, unless: "excluded.\(column.sqlName)")
        }
        let differences = changing.map { "\($0.sqlName) IS NOT excluded.\($0.sqlName)" }
        // The table's name tells the stored column from the one to insert.
        let loaded = loadedTerms(of: model.sqlName + ".", from: firstLoaded)
        return """
            DO UPDATE SET \((sets + loaded.map(\.set)).joined(separator: ", ")) \
            WHERE \((differences + loaded.map(\.difference)).joined(separator: " OR "))
            """
    }

    /// For each column of the mask: the assignment, and the condition that it changes the column.
    ///
    /// - Parameters:
    ///   - table: the prefix of the column's name.
    ///   - first: the first parameter for properties that become loaded. Those that become unloaded follow.
    private func loadedTerms(of table: String = "", from first: Int) -> [(set: String, difference: String)] {
        model.loadedColumns.enumerated().map { n, name in
            let (known, loaded) = ("ifnull(\(table)\(name), 0)", "?\(first + n)")
            guard n < model.loadedWords else {
                return ("\(name) = \(known) | \(loaded)", "\(known) & \(loaded) <> \(loaded)")
            }
            let unloaded = "?\(first + model.loadedColumns.count + n)"
            return (
                "\(name) = \(known) & ~\(unloaded) | \(loaded)", "\(known) & (\(loaded) | \(unloaded)) <> \(loaded)"
            )
        }
    }

    private func makeUpdate(_ mask: ColumnMask, notingLoaded isLoaded: Bool) throws(SQLiteFailure) -> RowStatement {
        let columns = model.columns.filter { mask.contains($0.index.rawValue) }
        let sets = columns.enumerated().map { n, column in
            "\(column.sqlName) = ?\(n + 2)" + resettingPosition(of: column, unless: "?\(n + 2)")
        }
        let differences = columns.enumerated().map { n, column in "\(column.sqlName) IS NOT ?\(n + 2)" }
        let loaded = isLoaded ? loadedTerms(from: columns.count + 2) : []
        let sql = """
            UPDATE \(model.sqlName) SET \((sets + loaded.map(\.set)).joined(separator: ", ")) \
            WHERE _id = ?1 AND (\((differences + loaded.map(\.difference)).joined(separator: " OR ")))
            """
        return RowStatement(
            try RawStatement(connection, sql), columns: columns.map(\.index), loaded: columns.count + 2,
            unloaded: model.loadedWords)
    }

    /// If the link changes, the row becomes the last member of its new owner's list.
    private func resettingPosition(of column: Column, unless value: String) -> String {
        positions[column.index.rawValue].map { ", \($0) = CASE WHEN \(column.sqlName) IS \(value) THEN \($0) END" }
            ?? ""
    }
}

typealias ColumnValue = (column: ColumnIndex, value: StoredValue)

/// A statement that writes a row.
final class RowStatement {
    let statement: RawStatement
    /// The columns of parameters 2, 3, …. Parameter 1 is the row's id.
    let columns: [ColumnIndex]
    /// For columns missing in the JSON. Their parameters come next.
    let defaults: [@Sendable () -> StoredValue]
    /// The first parameter of the mask of loaded properties, after the defaults.
    private let firstLoaded: Int32
    /// The number of words in the mask of unloaded properties, which comes last.
    private let unloadedWords: Int

    init(
        _ statement: RawStatement, columns: [ColumnIndex], defaults: [@Sendable () -> StoredValue] = [],
        loaded firstLoaded: Int = 0, unloaded unloadedWords: Int = 0
    ) {
        self.statement = statement
        self.columns = columns
        self.defaults = defaults
        self.firstLoaded = Int32(firstLoaded)
        self.unloadedWords = unloadedWords
    }

    /// - Parameter unloaded: the columns that get their defaults, and become unloaded.
    @inline(__always)
    func bind(_ loaded: LoadedMask, unloading unloaded: ColumnMask, of model: ModelSchema) {
        var parameter = firstLoaded
        for word in 0..<model.loadedColumns.count {
            statement.bind(loaded[word, of: model], at: parameter)
            parameter += 1
        }
        for word in 0..<unloadedWords {
            statement.bind(unloaded[word: word], at: parameter)
            parameter += 1
        }
    }

    /// - Parameter values: one for each of ``columns``, in any order.
    fileprivate func run(_ values: [ColumnValue], _ row: RowID) throws(SQLiteFailure) {
        statement.bind(row, at: 1)
        let isInOrder = values.indices.allSatisfy { values[$0].column == columns[$0] }
        let sorted = isInOrder ? values : values.sorted { $0.column < $1.column }
        for n in sorted.indices { statement.bind(sorted[n].value, at: Int32(n + 2)) }
        try statement.run()
    }
}

private final class RowStatements {
    private var statements: [ColumnMask: RowStatement] = [:]
    private var last: (columns: ColumnMask, statement: RowStatement)?

    /// APIs with more sets of columns pay for preparing statements again.
    static let limit = 64

    func removeAll() {
        statements = [:]
        last = nil
    }

    func statement(
        of columns: ColumnMask, _ make: (ColumnMask) throws(SQLiteFailure) -> RowStatement
    ) throws(SQLiteFailure) -> RowStatement {
        if let (known, statement) = last, known == columns { return statement }
        if statements.count >= Self.limit { statements.removeAll() }
        let statement: RowStatement
        if let known = statements[columns] { statement = known } else { statement = try make(columns) }
        statements[columns] = statement
        last = (columns, statement)
        return statement
    }
}

extension ColumnMask {
    fileprivate init(_ values: [ColumnValue]) {
        self.init()
        for (column, _) in values { insert(column.rawValue) }
    }
}
