extension MigrationRun {
    func renamePendingLinks(_ old: String, to new: String) throws {
        for column in ["source", "target"] {
            try run("UPDATE OR REPLACE _pending_link SET \(column) = ?1 WHERE \(column) = ?2", new, old)
        }
    }

    /// Links that wait follow their relationships' names; those for which nothing can come any more go.
    func updatePendingLinks(_ update: PendingLinksUpdate) throws {
        for (table, property) in update.removed {
            try run("DELETE FROM _pending_link WHERE source = ?1 AND relationship = ?2", table, property)
        }
        for name in update.lostTargets { try run("DELETE FROM _pending_link WHERE target = ?1", name) }
        for name in update.lostSources { try run("DELETE FROM _pending_link WHERE source = ?1", name) }
        // By way of a name that no property has, as two may have exchanged theirs.
        for (table, from, _) in update.renamed {
            try run(
                "UPDATE _pending_link SET relationship = ?1 WHERE source = ?2 AND relationship = ?3", "\u{1}\(from)",
                table,
                from)
        }
        for (table, from, to) in update.renamed {
            try run(
                "UPDATE OR REPLACE _pending_link SET relationship = ?1 WHERE source = ?2 AND relationship = ?3", to,
                table,
                "\u{1}\(from)")
        }
    }

    private func run(_ sql: String, _ values: String...) throws {
        let statement = try RawStatement(connection, sql)
        for (index, value) in values.enumerated() { statement.bind(.text(value), at: Int32(index + 1)) }
        try statement.run()
    }
}
