import JSONBytes

extension Importer {
    /// Any value means deleted, except null, `[]`, `""`, and false or 0, also in strings.
    mutating func readTombstone(_ reader: inout JSONReader, of object: ReadingObject) throws {
        let fragment = try reader.skipValue()
        object.frame.isTombstone = object.frame.isTombstone || Self.saysSo(fragment, in: reader)
    }

    private static func saysSo(_ fragment: JSONFragment, in reader: borrowing JSONReader) -> Bool {
        switch fragment.kind {
        case .null, .false: return false
        case .true: return true
        case .number, .string, .object, .array:
            let text = unsafe String(decoding: reader.bytes(of: fragment), as: UTF8.self)
            return !negativeTexts.contains(text)
        }
    }

    /// JSON that means alive, besides null and false.
    private static let negativeTexts = ["0", "\"\"", "\"false\"", "\"0\"", "[]"]

    func isDeleted(_ object: ReadingObject) -> Bool {
        if object.frame.isTombstone || !object.plan.tombstoneColumns.isEmpty, isTombstone(object) { return true }
        return request.areDeleted && depth == 0 && object.plan.model.table == request.table
    }

    /// An attribute may serve as tombstone.
    private func isTombstone(_ object: ReadingObject) -> Bool {
        object.frame.isTombstone
            || object.plan.tombstoneColumns.contains { column in
                guard object.frame.hasValue(column), !object.frame.defaulted.contains(column.rawValue) else {
                    return false
                }
                switch object.frame[column].stored {
                // Services send the number 0 for a missing date.
                case .null, .integer(0), .real(0): return false
                // Any JSON is stored as its text.
                case .text(let text): return !["", "false"].contains(text) && !Self.negativeTexts.contains(text)
                default: return true
                }
            }
    }

    mutating func noteDeleted(_ object: ReadingObject, _ target: RowID?) throws {
        deletedCount += 1
        guard let row = try target ?? find(object) else { return }
        reportedDeleted.insert(RecordID(table: object.plan.model.table, row: row))
        // The earlier bytes may come again, and then count.
        noteOverwrite(in: object.plan)
    }

    /// Pending edits and changes since the request keep objects.
    mutating func deleteReported() throws {
        let reportedDeleted = reportedDeleted.sorted {
            ($0.table.rawValue, $0.row.rawValue) < ($1.table.rawValue, $1.row.rawValue)
        }
        // The reply acknowledges the target's edits.
        let sent = request.isConfirmation ? request.target.map { RecordID(table: request.table, row: $0) } : nil
        for record in reportedDeleted {
            guard try writer.mayPrune(record, requestedAt: request.requestTime, unless: sent) else {
                if writer.recentChanges.hasChanged(record, since: request.requestTime) { outcome.hasKeptNewer = true }
                continue
            }
            guard try writer.statements[record.table].contains(record.row) else { continue }
            try writer.delete(record, &progress)
            outcome.report.deleted += 1
        }
    }
}
