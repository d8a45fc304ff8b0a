/// The file's marks of sent facts without a known outcome, as of the last transaction.
struct SendMarks {
    /// Sent by this process since it opened the file.
    private var own: Set<SentFact> = []
    /// Sent by other processes, or earlier runs of this program.
    private var others: [RecordID: [SentPart: Other]] = [:]
    /// When processes were found to have ended.
    private var ends: [ProcessToken: ChangeStamp] = [:]

    private struct Other {
        let processToken: ProcessToken
        /// When the process was found to have ended, which leaves the outcome unknown. Nil: in flight.
        var end: ChangeStamp?
    }

    var isEmpty: Bool { own.isEmpty && others.isEmpty }
    var hasOthers: Bool { !others.isEmpty }
    var otherRecords: [RecordID] { Array(others.keys) }

    mutating func replace(with marks: [SentFact: SendMark], processToken: ProcessToken) {
        (own, others) = ([], [:])
        for (fact, mark) in marks {
            guard mark.processToken != processToken else {
                own.insert(fact)
                continue
            }
            let other = Other(processToken: mark.processToken, end: end(of: mark.processToken))
            others[fact.record, default: [:]][fact.part] = other
        }
    }

    /// Checks whether the processes still run, as their end leaves no trace in the file.
    mutating func noteEndedProcesses(of record: RecordID) {
        for (part, other) in others[record] ?? [:] where other.end == nil {
            let end = end(of: other.processToken)
            others[record]?[part]?.end = end
        }
    }

    private mutating func end(of processToken: ProcessToken) -> ChangeStamp? {
        if ends[processToken] == nil, !processToken.isAlive { ends[processToken] = .now() }
        return ends[processToken]
    }

    /// Another process's mark stays its own if it is written again.
    mutating func apply(_ changes: [SentFact: SendMark?], processToken: ProcessToken) {
        for (fact, mark) in changes {
            if let mark {
                if mark.processToken == processToken { own.insert(fact) }
            } else {
                own.remove(fact)
                forgetOther(fact)
            }
        }
    }

    func isOwn(_ fact: SentFact) -> Bool { own.contains(fact) }

    /// Whether another process or an earlier run has sent the part.
    func hasOther(_ part: SentPart, of record: RecordID) -> Bool { others[record]?[part] != nil }

    /// Whether another process's request with a part of a row was in flight at that time or later.
    func hasOther(of record: RecordID, since time: ChangeStamp) -> Bool {
        others[record]?.values.contains { $0.end.map { $0 > time } ?? true } ?? false
    }

    /// When the other process that sent a row was found to have ended. Nil: it runs, or there is none.
    func end(of record: RecordID) -> ChangeStamp? { others[record]?[.row]?.end }

    func otherRelationships(of record: RecordID) -> [PropertyIndex] {
        others[record]?.keys.compactMap { part in
            if case .relationship(let property) = part { property } else { nil }
        } ?? []
    }

    /// Forgets another process's mark, as the server has accepted a later request with the fact.
    mutating func forgetOther(_ fact: SentFact) {
        others[fact.record]?[fact.part] = nil
        if others[fact.record]?.isEmpty == true { others[fact.record] = nil }
    }

    mutating func forgetOthers(of record: RecordID) { others[record] = nil }
}
