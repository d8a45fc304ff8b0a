// What is known of how far lists have been listed is written along with whatever is written next.

extension Writer {
    /// Writes what was noted of lists, but of owners that are gone.
    func keepListings() throws {
        listingsInTransaction = memory.unwrittenListings
        for listing in listingsInTransaction {
            if let owner = listing.key.owner {
                guard try statements[owner.table].contains(owner.row) else { continue }
                listedSources.insert(owner.table)
            }
            try statements.write(listing)
        }
    }

    func forgetListings(of record: RecordID) throws {
        memory.forgetListings(of: record)
        if listedSources.contains(record.table) { try statements.forgetListings(of: record) }
    }
}
