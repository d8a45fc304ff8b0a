import GRDBSQLite

// Deletion of all contents, for example when the user signs out.

extension Writer {
    /// Deletes all rows, and the bookkeeping about rows and answers. The tables, wire shapes and spellings stay.
    func erase() throws {
        memory.erase()
        (recentChanges, survivors, confirmedEdits) = (RecentChanges(), [:], [])
        for model in schema.roots {
            // Another process may show the deleted rows, so their numbers aren't used again.
            guard let last = try statements[model.table].lastRow() else { continue }
            try statements.noteLastDeleted(RecordID(table: model.table, row: last))
        }
        try schema.withoutTriggers(on: connection) {
            for statement in schema.erasingStatements { try connection.execute(statement) }
        }
        for statement in schema.searchIndexes.flatMap(\.emptyingStatements) { try connection.execute(statement) }
        forgetFile()
    }

    /// Makes deleted data unreadable: rewrites each page of the file, and truncates the WAL. Waits for readers of the
    /// WAL.
    ///
    /// - Parameter patience: the number of waits, five milliseconds each.
    /// - Returns: whether the WAL was truncated. Otherwise it still has the deleted data.
    func shred(patience: Int) -> Bool {
        // If it fails, the freed pages are zeros all the same, by `secure_delete`.
        try? connection.execute("VACUUM")
        return checkpoint(SQLITE_CHECKPOINT_TRUNCATE, patience: patience)
    }
}
