// A row that is sent is in doubt until an answer says what the server has of it. What of that is stored is told so in
// the file, so that a program that ends before the answer, or loses it, doubts the same when it is run again.

extension Writer {
    /// Notes that what is unsent of a row is about to be sent.
    func noteSend(of record: RecordID) throws { try noteDoubt(of: record, true) }

    /// Notes that the server has refused a row of which nothing else was in doubt.
    func noteRefusal(of record: RecordID) throws {
        try noteDoubt(of: record, false)
        underwayInTransaction.settled.insert(survivor(of: record))
    }

    /// Reads again which rows are in doubt.
    func readDoubts() throws {
        for table in schema.roots.map(\.table) {
            let rows = try statements[table].rowsInDoubt().map { row in
                (row, schema.sentLists(in: try statements[table].unsentChanges(of: row).sentLists))
            }
            underway.noteDoubts(of: table, Dictionary(rows) { first, _ in first })
        }
    }

    private func noteDoubt(of record: RecordID, _ isInDoubt: Bool) throws {
        let record = survivor(of: record)
        guard unsentRows[record.table].contains(record.row) else { return }
        var unsent = try statements[record.table].unsentChanges(of: record.row)
        let former = unsent
        mark(&unsent, of: record, isInDoubt)
        if unsent != former { try statements[record.table].setUnsentChanges(unsent, of: record.row) }
    }

    /// Marks pending edits of a row as in doubt, with the lists that were sent.
    func mark(_ unsent: inout UnsentChanges, of record: RecordID, _ isInDoubt: Bool = true) {
        unsent.isInDoubt = isInDoubt
        if isInDoubt { unsent.sentLists = schema.text(of: underway.sentLists(within: record)) }
    }
}
