package struct ImportRequest: Sendable {
    /// The table of the body's own objects.
    package let table: TableID
    /// The root stands for any model of the table.
    package var submodel = SubmodelIndex.root
    /// The keys to the object or list.
    package var keyPath: [String] = []
    /// A key that may stand for all of `keyPath`: `"a.b"` for `a`, `b`.
    package var wholeKey: String?
    /// The keys to the object in an element. An element that lacks them is the object itself.
    package var elementPath: [String] = []
    /// The object's row, which may lack an identity.
    package var target: RowID?
    /// The reply to a change. A target deleted meanwhile stays deleted; a deleted owner of the list is no error.
    package var isConfirmation = false
    /// The reply to the target's creation. Its identity replaces a local one. A body without an object throws
    /// ``StoreError/rejected(_:)``.
    package var isCreation = false
    /// The reply to a save, which may rename the target.
    package var mayRename = false
    /// New objects sent by value, which the server may have created.
    package var nestedCreations: [NestedCreation] = []
    /// Objects sent within the target, with the stamps of their edits. Equal values in the body acknowledge these.
    package var nestedEdits: [RecordID: Set<ChangeStamp>] = [:]
    /// The time of the request, or else of the import. Later changes are newer than the body.
    package var requestTime: ChangeStamp?
    /// For a page: when the first page was requested. That request stays open until the last page is stored.
    package var begun: ChangeStamp?
    package var membership: Membership?
    /// The owner of a singular resource.
    package var container: RecordID?
    /// Rows edited in the context. They stay when a list omits them.
    var kept: Set<RecordID> = []
    /// The server's version in a resolved conflict, which becomes the base.
    package var isResolution = false
    /// Whether one rejected object rejects the body.
    package var isAllOrNothing = false
    /// Whether any part that would be left out rejects the body.
    package var isStrict = false
    /// Whether the request asked for one object. One without any key of the model throws ``StoreError/rejected(_:)``.
    package var isAnswer = false
    /// Whether the server wrote the body, whose formats and spellings are then adopted.
    package var teachesShapes = true
    /// The request asked for some properties only. Others stay.
    package var isOfParts = false
    /// When to stop with ``StoreError/timedOut``.
    package var deadline: ContinuousClock.Instant?
    /// The number of relationships to follow. Deeper objects are linked by identity.
    package var depth = Int.max
    /// Names of properties that were sent and accepted. If the target is unified, its values of these win.
    package var sent: Set<String> = []
    /// The response's metadata, stored if all of the body could be read.
    package var answer: StoredAnswer?
    /// The key of stored responses that this one, which can't be stored, outdates.
    package var outdated: StoredAnswer.Key?
    /// The models of a list whose objects name their models.
    package var mixed: MixedTypes?
    package var response: ResponsePlan?
    /// The attribute with an object's version. Older objects are left out.
    package var version: PropertyIndex?
    /// Whether the body's objects are deleted, with or without a mark.
    package var areDeleted = false
    /// The attribute of ``ImportOutcome/newest``.
    package var newest: PropertyIndex?

    package struct NestedCreation: Sendable {
        package let record: RecordID
        package let values: [PropertyIndex: StoredValue]

        package init(_ record: RecordID, by values: [PropertyIndex: StoredValue]) {
            self.record = record
            self.values = values
        }
    }

    package struct Membership: Sendable {
        package fileprivate(set) var owner: ListOwner
        /// Whether the body may be the whole list, which unlinks the members that it omits.
        package let isWhole: Bool
        /// Whether the body lists members, rather than one to add.
        package var isListing = false
        /// Whether a request has set the members. They are the whole list, even if it merges.
        package var isSent = false
        package var leadsOn = false
        /// Where new members of a part go. Nil: as declared.
        package var newMembers: NewMembers?
        /// Whether a query selects the members, so that their positions among the others are unknown.
        package var isNarrowed = false
        package var signs = PageSigns()
        package var page = Page.first

        package enum Page: Sendable {
            /// The first or only page, or one at an unknown place.
            case first
            /// The first of several pages of an unfiltered list.
            case front
            /// A later page. New members follow those of the previous page, or all members once a known one was
            /// reached.
            ///
            /// - Parameter position: the previous ``ImportOutcome/nextPosition``.
            case following(position: Int?)
        }

        package init(_ owner: ListOwner, isWhole: Bool) {
            self.owner = owner
            self.isWhole = isWhole
        }
    }

    /// - Parameter depth: negative counts as 0, nil is unlimited.
    package init(_ model: ModelSchema, at keyPath: JSONKeyPath? = nil, depth: Int? = nil) {
        self.table = model.table
        self.submodel = model.submodel
        self.keyPath = keyPath?.keys ?? []
        wholeKey = keyPath?.wholeKey
        self.depth = depth.map { max($0, 0) } ?? Int.max
    }

    package init(anyOf table: TableID) { self.table = table }

    package init(of record: RecordID) {
        table = record.table
        target = record.row
    }

    package init(response: ResponsePlan) {
        table = TableID(0)
        self.response = response
    }
}

package struct ImportOutcome: Sendable {
    /// The rows of the body's own objects.
    package var roots: [RowID] = []
    /// The objects of a list that mixes models.
    package var mixed: [RecordID] = []
    package var isList = false
    /// The body's own elements, including rejected ones.
    package var elementCount = 0
    package var report = ImportReport()
    /// The next page's position. Nil: behind all members. Negative: before those known before the first page.
    package var nextPosition: Int?
    package var response: ResponseRecord?
    /// The greatest value of ``ImportRequest/newest``, including rejected objects.
    package var newest: StoredValue?
    /// Whether an older version of an object was left out. The body's other values may be news.
    package var hasKeptNewer = false

    init() {}

    package init(kept rows: AnsweredRows, isList: Bool) {
        (roots, elementCount, self.isList) = (rows.roots, rows.elementCount, isList)
        report.noteKept(rows)
    }
}

extension Writer {
    /// Replaces unified rows by survivors, and adds the target's confirmed properties to `sent`.
    func survivor(
        of request: ImportRequest, confirming confirmations: [WriteBatch.Confirmation]
    ) -> ImportRequest {
        var request = survivor(of: request)
        for confirmation in confirmations
        where survivor(of: confirmation.record).row == request.target && confirmation.record.table == request.table {
            request.sent.formUnion(confirmation.properties)
        }
        return request
    }

    private func survivor(of request: ImportRequest) -> ImportRequest {
        guard !survivors.isEmpty else { return request }
        var request = request
        request.target = request.target.map { survivor(of: RecordID(table: request.table, row: $0)).row }
        request.container = request.container.map { survivor(of: $0) }
        request.kept = Set(request.kept.map { survivor(of: $0) })
        request.membership = request.membership.map { membership in
            var same = membership
            same.owner = ListOwner(membership.owner.property, of: survivor(of: membership.owner.record))
            return same
        }
        return request
    }
}
