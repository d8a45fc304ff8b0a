// What is known of how far lists have been listed is written along with whatever is written next.

extension Writer {
    /// Writes what was noted of lists, but of owners that are gone. That a list was listed later, and is as it was, is
    /// written where something else is.
    ///
    /// - Parameter begin: how many rows had been changed when the transaction began.
    func keepListings(since begin: Int32) throws {
        listingsInTransaction = memory.unwrittenListings(isNews: connection.totalChanges == begin)
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
