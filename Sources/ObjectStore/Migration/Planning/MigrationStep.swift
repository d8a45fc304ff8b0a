/// One step of a migration, in the order in which they are taken.
enum MigrationStep: Sendable {
    /// Changes that the server has not confirmed would be lost with the property: that ends the migration.
    case refuseUnsent(table: String, model: String, properties: [String])
    case renameTable(String, to: String)
    /// Copies a list's or a link's members aside, before what keeps them changes.
    case keepMembers(KeptMembers)
    case dropIndex(String)
    case dropTable(String)
    /// A new table, and what it is for.
    case addTable(String, statement: String)
    case renameColumn(table: String, from: String, to: String)
    /// Costs nothing for each row: SQLite gives a row that is shorter the default.
    case addColumn(table: String, ColumnLayout, default: StoredValue)
    case fillNulls(table: String, column: String, StoredValue)
    case rebuild(TableRebuild)
    case restoreMembers(KeptMembers)
    case updateUnsent(UnsentUpdate)
    case updatePendingLinks(PendingLinksUpdate)
    /// Rows that have one identity now become one.
    case unite(tables: [Int])
    case addIndex(String, statement: String)
}

/// A table that is made anew and filled from the old one, as https://sqlite.org/lang_altertable.html#otheralter says.
struct TableRebuild: Sendable {
    let table: String
    let model: String
    /// The statement that makes the new table under its final name.
    let statement: String
    /// What fills each column.
    let columns: [(name: String, source: ColumnSource)]
    /// The index of the class's own table in the schema.
    let index: Int
    /// The old properties, by name, with their columns.
    let oldColumns: [(property: String, column: String)]
    let steps: [RowStep]

    /// Whether each row goes through code, rather than from table to table within SQLite.
    var convertsRows: Bool {
        !steps.isEmpty || columns.contains { if case .convert = $0.source { true } else { false } }
    }
}

/// What fills a column of a new table.
enum ColumnSource: Sendable {
    case copy(String)
    /// The old column, and a value for its nulls.
    case fill(String, StoredValue)
    case convert(String, ValueConversion)
    case constant(StoredValue)
}

/// The members of a list or link, on their way from one kind of storage to another.
struct KeptMembers: Sendable {
    /// The table that holds them meanwhile.
    let name: String
    /// The model and property, for messages.
    let property: String
    /// Gives owner, member and place.
    let query: String
    let destination: Destination

    enum Destination: Sendable {
        case link(table: String, column: String)
        case column(table: String, column: String, position: String)
        case join(String, isReversed: Bool)
    }
}

/// What becomes of the notes of unsent changes in a table's rows.
struct UnsentUpdate: Sendable {
    let table: String
    /// New names, by the old ones.
    var renamed: [String: String] = [:]
    var removed: Set<String> = []
    /// By the old name: how what the server last said is converted; `nil` where it can't be.
    var converted: [String: ValueConversion?] = [:]

    var isEmpty: Bool { renamed.isEmpty && removed.isEmpty && converted.isEmpty }
}

/// What becomes of links that wait for their targets.
struct PendingLinksUpdate: Sendable {
    /// By the table's new name.
    var renamed: [(table: String, from: String, to: String)] = []
    var removed: [(table: String, property: String)] = []
    /// Tables that are gone, or whose rows have another identity now.
    var lostTargets: [String] = []
    var lostSources: [String] = []

    var isEmpty: Bool { renamed.isEmpty && removed.isEmpty && lostTargets.isEmpty && lostSources.isEmpty }
}
