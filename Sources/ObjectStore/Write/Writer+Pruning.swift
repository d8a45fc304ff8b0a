// What a whole listing has left out is deleted on the server's silence, not on its word. So nothing goes that it may not know of.

extension Writer {
    /// Whether a row may go that a listing has left out, with all that goes with it: nothing of it waits to be sent or leads there,
    /// nor has it changed since the listing was asked for.
    func mayPrune(_ record: RecordID, askedAt asked: ChangeStamp?) throws -> Bool {
        var seen: Set<RecordID> = []
        var rest = [record]
        while let next = rest.popLast() {
            guard seen.insert(next).inserted else { continue }
            if isWaiting(next) || isNewer(next, than: asked) { return false }
            if try hasWaitingSource(next) { return false }
            rest += try followers(of: next).map(\.record)
        }
        return true
    }

    private func isWaiting(_ record: RecordID) -> Bool {
        unsentRows[record.table].contains(record.row) || underway.isSent(record) || underway.isEdited(record)
    }

    private func isNewer(_ record: RecordID, than asked: ChangeStamp?) -> Bool {
        recentChanges.hasChanged(record, since: asked) || recentChanges.readColumns(of: record, since: asked) != nil
    }

    /// Whether something links to the row that waits to be sent.
    private func hasWaitingSource(_ record: RecordID) throws -> Bool {
        for other in schema.roots where !unsentRows[other.table].isEmpty {
            for column in other.columns where column.target == record.table {
                let sources = try statements[other.table].rows(referencing: record.row, by: column)
                if sources.contains(where: unsentRows[other.table].contains) { return true }
            }
        }
        return false
    }
}
