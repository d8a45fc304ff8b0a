/// A running transaction's changes, and the work left for its end.
struct WriteProgress {
    var changes: ChangeSet
    /// Rows that are deleted at the end unless they have another owner.
    var orphans: [Orphan] = []
    /// Rows omitted by whole lists, and deleted at the end unless pending edits or newer changes keep them.
    var omitted: [Omission] = []
    /// Rows with unsaved edits stay, even if a fetched list omits them.
    var kept: Set<RecordID> = []
    /// Members that have got a row in this transaction (``Writer/placeResolvedMembers(_:)``).
    var resolvedMembers: [ListOwner: [ResolvedMember]] = [:]
    /// Whole lists in the imported body. They overrule pending memberships from the other side.
    var receivedLists: Set<ListOwner> = []
    /// The edited lists.
    var formerLists: [ListOwner: FormerList] = [:]
    /// The rows that a queued deletion has deleted so far. Nil for other deletions.
    var deletedRows: DeletedRows?
    var rules: DeletionRules
    var identities: BatchIdentities
    /// When the reply that is written was requested. Nil without one.
    let requestTime: ChangeStamp?
    /// Whether a fetched list spares rows with pending edits that it omits.
    let isPruning: Bool

    init(_ batch: WriteBatch, after changes: ChangeSet) {
        self.changes = changes
        rules = DeletionRules(isConfirmed: batch.isConfirmed)
        identities = BatchIdentities(batch)
        requestTime = batch.requestTime
        isPruning = batch.isPruning
        kept = batch.kept
    }

    init(after changes: ChangeSet) { self.init(.confirmed(), after: changes) }

    var isConfirmed: Bool { rules.isConfirmed }
}

/// A list as the file had it before a batch.
struct FormerList {
    var members: [RowID]
    /// The pending edits of its memberships. A batch with the other side's list may end them.
    var edits: [RowID: PairEdit]
}

/// A row that has lost an owner.
struct Orphan {
    let record: RecordID
    /// The relationship that it was in. Nil: it was lost when two owners became one.
    var former: ListOwner?
}
