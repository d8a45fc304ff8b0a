extension APIConventions {
    /// What says in a reply that an object is deleted: services that tell what has changed tell so of what is gone.
    ///
    /// ```swift
    /// conventions.tombstones = ["deleted", "@removed"]            // {"id": 7, "deleted": true}, {"id": 7, "@removed": {…}}
    /// ```
    ///
    /// Such an object is deleted from the store, wherever it stands in the reply. One that waits to be sent stays, as
    /// does one that something leads to which waits to be sent; so does one that has changed since the reply was asked
    /// for.
    public struct Tombstones: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// The keys of an object that is deleted, unless their values are null, false, 0 or empty. A key may be an
        /// attribute's too: `deleted_at`.
        public var keys: [String]
        /// Whether 410 to the fetch of an object says so too. The fetch throws it in any case.
        public var isGoneDeleted: Bool

        /// - Parameters:
        ///   - keys: the keys of an object that is deleted.
        ///   - isGoneDeleted: whether 410 says so too.
        public init(_ keys: [String], isGoneDeleted: Bool = false) {
            (self.keys, self.isGoneDeleted) = (keys, isGoneDeleted)
        }

        /// Nothing says so.
        public static let none = Tombstones([] as [String])

        /// These keys, and 410.
        public init(arrayLiteral keys: String...) { self.init(keys, isGoneDeleted: true) }
    }
}
