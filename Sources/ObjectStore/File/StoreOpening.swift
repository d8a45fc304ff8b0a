/// Creates or migrates a file's tables for the models, in one transaction.
///
/// ```
/// SchemaDescription    the models, and the SQL that creates such a file; as one text
///       │
/// FileRecord ───────── the file has the same text: nothing to do, nothing is written
///       │ otherwise, in a transaction, without triggers
/// FileLayout ───────── the tables that the file has
///       │       └───── none: the SQL creates them
/// MigrationPlanner     makes a plan, from the file's former models and its layout to the models
///       │
/// MigrationRun         carries out the plan; converts rows (RowConversion) and unifies duplicates
///       │
/// SearchMigration      rebuilds full-text indexes whose text may have changed
///       │
/// FileRecord           stores the text, and the names of the applied migrations
/// ```
struct StoreOpening {
    /// The format of the file apart from the models' own tables. Newer versions of the library have higher ones.
    ///
    /// - 1: no description of the models
    /// - 2: `_schema` and `_migration`
    /// - 3: the lists that the server has sent
    /// - 4: the properties that the server has sent, see ``LoadedMask``
    /// - 5: stored answers, see ``StoredAnswer``
    /// - 6: how far lists were fetched, see ``Listing``
    /// - 7: of answers, the time for `stale-while-revalidate`
    /// - 8: the last rows of tables, if they are deleted
    /// - 9: JSON of values that can't be reproduced, lists in which the server repeats a member, the owners of rows
    ///   that whole lists have omitted, and search in words of every script, see ``SearchTokenizer``
    /// - 10: pending edits of single memberships, see ``PairEdit``
    /// - 11: the facts in open requests, see ``SendMark``
    /// - 12: the outbox, see ``QueuedWrite``
    /// - 13: validators for conditional writes, see ``ConditionalWrites``
    /// - 14: the outbox by subject, without a second index, and the versions of objects whose deletion was pushed
    static let formatVersion: Int64 = 14

    private let schema: Schema
    private let connection: Connection
    private let options: StoreOptions
    /// `text` is its JSON, as in the file.
    private let description: SchemaDescription
    private let text: String

    init(_ schema: Schema, on connection: Connection, options: StoreOptions) {
        self.schema = schema
        self.connection = connection
        self.options = options
        description = SchemaDescription(schema)
        text = description.text
    }

    /// Brings the file up to date. Writes nothing if it is.
    ///
    /// - Throws: ``StoreError/file(_:path:)`` if the file has a newer format, or data that these models would lose, or
    ///   a migration fails.
    func prepare() throws {
        if try isCurrent() { return }
        try checkMigrations()
        // Foreign keys would treat a table that is made anew as deleted. Within a transaction, the pragma has no effect
        // (https://sqlite.org/pragma.html#pragma_foreign_keys).
        try connection.execute("PRAGMA foreign_keys = OFF")
        defer { try? connection.execute("PRAGMA foreign_keys = ON") }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have migrated the file meanwhile.
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

    /// Whether the file has these models and applicable migrations.
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
        // The discriminator decides the class of a row, and the migration may set it.
        for step in options.migrations.flatMap(\.rowSteps) {
            guard let model = schema.model(for: step.model), !model.submodel.isRoot else { continue }
            let root = schema[model.table].modelName
            problems.append(
                "the migration \"\(step.migration)\" is of \(model.modelName), whose rows are \(root)'s: write it with "
                    + "`rows(of: \(root).self)`")
        }
        guard problems.isEmpty else { throw .models(problems) }
    }

    /// A migration of other models only waits for a store that opens them.
    private func isForOthers(_ migration: Migration) -> Bool {
        !migration.rowSteps.isEmpty && migration.rowSteps.allSatisfy { schema.model(for: $0.model) == nil }
    }

    /// The file records only whole migrations.
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
        try search.dropTriggers()
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
        try search.restoreTriggers { plan.changesText(of: $0.tableName) }
        record.models = text
        let taken = layout.hasModels ? options.migrations.filter { !isForOthers($0) } : options.migrations
        record.applied.formUnion(taken.map(\.name))
        try record.write(connection)
        try connection.execute("PRAGMA user_version = \(Self.formatVersion)")
    }

    /// - Returns: the plan that was carried out.
    private func change(_ layout: FileLayout, _ record: FileRecord) throws -> MigrationPlan {
        let migrations = options.migrations.filter { !record.applied.contains($0.name) && !isForOthers($0) }
        var planner = MigrationPlanner(
            schema: schema, old: try describedTables(layout, record), oldLayout: layout,
            newLayout: try FileLayout(madeBy: description.statements), migrations: migrations)
        let plan = planner.makePlan()
        var run = MigrationRun(schema: schema, connection: connection, progress: options.migrationProgress)
        // With other models, the answers would have other contents.
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

    /// The former tables, by the file's record, or else its layout.
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

/// The library's own record in the file.
struct FileRecord {
    /// The JSON of the ``SchemaDescription`` of the last opening. Nil in a file of format 1.
    var models: String?
    /// The JSON of models that were left out since.
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
