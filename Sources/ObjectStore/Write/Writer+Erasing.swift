import GRDBSQLite

// Deletes all contents, for example when the user signs out.

extension Writer {
    /// Deletes all rows, and the bookkeeping about rows and answers. Tables, wire shapes and spellings stay.
    func erase() throws {
        memory.erase()
        (recentChanges, survivors, confirmedEdits) = (RecentChanges(), [:], [])
        for model in schema.roots {
            // Another process may show the rows, so their numbers aren't used again.
            guard let last = try statements[model.table].lastRow() else { continue }
            try statements.noteLastDeleted(RecordID(table: model.table, row: last))
        }
        try schema.withoutTriggers(on: connection) {
            for statement in schema.erasingStatements { try connection.execute(statement) }
        }
        for statement in schema.searchIndexes.flatMap(\.emptyingStatements) { try connection.execute(statement) }
        forgetFile()
    }

    /// Rewrites each page, and truncates the WAL after its readers.
    ///
    /// - Parameter patience: the number of waits, five milliseconds each.
    /// - Returns: whether the WAL was truncated. Otherwise it still has the deleted data.
    func shred(patience: Int) -> Bool {
        // If it fails, `secure_delete` has still zeroed the freed pages.
        try? connection.execute("VACUUM")
        return checkpoint(SQLITE_CHECKPOINT_TRUNCATE, patience: patience)
    }
}
