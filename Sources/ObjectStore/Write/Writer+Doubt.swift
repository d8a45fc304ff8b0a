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
            underway.noteDoubts(of: table, try statements[table].rowsInDoubt())
        }
    }

    private func noteDoubt(of record: RecordID, _ isInDoubt: Bool) throws {
        let record = survivor(of: record)
        guard unsentRows[record.table].contains(record.row) else { return }
        var unsent = try statements[record.table].unsentChanges(of: record.row)
        guard unsent.isInDoubt != isInDoubt else { return }
        unsent.isInDoubt = isInDoubt
        try statements[record.table].setUnsentChanges(unsent, of: record.row)
    }
}
