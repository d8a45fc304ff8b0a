struct MigrationPlan: Sendable {
    var steps: [MigrationStep] = []
    /// Data that would be lost, with a remedy. Steps find the problems that depend on rows.
    var problems: [String] = []
    /// Tables without a model. They stay until a step in code discards them.
    var retired: [DescribedTable] = []

    var dropped: [String] { steps.compactMap { if case .dropTable(let name) = $0 { name } else { nil } } }
    var emptied: [String] { steps.compactMap { if case .emptyTable(let name) = $0 { name } else { nil } } }
}

/// ``MigrationRun`` has the SQL.
enum MigrationStep: Sendable {
    /// Refuses the migration if these removed properties have pending edits.
    case refuseUnsent(table: String, model: String, properties: [String])
    /// Records the objects of a class with pending edits, or discards these edits.
    case keepUnsent(UnsentClass)
    /// Refuses the migration if the recorded objects would lose their edits with their class.
    case refuseUnsentClass(UnsentClass)
    case renameTable(String, to: String)
    /// Copies members aside before their storage changes.
    case keepMembers(KeptMembers)
    case updateLoaded(LoadedUpdate)
    case dropIndex(String)
    case dropTable(String)
    /// Deletes all rows, and clears the links to them.
    case emptyTable(String)
    case addTable(String, statement: String)
    case renameColumn(table: String, from: String, to: String)
    /// Takes constant time: SQLite gives the default to rows that lack the column.
    case addColumn(table: String, ColumnLayout, default: StoredValue)
    case fillNulls(table: String, column: String, StoredValue)
    case rebuild(TableRebuild)
    case restoreMembers(KeptMembers)
    case updateUnsent(UnsentUpdate)
    case updateRelationshipNotes(RelationshipNotesUpdate)
    case updateShapes(WireShapesUpdate)
    case unify(tables: [TableID])
    case addIndex(String, statement: String)
}

/// See https://sqlite.org/lang_altertable.html#otheralter.
struct TableRebuild: Sendable {
    let model: ModelSchema
    /// The SQL with the table's final name.
    let statement: String
    let columns: [(name: String, source: ColumnSource)]
    let oldColumns: [(property: String, column: String)]
    let steps: [RowStep]

    /// Whether rows are converted in code, rather than copied within SQLite.
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

    var oldColumn: String? {
        switch self {
        case .copy(let old), .fill(let old, _), .convert(let old, _), .fillEach(let old, _): old
        case .constant, .each: nil
        }
    }
}

/// The bits of ``LoadedMask``, computed from the old table.
struct LoadedUpdate: Sendable {
    let table: String
    let added: [String]
    let values: [(column: String, expression: String)]
    /// The same for the rows of queued deletions: the columns, and the properties' former and new bits.
    let columns: [String]
    let moves: [(from: LoadedBit, to: LoadedBit)]

    /// A temporary column: whether properties that a step replaces were loaded.
    static func column(ofStep number: Int) -> String { "_said_before_\(number)" }
}

struct KeptMembers: Sendable {
    let name: String
    /// The property, for messages.
    let property: String
    /// The former name, for messages.
    let formerProperty: String
    /// The table with its new name, the relationship with its old one.
    let owner: String
    let formerName: String
    let source: MemberStorage
    let destination: MemberStorage
    /// Whether pending edits of the members are dropped.
    let isDiscarded: Bool
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
    /// The conversion of the base. Nil drops the base.
    var converted: [String: ValueConversion?] = [:]
    /// Lists whose members may have new keys, by old name.
    var renamedMembers: Set<String> = []
    /// Whether steps in code may have set properties. Their edits are named with ``stepMark``.
    var hasSteps = false

    var isEmpty: Bool {
        renamed.isEmpty && removed.isEmpty && converted.isEmpty && renamedMembers.isEmpty && !hasSteps
    }

    /// Precedes the new name of a property that a step has set, which may also be an old name. No property name begins
    /// with it.
    static let stepMark = "\u{1}"
}

/// Objects whose class has changed, so that their pending edits would be lost.
struct UnsentClass: Sendable {
    /// Rows selected by discriminator. Integers are converted to text.
    struct Rows: Sendable {
        let column: String
        let values: [String]
        /// Whether these are all rows except those with `values`.
        var isOthers = false
    }

    struct JoinedList: Sendable {
        let property: String
        let join: String
        let isReversed: Bool
    }

    /// The class's name.
    let model: String
    /// The change, for messages.
    let change: String
    let table: String
    let newTable: String
    /// The class's rows. Nil for all.
    var rows: Rows?
    /// The rows that keep this class; nil if all have lost it.
    var staying: Rows?
    var isDiscarded = false
    /// The table's lists.
    var lists: [JoinedList] = []

    /// A temporary table's name.
    var name: String { "_unsent_\(table)_\(model)" }
}

struct RelationshipNotesUpdate: Sendable {
    /// By the table's new name.
    var renamed: [(table: String, from: String, to: String)] = []
    var removed: [(table: String, property: String)] = []
    /// Dropped tables, and tables with a new identity.
    var lostTargets: [String] = []
    var lostSources: [String] = []

    var isEmpty: Bool { renamed.isEmpty && removed.isEmpty && lostTargets.isEmpty && lostSources.isEmpty }
}

/// By the tables' new names.
struct WireShapesUpdate: Sendable {
    var renamed: [(table: String, from: String, to: String)] = []
    /// Properties that are removed, or have another kind of values.
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
        case .updateLoaded(let loadedUpdate): "note of which properties of \"\(loadedUpdate.table)\" something is known"
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

    /// Nil unless the step writes all of the table's rows.
    var rowTable: String? {
        switch self {
        case .rebuild(let rebuild): rebuild.model.tableName
        default: nil
        }
    }
}

extension TableRebuild {
    /// `: converts "size", drops "title"`. A column dropped beside an added one may be an undeclared rename.
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
