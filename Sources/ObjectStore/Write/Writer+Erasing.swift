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

    /// Makes what is deleted unreadable in the file too: each page is written anew, and the WAL cut to nothing. Where a
    /// reader of another program is in the way, its freed pages are zeros at least.
    func shred() {
        try? connection.execute("VACUUM")
        checkpoint()
    }
}
