/// Brings a file to what the models say, in one transaction: all of it is in the file afterwards, or nothing.
struct StoreOpening {
    /// The format of the file beyond the models' own tables. A file with a higher one was made by a newer version.
    ///
    /// 1: no description of the models. 2: `_schema` and `_migration`.
    static let formatVersion: Int64 = 2

    let schema: Schema
    let connection: Connection
    let options: StoreOptions

    init(_ schema: Schema, _ connection: Connection, _ options: StoreOptions) {
        self.schema = schema
        self.connection = connection
        self.options = options
    }

    /// Where nothing has changed since the file was last opened, this compares one text and writes nothing.
    ///
    /// - Throws: ``StoreError/file(_:path:)`` when the file is newer, or says something that these models would lose.
    func prepare() throws {
        let description = SchemaDescription(schema)
        let text = description.text
        if try isCurrent(text) { return }
        try checkMigrationNames()
        // Tables are made anew under their own names, which enforced links would take for a deletion. The pragma does nothing
        // within a transaction (https://sqlite.org/pragma.html#pragma_foreign_keys).
        try connection.execute("PRAGMA foreign_keys = OFF")
        defer { try? connection.execute("PRAGMA foreign_keys = ON") }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have been faster.
            if try !isCurrent(text) { try migrate(to: text) }
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

    /// Whether the file was last opened with these models, and has been through every step.
    private func isCurrent(_ text: String) throws -> Bool {
        let version = try connection.integer("PRAGMA user_version")
        guard version <= Self.formatVersion else {
            throw StoreError.file(.newerVersion(Int(version)), path: connection.path)
        }
        guard version == Self.formatVersion else { return false }
        let record = try FileRecord(connection)
        return record.models == text && options.migrations.allSatisfy { record.applied.contains($0.name) }
    }

    private func checkMigrationNames() throws(StoreError) {
        let names = Dictionary(grouping: options.migrations, by: \.name).filter { $1.count > 1 }.keys.sorted()
        guard !names.isEmpty else { return }
        throw .models(names.map { "two migrations are called \"\($0)\"; a file remembers each by its name" })
    }

    private func migrate(to text: String) throws {
        var record = try FileRecord(connection)
        let layout = try FileLayout(connection)
        let pending = options.migrations.filter { !record.applied.contains($0.name) }
        if layout.tables.keys.contains(where: { !$0.hasPrefix("_") }) {
            record.retired = try change(layout, record, pending)
        } else {
            for statement in schema.creationStatements { try connection.execute(statement) }
        }
        try schema.prepareTriggers(connection)
        record.models = text
        record.applied.formUnion(options.migrations.map(\.name))
        try record.write(connection)
        try connection.execute("PRAGMA user_version = \(Self.formatVersion)")
    }

    /// - Returns: the description of the tables whose models were left out.
    private func change(_ layout: FileLayout, _ record: FileRecord, _ pending: [Migration]) throws -> String? {
        var planner = MigrationPlanner(
            schema: schema, old: try describedTables(layout, record), oldLayout: layout,
            newLayout: try FileLayout(of: schema), migrations: pending)
        let plan = planner.makePlan()
        var run = MigrationRun(schema: schema, connection: connection, progress: options.migrationProgress)
        for statement in Schema.bookkeepingStatements {
            try connection.execute(statement)
        }
        // A change of tables is no deletion of objects, and columns that a trigger names can't be renamed at will.
        try Schema.dropTriggers(connection)
        if plan.problems.isEmpty { try run.take(plan.steps) }
        let problems = plan.problems + run.problems
        guard problems.isEmpty else { throw StoreError.file(.modelsChanged(problems), path: connection.path) }
        try checkLinks()
        return plan.retired.isEmpty ? nil : SchemaDescription(tables: plan.retired, statements: []).text
    }

    private func describedTables(_ layout: FileLayout, _ record: FileRecord) throws -> [DescribedTable] {
        guard let models = record.models else { return SchemaDescription(derivedFrom: layout, for: schema).tables }
        let descriptions = try ([models, record.retired].compactMap(\.self)).map { text in
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
