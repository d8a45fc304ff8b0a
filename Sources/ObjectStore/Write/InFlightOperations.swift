import Synchronization

/// The start of a request, which stays open as long as this object exists: until its reply is stored or can't come.
package final class RequestStart: Sendable {
    package let stamp: ChangeStamp
    private let operations: InFlightOperations

    fileprivate init(_ stamp: ChangeStamp, _ operations: InFlightOperations) {
        self.stamp = stamp
        self.operations = operations
    }

    deinit { operations.end(stamp) }
}

/// Marks an edit of an embedded object, or of a link to an owner, until it is saved or rolled back.
package final class EditedPart: Sendable {
    private let record: RecordID
    private let operations: InFlightOperations

    fileprivate init(_ record: RecordID, _ operations: InFlightOperations) {
        self.record = record
        self.operations = operations
    }

    deinit { operations.endEdit(of: record) }
}

/// A link that is sent without its row.
package struct SentLink {
    fileprivate let link: PropertyIndex
    fileprivate let record: RecordID
    fileprivate let operations: InFlightOperations

    /// After an unknown outcome, the link is at risk until the row or the link is sent again.
    ///
    /// - Parameter edits: the acknowledged edits, which the context has removed.
    package func end(_ edits: Set<ChangeStamp>, _ outcome: InFlightOperations.Outcome) {
        operations.endLinkSend(link, of: record, edits, as: outcome)
    }
}

/// Operations in progress: requests, saves that wait for the writer, and new objects deleted meanwhile. Contexts change
/// it on their actors, and the writer reads it in its queue.
///
/// A row or property is at risk if a request with it has an unknown outcome: the server may have either value.
package final class InFlightOperations: Sendable {
    private struct State {
        var requestStarts: Set<ChangeStamp> = []
        /// Functions that end paused operations (``PausedOperation``).
        var pausedOperations: [Int: @Sendable () -> Void] = [:]
        var lastPausedOperation = 0
        /// Paused operations end at this number of noted changes.
        var noteLimit = 50_000
        var saveCount = 0
        var sends: [RecordID: Sends] = [:]
        /// Links in flight without their rows, once for each request.
        var sentLinks: [RecordID: [PropertyIndex]] = [:]
        /// Links sent without their rows, with an unknown outcome.
        var linksAtRisk: [RecordID: Set<PropertyIndex>] = [:]
        /// Acknowledged edits that contexts still have.
        var confirmed: Set<ChangeStamp> = []
        /// When requests with an unknown outcome ended.
        var atRisk: [RecordID: ChangeStamp] = [:]
        var marks = SendMarks()
        /// Rows that the server still has under their former identity, although a new one was sent.
        var unrenamed: Set<RecordID> = []
        /// Edited identities of rows in flight or at risk, saved or not.
        var sentIdentities: [TableID: [[StoredValue]: RowID]] = [:]
        /// Identities that requests in flight send for the first time.
        var identitiesInFlight: [RecordID: [StoredValue]] = [:]
        var parts = SentParts()
        var withdrawn: Set<RecordID> = []
        /// When deletions were requested that the server has neither confirmed nor refused.
        var deletionRequests: [RecordID: ChangeStamp] = [:]
        /// The number of unsaved edits of an embedded row, or moves of a row to another owner.
        var editedParts: [RecordID: Int] = [:]
        /// Members that saves have added to lists of embedded rows in flight, or removed.
        var toggles: [ListOwner: [RowID: ChangeStamp]] = [:]

        func isSent(_ record: RecordID) -> Bool { sends[record] != nil || hasUnknownOutcome(record) }

        func isSent(_ property: PropertyIndex, of record: RecordID) -> Bool {
            sends[record]?.properties.contains(property) == true || sentLinks[record]?.contains(property) == true
                || linksAtRisk[record]?.contains(property) == true || hasUnknownOutcome(record)
                || marks.hasOther(.relationship(property), of: record)
        }

        func hasUnknownOutcome(_ record: RecordID) -> Bool { atRisk[record] != nil || marks.hasOther(.row, of: record) }

        func openFacts(of record: RecordID) -> Set<SentFact> {
            let isRowOpen = sends[record] != nil || atRisk[record] != nil
            let relationships = (sentLinks[record] ?? []) + (linksAtRisk[record] ?? [])
            let parts = (isRowOpen ? [.row] : []) + relationships.map { SentPart.relationship($0) }
            return Set(parts.map { SentFact($0, of: record) })
        }

        /// Forgets sent identities that the server has accepted or rejected.
        mutating func forgetNames(of record: RecordID, _ isForgotten: ([StoredValue]) -> Bool = { _ in true }) {
            guard let names = sentIdentities[record.table] else { return }
            let rest = names.filter { $0.value != record.row || !isForgotten($0.key) }
            sentIdentities[record.table] = rest.isEmpty ? nil : rest
        }

        /// Forgets requests with an unknown outcome.
        mutating func settle(_ record: RecordID) {
            (atRisk[record], linksAtRisk[record]) = (nil, nil)
            marks.forgetOthers(of: record)
            guard sends[record] == nil else { return }
            forgetNames(of: record)
            parts.forget(within: record)
        }

        /// Forgets state that only saves and requests in progress need.
        mutating func forget() {
            guard saveCount == 0 else { return }
            if sends.isEmpty { withdrawn = [] }
            toggles = toggles.filter { sends[$0.key.record] != nil }
        }
    }

    private struct Sends {
        var count = 0
        var properties: Set<PropertyIndex> = []
    }

    let processToken = ProcessToken.make()
    package let requests = OpenRequests()
    private let state = Mutex(State())

    // MARK: Open requests

    /// Begins a request, whose reply must not undo later changes.
    package func startRequest() -> RequestStart {
        state.withLock { state in
            let stamp = ChangeStamp.now()
            state.requestStarts.insert(stamp)
            return RequestStart(stamp, self)
        }
    }

    fileprivate func end(_ requestTime: ChangeStamp) {
        state.withLock { _ = $0.requestStarts.remove(requestTime) }
    }

    var oldestRequestStart: ChangeStamp? { state.withLock { $0.requestStarts.min() } }

    // MARK: Paused operations

    func nextPausedOperation() -> Int {
        state.withLock { state in
            state.lastPausedOperation += 1
            return state.lastPausedOperation
        }
    }

    func begin(_ pausedOperation: Int, _ end: @escaping @Sendable () -> Void) {
        state.withLock { $0.pausedOperations[pausedOperation] = end }
    }

    func endPausedOperation(_ number: Int) {
        state.withLock { _ = $0.pausedOperations.removeValue(forKey: number) }
    }

    func endPausedOperations() {
        let ended = state.withLock { state in
            defer { state.pausedOperations = [:] }
            return state.pausedOperations.values
        }
        // Releasing the last reference to a ``RequestStart`` takes the same lock.
        for end in ended { end() }
    }

    package var noteLimit: Int {
        get { state.withLock { $0.noteLimit } }
        set { state.withLock { $0.noteLimit = newValue } }
    }

    // MARK: Saves

    func beginSave() { state.withLock { $0.saveCount += 1 } }
    func endSave() {
        state.withLock { state in
            state.saveCount -= 1
            state.forget()
        }
    }
    var hasSaves: Bool { state.withLock { $0.saveCount > 0 } }

    // MARK: Sends

    package func beginSend(_ properties: [PropertyIndex], of record: RecordID) {
        state.withLock { state in
            state.sends[record, default: Sends()].count += 1
            state.sends[record]?.properties.formUnion(properties)
            state.unrenamed.remove(record)
        }
    }

    /// Notes sent values. Replies are matched with these, even if the rows change meanwhile.
    ///
    /// - Parameters:
    ///   - parts: rows with the values of attributes that have columns.
    ///   - lists: the lists that they are in.
    package func noteSent(
        _ parts: [(record: RecordID, values: [StoredValue])], in lists: [SentList] = [], within record: RecordID
    ) {
        guard !parts.isEmpty || !lists.isEmpty else { return }
        state.withLock { state in
            state.parts.note(lists, within: record)
            for part in parts { state.parts.note(part.values, of: part.record, within: record) }
        }
    }

    /// Values in flight or at risk, the last ones last.
    func sentValues(of part: RecordID) -> [[StoredValue]] { state.withLock { $0.parts.values(of: part) } }

    func noteCreatedRow(_ row: RowID, of part: RecordID) { state.withLock { $0.parts.replace(part, with: row) } }

    /// A list in flight or at risk, the last request first.
    func sentLists(of owner: ListOwner) -> [[SentList.Element]] {
        state.withLock { $0.parts.lists(of: owner) }
    }

    func sentLists(within record: RecordID) -> [SentList] { state.withLock { $0.parts.lists(within: record) } }

    /// A request sends a link without its row, by the link itself or by its inverse list.
    package func beginLinkSend(_ link: PropertyIndex, of record: RecordID) -> SentLink {
        state.withLock { $0.sentLinks[record, default: []].append(link) }
        return SentLink(link: link, record: record, operations: self)
    }

    fileprivate func endLinkSend(
        _ link: PropertyIndex, of record: RecordID, _ edits: Set<ChangeStamp>, as outcome: Outcome
    ) {
        state.withLock { state in
            state.confirmed.subtract(edits)
            switch outcome {
            case .confirmed:
                state.linksAtRisk[record]?.remove(link)
                state.marks.forgetOther(SentFact(.relationship(link), of: record))
            case .refused: break
            case .unknown: state.linksAtRisk[record, default: []].insert(link)
            }
            if state.linksAtRisk[record]?.isEmpty == true { state.linksAtRisk[record] = nil }
            guard var links = state.sentLinks[record], let index = links.firstIndex(of: link) else { return }
            links.remove(at: index)
            state.sentLinks[record] = links.isEmpty ? nil : links
        }
    }

    /// Links sent without their row, in flight or with an unknown outcome.
    func openLinks(of record: RecordID) -> [PropertyIndex] {
        state.withLock { state in
            (state.sentLinks[record] ?? []) + (state.linksAtRisk[record] ?? [])
                + state.marks.otherRelationships(of: record)
        }
    }

    package enum Outcome {
        /// The file has the values.
        case confirmed
        /// The server has its former values.
        case refused
        /// The server may have either.
        case unknown
    }

    /// - Parameter edits: those that were sent. The context has removed the acknowledged ones.
    package func endSend(of record: RecordID, _ edits: Set<ChangeStamp>, _ outcome: Outcome) {
        state.withLock { state in
            state.confirmed.subtract(edits)
            state.sends[record]?.count -= 1
            if state.sends[record]?.count == 0 { state.sends[record] = nil }
            let name = state.identitiesInFlight.removeValue(forKey: record)
            switch outcome {
            case .confirmed:
                state.forgetNames(of: record)
                state.atRisk[record] = nil
                state.linksAtRisk[record] = nil
                state.marks.forgetOthers(of: record)
                state.parts.forget(within: record)
            case .refused:
                if let name { state.forgetNames(of: record) { $0 == name } }
                if !state.isSent(record) { state.parts.forget(within: record) }
            case .unknown: state.atRisk[record] = .now()
            }
            state.forget()
        }
    }

    /// A context still has these edits. A save must not write them again.
    var confirmedEdits: Set<ChangeStamp> { state.withLock { $0.confirmed } }

    /// Whether the row is in flight or at risk.
    func isSent(_ record: RecordID) -> Bool {
        state.withLock { $0.isSent(record) }
    }

    /// Whether the row is in flight, or a request with an unknown outcome has ended since a time.
    func isSent(_ record: RecordID, since time: ChangeStamp?) -> Bool {
        state.withLock { state in
            guard let time, state.sends[record] == nil else { return state.isSent(record) }
            return state.atRisk[record].map { $0 > time } ?? false || state.marks.hasOther(of: record, since: time)
        }
    }

    func isSent(_ property: PropertyIndex, of record: RecordID) -> Bool {
        state.withLock { $0.isSent(property, of: record) }
    }

    /// Whether a reply may show a row from before a request's change.
    ///
    /// - Parameter requestTime: when the reply was requested. Nil: unknown.
    func isAtRisk(_ record: RecordID, in requestTime: ChangeStamp?) -> Bool {
        state.withLock { state in
            guard let requestTime, state.sends[record] == nil, state.sentLinks[record] == nil else { return true }
            if state.marks.hasOther(of: record, since: requestTime) { return true }
            return state.linksAtRisk[record] != nil || state.atRisk[record].map { $0 > requestTime } ?? false
        }
    }

    /// Whether a request with a member's link, in flight or of unknown outcome, may move it within the list.
    func isLinkAtRisk(of members: [RowID], in list: List) -> Bool {
        guard list.isOfLinks, let link = list.inverse else { return false }
        return state.withLock { state in
            let hasNone =
                state.sends.isEmpty && state.sentLinks.isEmpty && state.linksAtRisk.isEmpty && state.atRisk.isEmpty
                && !state.marks.hasOthers
            if hasNone { return false }
            return members.contains { state.isSent(link, of: RecordID(table: list.target, row: $0)) }
        }
    }

    func isBeingSent(_ record: RecordID) -> Bool { state.withLock { $0.sends[record] != nil } }

    /// Whether a request with an unknown outcome has sent the row.
    package func hasUnknownOutcome(_ record: RecordID) -> Bool {
        state.withLock { $0.hasUnknownOutcome(record) }
    }

    func isSentElsewhere(_ record: RecordID) -> Bool {
        state.withLock { state in
            guard state.marks.hasOther(.row, of: record), state.marks.end(of: record) == nil else { return false }
            state.marks.noteEndedProcesses(of: record)
            return state.marks.end(of: record) == nil
        }
    }

    /// Whether another process, or an earlier run, has sent the row, and not this process since.
    func hasUnknownOutcomeElsewhere(_ record: RecordID) -> Bool {
        state.withLock { state in
            state.marks.hasOther(.row, of: record) && state.atRisk[record] == nil && state.sends[record] == nil
        }
    }

    /// - Parameter lists: of embedded rows, by the row that was sent with them.
    func noteMarks(_ marks: [SentFact: SendMark], lists: [RecordID: [SentList]]) {
        state.withLock { state in
            guard !marks.isEmpty || !state.marks.isEmpty else { return }
            let former = state.marks.otherRecords
            state.marks.replace(with: marks, processToken: processToken)
            for record in former where !state.isSent(record) { state.parts.forget(within: record) }
            for (record, lists) in lists { state.parts.note(lists, within: record) }
        }
    }

    /// This process's marks of accepted or rejected requests.
    func endedMarks(among facts: some Sequence<SentFact>) -> [SentFact] {
        state.withLock { state in
            facts.filter { state.marks.isOwn($0) && !state.openFacts(of: $0.record).contains($0) }
        }
    }

    func openFacts(of record: RecordID) -> Set<SentFact> { state.withLock { $0.openFacts(of: record) } }

    /// Whether the server may have the edited identity that was sent.
    func mayBeRenamed(_ record: RecordID) -> Bool {
        isSent(record) && state.withLock { !$0.unrenamed.contains(record) }
    }

    /// Notes that the server has the former identity.
    ///
    /// - Parameter requestTime: when the reply that shows it was requested. It proves nothing if the row was sent
    ///   since. Nil: the reply uses the sent identity for another object.
    func noteFormerIdentity(of record: RecordID, requestTime: ChangeStamp?) {
        state.withLock { state in
            if requestTime != nil, state.sends[record] != nil { return }
            if let requestTime {
                guard let end = state.atRisk[record] ?? state.marks.end(of: record), end < requestTime else { return }
            }
            state.unrenamed.insert(record)
        }
    }

    // MARK: Sent identities

    func noteName(_ identity: [StoredValue], sentOf record: RecordID) {
        state.withLock { state in
            guard state.sentIdentities[record.table]?[identity] != record.row else { return }
            state.sentIdentities[record.table, default: [:]][identity] = record.row
            state.identitiesInFlight[record] = identity
        }
    }

    func hasSentIdentities(in table: TableID) -> Bool { state.withLock { $0.sentIdentities[table] != nil } }

    func row(sentAs identity: [StoredValue], in table: TableID) -> RowID? {
        state.withLock { state in
            guard let row = state.sentIdentities[table]?[identity], case let record = RecordID(table: table, row: row),
                state.isSent(record), !state.unrenamed.contains(record)
            else { return nil }
            return row
        }
    }

    func hasSentName(_ record: RecordID) -> Bool {
        state.withLock { $0.sentIdentities[record.table]?.values.contains(record.row) ?? false }
    }

    // MARK: Transactions

    /// A transaction's changes here, which take effect with the commit.
    struct Changes {
        /// Acknowledged edits, which their context has until it merges the commit.
        var confirmed: Set<ChangeStamp> = []
        /// A save or reply in flight must not insert a deleted new object again.
        var deleted: Set<RecordID> = []
        /// Nil: the mark was removed.
        var marks: [SentFact: SendMark?] = [:]
        /// Members added to lists of embedded rows in flight, or removed.
        var toggles: [ListOwner: [RowID: ChangeStamp]] = [:]
        /// Rows whose requests all have a known outcome.
        var settled: Set<RecordID> = []

        var isEmpty: Bool {
            confirmed.isEmpty && deleted.isEmpty && marks.isEmpty && toggles.isEmpty && settled.isEmpty
        }
    }

    /// Acknowledgements and deletions are applied before `commit`, so that contexts see them with the commit, and are
    /// undone if it fails.
    func commit(_ changes: Changes, _ commit: () throws -> Void) rethrows {
        guard !changes.isEmpty else { return try commit() }
        let confirmed = state.withLock { state -> Set<ChangeStamp> in
            guard !state.sends.isEmpty || !state.sentLinks.isEmpty else { return [] }
            defer { state.confirmed.formUnion(changes.confirmed) }
            return changes.confirmed.subtracting(state.confirmed)
        }
        let withdrawn = state.withLock { state -> Set<RecordID> in
            guard state.saveCount > 0 || !state.sends.isEmpty else { return [] }
            let new = changes.deleted.filter { $0.row.isOfNewObject && !state.withdrawn.contains($0) }
            state.withdrawn.formUnion(new)
            return new
        }
        do {
            try commit()
        } catch {
            state.withLock { state in
                state.confirmed.subtract(confirmed)
                state.withdrawn.subtract(withdrawn)
            }
            throw error
        }
        state.withLock { state in
            if !state.deletionRequests.isEmpty {
                for record in changes.deleted { state.deletionRequests[record] = nil }
            }
            state.marks.apply(changes.marks, processToken: processToken)
            for record in changes.settled { state.settle(record) }
            state.toggles.merge(changes.toggles) { $0.merging($1, uniquingKeysWith: max) }
            state.forget()
        }
    }

    // MARK: Edited lists

    /// Members that saves have added to a list in flight, or removed, with the time of the edit.
    func toggles(of list: ListOwner) -> [RowID: ChangeStamp] { state.withLock { $0.toggles[list] ?? [:] } }

    // MARK: Edited parts

    /// Another object doesn't take the place of an embedded row that a context edits. A row that a context has moved to
    /// another owner survives the former one.
    func edit(_ record: RecordID) -> EditedPart {
        state.withLock { $0.editedParts[record, default: 0] += 1 }
        return EditedPart(record, self)
    }

    fileprivate func endEdit(of record: RecordID) {
        state.withLock { state in
            let count = state.editedParts[record, default: 1] - 1
            state.editedParts[record] = count > 0 ? count : nil
        }
    }

    func isEdited(_ record: RecordID) -> Bool { state.withLock { $0.editedParts[record] != nil } }

    // MARK: New objects deleted during a save or send

    /// Keeps a deleted new object from being inserted.
    func withdraw(_ record: RecordID) { state.withLock { _ = $0.withdrawn.insert(record) } }

    func cancelWithdrawal(_ record: RecordID) { state.withLock { _ = $0.withdrawn.remove(record) } }

    func isWithdrawn(_ record: RecordID) -> Bool { state.withLock { $0.withdrawn.contains(record) } }

    // MARK: Requested deletions

    /// - Returns: the time of an earlier request with an unknown outcome.
    package func requestDeletion(of record: RecordID) -> ChangeStamp? {
        state.withLock { $0.deletionRequests.updateValue(.now(), forKey: record) }
    }

    /// - Parameter former: the time of an earlier request with an unknown outcome.
    package func endDeletionRequest(of record: RecordID, former: ChangeStamp? = nil) {
        state.withLock { $0.deletionRequests[record] = former }
    }

    /// The time of a deletion request in flight or with an unknown outcome.
    func deletionRequest(of record: RecordID) -> ChangeStamp? { state.withLock { $0.deletionRequests[record] } }

    var deletionRequests: [RecordID: ChangeStamp] { state.withLock { $0.deletionRequests } }
}
