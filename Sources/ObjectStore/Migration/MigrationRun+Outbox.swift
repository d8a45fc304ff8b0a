// Files of formats 12 and 13 have the outbox's entries by their numbers, with a second index for their subjects.

extension MigrationRun {
    /// Puts the table of such a file aside.
    ///
    /// - Returns: its name now; nil in a file of another format.
    func putOutboxAside() throws -> String? {
        guard (12...13).contains(try connection.integer("PRAGMA user_version")) else { return nil }
        // Indexes stay with a table that is renamed, and keep their names.
        for index in ["_outbox_member", "_outbox_key"] { try connection.execute("DROP INDEX IF EXISTS \(index)") }
        try connection.execute("ALTER TABLE _outbox RENAME TO _outbox_by_number")
        return "_outbox_by_number"
    }

    /// Moves the entries of a table that was put aside, and the number after which the next one comes.
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
