// Deletes rows that a fetched list omits. An omission is weaker than a deletion, so rows stay that the server may not
// know in their present state.

extension Writer {
    /// Whether an omitted row can be deleted, with the rows that go with it. A pending edit, an edit of a link to it, a
    /// request in flight, or a change after the request of the list keeps it.
    ///
    /// - Parameters:
    ///   - kept: rows with unsaved edits, which stay.
    ///   - sent: a row whose own request the reply answers. Only newer pending edits keep it.
    func mayPrune(
        _ record: RecordID, requestedAt requestTime: ChangeStamp?, keeping kept: Set<RecordID> = [],
        unless sent: RecordID? = nil
    ) throws -> Bool {
        if try isDeletionProven(record, requestedAt: requestTime, keeping: kept) { return true }
        var seen: Set<RecordID> = []
        var rest = [record]
        while let next = rest.popLast() {
            guard seen.insert(next).inserted else { continue }
            if next == sent {
                if try isUnsent(next) { return false }
            } else if try kept.contains(next) || isWaiting(next, since: requestTime) || isNewer(next, than: requestTime)
            {
                return false
            }
            if try hasWaitingSource(next) { return false }
            rest += try followers(of: next).map(\.record)
        }
        return true
    }

    /// Whether an omission proves a requested deletion: the list was requested later, and the row was neither edited,
    /// sent nor received since.
    func isDeletionProven(
        _ record: RecordID, requestedAt requestTime: ChangeStamp?, keeping kept: Set<RecordID> = []
    ) throws -> Bool {
        guard let requestTime, let requested = operations.deletionRequest(of: record), requested < requestTime,
            !kept.contains(record), !operations.isBeingSent(record), !isNewer(record, than: requestTime)
        else { return false }
        guard unsentRows[record.table].contains(record.row) else { return true }
        let unsent = try statements[record.table].unsentChanges(of: record.row)
        return !unsent.entries.contains { $0.value.stamp > requested }
    }

    private func isUnsent(_ record: RecordID) throws -> Bool {
        guard unsentRows[record.table].contains(record.row) else { return false }
        let (statements, model) = (statements[record.table], schema[record.table])
        let unsent = try statements.unsentChanges(of: record.row)
        guard let family = model.family else { return !unsent.isEmpty }
        let kind = try statements.value(of: model[family.column], in: record.row)
        return model.model(family.submodel(of: kind)).declared.contains { unsent.contains($0.name) }
    }

    /// Whether the server may have or get a state of the row that the list didn't show. A request with an unknown
    /// outcome that ended before the list's doesn't count, but a row that it created still has pending edits.
    private func isWaiting(_ record: RecordID, since requestTime: ChangeStamp?) throws -> Bool {
        try isUnsent(record) || operations.isSent(record, since: requestTime) || operations.isEdited(record)
    }

    private func isNewer(_ record: RecordID, than requestTime: ChangeStamp?) -> Bool {
        recentChanges.hasChanged(record, since: requestTime)
            || recentChanges.readColumns(of: record, since: requestTime) != nil
    }

    /// Whether a row with a pending edit references it by a link, or by an edited list.
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
