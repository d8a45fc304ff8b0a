/// Steps that adapt a file to other models, and problems that prevent it.
struct MigrationPlan: Sendable {
    var steps: [MigrationStep] = []
    /// Each describes data that would be lost, and a remedy. Problems that depend on the rows are found by the steps
    /// themselves.
    var problems: [String] = []
    /// Tables without a model. They stay unchanged until a step in code discards them.
    var retired: [DescribedTable] = []

    var dropped: [String] { steps.compactMap { if case .dropTable(let name) = $0 { name } else { nil } } }
    var emptied: [String] { steps.compactMap { if case .emptyTable(let name) = $0 { name } else { nil } } }
}

/// A step of a migration. It names tables and columns; ``MigrationRun`` has the SQL.
enum MigrationStep: Sendable {
    /// Ends the migration if removed properties have pending edits.
    case refuseUnsent(table: String, model: String, properties: [String])
    /// Records which objects of a class have pending edits, or discards these edits.
    case keepUnsent(UnsentClass)
    /// Ends the migration if the recorded objects would lose their pending edits with their class.
    case refuseUnsentClass(UnsentClass)
    case renameTable(String, to: String)
    /// Copies members to a temporary table before their storage changes.
    case keepMembers(KeptMembers)
    /// Moves the bits of ``SaidMask`` to the new models' bit numbers.
    case placeSaid(SaidPlacement)
    case dropIndex(String)
    case dropTable(String)
    /// Deletes all rows, and clears the links to them.
    case emptyTable(String)
    case addTable(String, statement: String)
    case renameColumn(table: String, from: String, to: String)
    /// Takes constant time: SQLite uses the default for rows that lack the column.
    case addColumn(table: String, ColumnLayout, default: StoredValue)
    case fillNulls(table: String, column: String, StoredValue)
    case rebuild(TableRebuild)
    case restoreMembers(KeptMembers)
    case updateUnsent(UnsentUpdate)
    case updateRelationshipNotes(RelationshipNotesUpdate)
    case updateShapes(WireShapesUpdate)
    /// Unifies rows with the same identity.
    case unify(tables: [TableID])
    case addIndex(String, statement: String)
}

/// A table that is rebuilt and filled from the old one (https://sqlite.org/lang_altertable.html#otheralter).
struct TableRebuild: Sendable {
    let model: ModelSchema
    /// The statement that creates the table, with its final name.
    let statement: String
    let columns: [(name: String, source: ColumnSource)]
    let oldColumns: [(property: String, column: String)]
    let steps: [RowStep]

    /// Whether each row is converted in code, rather than copied within SQLite.
    var convertsRows: Bool {
        !steps.isEmpty
            || columns.contains { _, source in
                switch source {
                case .convert, .each, .fillEach: true
                case .copy, .fill, .constant: false
                }
            }
    }
}

enum ColumnSource: Sendable {
    case copy(String)
    /// The old column, and a value to replace its nulls.
    case fill(String, StoredValue)
    case convert(String, ValueConversion)
    case constant(StoredValue)
    /// A default that may differ for each row.
    case each(of: Property)
    /// The old column, and a default for each of its nulls.
    case fillEach(String, of: Property)

    /// The old column that has the values.
    var oldColumn: String? {
        switch self {
        case .copy(let old), .fill(let old, _), .convert(let old, _), .fillEach(let old, _): old
        case .constant, .each: nil
        }
    }
}

/// The bits of ``SaidMask`` for the new properties, computed from the old table.
struct SaidPlacement: Sendable {
    let table: String
    /// The columns to add to the old table.
    let added: [String]
    let values: [(column: String, expression: String)]

    /// A temporary column: whether the properties replaced by a step in code had known values.
    static func column(ofStep number: Int) -> String { "_said_before_\(number)" }
}

struct KeptMembers: Sendable {
    /// The temporary table with the members.
    let name: String
    /// For messages.
    let property: String
    let source: MemberStorage
    let destination: MemberStorage
}

enum MemberStorage: Sendable {
    /// In the owner's row: one member.
    case link(table: String, column: String)
    /// In the members' rows: one owner each. `position` is nil if the file has no order.
    case column(table: String, column: String, position: String?)
    case join(String, isReversed: Bool)
}

struct UnsentUpdate: Sendable {
    let table: String
    /// New names by old names.
    var renamed: [String: String] = [:]
    var removed: Set<String> = []
    /// By old name: the conversion of the base. Nil drops the base.
    var converted: [String: ValueConversion?] = [:]
    /// By old name: lists with members that may have new keys.
    var renamedMembers: Set<String> = []
    /// Whether steps in code may have set properties. Their pending edits have names with ``stepMark``.
    var hasSteps = false

    var isEmpty: Bool {
        renamed.isEmpty && removed.isEmpty && converted.isEmpty && renamedMembers.isEmpty && !hasSteps
    }

    /// A prefix for the new name of a property that a step in code has set, since the name may also be an old one. No
    /// property name begins with it.
    static let stepMark = "\u{1}"
}

/// Objects of a class that are no longer sent, or sent as another class. Their pending edits would be lost.
struct UnsentClass: Sendable {
    /// The rows of a class, by discriminator. Integers are converted to text.
    struct Rows: Sendable {
        let column: String
        let values: [String]
        /// Whether these are all rows except those with `values`.
        var isOthers = false
    }

    /// The class's name.
    let model: String
    /// For messages.
    let change: String
    /// The old table name.
    let table: String
    let newTable: String
    /// The rows of the class. Nil for all.
    var rows: Rows?
    /// The rows that remain of this class. Nil for none.
    var staying: Rows?
    var isDiscarded = false

    /// The temporary table with the rows.
    var name: String { "_unsent_\(table)_\(model)" }
}

/// Changes to pending links, and to the records of partial lists.
struct RelationshipNotesUpdate: Sendable {
    /// By the table's new name.
    var renamed: [(table: String, from: String, to: String)] = []
    var removed: [(table: String, property: String)] = []
    /// Dropped tables, and tables with a new identity.
    var lostTargets: [String] = []
    var lostSources: [String] = []

    var isEmpty: Bool { renamed.isEmpty && removed.isEmpty && lostTargets.isEmpty && lostSources.isEmpty }
}

/// Changes to the learned formats of values, by the tables' new names.
struct WireShapesUpdate: Sendable {
    var renamed: [(table: String, from: String, to: String)] = []
    /// Properties that were removed or have another kind of values.
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
        case .emptyTable(let name): "empty the table \"\(name)\""
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

    /// The table, if the step writes all of its rows.
    var rowTable: String? {
        switch self {
        case .rebuild(let rebuild): rebuild.model.tableName
        default: nil
        }
    }
}

extension TableRebuild {
    /// `: converts "size", drops "title"`. A dropped column next to an added one may be an undeclared rename.
    fileprivate var changes: String {
        var kept: Set<String> = []
        var words: [String] = []
        for (name, source) in columns {
            switch source {
            case .copy(let old), .fill(let old, _), .fillEach(let old, _):
                kept.insert(old)
                if old != name { words.append("renames \"\(old)\" to \"\(name)\"") }
            case .convert(let old, _):
                kept.insert(old)
                words.append("converts \"\(old)\"" + (old == name ? "" : " to \"\(name)\""))
            case .constant, .each: if !name.hasPrefix("_") { words.append("adds \"\(name)\"") }
            }
        }
        words += oldColumns.filter { !kept.contains($0.column) }.map { "drops \"\($0.column)\"" }
        words += steps.map { "applies \"\($0.migration)\"" }
        return words.isEmpty ? "" : ": " + words.joined(separator: ", ")
    }
}
