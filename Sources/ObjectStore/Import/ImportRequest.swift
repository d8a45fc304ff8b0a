/// What is to be imported, and where it belongs.
package struct ImportRequest: Sendable {
    /// The table of the body's own objects.
    package let table: TableID
    /// The only model of the table that the body's own objects are to be.
    package var submodel = SubmodelIndex.root
    /// The keys on the way from the body's root to the object or list; empty for the root itself.
    package var keyPath: [String] = []
    /// The key that leads there in their stead, if it is there.
    package var wholeKey: String?
    /// The keys that lead to the object within each element of the body's list; empty for the element itself, which
    /// also counts where it lacks them.
    package var elementPath: [String] = []
    /// The row of the object that the body is about, which may have no identity yet.
    package var target: RowID?
    /// Whether the server has answered to a change. A target that was deleted meanwhile does not return by that, nor is
    /// it wrong that the owner of a list was.
    package var isConfirmation = false
    /// Whether it has answered to the creation of the target, whose name the body has then: else the import is refused,
    /// with ``StoreError/rejected(_:)``. A target that was named here gets the server's name.
    package var isCreation = false
    /// Whether it has answered to a save of the target, and names that, whatever the target was called before.
    package var takesName = false
    /// Objects without an identity that the target led to as it was sent, by the values that stood for each: the server
    /// may have made them in passing.
    package var inPassing: [InPassing] = []
    /// Objects that went out within the target, with the edits that did: the body confirms those that it repeats.
    package var within: [RecordID: Set<ChangeStamp>] = [:]
    /// When the question was asked that the body answers, or its import was: what has happened here since stays.
    package var asked: ChangeStamp?
    /// Of a page of a list: when the first one was asked for, a question that is open until the last has come.
    package var begun: ChangeStamp?
    /// The list that the body is.
    package var membership: Membership?
    /// What a singular resource belongs to.
    package var container: RecordID?
    /// What is not deleted where a list leaves it out, as it is edited in the context that asks.
    var kept: Set<RecordID> = []
    /// Whether the body is the server's version in a conflict that is decided: it is the base of edits from now on.
    package var isResolution = false
    /// Whether one rejected element refuses all.
    package var isAllOrNothing = false
    /// Whether anything that would be left out refuses all.
    package var isStrict = false
    /// Whether it answers what one object is: then a body that is an object and has nothing of the model is refused,
    /// with ``StoreError/rejected(_:)``.
    package var isAnswer = false
    /// Whether the body was written by the server, so that what goes out is to look alike.
    package var teachesShapes = true
    /// Whether a part of each object was asked for, so that a missing key says nothing.
    package var isOfParts = false
    /// When the import is given up, with ``StoreError/timedOut``.
    package var deadline: ContinuousClock.Instant?
    /// How many relationships away from the body's own objects others are read, rather than linked by their identities.
    package var depth = Int.max
    /// The names of the target's properties that the server has just taken, as the body confirms: newer than what an
    /// object has that the target turns out to be.
    package var sent: Set<String> = []
    /// What the body's answer said of itself, which is stored where nothing of the body was left out.
    package var answer: StoredAnswer?
    /// Where it said that it must not be stored: the question, and who has asked it. What was answered before is no
    /// longer what the server says.
    package var outdated: StoredAnswer.Key?
    /// The models of the body's own objects, where these say which model they are of.
    package var mixed: MixedTypes?
    /// The type that takes the whole body, in place of a model.
    package var response: ResponsePlan?
    /// The attribute that says an object's version, where objects that are older than what is here are left out.
    package var version: PropertyIndex?
    /// Whether the body's own objects are deleted, though they don't say so.
    package var areDeleted = false
    /// An attribute of the body's own objects whose greatest value is wanted, as the body has it.
    package var newest: PropertyIndex?

    package struct InPassing: Sendable {
        package let record: RecordID
        package let values: [PropertyIndex: StoredValue]

        /// - Parameter values: the attributes by which the object was sent, as they were then.
        package init(_ record: RecordID, by values: [PropertyIndex: StoredValue]) {
            self.record = record
            self.values = values
        }
    }

    package struct Membership: Sendable {
        package fileprivate(set) var owner: ListOwner
        /// Whether the body may be the whole list, so that members which it leaves out are unlinked.
        package let isWhole: Bool
        /// Whether the body is a list of members, as far as it goes, rather than one that joins.
        package var isListing = false
        /// Whether the reply leads on to further pages.
        package var leadsOn = false
        /// Where new members of a part go; nil for what the relationship declares.
        package var newMembers: NewMembers?
        /// What the reply says around the list of whether there is more.
        package var signs = PageSigns()
        /// Which page of the list the body is.
        package var page = Page.first

        package enum Page: Sendable {
            /// The first one, or the only one, or one of which nobody knows where in the list it is.
            case first
            /// The first of several of a list that nothing narrows, so that its members are the first of the list.
            case front
            /// One that follows another: what is new in it comes after that, and after the members where it has one of
            /// them.
            ///
            /// - Parameter position: where it goes on, as the page before has said (``ImportOutcome/nextPosition``);
            ///   nil where that is after the members.
            case following(position: Int?)
        }

        package init(_ owner: ListOwner, isWhole: Bool) {
            self.owner = owner
            self.isWhole = isWhole
        }
    }

    /// Objects of a model.
    ///
    /// - Parameters:
    ///   - keyPath: the keys on the way to the object or list.
    ///   - depth: how many relationships away objects are read; negative numbers count as 0, `nil` means no limit.
    package init(_ model: ModelSchema, at keyPath: JSONKeyPath? = nil, depth: Int? = nil) {
        self.table = model.table
        self.submodel = model.submodel
        self.keyPath = keyPath?.keys ?? []
        wholeKey = keyPath?.wholeKey
        self.depth = depth.map { max($0, 0) } ?? Int.max
    }

    /// Objects of whichever model of a table.
    package init(anyOf table: TableID) { self.table = table }

    /// A reply about one row, of whichever model of its table.
    package init(of record: RecordID) {
        table = record.table
        target = record.row
    }

    /// A response type, whose models are in its plan.
    package init(response: ResponsePlan) {
        table = TableID(0)
        self.response = response
    }
}

/// What came of it.
package struct ImportOutcome: Sendable {
    /// The rows of the body's own objects, in their order, rejected ones left out.
    package var roots: [RowID] = []
    /// The same of a list that mixes models.
    package var mixed: [RecordID] = []
    /// Whether what was imported is a list.
    package var isList = false
    /// How many elements it has, those included that could not be taken.
    package var elementCount = 0
    package var report = ImportReport()
    /// Of a page: where what is new on the one that follows it goes; nil for after all members. Less than 0, in front
    /// of those that were there before the first page.
    package var nextPosition: Int?
    /// What a response type takes.
    package var response: ResponseRecord?
    /// The greatest value of ``ImportRequest/newest``, whatever became of the object that has it.
    package var newest: StoredValue?
    /// Whether something that the body says of a whole object was left alone, as that was confirmed or deleted since
    /// the question: what else has changed of it may be news. What a later answer has said is no loss.
    package var hasKeptNewer = false

    init() {}

    /// That of an answer that is in the store already.
    package init(kept rows: AnsweredRows, isList: Bool) {
        (roots, elementCount, self.isList) = (rows.roots, rows.elementCount, isList)
        report.noteKept(rows)
    }
}

extension Writer {
    /// The same request about the rows that its rows have become one with since it was made, which knows what was sent
    /// of its target.
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
        request.membership = request.membership.map { membership in
            var same = membership
            same.owner = ListOwner(membership.owner.property, of: survivor(of: membership.owner.record))
            return same
        }
        return request
    }
}
