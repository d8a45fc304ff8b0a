import Synchronization

/// A question to the server, open as long as this lives: until its answer is stored, or will not come.
package final class Question: Sendable {
    package let stamp: ChangeStamp
    private let underway: Underway

    fileprivate init(_ stamp: ChangeStamp, _ underway: Underway) {
        self.stamp = stamp
        self.underway = underway
    }

    deinit { underway.end(stamp) }
}

/// What somebody keeps who may go on with it or not, open questions among it. As all that changes here meanwhile is
/// noted for these, it is let go of once that has become much.
package final class Intermission<Kept: Sendable>: Sendable {
    private let kept: Mutex<Kept?>
    private let number: Int
    private let underway: Underway

    package init(_ kept: Kept, in underway: Underway) {
        self.kept = Mutex(kept)
        self.underway = underway
        number = underway.nextIntermission()
        underway.begin(number) { [weak self] in _ = self?.end() }
    }

    deinit { underway.endIntermission(number) }

    /// - Returns: what was kept; `nil` once it was let go of.
    package func end() -> Kept? {
        kept.withLock { kept in
            defer { kept = nil }
            return kept
        }
    }
}

/// An embedded object that a context has edited, as long as this lives: until it is saved or rolled back.
package final class EditedPart: Sendable {
    private let record: RecordID
    private let underway: Underway

    fileprivate init(_ record: RecordID, _ underway: Underway) {
        self.record = record
        self.underway = underway
    }

    deinit { underway.endEdit(of: record) }
}

/// A link that the server is being told, beside what is sent of the row itself.
package struct ToldLink {
    fileprivate let link: PropertyIndex
    fileprivate let record: RecordID
    fileprivate let underway: Underway

    /// The server has answered, and the file has what it said; or it will not, and where the link leads is in doubt
    /// until the row is sent, or the link told again.
    ///
    /// - Parameter edits: those that were confirmed; the context has taken them back.
    package func end(_ edits: Set<ChangeStamp>, _ outcome: Underway.Outcome) {
        underway.endTelling(link, of: record, edits, as: outcome)
    }
}

/// What contexts have on its way: questions to the server, objects that are sent, saves that wait for the writer, and
/// new objects that were deleted while one of those had them. Contexts note it on their actors, the writer asks in its
/// queue.
package final class Underway: Sendable {
    private struct State {
        var questions: Set<ChangeStamp> = []
        /// By number: what ends each.
        var intermissions: [Int: @Sendable () -> Void] = [:]
        var lastIntermission = 0
        /// After how many notes of what changes while questions are open all of those end.
        var noteLimit = 50_000
        var saveCount = 0
        /// The sends of rows that are on their way.
        var sends: [RecordID: Sends] = [:]
        /// The links that requests on their way change at the server without sending the row, each as often as it is
        /// told.
        var toldLinks: [RecordID: [PropertyIndex]] = [:]
        /// Those of which nobody knows whether they have.
        var doubtfulLinks: [RecordID: Set<PropertyIndex>] = [:]
        /// Those who wait for a send of a row to end.
        var waiting: [RecordID: [CheckedContinuation<Void, Never>]] = [:]
        /// The edits that the server has confirmed, whose senders have not taken them back yet.
        var confirmed: Set<ChangeStamp> = []
        /// The rows that were sent and never confirmed, and since when nobody knows what the server has of them.
        var doubtful: [RecordID: ChangeStamp] = [:]
        /// The rows of which the file says that: they were sent by a program that ended before it had the answer, or by
        /// another one that has none yet.
        var doubtfulInFile: [TableID: Set<RowID>] = [:]
        /// The rows that the server still knows by their former identity, whatever was sent of it.
        var unrenamed: Set<RecordID> = []
        /// The identities that edits have given to rows which are sent or in doubt, whether or not the file has the
        /// edit.
        var sentNames: [TableID: [[StoredValue]: RowID]] = [:]
        /// Those of them that were first told by the send that is on its way.
        var namesOnTheWay: [RecordID: [StoredValue]] = [:]
        /// By embedded row that is sent or in doubt: the attributes that went out, all that differ.
        var sentParts: [RecordID: [[StoredValue]]] = [:]
        /// By the row that they went out with.
        var partsSent: [RecordID: Set<RecordID>] = [:]
        /// By the row that they went out with: the lists of embedded rows that were sent.
        var sentLists: [RecordID: [SentList]] = [:]
        var withdrawn: Set<RecordID> = []
        /// The rows whose deletion was requested, with the time of the request. The server has neither confirmed nor
        /// refused it.
        var deletionRequests: [RecordID: ChangeStamp] = [:]
        /// By embedded row: how many contexts have edits of it that are not saved.
        var editedParts: [RecordID: Int] = [:]
        /// By the first edit of each: what edited lists were written as.
        var written: [ChangeStamp: WrittenList] = [:]

        func isSent(_ record: RecordID) -> Bool {
            sends[record] != nil || doubtful[record] != nil || isInDoubt(record)
        }

        func isSent(_ property: PropertyIndex, of record: RecordID) -> Bool {
            sends[record]?.properties.contains(property) == true || toldLinks[record]?.contains(property) == true
                || doubtfulLinks[record]?.contains(property) == true || doubtful[record] != nil || isInDoubt(record)
        }

        func isInDoubt(_ record: RecordID) -> Bool { doubtfulInFile[record.table]?.contains(record.row) ?? false }

        mutating func forgetParts(within record: RecordID) {
            for part in partsSent.removeValue(forKey: record) ?? [] { sentParts[part] = nil }
            sentLists[record] = nil
        }

        /// Notes lists that were sent, with their elements. What is tried again and again is kept once.
        mutating func note(_ lists: [SentList], within record: RecordID) {
            for list in lists {
                sentLists[record]?.removeAll { $0 == list }
                sentLists[record, default: []].append(list)
                for element in list.elements {
                    note(element.values, of: RecordID(table: list.table, row: element.row), within: record)
                }
            }
        }

        mutating func note(_ values: [StoredValue], of part: RecordID, within record: RecordID) {
            sentParts[part]?.removeAll { $0 == values }
            sentParts[part, default: []].append(values)
            partsSent[record, default: []].insert(part)
        }

        /// The server has taken what was sent of a row, or has refused some name of it.
        mutating func forgetNames(of record: RecordID, _ isForgotten: ([StoredValue]) -> Bool = { _ in true }) {
            guard let names = sentNames[record.table] else { return }
            let rest = names.filter { $0.value != record.row || !isForgotten($0.key) }
            sentNames[record.table] = rest.isEmpty ? nil : rest
        }

        /// What matters no more when nothing is under way.
        mutating func forget() {
            guard saveCount == 0 else { return }
            if sends.isEmpty { withdrawn = [] }
            written = written.filter { sends[$0.value.owner] != nil }
        }
    }

    /// The sends of a row.
    private struct Sends {
        var count = 0
        /// What any of them has.
        var properties: Set<PropertyIndex> = []
    }

    /// An edit of a list that was written.
    struct WrittenList {
        let owner: RecordID
        /// The members that the edit has, without those that others have added since.
        let members: [RowID]
        /// Those that it was made of.
        let base: [RowID]

        /// What a later edit, made upon this one, is a difference to.
        ///
        /// - Parameter base: what it has as its base: this one's, and what others have added by then, without what they
        ///   have taken out.
        func base(over base: [RowID]) -> [RowID] {
            let (former, written, present) = (Set(self.base), Set(members), Set(base))
            return members.filter { !former.contains($0) || present.contains($0) }
                + base.filter { !former.contains($0) && !written.contains($0) }
        }
    }

    private let state = Mutex(State())

    // MARK: Questions

    /// Notes a question to the server, whose answer must not undo what happens here from now on.
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

    /// The oldest question that is open; `nil` when none is.
    var oldestQuestion: ChangeStamp? { state.withLock { $0.questions.min() } }

    // MARK: Intermissions

    fileprivate func nextIntermission() -> Int {
        state.withLock { state in
            state.lastIntermission += 1
            return state.lastIntermission
        }
    }

    fileprivate func begin(_ intermission: Int, _ end: @escaping @Sendable () -> Void) {
        state.withLock { $0.intermissions[intermission] = end }
    }

    fileprivate func endIntermission(_ number: Int) {
        state.withLock { _ = $0.intermissions.removeValue(forKey: number) }
    }

    /// Lets go of all that is kept by somebody who does not go on at the moment.
    func endIntermissions() {
        let ended = state.withLock { state in
            defer { state.intermissions = [:] }
            return state.intermissions.values
        }
        // Each may be the last to have a question, which tells so under the same lock.
        for end in ended { end() }
    }

    /// How much may be noted before that is done.
    package var noteLimit: Int {
        get { state.withLock { $0.noteLimit } }
        set { state.withLock { $0.noteLimit = newValue } }
    }

    // MARK: Saves

    /// Notes that a batch was made which is still to be written.
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

    /// Notes what the embedded rows within a row that is being sent go out as: by that they are known in an answer,
    /// whatever they are by then.
    ///
    /// - Parameters:
    ///   - parts: with the values of their attributes that have columns.
    ///   - lists: the lists that they are in.
    package func noteSent(
        _ parts: [(record: RecordID, values: [StoredValue])], in lists: [SentList] = [], within record: RecordID
    ) {
        guard !parts.isEmpty || !lists.isEmpty else { return }
        state.withLock { state in
            state.note(lists, within: record)
            for part in parts { state.note(part.values, of: part.record, within: record) }
        }
    }

    /// What an embedded row went out as, as long as it isn't known what has come of that; the last one last.
    func sentValues(of part: RecordID) -> [[StoredValue]] { state.withLock { $0.sentParts[part] ?? [] } }

    /// A list of embedded rows as requests have sent it whose outcome isn't known; the last request comes first.
    func sentLists(of owner: ListOwner) -> [[SentList.Element]] {
        state.withLock { state in
            state.sentLists.values.flatMap { $0.filter { $0.owner == owner }.map(\.elements).reversed() }
        }
    }

    /// The lists of embedded rows that requests about a row have sent whose outcome isn't known.
    func sentLists(within record: RecordID) -> [SentList] { state.withLock { $0.sentLists[record] ?? [] } }

    /// Notes that the server is being told a link of a row, in the row's own body or by way of the list that it leads
    /// back from.
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
            case .confirmed: state.doubtfulLinks[record]?.remove(link)
            case .refused: break
            case .unknown: state.doubtfulLinks[record, default: []].insert(link)
            }
            if state.doubtfulLinks[record]?.isEmpty == true { state.doubtfulLinks[record] = nil }
            guard var links = state.toldLinks[record], let index = links.firstIndex(of: link) else { return }
            links.remove(at: index)
            state.toldLinks[record] = links.isEmpty ? nil : links
        }
    }

    /// The links of a row that the server is being told so, or may have been.
    func linksBeingTold(of record: RecordID) -> [PropertyIndex] {
        state.withLock { ($0.toldLinks[record] ?? []) + ($0.doubtfulLinks[record] ?? []) }
    }

    /// What has come of a send.
    package enum Outcome {
        /// The server has taken what was sent, and the file has that.
        case confirmed
        /// It has said that it hasn't: what it has is what it had before.
        case refused
        /// Nobody knows.
        case unknown
    }

    /// - Parameter edits: those that were sent; the context has taken back what was confirmed of them.
    package func endSend(of record: RecordID, _ edits: Set<ChangeStamp>, _ outcome: Outcome) {
        let waiting = state.withLock { state in
            state.confirmed.subtract(edits)
            state.sends[record]?.count -= 1
            if state.sends[record]?.count == 0 { state.sends[record] = nil }
            let name = state.namesOnTheWay.removeValue(forKey: record)
            switch outcome {
            case .confirmed:
                state.forgetNames(of: record)
                state.doubtful[record] = nil
                state.doubtfulLinks[record] = nil
                state.doubtfulInFile[record.table]?.remove(record.row)
                state.forgetParts(within: record)
            case .refused:
                if let name { state.forgetNames(of: record) { $0 == name } }
                if !state.isSent(record) { state.forgetParts(within: record) }
            case .unknown: state.doubtful[record] = .now()
            }
            state.forget()
            return state.waiting.removeValue(forKey: record) ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Whether a list of a row is on its way to the server.
    func isBeingSent(_ property: PropertyIndex, of record: RecordID) -> Bool {
        state.withLock { $0.sends[record]?.properties.contains(property) == true }
    }

    /// Waits until a send of a row ends, if one is on its way.
    func waitForSend(of record: RecordID) async {
        await withCheckedContinuation { continuation in
            let isWaiting = state.withLock { state in
                guard state.sends[record] != nil else { return false }
                state.waiting[record, default: []].append(continuation)
                return true
            }
            if !isWaiting { continuation.resume() }
        }
    }

    /// The edits that a context still has and that are in the file already: a save must not write them again.
    var confirmedEdits: Set<ChangeStamp> { state.withLock { $0.confirmed } }

    /// Whether the server may have been told something of the row that it has neither confirmed nor refused.
    func isSent(_ record: RecordID) -> Bool {
        state.withLock { $0.isSent(record) }
    }

    /// Whether the server may have been told a property of the row that it has neither confirmed nor refused.
    func isSent(_ property: PropertyIndex, of record: RecordID) -> Bool {
        state.withLock { $0.isSent(property, of: record) }
    }

    /// Whether what an answer says of a row may be what it was before a request that has told the server something.
    ///
    /// - Parameter asked: when the answer was asked for; nil if that isn't known.
    func isAtRisk(_ record: RecordID, in asked: ChangeStamp?) -> Bool {
        state.withLock { state in
            guard let asked, state.sends[record] == nil, state.toldLinks[record] == nil, !state.isInDoubt(record) else {
                return true
            }
            return state.doubtfulLinks[record] != nil || state.doubtful[record].map { $0 > asked } ?? false
        }
    }

    /// Whether a request with the link of one of a list's members is in flight, or has an unknown outcome. Such a
    /// request may move the member to another place of the list.
    func isLinkAtRisk(of members: [RowID], in list: List) -> Bool {
        guard list.isOfLinks, let link = list.inverse else { return false }
        return state.withLock { state in
            let hasNone =
                state.sends.isEmpty && state.toldLinks.isEmpty && state.doubtfulLinks.isEmpty && state.doubtful.isEmpty
                && state.doubtfulInFile[list.target]?.isEmpty != false
            if hasNone { return false }
            return members.contains { state.isSent(link, of: RecordID(table: list.target, row: $0)) }
        }
    }

    /// Whether a row is on its way to the server.
    func isBeingSent(_ record: RecordID) -> Bool { state.withLock { $0.sends[record] != nil } }

    var hasSends: Bool { state.withLock { !$0.sends.isEmpty } }

    /// Whether a row was sent before, and nobody knows what the server has of it.
    package func isInDoubt(_ record: RecordID) -> Bool {
        state.withLock { $0.doubtful[record] != nil || $0.isInDoubt(record) }
    }

    /// The same of one that was sent before the program was run, and not since.
    func isInDoubtSinceBefore(_ record: RecordID) -> Bool {
        state.withLock { $0.isInDoubt(record) && $0.doubtful[record] == nil && $0.sends[record] == nil }
    }

    /// Takes over which rows of a table have an unknown outcome according to the file, with the lists of embedded rows
    /// that were sent of them.
    func noteDoubts(of table: TableID, _ rows: [RowID: [SentList]]) {
        state.withLock { state in
            guard !rows.isEmpty || state.doubtfulInFile[table] != nil else { return }
            let former = state.doubtfulInFile[table] ?? []
            state.doubtfulInFile[table] = Set(rows.keys)
            for row in former where rows[row] == nil {
                let record = RecordID(table: table, row: row)
                if !state.isSent(record) { state.forgetParts(within: record) }
            }
            for (row, lists) in rows { state.note(lists, within: RecordID(table: table, row: row)) }
        }
    }

    /// Whether the server may know a row by the identity that was sent of it.
    func mayBeRenamed(_ record: RecordID) -> Bool {
        isSent(record) && state.withLock { !$0.unrenamed.contains(record) }
    }

    /// Notes that the server knows a row by its former identity.
    ///
    /// - Parameter asked: when the answer was asked for that says so; where the row was sent since, it proves nothing.
    ///   `nil` where the same answer names another object by the identity that was sent.
    func noteFormerIdentity(of record: RecordID, asked: ChangeStamp?) {
        state.withLock { state in
            if asked != nil, state.sends[record] != nil { return }
            if let asked, state.doubtful[record].map({ $0 > asked }) ?? !state.isInDoubt(record) { return }
            state.unrenamed.insert(record)
        }
    }

    // MARK: Sent identities

    /// Notes which identity the server is about to be told of a row.
    func noteName(_ identity: [StoredValue], sentOf record: RecordID) {
        state.withLock { state in
            guard state.sentNames[record.table]?[identity] != record.row else { return }
            state.sentNames[record.table, default: [:]][identity] = record.row
            state.namesOnTheWay[record] = identity
        }
    }

    func hasSentNames(in table: TableID) -> Bool { state.withLock { $0.sentNames[table] != nil } }

    /// The row of which the server was told an identity, and has neither confirmed nor refused it.
    func row(sentAs identity: [StoredValue], in table: TableID) -> RowID? {
        state.withLock { state in
            guard let row = state.sentNames[table]?[identity], case let record = RecordID(table: table, row: row),
                state.isSent(record), !state.unrenamed.contains(record)
            else { return nil }
            return row
        }
    }

    /// Whether the server was told an identity of a row that it has neither confirmed nor refused.
    func hasSentName(_ record: RecordID) -> Bool {
        state.withLock { $0.sentNames[record.table]?.values.contains(record.row) ?? false }
    }

    // MARK: Transactions

    /// What a transaction changes here. It takes effect with the commit.
    struct Changes {
        /// The edits that the server has acknowledged. Their context still has them until it merges the commit.
        var confirmed: Set<ChangeStamp> = []
        /// The deleted rows. A save or a reply in flight doesn't insert a new object again that was deleted.
        var deleted: Set<RecordID> = []
        /// The rows whose requests were all rejected, so that the file doesn't mark them as at risk any more.
        var settled: Set<RecordID> = []
        /// The edited lists that were written, by their first edit.
        var lists: [ChangeStamp: WrittenList] = [:]

        var isEmpty: Bool { confirmed.isEmpty && deleted.isEmpty && settled.isEmpty && lists.isEmpty }
    }

    /// Runs `commit` after a transaction's changes were made here, and takes them back if it fails. A context that sees
    /// the commit therefore sees the changes, too.
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
            if !state.deletionRequests.isEmpty { for record in changes.deleted { state.deletionRequests[record] = nil } }
            for record in changes.settled { state.doubtfulInFile[record.table]?.remove(record.row) }
            state.written.merge(changes.lists) { $1 }
            state.forget()
        }
    }

    // MARK: Edited lists

    /// The last edit of a list that was written and began with this one.
    func writtenList(since edit: ChangeStamp) -> WrittenList? { state.withLock { $0.written[edit] } }

    // MARK: Edited parts

    /// Notes that a context has edits of an embedded row, which another element that comes in its place must not get.
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

    // MARK: New objects that were deleted on the way

    /// Notes that a new object which is on its way to the file was deleted: it is not to be inserted any more.
    func withdraw(_ record: RecordID) { state.withLock { _ = $0.withdrawn.insert(record) } }

    /// Notes that it is to be inserted again.
    func reinstate(_ record: RecordID) { state.withLock { _ = $0.withdrawn.remove(record) } }

    func isWithdrawn(_ record: RecordID) -> Bool { state.withLock { $0.withdrawn.contains(record) } }

    // MARK: Requested deletions

    /// Notes that a request to delete a row is about to be sent.
    ///
    /// - Returns: the time of an earlier request whose outcome is unknown.
    package func requestDeletion(of record: RecordID) -> ChangeStamp? {
        state.withLock { $0.deletionRequests.updateValue(.now(), forKey: record) }
    }

    /// Notes that the server has refused to delete a row.
    ///
    /// - Parameter former: the time of an earlier request whose outcome is unknown.
    package func endDeletionRequest(of record: RecordID, former: ChangeStamp? = nil) {
        state.withLock { $0.deletionRequests[record] = former }
    }

    /// When a row's deletion was requested; `nil` if no request is without an outcome.
    func deletionRequest(of record: RecordID) -> ChangeStamp? { state.withLock { $0.deletionRequests[record] } }

    /// All rows whose deletion was requested, with an unknown outcome.
    var deletionRequests: [RecordID: ChangeStamp] { state.withLock { $0.deletionRequests } }
}
