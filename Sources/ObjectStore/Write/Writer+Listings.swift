// How far lists were fetched: noted in memory, and written with the next transaction.

extension Writer {
    /// Writes the noted listings, without those of deleted owners. One with only a later time is written if the
    /// transaction has other changes.
    ///
    /// - Parameter begin: the connection's count of changed rows when the transaction began.
    func keepListings(since begin: Int32) throws {
        listingsInTransaction = memory.unwrittenListings(hasNewContents: connection.totalChanges == begin)
        for listing in listingsInTransaction {
            if let owner = listing.key.owner {
                guard try statements[owner.table].contains(owner.row) else { continue }
                listedSources.insert(owner.table)
            }
            memory.forgetListings(try statements.write(listing))
        }
    }

    func forgetListings(of record: RecordID) throws {
        memory.forgetListings(of: record)
        if listedSources.contains(record.table) { try statements.forgetListings(of: record) }
    }
}
