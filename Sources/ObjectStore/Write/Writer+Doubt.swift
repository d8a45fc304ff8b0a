// A row in flight is marked in the file until the outcome of the request is known. So the outcome is unknown, too, when
// a program ends before the reply, or loses it, and is run again.

extension Writer {
    /// Marks a row with pending edits, which are about to be sent.
    func noteSend(of record: RecordID) throws { try noteDoubt(of: record, true) }

    /// Removes the mark: the request was rejected, and no earlier one has an unknown outcome.
    func noteRefusal(of record: RecordID) throws {
        try noteDoubt(of: record, false)
        underwayInTransaction.settled.insert(survivor(of: record))
    }

    /// Reads the marks again.
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
        unsent.isInDoubt = false
        if isInDoubt { mark(&unsent, of: record) }
        if unsent != former { try statements[record.table].setUnsentChanges(unsent, of: record.row) }
    }

    /// Marks pending edits of a row in flight, with the lists of embedded rows that were sent. A mark stays as it is
    /// until the next request.
    func mark(_ unsent: inout UnsentChanges, of record: RecordID) {
        guard !unsent.isInDoubt else { return }
        unsent.isInDoubt = true
        unsent.sentLists = schema.text(of: underway.sentLists(within: record))
    }
}
