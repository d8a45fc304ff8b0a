package struct Listing: Sendable, Hashable {
    package struct Key: Sendable, Hashable {
        /// The owner's table, or the model's name for a list of all its objects.
        package let source: String
        /// `nil` for a list of all objects.
        package let owner: RecordID?
        /// Empty for a list of all objects.
        package let relationship: String
        /// The query, or another path than the list's own. Empty for the list itself.
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
    /// When the list was last known to be complete; `nil` if it never was.
    package var wholeAt: Double?
    package var pageCount = 0
    package var objectCount = 0
    /// The objects according to the server.
    package var totalCount: Int?
    /// Where the networking module continues; empty for nowhere.
    package var bookmark: [UInt8] = []

    /// The position in a feed of changes, in the networking module's format.
    package var token: String?

    /// Whether only the times differ.
    func isSame(as other: Listing) -> Bool {
        var same = other
        (same.begunAt, same.listedAt) = (begunAt, listedAt)
        if wholeAt != nil, other.wholeAt != nil { same.wholeAt = wholeAt }
        return self == same
    }

    package init(_ key: Key, begunAt: Double) { (self.key, self.begunAt, listedAt) = (key, begunAt, begunAt) }
}
