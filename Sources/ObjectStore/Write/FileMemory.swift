import Dispatch
import Synchronization

/// What the writers of one file remember together: there is one for each store of this process that has it open, and an
/// answer that one of them stores must not undo what another has.
final class FileMemory: Sendable {
    /// What has changed lately, as the last transaction left it.
    struct Contents: Sendable {
        var recentChanges = RecentChanges()
        var survivors: [RecordID: RowID] = [:]
        var confirmedEdits: Set<ChangeStamp> = []
        /// `nil` before the first transaction.
        var nextRows: TableMap<RowID>?
    }

    /// What contexts have on its way to the server and to the writers.
    let underway = Underway()
    private let contents = Mutex(Contents())
    private let lastWriter = Mutex<ObjectIdentifier?>(nil)
    private let turn = DispatchSemaphore(value: 1)

    private struct Confirmations {
        /// By number, without their rows.
        var answers: [Int64: KeptAnswer] = [:]
        var unwritten: Set<Int64> = []
    }

    /// Answers of which the server has said lately that they are as they were: a context may show the file as it was
    /// before that was written.
    private let confirmed = Mutex(Confirmations())

    /// What has changed, as contexts have read it: whose answers it concerns is asked where no file is at hand.
    private let changes = Mutex(ChangeNotes())

    private struct NotedListing {
        let listing: Listing
        /// Whether it is worth a write of its own, rather than that it was listed later.
        var isNews: Bool
        var isWritten = false
    }

    /// How far lists have been listed lately: a context may show the file as it was before that was written.
    private let noted = Mutex<[Listing.Key: NotedListing]>([:])

    /// Takes it for the length of a transaction, whose lock on the file keeps the others away. Who has just given that
    /// up may be about to give this back.
    func take() -> Contents {
        turn.wait()
        return contents.withLock { contents in
            // Moved, as a second reference would have each change copy it.
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
            // What is forgotten is asked for sooner than it need be.
            if confirmed.answers.count >= 1000 {
                confirmed.answers = confirmed.answers.filter { confirmed.unwritten.contains($0.key) }
            }
            if confirmed.answers.count >= 1000 { confirmed = Confirmations() }
            confirmed.answers[kept.id] = confirmation
            confirmed.unwritten.insert(kept.id)
        }
    }

    /// The answer as it was last confirmed: as it is noted here, unless the file has a later word.
    func newest(_ kept: UncheckedAnswer) -> UncheckedAnswer {
        guard let noted = confirmed.withLock({ $0.answers[kept.id] }), noted.isLater(than: kept.writtenCheck) else {
            return kept
        }
        var newest = kept
        newest.answer = noted.answer
        return newest
    }

    /// Takes what is noted of what has changed, as far as that is not known.
    ///
    /// - Parameter read: gives the notes that follow one.
    func noteChanges(_ read: (_ last: Int64) throws -> [(id: Int64, note: ChangeNotes.Note)]) rethrows {
        let notes = try read(changes.withLock { $0.last })
        if !notes.isEmpty { changes.withLock { $0.take(notes) } }
    }

    /// Whether all that an answer vouches for is as it said, as far as what has changed is known.
    func isIntact(_ answer: UncheckedAnswer) -> Bool { changes.withLock { $0.areBeside(answer) } }

    func checkedAt(_ answer: Int64) -> Double? { confirmed.withLock { $0.answers[answer]?.answer.checkedAt } }

    /// When an answer was last checked.
    ///
    /// - Parameter written: as the file has it.
    func checkedAt(_ answer: Int64, written: Double) -> Double {
        guard let noted = confirmed.withLock({ $0.answers[answer] }), noted.isLater(than: written) else {
            return written
        }
        return noted.answer.checkedAt
    }

    /// Those that are to be written, at most `limit` of them.
    func unwrittenAnswers(limit: Int) -> [KeptAnswer] {
        confirmed.withLock { confirmed in
            confirmed.unwritten.prefix(limit).compactMap { confirmed.answers[$0] }
        }
    }

    /// They are in the file.
    func noteWritten(_ written: [KeptAnswer]) {
        guard !written.isEmpty else { return }
        confirmed.withLock { confirmed in
            for kept in written where confirmed.answers[kept.id]?.answer.checkedAt == kept.answer.checkedAt {
                confirmed.unwritten.remove(kept.id)
            }
        }
    }

    // MARK: Listings

    /// Those that are to be written.
    ///
    /// - Parameter isNews: whether only those are that are worth a write of their own.
    func unwrittenListings(isNews: Bool) -> [Listing] {
        noted.withLock { $0.values.filter { !$0.isWritten && ($0.isNews || !isNews) }.map(\.listing) }
    }

    /// - Parameter former: as it is in the file, or was noted before.
    func note(_ listing: Listing, over former: Listing?) {
        noted.withLock { noted in
            // What is forgotten is no more than that it was looked at since.
            if noted.count >= 1000, noted.count.isMultiple(of: 1000) {
                noted = noted.filter { !$0.value.isWritten && $0.value.isNews }
            }
            let wasNews = noted[listing.key].map { $0.isNews && !$0.isWritten } ?? false
            let isNews = wasNews || former.map { !listing.isSame(as: $0) } ?? true
            noted[listing.key] = NotedListing(listing: listing, isNews: isNews)
        }
    }

    var listings: [Listing] { noted.withLock { $0.values.map(\.listing) } }

    func listing(_ key: Listing.Key) -> Listing? { noted.withLock { $0[key]?.listing } }

    /// They are in the file.
    func noteWritten(_ written: [Listing]) {
        guard !written.isEmpty else { return }
        noted.withLock { noted in
            for listing in written where noted[listing.key]?.listing == listing { noted[listing.key]?.isWritten = true }
        }
    }

    /// They are in the file no more; what is still to be written comes again.
    func forgetListings(_ dropped: [Listing.Key]) {
        guard !dropped.isEmpty else { return }
        noted.withLock { noted in
            for key in dropped where noted[key]?.isWritten == true { noted[key] = nil }
        }
    }

    /// Another process may have written others since.
    func forgetWrittenListings() { noted.withLock { noted in noted = noted.filter { !$0.value.isWritten } } }

    func forgetListings(of owner: RecordID) {
        noted.withLock { noted in
            if !noted.isEmpty { noted = noted.filter { $0.key.owner != owner } }
        }
    }

    /// Forgets all that is about rows and answers.
    func erase() {
        confirmed.withLock { $0 = Confirmations() }
        noted.withLock { $0 = [:] }
    }

    // MARK: Who has written last

    func wasWritten(byAnotherThan writer: ObjectIdentifier) -> Bool {
        lastWriter.withLock { $0.map { $0 != writer } ?? false }
    }

    /// Notes that a writer ends.
    func forget(_ writer: ObjectIdentifier) { lastWriter.withLock { if $0 == writer { $0 = nil } } }
}

extension KeptAnswer {
    /// Whether this word on the answer is later than the file's, by when that was checked. Where the clock was set back
    /// in between, the time tells nothing: then the file still has the time that this word has replaced.
    fileprivate func isLater(than written: Double) -> Bool {
        answer.checkedAt > written || writtenCheck == written && answer.checkedAt != written
    }
}
