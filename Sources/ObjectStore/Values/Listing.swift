/// How far a list of the server's has been listed: what is known of its completeness.
package struct Listing: Sendable, Hashable {
    /// Which list.
    package struct Key: Sendable, Hashable {
        /// The owner's table; of all objects of a model, the model's name.
        package let source: String
        /// The owner; `nil` for all objects of a model.
        package let owner: RecordID?
        /// The relationship's name; empty likewise.
        package let relationship: String
        /// What narrows it: the query, and a path that is not the list's own. Empty for the list itself.
        package let scope: String

        init(source: String, owner: RecordID?, relationship: String, scope: String) {
            (self.source, self.owner, self.relationship, self.scope) = (source, owner, relationship, scope)
        }
    }

    package let key: Key
    /// When the first page was asked for that was listed last: seconds since 1970, as all times here.
    package var begunAt: Double
    /// When the last of its pages came.
    package var listedAt: Double
    /// When all of the list was last said to be listed; `nil` when it never was.
    package var wholeAt: Double?
    package var pageCount = 0
    package var objectCount = 0
    /// How many objects the server has said that there are.
    package var totalCount: Int?
    /// How the layer above goes on with it; empty where there is nothing to go on with.
    package var bookmark: [UInt8] = []

    /// Of a feed of changes: how far it has come, as the layer above writes that.
    package var token: String?

    /// Whether both say the same, but for the times.
    func isSame(as other: Listing) -> Bool {
        var same = other
        (same.begunAt, same.listedAt) = (begunAt, listedAt)
        if wholeAt != nil, other.wholeAt != nil { same.wholeAt = wholeAt }
        return self == same
    }

    package init(_ key: Key, begunAt: Double) { (self.key, self.begunAt, listedAt) = (key, begunAt, begunAt) }
}
