import Dispatch
import Synchronization

/// State shared by the writers of one file in this process, so that one store's reply doesn't undo another's changes.
final class FileMemory: Sendable {
    /// As of the last transaction.
    struct Contents: Sendable {
        var recentChanges = RecentChanges()
        var survivors: [RecordID: RowID] = [:]
        var confirmedEdits: Set<ChangeStamp> = []
        /// Nil before the first transaction.
        var nextRows: TableMap<RowID>?
    }

    let operations = InFlightOperations()
    private let contents = Mutex(Contents())
    private let lastWriter = Mutex<ObjectIdentifier?>(nil)
    private let turn = DispatchSemaphore(value: 1)

    private struct Confirmations {
        /// By id, without rows.
        var answers: [Int64: KeptAnswer] = [:]
        var unwritten: Set<Int64> = []
    }

    /// Stored answers that the server has confirmed (304). They may be newer than the file, or a context's view of it.
    private let confirmed = Mutex(Confirmations())

    /// The changes that invalidate stored answers, as far as contexts have read them. Requests check answers without
    /// access to the file.
    private let changes = Mutex(ChangeNotes())

    private struct NotedListing {
        let listing: Listing
        /// Whether the contents are new. A listing with only a later time is written with other changes.
        var hasNewContents: Bool
        var isWritten = false
    }

    /// How far lists were fetched. This may be newer than the file, or a context's view of it.
    private let noted = Mutex<[Listing.Key: NotedListing]>([:])

    /// Takes the state for one transaction. Waits, as the last writer gives it back only after it has released its lock
    /// on the file.
    func take() -> Contents {
        turn.wait()
        return contents.withLock { contents in
            // A second reference would make each change copy the contents.
            defer { contents = Contents() }
            return contents
        }
    }

    func giveBack(_ contents: Contents, by writer: ObjectIdentifier) {
        self.contents.withLock { $0 = contents }
        lastWriter.withLock { $0 = writer }
        turn.signal()
    }

    // MARK: Answers

    func note(_ kept: KeptAnswer) {
        var confirmation = kept
        confirmation.rows = AnsweredRows()
        confirmed.withLock { [confirmation] confirmed in
            // A forgotten answer is only fetched earlier.
            if confirmed.answers.count >= 1000 {
                confirmed.answers = confirmed.answers.filter { confirmed.unwritten.contains($0.key) }
            }
            if confirmed.answers.count >= 1000 { confirmed = Confirmations() }
            confirmed.answers[kept.id] = confirmation
            confirmed.unwritten.insert(kept.id)
        }
    }

    /// The answer with its last confirmation, in memory or in the file.
    func newest(_ kept: UncheckedAnswer) -> UncheckedAnswer {
        guard let noted = confirmed.withLock({ $0.answers[kept.id] }), noted.isLater(than: kept.writtenCheck) else {
            return kept
        }
        var newest = kept
        newest.answer = noted.answer
        return newest
    }

    func noteChanges(_ read: (_ last: Int64) throws -> [(id: Int64, note: ChangeNotes.Note)]) rethrows {
        let notes = try read(changes.withLock { $0.last })
        if !notes.isEmpty { changes.withLock { $0.take(notes) } }
    }

    /// Whether all rows of an answer are unchanged, as far as changes are known.
    func isIntact(_ answer: UncheckedAnswer) -> Bool { changes.withLock { $0.leaveIntact(answer) } }

    func checkedAt(_ answer: Int64) -> Double? { confirmed.withLock { $0.answers[answer]?.answer.checkedAt } }

    /// When the server last sent or confirmed an answer.
    ///
    /// - Parameter written: the file's time.
    func checkedAt(_ answer: Int64, written: Double) -> Double {
        guard let noted = confirmed.withLock({ $0.answers[answer] }), noted.isLater(than: written) else {
            return written
        }
        return noted.answer.checkedAt
    }

    /// Confirmed answers that the file lacks.
    func unwrittenAnswers(limit: Int) -> [KeptAnswer] {
        confirmed.withLock { confirmed in
            confirmed.unwritten.prefix(limit).compactMap { confirmed.answers[$0] }
        }
    }

    func noteWritten(_ written: [KeptAnswer]) {
        guard !written.isEmpty else { return }
        confirmed.withLock { confirmed in
            for kept in written where confirmed.answers[kept.id]?.answer.checkedAt == kept.answer.checkedAt {
                confirmed.unwritten.remove(kept.id)
            }
        }
    }

    // MARK: Listings

    /// Listings that the file lacks.
    ///
    /// - Parameter hasNewContents: whether their contents must be new.
    func unwrittenListings(hasNewContents: Bool) -> [Listing] {
        noted.withLock { $0.values.filter { !$0.isWritten && ($0.hasNewContents || !hasNewContents) }.map(\.listing) }
    }

    func note(_ listing: Listing, over former: Listing?) {
        noted.withLock { noted in
            // Only the time of the last fetch is lost.
            if noted.count >= 1000, noted.count.isMultiple(of: 1000) {
                noted = noted.filter { !$0.value.isWritten && $0.value.hasNewContents }
            }
            let hadNewContents = noted[listing.key].map { $0.hasNewContents && !$0.isWritten } ?? false
            let hasNewContents = hadNewContents || former.map { !listing.isSame(as: $0) } ?? true
            noted[listing.key] = NotedListing(listing: listing, hasNewContents: hasNewContents)
        }
    }

    var listings: [Listing] { noted.withLock { $0.values.map(\.listing) } }

    func listing(_ key: Listing.Key) -> Listing? { noted.withLock { $0[key]?.listing } }

    func noteWritten(_ written: [Listing]) {
        guard !written.isEmpty else { return }
        noted.withLock { noted in
            for listing in written where noted[listing.key]?.listing == listing { noted[listing.key]?.isWritten = true }
        }
    }

    /// Forgets dropped listings, unless they are unwritten.
    func forgetListings(_ dropped: [Listing.Key]) {
        guard !dropped.isEmpty else { return }
        noted.withLock { noted in
            for key in dropped where noted[key]?.isWritten == true { noted[key] = nil }
        }
    }

    /// Another process may have written newer ones.
    func forgetWrittenListings() { noted.withLock { noted in noted = noted.filter { !$0.value.isWritten } } }

    func forgetListings(of owner: RecordID) {
        noted.withLock { noted in
            if !noted.isEmpty { noted = noted.filter { $0.key.owner != owner } }
        }
    }

    func erase() {
        confirmed.withLock { $0 = Confirmations() }
        noted.withLock { $0 = [:] }
    }

    // MARK: The last writer

    func wasWritten(byAnotherThan writer: ObjectIdentifier) -> Bool {
        lastWriter.withLock { $0.map { $0 != writer } ?? false }
    }

    func forget(_ writer: ObjectIdentifier) { lastWriter.withLock { if $0 == writer { $0 = nil } } }
}

extension KeptAnswer {
    /// Whether this confirmation is later than the file's. If the clock was set back, a confirmation that replaces the
    /// file's time counts as later.
    fileprivate func isLater(than written: Double) -> Bool {
        answer.checkedAt > written || writtenCheck == written && answer.checkedAt != written
    }
}
