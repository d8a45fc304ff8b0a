import Synchronization

/// An open request. It ends with this object: when its reply is stored, or can't come any more.
package final class Question: Sendable {
    package let stamp: ChangeStamp
    private let underway: Underway

    fileprivate init(_ stamp: ChangeStamp, _ underway: Underway) {
        self.stamp = stamp
        self.underway = underway
    }

    deinit { underway.end(stamp) }
}

/// A context's edit of an embedded object, or of a link to an owner. It lives until the edit is saved or rolled back.
package final class EditedPart: Sendable {
    private let record: RecordID
    private let underway: Underway

    fileprivate init(_ record: RecordID, _ underway: Underway) {
        self.record = record
        self.underway = underway
    }

    deinit { underway.endEdit(of: record) }
}

/// A link in a request that doesn't send the row itself.
package struct ToldLink {
    fileprivate let link: PropertyIndex
    fileprivate let record: RecordID
    fileprivate let underway: Underway

    /// Ends the request. After an unknown outcome, the link is at risk until the row or the link is sent again.
    ///
    /// - Parameter edits: the acknowledged edits, which the context has removed.
    package func end(_ edits: Set<ChangeStamp>, _ outcome: Underway.Outcome) {
        underway.endTelling(link, of: record, edits, as: outcome)
    }
}

/// The operations in progress: requests, saves that wait for the writer, and new objects deleted during one of these.
/// Contexts change it on their actors, and the writer reads it in its queue.
///
/// A row or property is at risk if a request that sent it has an unknown outcome: the server may have either value.
package final class Underway: Sendable {
    private struct State {
        var questions: Set<ChangeStamp> = []
        /// Functions that end paused operations (``Intermission``).
        var intermissions: [Int: @Sendable () -> Void] = [:]
        var lastIntermission = 0
        /// The number of noted changes at which paused operations end.
        var noteLimit = 50_000
        var saveCount = 0
        var sends: [RecordID: Sends] = [:]
        /// The links in requests in flight that don't send the row itself, once for each request.
        var toldLinks: [RecordID: [PropertyIndex]] = [:]
        /// The links in such requests with an unknown outcome.
        var doubtfulLinks: [RecordID: Set<PropertyIndex>] = [:]
        /// Acknowledged edits that their contexts still have.
        var confirmed: Set<ChangeStamp> = []
        /// Rows in requests with an unknown outcome, and when these ended.
        var doubtful: [RecordID: ChangeStamp] = [:]
        var marks = SendMarks()
        /// Rows that the server still has under their former identity, although a new one was sent.
        var unrenamed: Set<RecordID> = []
        /// Edited identities of rows in flight or at risk, saved or not.
        var sentNames: [TableID: [[StoredValue]: RowID]] = [:]
        /// Identities that requests in flight send for the first time.
        var namesOnTheWay: [RecordID: [StoredValue]] = [:]
        var parts = SentParts()
        var withdrawn: Set<RecordID> = []
        /// Rows with a requested deletion that the server has neither confirmed nor refused, and when it was requested.
        var deletionRequests: [RecordID: ChangeStamp] = [:]
        /// The number of contexts with unsaved edits of an embedded row, or with an unsaved move of a row to another
        /// owner.
        var editedParts: [RecordID: Int] = [:]
        /// Members that saves have added to lists of embedded rows in flight, or removed.
        var toggles: [ListOwner: [RowID: ChangeStamp]] = [:]

        func isSent(_ record: RecordID) -> Bool { sends[record] != nil || isInDoubt(record) }

        func isSent(_ property: PropertyIndex, of record: RecordID) -> Bool {
            sends[record]?.properties.contains(property) == true || toldLinks[record]?.contains(property) == true
                || doubtfulLinks[record]?.contains(property) == true || isInDoubt(record)
                || marks.hasOther(.relationship(property), of: record)
        }

        func isInDoubt(_ record: RecordID) -> Bool { doubtful[record] != nil || marks.hasOther(.row, of: record) }

        func openFacts(of record: RecordID) -> Set<SentFact> {
            let isRowOpen = sends[record] != nil || doubtful[record] != nil
            let relationships = (toldLinks[record] ?? []) + (doubtfulLinks[record] ?? [])
            let parts = (isRowOpen ? [.row] : []) + relationships.map { SentPart.relationship($0) }
            return Set(parts.map { SentFact($0, of: record) })
        }

        /// Forgets sent identities of a row that the server has accepted or rejected.
        mutating func forgetNames(of record: RecordID, _ isForgotten: ([StoredValue]) -> Bool = { _ in true }) {
            guard let names = sentNames[record.table] else { return }
            let rest = names.filter { $0.value != record.row || !isForgotten($0.key) }
            sentNames[record.table] = rest.isEmpty ? nil : rest
        }

        /// Forgets the requests with an unknown outcome that have sent a row.
        mutating func settle(_ record: RecordID) {
            (doubtful[record], doubtfulLinks[record]) = (nil, nil)
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

    /// Identifies this process in the file.
    let holder = Holder.make()
    package let requests = OpenRequests()
    private let state = Mutex(State())

    // MARK: Open requests

    /// Begins a request. Its reply must not undo later changes.
    package func ask() -> Question {
        state.withLock { state in
            let stamp = ChangeStamp.now()
            state.questions.insert(stamp)
            return Question(stamp, self)
        }
    }

    fileprivate func end(_ question: ChangeStamp) {
        state.withLock { _ = $0.questions.remove(question) }
    }

    var oldestQuestion: ChangeStamp? { state.withLock { $0.questions.min() } }

    // MARK: Paused operations

    func nextIntermission() -> Int {
        state.withLock { state in
            state.lastIntermission += 1
            return state.lastIntermission
        }
    }

    func begin(_ intermission: Int, _ end: @escaping @Sendable () -> Void) {
        state.withLock { $0.intermissions[intermission] = end }
    }

    func endIntermission(_ number: Int) {
        state.withLock { _ = $0.intermissions.removeValue(forKey: number) }
    }

    func endIntermissions() {
        let ended = state.withLock { state in
            defer { state.intermissions = [:] }
            return state.intermissions.values
        }
        // This may release the last reference to a ``Question``, which takes the same lock.
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

    /// Notes that properties of a row are being sent.
    package func beginSend(_ properties: [PropertyIndex], of record: RecordID) {
        state.withLock { state in
            state.sends[record, default: Sends()].count += 1
            state.sends[record]?.properties.formUnion(properties)
            state.unrenamed.remove(record)
        }
    }

    /// Notes the values of the embedded rows in a request. The reply is matched with these, even if the rows change
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - parts: the rows, with the values of their attributes that have columns.
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

    /// The values of an embedded row in requests in flight or at risk, the last ones last.
    func sentValues(of part: RecordID) -> [[StoredValue]] { state.withLock { $0.parts.values(of: part) } }

    /// Notes that the reply has given a new embedded object another row.
    func noteMade(_ row: RowID, of part: RecordID) { state.withLock { $0.parts.replace(part, with: row) } }

    /// A list of embedded rows in requests in flight or at risk, the last request first.
    func sentLists(of owner: ListOwner) -> [[SentList.Element]] {
        state.withLock { $0.parts.lists(of: owner) }
    }

    /// The lists of embedded rows in requests about a row, in flight or at risk.
    func sentLists(within record: RecordID) -> [SentList] { state.withLock { $0.parts.lists(within: record) } }

    /// Notes that a request sends a link of a row without the row, by the link itself or by its inverse list.
    package func tell(_ link: PropertyIndex, of record: RecordID) -> ToldLink {
        state.withLock { $0.toldLinks[record, default: []].append(link) }
        return ToldLink(link: link, record: record, underway: self)
    }

    fileprivate func endTelling(
        _ link: PropertyIndex, of record: RecordID, _ edits: Set<ChangeStamp>, as outcome: Outcome
    ) {
        state.withLock { state in
            state.confirmed.subtract(edits)
            switch outcome {
            case .confirmed:
                state.doubtfulLinks[record]?.remove(link)
                state.marks.forgetOther(SentFact(.relationship(link), of: record))
            case .refused: break
            case .unknown: state.doubtfulLinks[record, default: []].insert(link)
            }
            if state.doubtfulLinks[record]?.isEmpty == true { state.doubtfulLinks[record] = nil }
            guard var links = state.toldLinks[record], let index = links.firstIndex(of: link) else { return }
            links.remove(at: index)
            state.toldLinks[record] = links.isEmpty ? nil : links
        }
    }

    /// The links of a row in such requests, in flight or with an unknown outcome.
    func linksBeingTold(of record: RecordID) -> [PropertyIndex] {
        state.withLock { state in
            (state.toldLinks[record] ?? []) + (state.doubtfulLinks[record] ?? [])
                + state.marks.otherRelationships(of: record)
        }
    }

    package enum Outcome {
        /// The server has accepted it, and the file has the values.
        case confirmed
        /// The server has rejected it, and has its former values.
        case refused
        /// The server may have either.
        case unknown
    }

    /// Ends a request that sent a row.
    ///
    /// - Parameter edits: the edits that were sent. The context has removed the acknowledged ones.
    package func endSend(of record: RecordID, _ edits: Set<ChangeStamp>, _ outcome: Outcome) {
        state.withLock { state in
            state.confirmed.subtract(edits)
            state.sends[record]?.count -= 1
            if state.sends[record]?.count == 0 { state.sends[record] = nil }
            let name = state.namesOnTheWay.removeValue(forKey: record)
            switch outcome {
            case .confirmed:
                state.forgetNames(of: record)
                state.doubtful[record] = nil
                state.doubtfulLinks[record] = nil
                state.marks.forgetOthers(of: record)
                state.parts.forget(within: record)
            case .refused:
                if let name { state.forgetNames(of: record) { $0 == name } }
                if !state.isSent(record) { state.parts.forget(within: record) }
            case .unknown: state.doubtful[record] = .now()
            }
            state.forget()
        }
    }

    /// Acknowledged edits in the file that a context still has. A save must not write them again.
    var confirmedEdits: Set<ChangeStamp> { state.withLock { $0.confirmed } }

    /// Whether a row is in flight or at risk.
    func isSent(_ record: RecordID) -> Bool {
        state.withLock { $0.isSent(record) }
    }

    /// Whether a row is in flight, or a request that sent it has ended with an unknown outcome since a time.
    func isSent(_ record: RecordID, since time: ChangeStamp?) -> Bool {
        state.withLock { state in
            guard let time, state.sends[record] == nil else { return state.isSent(record) }
            return state.doubtful[record].map { $0 > time } ?? false || state.marks.hasOther(of: record, since: time)
        }
    }

    func isSent(_ property: PropertyIndex, of record: RecordID) -> Bool {
        state.withLock { $0.isSent(property, of: record) }
    }

    /// Whether a reply may show a row as it was before a request changed it.
    ///
    /// - Parameter asked: when the reply was requested. Nil: unknown.
    func isAtRisk(_ record: RecordID, in asked: ChangeStamp?) -> Bool {
        state.withLock { state in
            guard let asked, state.sends[record] == nil, state.toldLinks[record] == nil else { return true }
            if state.marks.hasOther(of: record, since: asked) { return true }
            return state.doubtfulLinks[record] != nil || state.doubtful[record].map { $0 > asked } ?? false
        }
    }

    /// Whether a request with the link of one of a list's members is in flight, or has an unknown outcome. It may move
    /// the member to another place of the list.
    func isLinkAtRisk(of members: [RowID], in list: List) -> Bool {
        guard list.isOfLinks, let link = list.inverse else { return false }
        return state.withLock { state in
            let hasNone =
                state.sends.isEmpty && state.toldLinks.isEmpty && state.doubtfulLinks.isEmpty && state.doubtful.isEmpty
                && !state.marks.hasOthers
            if hasNone { return false }
            return members.contains { state.isSent(link, of: RecordID(table: list.target, row: $0)) }
        }
    }

    func isBeingSent(_ record: RecordID) -> Bool { state.withLock { $0.sends[record] != nil } }

    /// Whether a request that sent a row has an unknown outcome.
    package func isInDoubt(_ record: RecordID) -> Bool {
        state.withLock { $0.isInDoubt(record) }
    }

    /// Whether a request of another running process sends a row.
    func isSentElsewhere(_ record: RecordID) -> Bool {
        state.withLock { state in
            guard state.marks.hasOther(.row, of: record), state.marks.end(of: record) == nil else { return false }
            state.marks.noteEnds(of: record)
            return state.marks.end(of: record) == nil
        }
    }

    /// Whether another process, or an earlier run of this program, has sent a row, and this process hasn't sent it
    /// since.
    func isInDoubtSinceBefore(_ record: RecordID) -> Bool {
        state.withLock { state in
            state.marks.hasOther(.row, of: record) && state.doubtful[record] == nil && state.sends[record] == nil
        }
    }

    /// - Parameter lists: the lists of embedded rows that were sent, by the row that was sent with them.
    func noteMarks(_ marks: [SentFact: SendMark], lists: [RecordID: [SentList]]) {
        state.withLock { state in
            guard !marks.isEmpty || !state.marks.isEmpty else { return }
            let former = state.marks.otherRecords
            state.marks.replace(with: marks, holder: holder)
            for record in former where !state.isSent(record) { state.parts.forget(within: record) }
            for (record, lists) in lists { state.parts.note(lists, within: record) }
        }
    }

    /// The marks of this process whose requests were accepted or rejected.
    func endedMarks(among facts: some Sequence<SentFact>) -> [SentFact] {
        state.withLock { state in
            facts.filter { state.marks.isOwn($0) && !state.openFacts(of: $0.record).contains($0) }
        }
    }

    /// The facts of a row in requests of this process, in flight or with an unknown outcome.
    func openFacts(of record: RecordID) -> Set<SentFact> { state.withLock { $0.openFacts(of: record) } }

    /// Whether the server may have a row under the edited identity that was sent.
    func mayBeRenamed(_ record: RecordID) -> Bool {
        isSent(record) && state.withLock { !$0.unrenamed.contains(record) }
    }

    /// Notes that the server has a row under its former identity.
    ///
    /// - Parameter asked: when the reply that shows it was requested. It proves nothing if the row was sent since. Nil:
    ///   the reply uses the sent identity for another object.
    func noteFormerIdentity(of record: RecordID, asked: ChangeStamp?) {
        state.withLock { state in
            if asked != nil, state.sends[record] != nil { return }
            if let asked {
                guard let end = state.doubtful[record] ?? state.marks.end(of: record), end < asked else { return }
            }
            state.unrenamed.insert(record)
        }
    }

    // MARK: Sent identities

    /// Notes an edited identity that is about to be sent.
    func noteName(_ identity: [StoredValue], sentOf record: RecordID) {
        state.withLock { state in
            guard state.sentNames[record.table]?[identity] != record.row else { return }
            state.sentNames[record.table, default: [:]][identity] = record.row
            state.namesOnTheWay[record] = identity
        }
    }

    func hasSentNames(in table: TableID) -> Bool { state.withLock { $0.sentNames[table] != nil } }

    /// The row with an edited identity that is in flight or at risk.
    func row(sentAs identity: [StoredValue], in table: TableID) -> RowID? {
        state.withLock { state in
            guard let row = state.sentNames[table]?[identity], case let record = RecordID(table: table, row: row),
                state.isSent(record), !state.unrenamed.contains(record)
            else { return nil }
            return row
        }
    }

    func hasSentName(_ record: RecordID) -> Bool {
        state.withLock { $0.sentNames[record.table]?.values.contains(record.row) ?? false }
    }

    // MARK: Transactions

    /// The changes that a transaction makes here. They take effect with the commit.
    struct Changes {
        /// Acknowledged edits. Their context has them until it merges the commit.
        var confirmed: Set<ChangeStamp> = []
        /// Deleted rows. A save or reply in flight must not insert a deleted new object again.
        var deleted: Set<RecordID> = []
        /// Marks of facts in the file. Nil: the mark was removed.
        var marks: [SentFact: SendMark?] = [:]
        /// Members that were added to lists of embedded rows in flight, or removed.
        var toggles: [ListOwner: [RowID: ChangeStamp]] = [:]
        /// Rows whose requests all have a known outcome.
        var settled: Set<RecordID> = []

        var isEmpty: Bool {
            confirmed.isEmpty && deleted.isEmpty && marks.isEmpty && toggles.isEmpty && settled.isEmpty
        }
    }

    /// Runs `commit` and applies the changes. Acknowledgements and deletions are applied before, so that a context that
    /// sees the commit sees them, too. They are taken back if `commit` fails.
    func commit(_ changes: Changes, _ commit: () throws -> Void) rethrows {
        guard !changes.isEmpty else { return try commit() }
        let confirmed = state.withLock { state -> Set<ChangeStamp> in
            guard !state.sends.isEmpty || !state.toldLinks.isEmpty else { return [] }
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
            state.marks.apply(changes.marks, holder: holder)
            for record in changes.settled { state.settle(record) }
            state.toggles.merge(changes.toggles) { $0.merging($1, uniquingKeysWith: max) }
            state.forget()
        }
    }

    // MARK: Edited lists

    /// Members that saves have added to a list of embedded rows in flight, or removed, with the time of the edit.
    func toggles(of list: ListOwner) -> [RowID: ChangeStamp] { state.withLock { $0.toggles[list] ?? [:] } }

    // MARK: Edited parts

    /// Notes that a context has edits of an embedded row, so that another object doesn't take its place. Or that a
    /// context has moved a row to another owner, so that the deletion of the former owner spares it.
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

    /// Notes that a new object was deleted during a save or send, so that it isn't inserted.
    func withdraw(_ record: RecordID) { state.withLock { _ = $0.withdrawn.insert(record) } }

    func reinstate(_ record: RecordID) { state.withLock { _ = $0.withdrawn.remove(record) } }

    func isWithdrawn(_ record: RecordID) -> Bool { state.withLock { $0.withdrawn.contains(record) } }

    // MARK: Requested deletions

    /// Notes that a request to delete a row is about to be sent.
    ///
    /// - Returns: the time of an earlier request with an unknown outcome.
    package func requestDeletion(of record: RecordID) -> ChangeStamp? {
        state.withLock { $0.deletionRequests.updateValue(.now(), forKey: record) }
    }

    /// Notes that the server has refused to delete a row.
    ///
    /// - Parameter former: the time of an earlier request with an unknown outcome.
    package func endDeletionRequest(of record: RecordID, former: ChangeStamp? = nil) {
        state.withLock { $0.deletionRequests[record] = former }
    }

    /// The time of a row's deletion request that is in flight or has an unknown outcome.
    func deletionRequest(of record: RecordID) -> ChangeStamp? { state.withLock { $0.deletionRequests[record] } }

    var deletionRequests: [RecordID: ChangeStamp] { state.withLock { $0.deletionRequests } }
}
