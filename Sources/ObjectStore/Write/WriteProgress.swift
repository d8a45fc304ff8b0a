/// The state of a running transaction: its changes so far, and the work that is left for its end.
struct WriteProgress {
    var changes: ChangeSet
    /// Rows that have lost an owner. Those without another one are deleted at the end.
    var orphans: [Orphan] = []
    /// Rows that whole lists have omitted. They are deleted at the end, unless pending edits or newer changes keep
    /// them.
    var omitted: [Omission] = []
    /// Rows with unsaved edits, which stay even if a fetched list omits them.
    var kept: Set<RecordID> = []
    /// Members of lists that have got a row in this transaction, see ``Writer/placeArrivals(_:)``.
    var arrivals: [ListOwner: [ArrivedMember]] = [:]
    /// Whole lists in the imported body. They overrule pending memberships from the other side.
    var saidLists: Set<ListOwner> = []
    /// The members of the edited lists before the batch.
    var formerLists: [ListOwner: [RowID]] = [:]
    /// The rows that a queued deletion has deleted so far. Nil for other deletions.
    var deletedRows: DeletedRows?
    var rules: DeletionRules
    var identities: BatchIdentities
    /// When the request was made whose reply is written. Nil: there was none.
    let asked: ChangeStamp?
    /// Whether rows with pending edits stay, even if a fetched list omits them.
    let isPruning: Bool

    init(_ batch: WriteBatch, after changes: ChangeSet) {
        self.changes = changes
        rules = DeletionRules(isConfirmed: batch.isConfirmed)
        identities = BatchIdentities(batch)
        asked = batch.asked
        isPruning = batch.isPruning
        kept = batch.kept
    }

    init(after changes: ChangeSet) { self.init(.confirmed(), after: changes) }

    /// Whether the values are the server's.
    var isConfirmed: Bool { rules.isConfirmed }
}

/// A row that has lost an owner.
struct Orphan {
    let record: RecordID
    /// The relationship that it was in. Nil: it was lost when two owners became one.
    var former: ListOwner?
}
