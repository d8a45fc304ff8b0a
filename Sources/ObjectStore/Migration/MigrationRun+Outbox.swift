// File formats 12 and 13 identify entries of the outbox by number, and have a second index.

extension MigrationRun {
    /// - Returns: the table's new name. Nil for other formats.
    func putOutboxAside() throws -> String? {
        guard (12...13).contains(try connection.integer("PRAGMA user_version")) else { return nil }
        // A renamed table keeps its indexes and their names.
        for index in ["_outbox_member", "_outbox_key"] { try connection.execute("DROP INDEX IF EXISTS \(index)") }
        try connection.execute("ALTER TABLE _outbox RENAME TO _outbox_by_number")
        return "_outbox_by_number"
    }

    func moveOutbox(from table: String) throws {
        let columns = """
            source, source_id, relationship, member, number, edition, action, account, since, key, rejection, sent, object
            """
        try connection.execute("INSERT INTO _outbox (\(columns)) SELECT \(columns) FROM \(table)")
        try connection.execute(
            """
            INSERT OR REPLACE INTO _last_row (model, row) \
            SELECT '_outbox', seq FROM sqlite_sequence WHERE name = '\(table)'
            """)
        try connection.execute("DROP TABLE \(table)")
    }
}
