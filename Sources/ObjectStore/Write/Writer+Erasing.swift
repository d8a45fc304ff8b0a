import GRDBSQLite

// Everything goes: a user has signed out.

extension Writer {
    /// Deletes all rows, and all that is known of them and of answers. What is learned of how the server writes stays,
    /// and so do the tables.
    func erase() throws {
        memory.erase()
        (recentChanges, survivors, confirmedEdits) = (RecentChanges(), [:], [])
        for model in schema.roots {
            // Another process may show them still, and must not take new ones for them.
            guard let last = try statements[model.table].lastRow() else { continue }
            try statements.noteLastDeleted(RecordID(table: model.table, row: last))
        }
        try schema.withoutTriggers(on: connection) {
            for statement in schema.erasingStatements { try connection.execute(statement) }
        }
        for statement in schema.searchIndexes.flatMap(\.emptyingStatements) { try connection.execute(statement) }
        forgetFile()
    }

    /// Makes what is deleted unreadable in the file too: each page is written anew, and the WAL cut to nothing. Readers
    /// that are in the way are waited for.
    ///
    /// - Parameter patience: how often, five milliseconds each time.
    /// - Returns: whether the WAL was cut. Where it wasn't, it still has what was deleted.
    func shred(patience: Int) -> Bool {
        // It is cut all the same where that can't be; freed pages are zeros.
        try? connection.execute("VACUUM")
        return checkpoint(SQLITE_CHECKPOINT_TRUNCATE, patience: patience)
    }
}
