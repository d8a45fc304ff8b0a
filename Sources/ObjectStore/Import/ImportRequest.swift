/// A body to import: the model, the path to the objects, and the request that it answers.
package struct ImportRequest: Sendable {
    /// The table of the body's own objects.
    package let table: TableID
    /// Their model. The root stands for any model of the table.
    package var submodel = SubmodelIndex.root
    /// The keys to the object or list. Empty for the body's root.
    package var keyPath: [String] = []
    /// A single key that may stand for `keyPath`, such as `"a.b"` for `a`, `b`.
    package var wholeKey: String?
    /// The keys to the object in each element of a list. An element that lacks them is the object itself.
    package var elementPath: [String] = []
    /// The row of the object in the body. It may have no identity yet.
    package var target: RowID?
    /// Whether the body is the reply to a change. A target that was deleted meanwhile then stays deleted, and a deleted
    /// owner of the list is accepted.
    package var isConfirmation = false
    /// Whether the body is the reply to the target's creation. Its identity replaces a local one. Without an identity,
    /// the import throws ``StoreError/rejected(_:)``.
    package var isCreation = false
    /// Whether the body is the reply to a save of the target and may change its identity.
    package var takesName = false
    /// New objects that were sent by value within the target. The server may have created them.
    package var inPassing: [InPassing] = []
    /// Objects that were sent within the target, and the stamps of their edits. The body acknowledges the edits that it
    /// repeats.
    package var within: [RecordID: Set<ChangeStamp>] = [:]
    /// When the request, or else the import, was made. Later changes are newer than the body.
    package var asked: ChangeStamp?
    /// For a page: when the list's first page was requested. That request stays open until the last page is stored.
    package var begun: ChangeStamp?
    package var membership: Membership?
    /// The owner of a singular resource.
    package var container: RecordID?
    /// Rows that an omitting list must not delete, since the requesting context has edited them.
    var kept: Set<RecordID> = []
    /// Whether the body is the server's version in a resolved conflict. It becomes the base of pending edits.
    package var isResolution = false
    /// Whether one rejected object rejects the whole body.
    package var isAllOrNothing = false
    /// Whether any part that would be left out rejects the whole body.
    package var isStrict = false
    /// Whether the request asked for one object. An object with none of the model's keys then throws
    /// ``StoreError/rejected(_:)``.
    package var isAnswer = false
    /// Whether the server wrote the body. The store then adopts its value formats and key spellings.
    package var teachesShapes = true
    /// Whether the request asked for some properties only. A missing key then leaves its property unchanged.
    package var isOfParts = false
    /// When to stop with ``StoreError/timedOut``.
    package var deadline: ContinuousClock.Instant?
    /// The maximum distance of nested objects that are read, in relationships. Deeper objects are linked by identity.
    package var depth = Int.max
    /// The names of the properties that the request sent and the server accepted. They win if the target becomes one
    /// with another row.
    package var sent: Set<String> = []
    /// The response's caching metadata, stored if the whole body was understood.
    package var answer: StoredAnswer?
    /// For a response that must not be stored: the key of earlier stored responses, which are now outdated.
    package var outdated: StoredAnswer.Key?
    /// The models of the body's own objects, where these say which model they are of.
    package var mixed: MixedTypes?
    package var response: ResponsePlan?
    /// The attribute with an object's version. Objects older than the stored version are left out.
    package var version: PropertyIndex?
    /// Whether the body's own objects are deleted, even if the JSON lacks a mark.
    package var areDeleted = false
    /// The attribute of which ``ImportOutcome/newest`` is the greatest value.
    package var newest: PropertyIndex?

    package struct InPassing: Sendable {
        package let record: RecordID
        package let values: [PropertyIndex: StoredValue]

        /// - Parameter values: the attributes that were sent, with their values at that time.
        package init(_ record: RecordID, by values: [PropertyIndex: StoredValue]) {
            self.record = record
            self.values = values
        }
    }

    package struct Membership: Sendable {
        package fileprivate(set) var owner: ListOwner
        /// Whether the body may be the whole list, which unlinks the members that it omits.
        package let isWhole: Bool
        /// Whether the body lists members, rather than being a member to add.
        package var isListing = false
        /// Whether the members are those that a request has set. They are the whole list, also of a list that merges.
        package var isSent = false
        package var leadsOn = false
        /// The place of new members of a part; nil for the relationship's declared place.
        package var newMembers: NewMembers?
        /// Whether the pages are of a part of the list, which a query selects. They say nothing about the place of new
        /// members among the others.
        package var isNarrowed = false
        /// The reply's paging signs, such as a total.
        package var signs = PageSigns()
        package var page = Page.first

        package enum Page: Sendable {
            /// The first or only page, or one whose place in the list is unknown.
            case first
            /// The first of several pages of an unfiltered list. Its members are the list's first ones.
            case front
            /// A later page. Its new members follow those of the previous page, or all members once a known member was
            /// reached.
            ///
            /// - Parameter position: the previous page's ``ImportOutcome/nextPosition``. Nil for behind all members.
            case following(position: Int?)
        }

        package init(_ owner: ListOwner, isWhole: Bool) {
            self.owner = owner
            self.isWhole = isWhole
        }
    }

    /// Imports objects of a model.
    ///
    /// - Parameters:
    ///   - keyPath: the keys to the object or list.
    ///   - depth: the maximum distance of nested objects that are read, in relationships. Negative numbers count as 0;
    ///     nil means no limit.
    package init(_ model: ModelSchema, at keyPath: JSONKeyPath? = nil, depth: Int? = nil) {
        self.table = model.table
        self.submodel = model.submodel
        self.keyPath = keyPath?.keys ?? []
        wholeKey = keyPath?.wholeKey
        self.depth = depth.map { max($0, 0) } ?? Int.max
    }

    /// Imports objects of any model of a table.
    package init(anyOf table: TableID) { self.table = table }

    /// Imports a reply about one row.
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
    /// The rows of the body's own objects in their order.
    package var roots: [RowID] = []
    /// The same of a list that mixes models.
    package var mixed: [RecordID] = []
    package var isList = false
    /// The number of the list's elements, including rejected ones.
    package var elementCount = 0
    package var report = ImportReport()
    /// For a page: the position of the next page's new members. Nil for behind all members. A negative position lies
    /// before the members that preceded the first page.
    package var nextPosition: Int?
    package var response: ResponseRecord?
    /// The greatest value of ``ImportRequest/newest`` among all objects, including rejected ones.
    package var newest: StoredValue?
    /// Whether an object stayed unchanged because it was acknowledged or deleted since the request. Its other values
    /// may be news.
    package var hasKeptNewer = false

    init() {}

    /// The outcome of a stored response.
    package init(kept rows: AnsweredRows, isList: Bool) {
        (roots, elementCount, self.isList) = (rows.roots, rows.elementCount, isList)
        report.noteKept(rows)
    }
}

extension Writer {
    /// Adapts a request to rows that were unified since, and adds the sent properties of its target.
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
