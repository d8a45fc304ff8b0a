extension APIConventions {
    /// The signs in a reply that an object is deleted.
    ///
    /// ```swift
    /// conventions.tombstones = ["deleted", "@removed"]    // {"id": 7, "deleted": true}, {"id": 7, "@removed": {…}}
    /// ```
    ///
    /// Such an object is deleted from the store, at any place in the reply. It stays if it, or an object that leads to
    /// it, has pending edits, or if it has changed since the request.
    public struct Tombstones: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// The keys of a deleted object, also of attributes such as `deleted_at`. A key counts unless its value is
        /// null, false, 0 or empty.
        public var keys: [String]
        /// Whether a 410 to the fetch of an object deletes it too. It throws in any case.
        public var isGoneDeleted: Bool

        /// Makes tombstones with these keys.
        ///
        /// - Parameters:
        ///   - keys: the keys of a deleted object.
        ///   - isGoneDeleted: whether a 410 to the fetch of an object deletes that object, too.
        public init(_ keys: [String], isGoneDeleted: Bool = false) {
            (self.keys, self.isGoneDeleted) = (keys, isGoneDeleted)
        }

        /// No signs of deletion.
        public static let none = Tombstones([] as [String])

        /// Makes tombstones with these keys, and the 410.
        public init(arrayLiteral keys: String...) { self.init(keys, isGoneDeleted: true) }
    }
}
