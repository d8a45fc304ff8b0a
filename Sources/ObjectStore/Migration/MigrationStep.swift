/// What turns a file into one for other models: steps, and the reasons why it can't be.
struct MigrationPlan: Sendable {
    var steps: [MigrationStep] = []
    /// Each tells what would be lost and what to do. Those that only the rows can tell are found by the steps
    /// themselves.
    var problems: [String] = []
    /// The tables whose models were left out: they stay as they are, until a step discards them.
    var retired: [DescribedTable] = []

    /// The tables that the steps so far drop.
    var dropped: [String] { steps.compactMap { if case .dropTable(let name) = $0 { name } else { nil } } }
}

/// One step of a migration, in the order in which they are taken. It names tables and columns; the SQL is the
/// ``MigrationRun``'s.
enum MigrationStep: Sendable {
    /// Changes that the server has not confirmed would be lost with the property: that ends the migration.
    case refuseUnsent(table: String, model: String, properties: [String])
    /// Notes which objects of a class have changes that the server has not confirmed, or lets go of these.
    case keepUnsent(UnsentClass)
    /// Such changes would be lost with the class of their objects: that ends the migration.
    case refuseUnsentClass(UnsentClass)
    case renameTable(String, to: String)
    /// Copies a list's or a link's members aside, before what keeps them changes.
    case keepMembers(KeptMembers)
    /// Brings what is said of each row to the places that the new models give their properties.
    case placeSaid(SaidPlacement)
    case dropIndex(String)
    case dropTable(String)
    case addTable(String, statement: String)
    case renameColumn(table: String, from: String, to: String)
    /// Costs nothing for each row: SQLite gives a row that is shorter the default.
    case addColumn(table: String, ColumnLayout, default: StoredValue)
    case fillNulls(table: String, column: String, StoredValue)
    case rebuild(TableRebuild)
    case restoreMembers(KeptMembers)
    case updateUnsent(UnsentUpdate)
    case updateRelationshipNotes(RelationshipNotesUpdate)
    case updateShapes(WireShapesUpdate)
    /// Rows that have one identity now become one.
    case unify(tables: [TableID])
    case addIndex(String, statement: String)
}

/// A table that is made anew and filled from the old one, as https://sqlite.org/lang_altertable.html#otheralter has it.
struct TableRebuild: Sendable {
    let model: ModelSchema
    /// The statement that makes the new table under its final name.
    let statement: String
    /// What fills each column.
    let columns: [(name: String, source: ColumnSource)]
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

/// What is said of a table's rows, in the places of the new properties (``SaidMask``), of what the old table has.
struct SaidPlacement: Sendable {
    let table: String
    /// The columns that the table lacks for it.
    let added: [String]
    /// What each of the columns becomes.
    let values: [(column: String, expression: String)]

    /// The column, of the old table alone, with whether something was said of what a step in code replaces.
    static func column(ofStep number: Int) -> String { "_said_before_\(number)" }
}

/// The members of a list or link, on their way from one kind of storage to another.
struct KeptMembers: Sendable {
    /// The table that holds them meanwhile.
    let name: String
    /// The model and property, for messages.
    let property: String
    let source: MemberStorage
    let destination: MemberStorage
}

/// Where the members of a relationship are kept.
enum MemberStorage: Sendable {
    /// In the owner's row, which has room for one.
    case link(table: String, column: String)
    /// In the members' rows, which have room for one owner; `position` is nil when the file keeps no order.
    case column(table: String, column: String, position: String?)
    case join(String, isReversed: Bool)
}

/// What becomes of the notes of unsent changes in a table's rows.
struct UnsentUpdate: Sendable {
    let table: String
    /// New names, by the old ones.
    var renamed: [String: String] = [:]
    var removed: Set<String> = []
    /// By the old name: how the value that the server last confirmed is converted; `nil` when it can't be.
    var converted: [String: ValueConversion?] = [:]
    /// By the old name: lists whose members may be known by something else now.
    var renamedMembers: Set<String> = []
    /// Whether steps in code may have set properties, whose new names are noted with ``stepMark``.
    var hasSteps = false

    var isEmpty: Bool {
        renamed.isEmpty && removed.isEmpty && converted.isEmpty && renamedMembers.isEmpty && !hasSteps
    }

    /// Stands before the new name of what a step in code has set, as that may be another property's old one. No name
    /// begins with it.
    static let stepMark = "\u{1}"
}

/// Objects that are sent as something else now, or not at all: what is unsent of them would be lost.
struct UnsentClass: Sendable {
    /// The rows of a class, by their discriminator, whole numbers as text.
    struct Rows: Sendable {
        let column: String
        let values: [String]
        /// Whether they are those with none of the values.
        var isOthers = false
    }

    /// The class's name.
    let model: String
    /// What has become of it, for messages.
    let change: String
    /// The table by its old name, and by the new one.
    let table: String
    let newTable: String
    /// Which of its rows are the class's; `nil` for all.
    var rows: Rows?
    /// Which of the rows stay what they are; `nil` for none.
    var staying: Rows?
    /// Whether a step in code lets go of what is unsent.
    var isDiscarded = false

    /// The table that holds the rows meanwhile.
    var name: String { "_unsent_\(table)_\(model)" }
}

/// What becomes of pending links, and of the notes of lists that came in parts.
struct RelationshipNotesUpdate: Sendable {
    /// By the table's new name.
    var renamed: [(table: String, from: String, to: String)] = []
    var removed: [(table: String, property: String)] = []
    /// Tables that are gone, or whose rows have another identity now.
    var lostTargets: [String] = []
    var lostSources: [String] = []

    var isEmpty: Bool { renamed.isEmpty && removed.isEmpty && lostTargets.isEmpty && lostSources.isEmpty }
}

/// What becomes of what is known of how the server writes each property, by the tables' new names.
struct WireShapesUpdate: Sendable {
    var renamed: [(table: String, from: String, to: String)] = []
    /// Properties that are gone, or have values of another kind now.
    var removed: [(table: String, property: String)] = []
    var lostTables: [String] = []

    var isEmpty: Bool { renamed.isEmpty && removed.isEmpty && lostTables.isEmpty }
}

// MARK: In words

extension MigrationStep: CustomStringConvertible {
    var description: String {
        switch self {
        case .refuseUnsent(let table, _, let properties):
            "check that \(properties.joined(separator: ", ")) of \"\(table)\" may go"
        case .keepUnsent(let unsent): "look for unsent changes of \(unsent.model)"
        case .refuseUnsentClass(let unsent): "check that \(unsent.model) keeps its unsent changes"
        case .renameTable(let old, let new): "rename the table \"\(old)\" to \"\(new)\""
        case .keepMembers(let members): "put the members of \(members.property) aside"
        case .placeSaid(let said): "note of which properties of \"\(said.table)\" something is known"
        case .dropIndex(let name): "drop the index \"\(name)\""
        case .dropTable(let name): "drop the table \"\(name)\""
        case .addTable(let name, _): "add the table \"\(name)\""
        case .renameColumn(let table, let old, let new): "rename the column \"\(old)\" of \"\(table)\" to \"\(new)\""
        case .addColumn(let table, let column, _): "add the column \"\(column.name)\" to \"\(table)\""
        case .fillNulls(let table, let column, _): "give \"\(column)\" of \"\(table)\" its default where it is null"
        case .rebuild(let rebuild): "write the table \"\(rebuild.model.tableName)\" anew" + rebuild.changes
        case .restoreMembers(let members): "store the members of \(members.property)"
        case .updateUnsent(let update): "update the unsent changes of \"\(update.table)\""
        case .updateRelationshipNotes: "update the links that wait for their targets, and which lists came in parts"
        case .updateShapes: "update how the server writes each property"
        case .unify: "make rows of one identity one"
        case .addIndex(let name, _): "add the index \"\(name)\""
        }
    }

    /// The table of which many rows are written.
    var rowTable: String? {
        switch self {
        case .rebuild(let rebuild): rebuild.model.tableName
        default: nil
        }
    }
}

extension TableRebuild {
    /// `: converts "size", drops "title"`; a dropped column beside an added one may be a rename that was not declared.
    fileprivate var changes: String {
        var kept: Set<String> = []
        var words: [String] = []
        for (name, source) in columns {
            switch source {
            case .copy(let old), .fill(let old, _):
                kept.insert(old)
                if old != name { words.append("renames \"\(old)\" to \"\(name)\"") }
            case .convert(let old, _):
                kept.insert(old)
                words.append("converts \"\(old)\"" + (old == name ? "" : " to \"\(name)\""))
            case .constant: if !name.hasPrefix("_") { words.append("adds \"\(name)\"") }
            }
        }
        words += oldColumns.filter { !kept.contains($0.column) }.map { "drops \"\($0.column)\"" }
        words += steps.map { "applies \"\($0.migration)\"" }
        return words.isEmpty ? "" : ": " + words.joined(separator: ", ")
    }
}
