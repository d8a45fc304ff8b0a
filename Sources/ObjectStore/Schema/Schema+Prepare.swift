extension Schema {
    /// The format of the file beyond the models' own tables. A file with a higher one was made by a newer version.
    static let formatVersion: Int64 = 1

    /// Makes the tables in a new file, and adds to an older one the tables, columns and indexes that the models have gained.
    /// All of it happens in one transaction, or none.
    ///
    /// - Throws: ``StoreError/file(_:path:)`` when the file is newer, or says something that these models would lose: a
    ///   column of another type, another identity.
    func prepare(_ connection: Connection) throws {
        let version = try connection.integer("PRAGMA user_version")
        guard version <= Self.formatVersion else {
            throw StoreError.file(.newerVersion(Int(version)), path: connection.path)
        }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            let existing = try connection.strings("SELECT name FROM sqlite_schema WHERE type = 'table'")
            let reasons = try tables.filter { existing.contains($0.name) }.flatMap { try conflicts($0, connection) }
            guard reasons.isEmpty else { throw StoreError.file(.modelsChanged(reasons), path: connection.path) }
            for table in tables where existing.contains(table.name) { try addColumns(table, connection) }
            for statement in creationStatements { try connection.execute(Self.ifMissing(statement)) }
            if version != Self.formatVersion {
                try connection.execute("PRAGMA user_version = \(Self.formatVersion)")
            }
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    private static func ifMissing(_ statement: String) -> String {
        for kind in ["CREATE TABLE ", "CREATE UNIQUE INDEX ", "CREATE INDEX "] where statement.hasPrefix(kind) {
            return kind + "IF NOT EXISTS " + statement.dropFirst(kind.count)
        }
        return statement
    }

    /// What the table in the file says that the model would lose.
    private func conflicts(_ table: Table, _ connection: Connection) throws -> [String] {
        let columns = try connection.columns(of: table.name)
        var reasons: [String] = []
        if columns["_id"] == nil || columns["_unsent"] == nil {
            reasons.append("its table \"\(table.name)\" was not made by this library")
        }
        for column in table.columns {
            guard let type = columns[column.name], type != column.type.rawValue else { continue }
            reasons.append(
                "\(table.modelName).\(table.properties[column.property].name) is \(type) in the file and "
                    + "\(column.type.rawValue) in the model")
        }
        let indexed = try connection.strings("SELECT name FROM pragma_index_info('\(table.name)_identity')")
        if !indexed.isEmpty, indexed != SQL.identityColumns(table) {
            reasons.append("\(table.modelName)'s identity was \(indexed.joined(separator: ", "))")
        }
        return reasons
    }

    private func addColumns(_ table: Table, _ connection: Connection) throws {
        var present = try connection.columns(of: table.name)
        for column in table.columns where present[column.name] == nil {
            if let old = column.renamedFrom, present[old] == column.type.rawValue {
                try connection.execute(
                    "ALTER TABLE \(SQL.quoted(table.name)) RENAME COLUMN \(SQL.quoted(old)) "
                        + "TO \(SQL.quoted(column.name))")
                present[old] = nil
            } else {
                try connection.execute("ALTER TABLE \(SQL.quoted(table.name)) ADD COLUMN \(definition(of: column))")
                try fillDefault(column, table, connection)
            }
        }
        for position in positionColumns(of: table) where present[position] == nil {
            try connection.execute("ALTER TABLE \(SQL.quoted(table.name)) ADD COLUMN \(SQL.quoted(position)) INTEGER")
        }
    }

    /// A new attribute with a default has it in the rows that are there.
    private func fillDefault(_ column: Column, _ table: Table, _ connection: Connection) throws {
        guard case .attribute(_, let value, _) = table.properties[column.property].kind, case let value = value(),
            !value.isNull
        else { return }
        let statement = try connection.statement(
            "UPDATE \(SQL.quoted(table.name)) SET \(SQL.quoted(column.name)) = ?")
        statement.bind(value, at: 1)
        try statement.run()
    }
}

extension Connection {
    fileprivate func integer(_ sql: String) throws(SQLiteFailure) -> Int64 {
        let statement = try RawStatement(self, sql)
        guard try statement.step() else { return 0 }
        return statement.integer(0)
    }

    fileprivate func strings(_ sql: String) throws(SQLiteFailure) -> [String] {
        let statement = try RawStatement(self, sql)
        var strings: [String] = []
        while try statement.step() { strings.append(statement.text(0)) }
        return strings
    }

    /// The columns of a table in the file, with their types.
    fileprivate func columns(of table: String) throws(SQLiteFailure) -> [String: String] {
        let statement = try RawStatement(self, "SELECT name, type FROM pragma_table_info(?)")
        statement.bind(.text(table), at: 1)
        var columns: [String: String] = [:]
        while try statement.step() { columns[statement.text(0)] = statement.text(1) }
        return columns
    }
}
