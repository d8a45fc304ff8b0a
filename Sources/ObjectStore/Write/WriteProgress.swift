/// What a transaction has done so far, and what is left for its end.
struct WriteProgress {
    var changes: ChangeSet
    /// Rows that have lost an owner so far; those that have no other at the end are deleted.
    var orphans: [Orphan] = []
    /// Rows that whole lists have left out: those that nothing keeps are deleted at the end.
    var omitted: [Omission] = []
    /// What is not deleted on the server's silence, as it is edited in a context.
    var kept: Set<RecordID> = []
    /// Members that waited for their rows, which are here now: see ``Writer/placeArrivals(_:)``.
    var arrivals: [ListOwner: [ArrivedMember]] = [:]
    /// Whole lists that rows have said which others may have waited for: who is in none of them has no such member.
    var saidLists: Set<ListOwner> = []
    /// The members of the edited lists before the batch.
    var formerLists: [ListOwner: [RowID]] = [:]
    /// The rows that a queued deletion has deleted so far; nil for other deletions.
    var deletedRows: DeletedRows?
    var rules: DeletionRules
    var identities: BatchIdentities
    /// When the question was asked that is answered; `nil` when none was.
    let asked: ChangeStamp?
    /// Whether what waits to be sent stays as it is.
    let isPruning: Bool

    /// Of a batch that is about to be written.
    init(_ batch: WriteBatch, after changes: ChangeSet) {
        self.changes = changes
        rules = DeletionRules(isConfirmed: batch.isConfirmed)
        identities = BatchIdentities(batch)
        asked = batch.asked
        isPruning = batch.isPruning
        kept = batch.kept
    }

    /// Of an import, which is the server's word.
    init(after changes: ChangeSet) { self.init(.confirmed(), after: changes) }

    /// Whether what is written comes from the server, or was confirmed by it.
    var isConfirmed: Bool { rules.isConfirmed }
}

/// A row that has lost an owner.
struct Orphan {
    let record: RecordID
    /// The relationship that it was in; `nil` where two owners became one.
    var former: ListOwner?
}
