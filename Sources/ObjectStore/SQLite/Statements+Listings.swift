// `_listing`: how far each list of the server was fetched, and when.

extension Statements {
    private static let listingColumns =
        "source, source_id, relationship, scope, begun, listed, whole, pages, objects, total, bookmark, token"

    func listing(_ key: Listing.Key) throws(SQLiteFailure) -> Listing? {
        let read = try connection.statement(
            """
            SELECT \(Self.listingColumns) FROM _listing \
            WHERE source = ? AND source_id = ? AND relationship = ? AND scope = ?
            """)
        read.bind(key.values)
        guard try read.step() else { return nil }
        defer { read.reset() }
        return listing(from: read)
    }

    func listings() throws(SQLiteFailure) -> [Listing] {
        let read = try connection.statement(
            "SELECT \(Self.listingColumns) FROM _listing ORDER BY source, relationship, source_id, scope")
        var listings: [Listing] = []
        while try read.step() { if let listing = listing(from: read) { listings.append(listing) } }
        return listings
    }

    /// `nil` if the list is missing in the schema.
    private func listing(from read: RawStatement) -> Listing? {
        let (source, relationship, scope) = (read.text(0), read.text(2), read.text(3))
        let key: Listing.Key
        if relationship.isEmpty {
            guard let model = schema.models.first(where: { $0.modelName == source }) else { return nil }
            key = Listing.Key(model, scope: scope)
        } else {
            guard let model = schema.roots.first(where: { $0.tableName == source }),
                let list = model.property(named: relationship), list.list != nil
            else { return nil }
            key = Listing.Key(list, of: RecordID(table: model.table, row: read.row(1)), in: model, scope: scope)
        }
        var listing = Listing(key, begunAt: read.real(4))
        listing.listedAt = read.real(5)
        listing.wholeAt = read.isNull(6) ? nil : read.real(6)
        listing.pageCount = Int(clamping: read.integer(7))
        listing.objectCount = Int(clamping: read.integer(8))
        listing.totalCount = read.isNull(9) ? nil : Int(clamping: read.integer(9))
        if case .blob(let bytes) = read.value(10) { listing.bookmark = bytes }
        listing.token = read.isNull(11) ? nil : read.text(11)
        return listing
    }

    /// - Returns: the listings deleted beyond the limit.
    func write(_ listing: Listing) throws(SQLiteFailure) -> [Listing.Key] {
        let write = try connection.statement(
            "INSERT OR REPLACE INTO _listing (\(Self.listingColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        write.bind(
            listing.key.values + [
                .real(listing.begunAt), .real(listing.listedAt), listing.wholeAt.map { .real($0) } ?? .null,
                .integer(Int64(listing.pageCount)), .integer(Int64(listing.objectCount)),
                listing.totalCount.map { .integer(Int64($0)) } ?? .null, .blob(listing.bookmark),
                listing.token.map { .text($0) } ?? .null,
            ])
        try write.run()
        return listing.key.scope.isEmpty ? [] : try dropListings(beside: listing.key)
    }

    /// The most listings with a scope and no token, per list.
    private static let queryLimit: Int64 = 100

    /// Deletes the oldest. Listings with a token stay: it is the position in a feed of changes, and losing it would
    /// mean fetching everything again and missing deletions.
    private func dropListings(beside key: Listing.Key) throws(SQLiteFailure) -> [Listing.Key] {
        let drop = try connection.statement(
            """
            DELETE FROM _listing WHERE source = ?1 AND source_id = ?2 AND relationship = ?3 AND scope IN ( \
            SELECT scope FROM _listing WHERE source = ?1 AND source_id = ?2 AND relationship = ?3 \
            AND scope NOT IN ('', ?4) AND token IS NULL ORDER BY listed DESC, scope LIMIT -1 OFFSET ?5) \
            RETURNING scope
            """)
        drop.bind(key.values + [.integer(Self.queryLimit - 1)])
        var dropped: [Listing.Key] = []
        while try drop.step() {
            dropped.append(
                Listing.Key(source: key.source, owner: key.owner, relationship: key.relationship, scope: drop.text(0)))
        }
        return dropped
    }

    func forgetListings(of record: RecordID) throws(SQLiteFailure) {
        let delete = try connection.statement(
            "DELETE FROM _listing WHERE source = ? AND source_id = ? AND relationship <> ''")
        delete.bind([.text(schema[record.table].tableName), .integer(record.row.rawValue)])
        try delete.run()
    }

    func tablesOfListings() throws(SQLiteFailure) -> Set<TableID> {
        let read = try connection.statement("SELECT DISTINCT source FROM _listing WHERE relationship <> ''")
        var sources: Set<String> = []
        while try read.step() { sources.insert(read.text(0)) }
        return Set(schema.roots.filter { sources.contains($0.tableName) }.map(\.table))
    }
}

extension Listing.Key {
    fileprivate var values: [StoredValue] {
        [.text(source), .integer(owner?.row.rawValue ?? 0), .text(relationship), .text(scope)]
    }
}
