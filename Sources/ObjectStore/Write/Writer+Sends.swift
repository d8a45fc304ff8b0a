// Marks each fact with a pending edit that a request sends. A mark that is left at the next start, because the program
// ended or the reply was lost, means an unknown outcome. It ends with the last pending edit of its row.

extension Writer {
    /// Marks facts that have a pending edit in the file.
    func mark(_ facts: some Sequence<SentFact>) throws {
        for fact in facts {
            let fact = SentFact(fact.part, of: survivor(of: fact.record))
            guard unsentRows[fact.record.table].contains(fact.record.row) else { continue }
            var mark = sendMarks[fact] ?? SendMark(processToken: operations.processToken)
            if fact.part == .row { mark.lists = schema.text(of: operations.sentLists(within: fact.record)) }
            try set(mark, of: fact)
        }
    }

    /// Marks facts that were sent before their edits were saved. Also updates the lists in an existing mark, as the
    /// reply may have given new embedded objects other rows.
    func markSent(of record: RecordID) throws {
        for fact in operations.openFacts(of: record) where fact.part == .row || sendMarks[fact] == nil {
            try mark([fact])
        }
    }

    func unmark(_ facts: some Sequence<SentFact>) throws {
        for fact in facts { try set(nil, of: SentFact(fact.part, of: survivor(of: fact.record))) }
    }

    /// Removes the row's marks. If only a link was sent, removes only that link's.
    func unmark(_ confirmation: WriteBatch.Confirmation, of record: RecordID) throws {
        let isEnded = { (part: SentPart) in
            guard confirmation.isLink else { return true }
            guard case .relationship(let property) = part else { return false }
            return confirmation.properties.contains(self.schema[record.table][property].name)
        }
        try unmark(marks(of: record).filter { isEnded($0.part) })
    }

    func forgetMarks(of record: RecordID) throws { try unmark(marks(of: record)) }

    func settle(_ record: RecordID) throws {
        try forgetMarks(of: record)
        operationsInTransaction.settled.insert(record)
    }

    /// Whether a request that sent the row is in flight or has an unknown outcome.
    func isSent(_ record: RecordID) -> Bool {
        sendMarks[SentFact(.row, of: record)] != nil || operations.isSent(record)
    }

    /// Marks a row in the file as sent with an unknown outcome.
    func keepRisk(of record: RecordID) throws {
        let fact = SentFact(.row, of: record)
        if sendMarks[fact] == nil { try set(SendMark(processToken: operations.processToken), of: fact) }
    }

    func moveMarks(of duplicate: RecordID, to survivor: RowID) throws {
        for fact in marks(of: duplicate) {
            let moved = SentFact(fact.part, of: RecordID(table: duplicate.table, row: survivor))
            if sendMarks[moved] == nil { try set(sendMarks[fact], of: moved) }
            try set(nil, of: fact)
        }
    }

    func readMarks() throws {
        sendMarks = try statements.sendMarks()
        var lists: [RecordID: [SentList]] = [:]
        for (fact, mark) in sendMarks where fact.part == .row { lists[fact.record] = schema.sentLists(in: mark.lists) }
        operations.noteMarks(sendMarks, lists: lists)
    }

    private func marks(of record: RecordID) -> [SentFact] {
        guard !sendMarks.isEmpty else { return [] }
        let properties = schema[record.table].properties.filter { $0.target != nil || $0.list != nil }
        let parts = [.row] + properties.map { SentPart.relationship($0.index) }
        return parts.map { SentFact($0, of: record) }.filter { sendMarks[$0] != nil }
    }

    private func set(_ mark: SendMark?, of fact: SentFact) throws {
        guard sendMarks[fact] != mark else { return }
        sendMarks[fact] = mark
        operationsInTransaction.marks[fact] = .some(mark)
        try statements.set(mark, of: fact)
    }
}
