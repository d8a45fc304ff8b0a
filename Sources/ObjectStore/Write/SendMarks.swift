/// The marks of facts in the file, as the last transaction left them.
struct SendMarks {
    /// Those of requests that this process has sent since it opened the file.
    private var own: Set<SentFact> = []
    /// Those of other processes, and of earlier runs.
    private var others: [RecordID: [SentPart: Other]] = [:]
    /// When a holder was found to have ended.
    private var ends: [Holder: ChangeStamp] = [:]

    private struct Other {
        let holder: Holder
        /// When the holder was found to have ended, with an unknown outcome. Nil: the request is in flight.
        var end: ChangeStamp?
    }

    var isEmpty: Bool { own.isEmpty && others.isEmpty }
    var hasOthers: Bool { !others.isEmpty }
    /// The rows with marks of others.
    var otherRecords: [RecordID] { Array(others.keys) }

    /// Takes over all marks in the file.
    mutating func replace(with marks: [SentFact: SendMark], holder: Holder) {
        (own, others) = ([], [:])
        for (fact, mark) in marks {
            guard mark.holder != holder else {
                own.insert(fact)
                continue
            }
            let other = Other(holder: mark.holder, end: end(of: mark.holder))
            others[fact.record, default: [:]][fact.part] = other
        }
    }

    /// Looks whether the processes with requests about a row have ended since the marks were read. The end of a process
    /// writes nothing to the file.
    mutating func noteEnds(of record: RecordID) {
        for (part, other) in others[record] ?? [:] where other.end == nil {
            let end = end(of: other.holder)
            others[record]?[part]?.end = end
        }
    }

    private mutating func end(of holder: Holder) -> ChangeStamp? {
        if ends[holder] == nil, !holder.isAlive { ends[holder] = .now() }
        return ends[holder]
    }

    /// Takes over the changes of a transaction. A mark of another process that is written again stays that process's.
    mutating func apply(_ changes: [SentFact: SendMark?], holder: Holder) {
        for (fact, mark) in changes {
            if let mark {
                if mark.holder == holder { own.insert(fact) }
            } else {
                own.remove(fact)
                forgetOther(fact)
            }
        }
    }

    /// Whether this process has marked a fact.
    func isOwn(_ fact: SentFact) -> Bool { own.contains(fact) }

    /// Whether another process has sent a fact, or an earlier run of this one.
    func hasOther(_ part: SentPart, of record: RecordID) -> Bool { others[record]?[part] != nil }

    /// Whether another process's request with a part of a row was in flight at a time, or after it.
    func hasOther(of record: RecordID, since time: ChangeStamp) -> Bool {
        others[record]?.values.contains { $0.end.map { $0 > time } ?? true } ?? false
    }

    /// When the other process that had sent a row was found to have ended; nil if it runs, or there was none.
    func end(of record: RecordID) -> ChangeStamp? { others[record]?[.row]?.end }

    /// The relationships of a row that others have sent.
    func otherRelationships(of record: RecordID) -> [PropertyIndex] {
        others[record]?.keys.compactMap { part in
            if case .relationship(let property) = part { property } else { nil }
        } ?? []
    }

    /// Forgets another process's mark of one fact: the server has accepted a later request with it.
    mutating func forgetOther(_ fact: SentFact) {
        others[fact.record]?[fact.part] = nil
        if others[fact.record]?.isEmpty == true { others[fact.record] = nil }
    }

    mutating func forgetOthers(of record: RecordID) { others[record] = nil }
}
