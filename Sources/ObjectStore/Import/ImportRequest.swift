package struct ImportRequest: Sendable {
    /// The table of the body's own objects.
    package let table: TableID
    /// The root stands for any model of the table.
    package var submodel = SubmodelIndex.root
    /// The keys to the object or list.
    package var keyPath: [String] = []
    /// Stands for `keyPath`: `"a.b"` for `a`, `b`.
    package var wholeKey: String?
    /// The keys to the object in an element. An element that lacks them is the object itself.
    package var elementPath: [String] = []
    /// The object's row, which may lack an identity.
    package var target: RowID?
    /// A reply to a change. If the target was deleted meanwhile, it stays deleted; a deleted owner of the list is
    /// accepted.
    package var isConfirmation = false
    /// A reply to the target's creation. Its identity replaces a local one, and is required
    /// (``StoreError/rejected(_:)``).
    package var isCreation = false
    /// A reply to a save, which may rename the target.
    package var mayRename = false
    /// New objects sent by value, which the server may have created.
    package var nestedCreations: [NestedCreation] = []
    /// Objects sent within the target, with the stamps of their edits. Repeated values acknowledge them.
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
    /// Whether it is the server's version in a resolved conflict, which becomes the base.
    package var isResolution = false
    /// Whether one rejected object rejects the body.
    package var isAllOrNothing = false
    /// Whether any part that would be left out rejects the body.
    package var isStrict = false
    /// Whether the request asked for one object. One that lacks the model's keys throws ``StoreError/rejected(_:)``.
    package var isAnswer = false
    /// Whether the server wrote the body, whose formats and spellings are then adopted.
    package var teachesShapes = true
    /// The request asked for some properties; others stay.
    package var isOfParts = false
    /// When to stop with ``StoreError/timedOut``.
    package var deadline: ContinuousClock.Instant?
    /// The limit of relationships. Deeper objects are linked by identity.
    package var depth = Int.max
    /// Names of properties that the server accepted. They win if the target is unified.
    package var sent: Set<String> = []
    /// The response's metadata, stored if the whole body was understood.
    package var answer: StoredAnswer?
    /// The key of earlier stored responses, outdated by one that can't be stored.
    package var outdated: StoredAnswer.Key?
    /// The models of objects that name them.
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

        /// - Parameter values: as they were sent.
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
        /// For a part; nil for the declared place.
        package var newMembers: NewMembers?
        /// Whether a query selects the pages. Their members' place among the others is then unknown.
        package var isNarrowed = false
        /// The reply's paging signs, such as a total.
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
            /// - Parameter position: the previous ``ImportOutcome/nextPosition``. Nil for behind all members.
            case following(position: Int?)
        }

        package init(_ owner: ListOwner, isWhole: Bool) {
            self.owner = owner
            self.isWhole = isWhole
        }
    }

    /// - Parameters:
    ///   - keyPath: to the object or list.
    ///   - depth: in relationships; negative counts as 0, nil is unlimited.
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
    /// Of the body's own objects.
    package var roots: [RowID] = []
    /// For lists that mix models.
    package var mixed: [RecordID] = []
    package var isList = false
    /// Including rejected ones.
    package var elementCount = 0
    package var report = ImportReport()
    /// For the next page. Nil for behind all members; negative for before the members that preceded the first page.
    package var nextPosition: Int?
    package var response: ResponseRecord?
    /// Of ``ImportRequest/newest``, including rejected objects.
    package var newest: StoredValue?
    /// Something acknowledged or deleted since stayed. Its other values may be news.
    package var hasKeptNewer = false

    init() {}

    package init(kept rows: AnsweredRows, isList: Bool) {
        (roots, elementCount, self.isList) = (rows.roots, rows.elementCount, isList)
        report.noteKept(rows)
    }
}

extension Writer {
    /// For unified rows; adds the sent properties of the target.
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
