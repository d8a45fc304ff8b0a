/// What is to be imported, and where it belongs.
package struct ImportRequest: Sendable {
    /// The model's table.
    package let table: Int
    /// The number of the table's only model that the body's own objects are to be; 0 for any.
    package var model = 0
    /// The keys that lead from the body's root to the object or list; empty for the root itself.
    package var keyPath: [String] = []
    /// The local key of the object that the body speaks of, which may have no identity yet.
    package var target: Int64?
    /// The list that the body is.
    package var membership: Membership?
    /// Whether one rejected element refuses all.
    package var isAllOrNothing = false
    /// Whether the body was written by the server, so that what goes out is to look alike.
    package var teachesShapes = true
    /// How many relationships away from the body's own objects others are read, rather than linked by their identities.
    package var depth = Int.max

    package struct Membership: Sendable {
        package let table: Int
        package let property: Int
        package let owner: Int64
        /// Whether the body is the whole list, so that members which it leaves out are unlinked.
        package let isWhole: Bool

        package init(table: Int, property: Int, owner: Int64, isWhole: Bool) {
            self.table = table
            self.property = property
            self.owner = owner
            self.isWhole = isWhole
        }
    }

    /// The type that takes the whole body, in place of a model.
    package var response: ResponsePlan?

    /// - Parameter keyPath: the keys that lead to the object or list, with dots between.
    package init(table: Int, at keyPath: String? = nil, depth: Int? = nil) {
        self.table = table
        self.keyPath = keyPath.map { $0.split(separator: ".").map(String.init) } ?? []
        self.depth = depth.map { max($0, 0) } ?? Int.max
    }

    package init(_ table: ModelSchema, at keyPath: String? = nil, depth: Int? = nil) {
        self.init(table: table.index, at: keyPath, depth: depth)
        model = table.number
    }

    /// A response type, whose models are in its plan.
    package init(response: ResponsePlan) {
        table = 0
        self.response = response
    }
}

/// What came of it.
package struct ImportOutcome: Sendable {
    /// The local keys of the body's own objects, in their order, rejected ones left out.
    package var roots: [Int64] = []
    /// Whether what was imported is a list.
    package var isList = false
    package var report = ImportReport()
    /// What a response type takes.
    package var response: ResponseRecord?
}
