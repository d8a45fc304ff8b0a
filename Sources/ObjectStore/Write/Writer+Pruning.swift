// What a whole listing has left out is deleted on the server's silence, not on its word. So nothing goes that it may
// not know of.

extension Writer {
    /// Whether a row may go that a listing has left out, with all that goes with it: nothing of it waits to be sent or
    /// leads there, nor has it changed since the listing was asked for.
    ///
    /// - Parameters:
    ///   - kept: what is not to go, as it is edited in a context.
    ///   - sent: an object of which the server says this in its reply to what was sent of it.
    func mayPrune(
        _ record: RecordID, askedAt asked: ChangeStamp?, keeping kept: Set<RecordID> = [], unless sent: RecordID? = nil
    ) throws -> Bool {
        if try isDeletionProven(record, askedAt: asked, keeping: kept) { return true }
        var seen: Set<RecordID> = []
        var rest = [record]
        while let next = rest.popLast() {
            guard seen.insert(next).inserted else { continue }
            if next == sent {
                if try isUnsent(next) { return false }
            } else if try kept.contains(next) || isWaiting(next) || isNewer(next, than: asked) {
                return false
            }
            if try hasWaitingSource(next) { return false }
            rest += try followers(of: next).map(\.record)
        }
        return true
    }

    /// Whether a listing that omits a row proves that the row's requested deletion was done: it was asked for after the
    /// request, and the row was neither edited, sent nor received since.
    func isDeletionProven(
        _ record: RecordID, askedAt asked: ChangeStamp?, keeping kept: Set<RecordID> = []
    ) throws -> Bool {
        guard let asked, let requested = underway.deletionRequest(of: record), requested < asked,
            !kept.contains(record), !underway.isBeingSent(record), !isNewer(record, than: asked)
        else { return false }
        guard unsentRows[record.table].contains(record.row) else { return true }
        let unsent = try statements[record.table].unsentChanges(of: record.row)
        return !unsent.entries.contains { $0.value.stamp > requested }
    }

    /// Whether something of a row waits to be sent, and can be: not what an earlier version of the models sent, nor
    /// what the row's class has not any more.
    private func isUnsent(_ record: RecordID) throws -> Bool {
        guard unsentRows[record.table].contains(record.row) else { return false }
        let (statements, model) = (statements[record.table], schema[record.table])
        let unsent = try statements.unsentChanges(of: record.row)
        guard let family = model.family else { return !unsent.isEmpty }
        let kind = try statements.value(of: model[family.column], in: record.row)
        return model.model(family.submodel(of: kind)).declared.contains { unsent.contains($0.name) }
    }

    private func isWaiting(_ record: RecordID) throws -> Bool {
        try isUnsent(record) || underway.isSent(record) || underway.isEdited(record)
    }

    private func isNewer(_ record: RecordID, than asked: ChangeStamp?) -> Bool {
        recentChanges.hasChanged(record, since: asked) || recentChanges.readColumns(of: record, since: asked) != nil
    }

    /// Whether something leads to the row that waits to be sent: an object by a link, or a list that was edited.
    private func hasWaitingSource(_ record: RecordID) throws -> Bool {
        for other in schema.roots where !unsentRows[other.table].isEmpty {
            for property in other.properties where property.target == record.table {
                let sources = try sources(of: property, in: other, to: record.row)
                for source in sources.map({ RecordID(table: other.table, row: $0) }) where try isUnsent(source) {
                    if try property.link != nil || isUnsent(property.index, of: source) { return true }
                }
            }
        }
        return false
    }
}
