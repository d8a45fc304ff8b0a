package struct Listing: Sendable, Hashable {
    package struct Key: Sendable, Hashable {
        /// The owner's table; for a list of all objects of a model, the model's name.
        package let source: String
        /// The owner; `nil` for a list of all objects of a model.
        package let owner: RecordID?
        /// The relationship's name; empty for a list of all objects of a model.
        package let relationship: String
        /// The query, or a path other than the list's own. Empty for the list itself.
        package let scope: String

        init(source: String, owner: RecordID?, relationship: String, scope: String) {
            (self.source, self.owner, self.relationship, self.scope) = (source, owner, relationship, scope)
        }
    }

    package let key: Key
    /// The time of the latest request for a first page. All times here are seconds since 1970.
    package var begunAt: Double
    /// The time of the latest page's arrival.
    package var listedAt: Double
    /// The time when the list was last known to be complete; `nil` if it never was.
    package var wholeAt: Double?
    package var pageCount = 0
    package var objectCount = 0
    /// The total number of objects, according to the server.
    package var totalCount: Int?
    /// The position at which the networking module continues; empty if there is none.
    package var bookmark: [UInt8] = []

    /// The position in a feed of changes, in the networking module's format.
    package var token: String?

    /// Whether both listings are equal except for their times.
    func isSame(as other: Listing) -> Bool {
        var same = other
        (same.begunAt, same.listedAt) = (begunAt, listedAt)
        if wholeAt != nil, other.wholeAt != nil { same.wholeAt = wholeAt }
        return self == same
    }

    package init(_ key: Key, begunAt: Double) { (self.key, self.begunAt, listedAt) = (key, begunAt, begunAt) }
}
