/// The statements that read and write the rows of one table on one connection, prepared at first use and kept.
final class TableStatements {
    let model: ModelSchema
    /// `SELECT _id, …` of all columns, in the order of ``ModelSchema/slots``: what queries begin with.
    let selectRows: String
    private let connection: Connection
    /// The names of the links that are never sent, but by the lists that are kept as them.
    let sentByLists: [PropertyIndex: String]
    /// Those of the properties that are never sent at all.
    private let neverSent: Set<String>
    /// By column: the column, as it stands in a statement, with the order of the list that is the inverse of this link.
    private let positions: [String?]
    /// By purpose.
    private var statements: [RawStatement?]
    /// By column and purpose.
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

    /// Finalizes the statements, which must be done before the connection closes.
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

    /// The row of an identity, whose parts are in the order of ``ModelSchema/identity``; `nil` when there is none.
    func find(_ identity: [StoredValue]) throws(SQLiteFailure) -> RowID? {
        let statement = try findStatement()
        for (n, value) in identity.enumerated() { statement.bind(value, at: Int32(n + 1)) }
        return try statement.firstRow()
    }

    /// `SELECT _id … WHERE identity = ?`, a parameter for each part; no row for embedded objects, which have none.
    func findStatement() throws(SQLiteFailure) -> RawStatement { try statement(.find) }

    /// ``selectRows`` with `WHERE _id = ?`.
    func rowStatement() throws(SQLiteFailure) -> RawStatement { try statement(.row) }

    /// ``selectRows`` of the row of an identity, with a parameter for each part.
    func identityRowStatement() throws(SQLiteFailure) -> RawStatement { try statement(.identityRow) }

    /// The key of an identity's row, or of one of an embedded object, what is said, and all columns; see `has(_:at:)`.
    func comparisonStatement() throws(SQLiteFailure) -> RawStatement { try statement(.comparison) }

    /// Whether the table has the row.
    func contains(_ row: RowID) throws(SQLiteFailure) -> Bool {
        let statement = try statement(.contains)
        statement.bind(row, at: 1)
        return try statement.firstRow() != nil
    }

    /// The value in a column; `null` when there is no such row.
    func value(of column: Column, in row: RowID) throws(SQLiteFailure) -> StoredValue {
        let statement = try statement(.value, column)
        statement.bind(row, at: 1)
        guard try statement.step() else { return .null }
        defer { statement.reset() }
        return statement.value(0)
    }

    /// The values in some columns; `nil` when there is no such row.
    func values(of columns: [Column], in row: RowID) throws(SQLiteFailure) -> [StoredValue]? {
        let statement = try selection(columns)
        statement.bind(row, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return columns.indices.map { statement.value(Int32($0)) }
    }

    /// The rows whose link references `target`, oldest first.
    func rows(referencing target: RowID, by column: Column) throws(SQLiteFailure) -> [RowID] {
        let statement = try statement(.referencing, column)
        statement.bind(target, at: 1)
        return try statement.rows()
    }

    /// Whether the link of some row references `target`.
    func hasRow(referencing target: RowID, by column: Column) throws(SQLiteFailure) -> Bool {
        let statement = try statement(.referencing, column)
        statement.bind(target, at: 1)
        return try statement.firstRow() != nil
    }

    /// The row with the largest key; `nil` when the table is empty.
    func lastRow() throws(SQLiteFailure) -> RowID? { try statement(.lastRow).firstRow() }

    /// The same of those that were made by a context, whose keys are negative.
    func lastMadeRow() throws(SQLiteFailure) -> RowID? { try statement(.lastMadeRow).firstRow() }

    // MARK: Writing rows

    /// The statement that inserts a row with these columns and what is said of it, and with the defaults of attributes
    /// that are not among them. Into a table without links, it updates the row that has the identity already, if any of
    /// that differs.
    func insertion(of columns: ColumnMask) throws(SQLiteFailure) -> RowStatement {
        try insertions.statement(of: columns) { columns throws(SQLiteFailure) in try makeInsertion(columns) }
    }

    /// The statement that updates those of the columns that differ, in one row, and adds to what is said of it.
    func update(of columns: ColumnMask) throws(SQLiteFailure) -> RowStatement {
        try updates.statement(of: columns) { columns throws(SQLiteFailure) in
            try makeUpdate(columns, sayingSo: true)
        }
    }

    /// Inserts a row with these values and no others.
    ///
    /// - Parameter unsent: the text of ``UnsentChanges``.
    /// - Throws: a failure that ``SQLiteFailure/isDuplicate`` when another row has the identity.
    func insert(
        _ values: [ColumnValue], as row: RowID, unsent: String?
    ) throws(SQLiteFailure) {
        let statement = try plainInsertions.statement(of: ColumnMask(values)) {
            columns throws(SQLiteFailure) in try makePlainInsertion(columns)
        }
        // The parameter behind those of the key and the columns.
        statement.statement.bind(unsent.map(StoredValue.text) ?? .null, at: Int32(values.count + 2))
        try statement.run(values, row)
    }

    /// Updates those of the values that differ. A row that comes under another owner comes last in its list.
    ///
    /// - Throws: a failure that ``SQLiteFailure/isDuplicate`` when another row has the identity.
    func update(_ values: [ColumnValue], in row: RowID) throws(SQLiteFailure) {
        guard !values.isEmpty else { return }
        let columns = ColumnMask(values)
        if model.isEmbedded { return try updateEmbedded(values, columns, in: row) }
        let statement = try plainUpdates.statement(of: columns) { columns throws(SQLiteFailure) in
            try makeUpdate(columns, sayingSo: false)
        }
        try statement.run(values, row)
    }

    /// The same with all that is known of the columns.
    func update(_ values: [(column: Column, value: StoredValue)], in row: RowID) throws(SQLiteFailure) {
        try update(values.map { ($0.column.index, $0.value) }, in: row)
    }

    /// No reply confirms what is edited of an embedded object by itself, so the edit is the last word on it.
    private func updateEmbedded(
        _ values: [ColumnValue], _ columns: ColumnMask, in row: RowID
    ) throws(SQLiteFailure) {
        let update = try update(of: columns)
        update.bind(SaidMask(columns: columns), unsaying: ColumnMask(), of: model)
        try update.run(values, row)
    }

    /// - Returns: whether there was such a row.
    @discardableResult
    func delete(_ row: RowID) throws(SQLiteFailure) -> Bool {
        let statement = try statement(.delete)
        statement.bind(row, at: 1)
        try statement.run()
        return connection.changes > 0
    }

    // MARK: Links

    /// Makes a column NULL, and where it is a link, the row's position in the list that is the inverse.
    func clear(_ column: Column, in row: RowID) throws(SQLiteFailure) {
        let statement = try statement(.clear, column)
        statement.bind(row, at: 1)
        try statement.run()
    }

    /// The same in every row whose link references `target`.
    func clear(_ column: Column, referencing target: RowID) throws(SQLiteFailure) {
        let statement = try statement(.clearReferencing, column)
        statement.bind(target, at: 1)
        try statement.run()
    }

    /// The same in every row but one whose link references `target`, for a link without a position.
    ///
    /// - Returns: the rows that were changed.
    func clear(
        _ column: Column, referencing target: RowID, exceptIn row: RowID?
    ) throws(SQLiteFailure) -> [RowID] {
        let statement = try statement(.clearOthers, column)
        statement.bind(target, at: 1)
        statement.bind(StoredValue(row), at: 2)
        return try statement.rows()
    }

    /// Makes a link reference `target`; a position in the list that is the inverse stays.
    ///
    /// - Returns: whether it was something else.
    @discardableResult
    func set(_ column: Column, to target: RowID, in row: RowID) throws(SQLiteFailure) -> Bool {
        try setLink(.set, column, to: target, in: row)
    }

    /// Makes a link reference `target` if it references nothing.
    ///
    /// - Returns: whether it does now.
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

    // MARK: What is said

    /// Which properties of a row somebody has said something of; `nil` when there is no such row.
    func said(of row: RowID) throws(SQLiteFailure) -> SaidMask? {
        let statement = try statement(.said)
        statement.bind(row, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        var said = SaidMask()
        // A column that has nothing reads as 0.
        for word in model.saidColumns.indices { said[word, of: model] = statement.integer(Int32(word)) }
        return said
    }

    /// Adds to what is said of a row.
    func note(_ said: SaidMask, of row: RowID) throws(SQLiteFailure) {
        guard !said.isEmpty else { return }
        let statement = try statement(.noteSaid)
        statement.bind(row, at: 1)
        for word in model.saidColumns.indices { statement.bind(said[word, of: model], at: Int32(word + 2)) }
        try statement.run()
    }

    /// Whether nobody has said of the row what a list is; not of a row that isn't there.
    func isUnsaid(_ list: PropertyIndex, of row: RowID) throws(SQLiteFailure) -> Bool {
        try said(of: row).map { !$0.contains(list, of: model) } ?? false
    }

    /// Notes that the server has said what the property is, or that it was made here.
    func noteSaid(_ property: PropertyIndex, of row: RowID) throws(SQLiteFailure) {
        var said = SaidMask()
        said.insert(property, of: model)
        try note(said, of: row)
    }

    /// Notes that nobody knows what the server says of the property.
    func noteUnsaid(_ property: PropertyIndex, of row: RowID) throws(SQLiteFailure) {
        var unsaid = SaidMask()
        unsaid.insert(property, of: model)
        try noteUnsaid(unsaid, of: row)
    }

    /// The same of several properties.
    func noteUnsaid(_ unsaid: SaidMask, of row: RowID) throws(SQLiteFailure) {
        guard let said = try said(of: row), case let rest = said.subtracting(unsaid), rest != said else { return }
        let statement = try statement(.setSaid)
        statement.bind(row, at: 1)
        for word in model.saidColumns.indices { statement.bind(rest[word, of: model], at: Int32(word + 2)) }
        try statement.run()
    }

    // MARK: Unsent changes

    /// The changes of a row that the server has not confirmed.
    func unsentChanges(of row: RowID) throws(SQLiteFailure) -> UnsentChanges {
        let statement = try statement(.unsent)
        statement.bind(row, at: 1)
        guard try statement.step() else { return UnsentChanges() }
        defer { statement.reset() }
        var changes = UnsentChanges(text: statement.isNull(0) ? nil : statement.text(0))
        // The property may have been sent when the file was written.
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

    /// Those of them with a link that was changed and of which the server has said something, that it leads to `target`
    /// where there is one; and few others.
    func rowsWithUnsentLink(_ column: Column, from target: RowID? = nil) throws(SQLiteFailure) -> [RowID] {
        let statement = try statement(.unsent, column)
        statement.bind(.text(UnsentChanges.mention(of: target)), at: 1)
        return try statement.rows()
    }

    /// Those of them that may have a changed identity of which the server has said something.
    func rowsWithUnsentIdentity() throws(SQLiteFailure) -> [RowID] { try statement(.rowsWithUnsentIdentity).rows() }

    // MARK: SQL

    private enum Purpose: Int, CaseIterable {
        case find, row, identityRow, comparison, contains, lastRow, lastMadeRow, delete, unsent, setUnsent,
            rowsWithUnsent, rowsWithUnsentIdentity, said, noteSaid, setSaid
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
        // Not `max(_id)`, which is NULL in one row when there are none.
        case .lastRow: "SELECT _id FROM \(table) ORDER BY _id DESC LIMIT 1"
        case .lastMadeRow: "SELECT _id FROM \(table) WHERE _id < 0 ORDER BY _id DESC LIMIT 1"
        case .delete: "DELETE FROM \(table) WHERE _id = ?"
        case .unsent: "SELECT _unsent FROM \(table) WHERE _id = ?"
        case .setUnsent: "UPDATE \(table) SET _unsent = ? WHERE _id = ?"
        case .rowsWithUnsent: unsent
        case .rowsWithUnsentIdentity:
            "\(unsent) AND \(UnsentChanges.sqlMention(ofAny: model.identity.map { model[$0].name }))"
        case .said: "SELECT \(model.saidColumns.joined(separator: ", ")) FROM \(table) WHERE _id = ?"
        case .noteSaid: noteSaidSQL
        case .setSaid:
            """
            UPDATE \(table) SET \(model.saidColumns.enumerated().map { "\($1) = ?\($0 + 2)" }.joined(separator: ", ")) \
            WHERE _id = ?1
            """
        }
    }

    private var noteSaidSQL: String {
        let words = model.saidColumns.enumerated().map { n, name in
            (name: name, known: "ifnull(\(name), 0)", said: "?\(n + 2)")
        }
        let sets = words.map { "\($0.name) = \($0.known) | \($0.said)" }.joined(separator: ", ")
        let differences = words.map { "\($0.known) & \($0.said) <> \($0.said)" }.joined(separator: " OR ")
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

    /// `INSERT … ON CONFLICT (identity) DO UPDATE SET … WHERE (any of them differs)`: an unchanged row is not written.
    ///
    /// Into a table with links, of which the row was looked up in vain, a plain `INSERT`.
    private func makeInsertion(_ mask: ColumnMask) throws(SQLiteFailure) -> RowStatement {
        let columns = model.columns.filter { mask.contains($0.index.rawValue) }
        let absent = model.columns.compactMap { column -> (column: Column, value: @Sendable () -> StoredValue)? in
            guard !mask.contains(column.index.rawValue), case .attribute(_, let value, _) = model[column.property].kind,
                !value().isNull
            else { return nil }
            return (column, value)
        }
        var sql = insertSQL(columns + absent.map(\.column), and: model.saidColumns)
        let identity = model.identityColumns
        if !model.hasLinks, !identity.isEmpty {
            let names = identity.map(\.sqlName).joined(separator: ", ")
            sql += " ON CONFLICT (\(names)) \(conflictAction(columns, said: columns.count + absent.count + 2))"
        }
        return RowStatement(
            try RawStatement(connection, sql), columns: columns.map(\.index), defaults: absent.map(\.value),
            said: columns.count + absent.count + 2, unsaid: model.hasLinks || identity.isEmpty ? 0 : model.saidWords)
    }

    private func makePlainInsertion(_ mask: ColumnMask) throws(SQLiteFailure) -> RowStatement {
        let columns = model.columns.filter { mask.contains($0.index.rawValue) }
        // What is made here has no other lists than it has here, and an embedded object has nothing else at all.
        var said = SaidMask()
        for property in model.properties where model.isEmbedded || property.list != nil {
            said.insert(property.index, of: model)
        }
        let words = model.saidColumns.enumerated().map { n, name in (name: name, value: said[n, of: model]) }
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

    /// - Parameter firstSaid: the number of the first parameter for what is said.
    private func conflictAction(_ columns: [Column], said firstSaid: Int) -> String {
        let changing = columns.filter { !model.identity.contains($0.property) }
        let sets = changing.map { column in
            "\(column.sqlName) = excluded.\(column.sqlName)"
                + resettingPosition(of: column, unless: "excluded.\(column.sqlName)")
        }
        let differences = changing.map { "\($0.sqlName) IS NOT excluded.\($0.sqlName)" }
        // With its table's name, as the row that was to be inserted has such a column too.
        let said = said(of: model.sqlName + ".", from: firstSaid)
        return """
            DO UPDATE SET \((sets + said.map(\.set)).joined(separator: ", ")) \
            WHERE \((differences + said.map(\.difference)).joined(separator: " OR "))
            """
    }

    /// For each column of what is said of a row, how it takes what is said and unsaid now, and whether that is news.
    ///
    /// - Parameters:
    ///   - table: what stands before the name of a column.
    ///   - first: the number of the first parameter for what is said; those for what is unsaid follow.
    private func said(of table: String = "", from first: Int) -> [(set: String, difference: String)] {
        model.saidColumns.enumerated().map { n, name in
            let (known, said) = ("ifnull(\(table)\(name), 0)", "?\(first + n)")
            guard n < model.saidWords else {
                return ("\(name) = \(known) | \(said)", "\(known) & \(said) <> \(said)")
            }
            let unsaid = "?\(first + model.saidColumns.count + n)"
            return ("\(name) = \(known) & ~\(unsaid) | \(said)", "\(known) & (\(said) | \(unsaid)) <> \(said)")
        }
    }

    /// `UPDATE … WHERE _id = ? AND (any of them differs)`.
    private func makeUpdate(_ mask: ColumnMask, sayingSo isSaid: Bool) throws(SQLiteFailure) -> RowStatement {
        let columns = model.columns.filter { mask.contains($0.index.rawValue) }
        let sets = columns.enumerated().map { n, column in
            "\(column.sqlName) = ?\(n + 2)" + resettingPosition(of: column, unless: "?\(n + 2)")
        }
        let differences = columns.enumerated().map { n, column in "\(column.sqlName) IS NOT ?\(n + 2)" }
        let said = isSaid ? said(from: columns.count + 2) : []
        let sql = """
            UPDATE \(model.sqlName) SET \((sets + said.map(\.set)).joined(separator: ", ")) \
            WHERE _id = ?1 AND (\((differences + said.map(\.difference)).joined(separator: " OR ")))
            """
        return RowStatement(
            try RawStatement(connection, sql), columns: columns.map(\.index), said: columns.count + 2,
            unsaid: model.saidWords)
    }

    /// A row that comes under another owner comes last in its list, whatever its position was in the former one's.
    private func resettingPosition(of column: Column, unless value: String) -> String {
        positions[column.index.rawValue].map { ", \($0) = CASE WHEN \(column.sqlName) IS \(value) THEN \($0) END" }
            ?? ""
    }
}

/// What a column is to have.
typealias ColumnValue = (column: ColumnIndex, value: StoredValue)

/// A statement that writes a row, and what its parameters are.
final class RowStatement {
    let statement: RawStatement
    /// The columns to bind, in the order of the parameters, the first of which is the row's key.
    let columns: [ColumnIndex]
    /// The parameters after those: what a new row has in columns that the JSON is silent about.
    let defaults: [@Sendable () -> StoredValue]
    /// The first of the parameters after those, for what is said of the row.
    private let firstSaid: Int32
    /// How many parameters there are behind those, for what is unsaid.
    private let unsaidWords: Int

    init(
        _ statement: RawStatement, columns: [ColumnIndex], defaults: [@Sendable () -> StoredValue] = [],
        said firstSaid: Int = 0, unsaid unsaidWords: Int = 0
    ) {
        self.statement = statement
        self.columns = columns
        self.defaults = defaults
        self.firstSaid = Int32(firstSaid)
        self.unsaidWords = unsaidWords
    }

    /// Binds what is said of the row.
    ///
    /// - Parameter unsaid: the columns that have their defaults now in place of what was said.
    @inline(__always)
    func bind(_ said: SaidMask, unsaying unsaid: ColumnMask, of model: ModelSchema) {
        var parameter = firstSaid
        for word in 0..<model.saidColumns.count {
            statement.bind(said[word, of: model], at: parameter)
            parameter += 1
        }
        for word in 0..<unsaidWords {
            statement.bind(unsaid[word: word], at: parameter)
            parameter += 1
        }
    }

    /// Runs the statement with values of exactly its columns, in any order.
    fileprivate func run(_ values: [ColumnValue], _ row: RowID) throws(SQLiteFailure) {
        statement.bind(row, at: 1)
        // They mostly come in the order of the columns.
        let isInOrder = values.indices.allSatisfy { values[$0].column == columns[$0] }
        let sorted = isInOrder ? values : values.sorted { $0.column < $1.column }
        for n in sorted.indices { statement.bind(sorted[n].value, at: Int32(n + 2)) }
        try statement.run()
    }
}

/// The statements that write rows, by the set of columns that they write.
private final class RowStatements {
    private var statements: [ColumnMask: RowStatement] = [:]
    private var last: (columns: ColumnMask, statement: RowStatement)?

    /// As many sets of columns as are kept; an API that sends more shapes than that pays for preparing them again.
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
