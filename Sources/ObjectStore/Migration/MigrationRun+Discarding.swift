// `Migration.discarding` of a class or list whose rows stay. The rows keep their values, which are never sent.

extension MigrationRun {
    /// Deletes everything that the class would send: pending edits, queued writes, and marks of requests.
    func discardEdits(of unsent: UnsentClass) throws {
        let isOfClass = unsent.rows.map { " WHERE \($0.condition)" } ?? ""
        let rows = "SELECT _id FROM \(unsent.sqlName)\(isOfClass)"
        for list in unsent.lists { try discardPairs(of: list, in: unsent.table, rows: rows) }
        for notes in ["_outbox", "_send"] {
            try run("DELETE FROM \(notes) WHERE source = ?1 AND source_id IN (\(rows))", .text(unsent.table))
        }
        try forEachDeletion(in: unsent.table) { row, deleted in
            guard unsent.rows?.contains(deleted) ?? true else { return }
            for notes in ["_outbox", "_send"] {
                try run(
                    "DELETE FROM \(notes) WHERE source = ?1 AND source_id = ?2", .text(unsent.table),
                    .integer(row.rawValue))
            }
        }
        try connection.execute(
            "UPDATE \(unsent.sqlName) SET _unsent = NULL WHERE _unsent IS NOT NULL AND _id IN (\(rows))")
    }

    /// Deletes a list's edits. Its join table is dropped later, with the edits of memberships.
    func discardEdits(of members: KeptMembers) throws {
        for notes in ["_outbox", "_send"] {
            try run(
                "DELETE FROM \(notes) WHERE source = ?1 AND relationship = ?2", .text(members.owner),
                .text(members.formerName))
        }
        try changeUnsent(in: members.owner) { $0.entries[members.formerName] = nil }
    }

    /// Edits of the list on the other side stay.
    private func discardPairs(of list: UnsentClass.JoinedList, in table: String, rows: String) throws {
        let (owner, member) = list.isReversed ? ("target_id", "source_id") : ("source_id", "target_id")
        let side = (list.isReversed ? PairEdit.Sides.target : PairEdit.Sides.source).rawValue
        let edits = "list = ?1 AND \(owner) IN (\(rows))"
        // Without a side, only the outbox sends the edit.
        try run(
            """
            DELETE FROM _pair WHERE \(edits) AND (sides = \(side) OR sides = 0 AND EXISTS (
                SELECT 1 FROM _outbox WHERE source = ?2 AND source_id = _pair.\(owner)
                AND relationship = ?3 AND _outbox.member = _pair.\(member)))
            """, .text(list.join), .text(table), .text(list.property))
        try run("UPDATE _pair SET sides = sides & ~\(side) WHERE \(edits)", .text(list.join))
    }
}

extension UnsentClass.Rows {
    /// Compares the discriminator of the deleted object, as ``condition`` does in SQL.
    fileprivate func contains(_ deleted: DeletedRows) -> Bool {
        let text: String? =
            switch deleted.rows.first?.cells[column]?.value {
            case .text(let text)?: text
            case .integer(let value)?: String(value)
            default: nil
            }
        return (text.map { values.contains($0) } ?? false) != isOthers
    }
}
