/// Brings a file to what the models declare, in one transaction: all of it is in the file afterwards, or nothing.
///
/// ```
/// SchemaDescription    what the models declare, and the statements that make such a file; as one text
///       │
/// FileRecord ───────── the file has that text: nothing to do, nothing is written
///       │ else, in a transaction, without the triggers
/// FileLayout ───────── the tables that the file has
///       │       └───── none: the statements make them
/// MigrationPlanner     from what made the file, and its layout, to what the models declare: a plan
///       │
/// MigrationRun         takes the plan's steps; many rows go through a RowConversion, duplicates are unified
///       │
/// SearchMigration      makes full text indexes anew whose text may have changed
///       │
/// FileRecord           the text and the names of the steps in code, for the next time
/// ```
struct StoreOpening {
    /// The format of the file beyond the models' own tables. A file with a higher one was made by a newer version.
    ///
    /// 1: no description of the models. 2: `_schema` and `_migration`. 3: for each list whether it was named. 4: the
    /// same for each property, see ``SaidMask``. 5: the server's answers, see ``StoredAnswer``. 6: how far lists have
    /// been listed, see ``Listing``. 7: of answers, how long each may be used while it is asked for. 8: the last rows
    /// of tables, where they are deleted. 9: values that can't be written again as they came, lists in which the server
    /// has a member twice, the owners of rows that whole lists have left out, and search by words of every script, see
    /// ``SearchTokenizer``. 10: edits of memberships that wait to be sent, each by itself, see ``PairEdit``.
    /// 11: the facts of requests without an outcome, see ``SendMark``. 12: the outbox, see ``QueuedWrite``.
    /// 13: validators for conditional writes, see ``ConditionalWrites``. 14: the outbox by subject, without a second
    /// index, and the versions of objects whose deletion was pushed.
    static let formatVersion: Int64 = 14

    private let schema: Schema
    private let connection: Connection
    private let options: StoreOptions
    /// What the models declare, and the same as the file keeps it.
    private let description: SchemaDescription
    private let text: String

    init(_ schema: Schema, on connection: Connection, options: StoreOptions) {
        self.schema = schema
        self.connection = connection
        self.options = options
        description = SchemaDescription(schema)
        text = description.text
    }

    /// When nothing has changed since the file was last opened, this compares one text and writes nothing.
    ///
    /// - Throws: ``StoreError/file(_:path:)`` when the file is newer, or has something that these models would lose.
    func prepare() throws {
        if try isCurrent() { return }
        try checkMigrations()
        // Tables are made anew under their own names, which enforced links would take for a deletion. The pragma does
        // nothing within a transaction (https://sqlite.org/pragma.html#pragma_foreign_keys).
        try connection.execute("PRAGMA foreign_keys = OFF")
        defer { try? connection.execute("PRAGMA foreign_keys = ON") }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have been faster.
            if try !isCurrent() { try migrate() }
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            connection.forgetStatements()
            guard let failure = error as? MigrationFailure else { throw error }
            throw StoreError.file(
                .migrationFailed(failure.migration, "\(failure.error)"), path: connection.path)
        }
        connection.forgetStatements()
    }

    /// Whether the file was last opened with these models, and has been through every step that is for them.
    private func isCurrent() throws -> Bool {
        let version = try connection.integer("PRAGMA user_version")
        guard version <= Self.formatVersion else {
            throw StoreError.file(.newerVersion(Int(version)), path: connection.path)
        }
        guard version == Self.formatVersion else { return false }
        let record = try FileRecord(connection)
        return record.models == text
            && options.migrations.allSatisfy { record.applied.contains($0.name) || isForOthers($0) }
    }

    private func checkMigrations() throws(StoreError) {
        let names = Dictionary(grouping: options.migrations, by: \.name).filter { $1.count > 1 }.keys.sorted()
        var problems = names.map { "two migrations are called \"\($0)\"; a file remembers each by its name" }
        // A row's class is what its discriminator says, which the step may be about to set.
        for step in options.migrations.flatMap(\.rowSteps) {
            guard let model = schema.model(for: step.model), !model.submodel.isRoot else { continue }
            let root = schema[model.table].modelName
            problems.append(
                "the migration \"\(step.migration)\" is of \(model.modelName), whose rows are \(root)'s: write it with "
                    + "`rows(of: \(root).self)`")
        }
        guard problems.isEmpty else { throw .models(problems) }
    }

    /// Whether all steps in code are of models that the store is opened without: they wait for an opening with these.
    private func isForOthers(_ migration: Migration) -> Bool {
        !migration.rowSteps.isEmpty && migration.rowSteps.allSatisfy { schema.model(for: $0.model) == nil }
    }

    /// A file remembers a migration as a whole, so that it can't be through a part of its steps.
    private func problem(of migration: Migration) -> String? {
        guard !isForOthers(migration),
            let step = migration.rowSteps.first(where: { schema.model(for: $0.model) == nil })
        else { return nil }
        return
            "the migration \"\(migration.name)\" is of \(step.model) too, which is not among the store's models: open "
            + "the file with it, or make two migrations"
    }

    private func migrate() throws {
        var record = try FileRecord(connection)
        let layout = try FileLayout(connection)
        let search = try SearchMigration(schema, on: connection)
        try search.takeApart()
        var plan = MigrationPlan()
        try schema.withoutTriggers(on: connection) {
            if layout.hasModels {
                plan = try change(layout, record)
                record.retired =
                    plan.retired.isEmpty
                    ? nil : SchemaDescription(tables: plan.retired, statements: []).text
            } else {
                for statement in schema.creationStatements { try connection.execute(statement) }
            }
        }
        try search.putTogether { plan.changesText(of: $0.tableName) }
        record.models = text
        let taken = layout.hasModels ? options.migrations.filter { !isForOthers($0) } : options.migrations
        record.applied.formUnion(taken.map(\.name))
        try record.write(connection)
        try connection.execute("PRAGMA user_version = \(Self.formatVersion)")
    }

    /// - Returns: what was done.
    private func change(_ layout: FileLayout, _ record: FileRecord) throws -> MigrationPlan {
        let migrations = options.migrations.filter { !record.applied.contains($0.name) && !isForOthers($0) }
        var planner = MigrationPlanner(
            schema: schema, old: try describedTables(layout, record), oldLayout: layout,
            newLayout: try FileLayout(madeBy: description.statements), migrations: migrations)
        let plan = planner.makePlan()
        var run = MigrationRun(schema: schema, connection: connection, progress: options.migrationProgress)
        // What was stored of an answer is not what it would be stored as now.
        try connection.execute("DROP TABLE IF EXISTS _answer")
        let outbox = try run.putOutboxAside()
        for statement in Schema.bookkeepingStatements { try connection.execute(statement) }
        if let outbox { try run.moveOutbox(from: outbox) }
        try connection.execute("DELETE FROM _listing")
        try run.moveSendMarks(from: layout)
        if plan.problems.isEmpty { try run.take(plan.steps) }
        let problems = migrations.compactMap(problem) + plan.problems + run.problems
        guard problems.isEmpty else { throw StoreError.file(.modelsChanged(problems), path: connection.path) }
        try checkLinks()
        return plan
    }

    /// What the file was made by: as its record has it, or as far as its tables tell.
    private func describedTables(_ layout: FileLayout, _ record: FileRecord) throws -> [DescribedTable] {
        guard let models = record.models else { return SchemaDescription(derivedFrom: layout, for: schema).tables }
        let descriptions = try [models, record.retired].compactMap(\.self).map { text in
            if let version = SchemaDescription.version(of: text), version > SchemaDescription.newestVersion {
                throw StoreError.file(.newerVersion(version), path: connection.path)
            }
            guard let description = SchemaDescription(text: text) else {
                throw StoreError.file(.damaged("the description of its models"), path: connection.path)
            }
            return description
        }
        return descriptions.flatMap(\.tables)
    }

    /// https://sqlite.org/pragma.html#pragma_foreign_key_check
    private func checkLinks() throws {
        let broken = try connection.strings("PRAGMA foreign_key_check")
        guard let table = broken.first else { return }
        throw StoreError.file(.damaged("\(broken.count) links of \"\(table)\" lead to nothing"), path: connection.path)
    }
}

/// What the library writes in a file about the file: the models that it was last opened with, those that it was opened
/// with before and not since, and the custom steps that were applied.
struct FileRecord {
    /// The JSON of the ``SchemaDescription``; `nil` in a file of format 1.
    var models: String?
    /// The same of tables whose models were left out since.
    var retired: String?
    var applied: Set<String> = []

    init(_ connection: Connection) throws {
        let names = try connection.strings(
            "SELECT name FROM main.sqlite_schema WHERE name IN ('_schema', '_migration')")
        if names.contains("_schema") {
            let rows = try RawStatement(connection, "SELECT name, value FROM _schema")
            while try rows.step() {
                if rows.text(0) == "models" { models = rows.text(1) }
                if rows.text(0) == "retired" { retired = rows.text(1) }
            }
        }
        if names.contains("_migration") { applied = try Set(connection.strings("SELECT name FROM _migration")) }
    }

    func write(_ connection: Connection) throws {
        for statement in Schema.recordStatements { try connection.execute(statement) }
        try connection.execute("DELETE FROM _schema")
        let insert = try RawStatement(connection, "INSERT INTO _schema (name, value) VALUES (?, ?)")
        for (name, value) in [("models", models), ("retired", retired)] {
            guard let value else { continue }
            insert.bind(.text(name), at: 1)
            insert.bind(.text(value), at: 2)
            try insert.run()
        }
        let note = try RawStatement(connection, "INSERT OR IGNORE INTO _migration (name) VALUES (?)")
        for name in applied.sorted() {
            note.bind(.text(name), at: 1)
            try note.run()
        }
    }
}
