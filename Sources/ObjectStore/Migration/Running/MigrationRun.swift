/// Takes the steps of a plan within the running transaction. What only the rows can tell to be impossible is collected, so
/// that it is said together; then nothing of it is kept.
struct MigrationRun {
    let schema: Schema
    let connection: Connection
    let progress: (@Sendable (MigrationProgress) -> Void)?
    var problems: [String] = []
    /// The step that is being taken, from 1, and how many there are.
    private var number = 0
    private var count = 0
    private var step: MigrationStep?

    /// How many rows are written between two calls of the progress.
    static let rowsAtATime: Int64 = 20_000

    init(
        schema: Schema, connection: Connection, progress: (@Sendable (MigrationProgress) -> Void)?
    ) {
        self.schema = schema
        self.connection = connection
        self.progress = progress
    }

    mutating func take(_ steps: [MigrationStep]) throws {
        count = steps.count
        for step in steps {
            number += 1
            self.step = step
            report(0, of: 0)
            try take(step)
        }
    }

    private mutating func take(_ step: MigrationStep) throws {
        switch step {
        case .refuseUnsent(let table, let model, let properties): try refuseUnsent(table, model, properties)
        case .renameTable(let old, let new):
            try connection.execute("ALTER TABLE \(SQL.quoted(old)) RENAME TO \(SQL.quoted(new))")
            try renamePendingLinks(old, to: new)
        case .keepMembers(let members): try keep(members)
        case .dropIndex(let name): try connection.execute("DROP INDEX IF EXISTS \(SQL.quoted(name))")
        case .dropTable(let name): try connection.execute("DROP TABLE IF EXISTS \(SQL.quoted(name))")
        case .addTable(_, let statement), .addIndex(_, let statement): try connection.execute(statement)
        case .renameColumn(let table, let old, let new):
            try connection.execute(
                "ALTER TABLE \(SQL.quoted(table)) RENAME COLUMN \(SQL.quoted(old)) TO \(SQL.quoted(new))")
        case .addColumn(let table, let column, let value): try add(column, value, to: table)
        case .fillNulls(let table, let column, let value): try fill(table, column, value)
        case .rebuild(let rebuild): try self.rebuild(rebuild)
        case .restoreMembers(let members): try restore(members)
        case .updateUnsent(let update): try updateUnsent(update)
        case .updatePendingLinks(let update): try updatePendingLinks(update)
        case .unite(let tables): try unite(tables)
        }
    }

    func report(_ done: Int64, of total: Int64) {
        guard let progress, let step else { return }
        progress(
            MigrationProgress(
                step: step.description, number: number, count: count, table: step.rowTable, rowsDone: Int(done),
                rowsTotal: Int(total)))
    }

    private func add(_ column: ColumnLayout, _ value: StoredValue, to table: String) throws {
        var definition = column.definition
        if !value.isNull, let literal = SQL.literal(value) { definition += " DEFAULT \(literal)" }
        try connection.execute("ALTER TABLE \(SQL.quoted(table)) ADD COLUMN \(definition)")
    }

    private func fill(_ table: String, _ column: String, _ value: StoredValue) throws {
        let name = SQL.quoted(column)
        let statement = try RawStatement(
            connection, "UPDATE \(SQL.quoted(table)) SET \(name) = ? WHERE \(name) IS NULL")
        statement.bind(value, at: 1)
        try statement.run()
    }
}
