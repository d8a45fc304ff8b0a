// `_validator`: the entity tag or modification date of a row's last reply, for conditional writes (RFC 9110 §13.1).

extension Statements {
    func validator(of record: RecordID) throws(SQLiteFailure) -> String? {
        let read = try connection.statement("SELECT text FROM _validator WHERE model = ? AND row = ?")
        read.bind(key(of: record))
        defer { read.reset() }
        return try read.step() ? read.text(0) : nil
    }

    /// - Parameter validator: `nil` deletes it.
    func setValidator(_ validator: String?, of record: RecordID) throws(SQLiteFailure) {
        guard let validator else {
            let delete = try connection.statement("DELETE FROM _validator WHERE model = ? AND row = ?")
            delete.bind(key(of: record))
            return try delete.run()
        }
        let write = try connection.statement("INSERT OR REPLACE INTO _validator (model, row, text) VALUES (?, ?, ?)")
        write.bind(key(of: record) + [.text(validator)])
        try write.run()
    }

    /// Deletes the validator if the survivor has its own.
    func moveValidator(of duplicate: RecordID, to survivor: RowID) throws(SQLiteFailure) {
        let move = try connection.statement("UPDATE OR IGNORE _validator SET row = ?3 WHERE model = ?1 AND row = ?2")
        move.bind(key(of: duplicate) + [.integer(survivor.rawValue)])
        try move.run()
        try setValidator(nil, of: duplicate)
    }

    func tablesOfValidators() throws(SQLiteFailure) -> Set<TableID> {
        var tables: Set<TableID> = []
        for model in schema.roots {
            let read = try connection.statement("SELECT 1 FROM _validator WHERE model = ? LIMIT 1")
            read.bind([.text(model.tableName)])
            defer { read.reset() }
            if try read.step() { tables.insert(model.table) }
        }
        return tables
    }

    private func key(of record: RecordID) -> [StoredValue] {
        [.text(schema[record.table].tableName), .integer(record.row.rawValue)]
    }
}
