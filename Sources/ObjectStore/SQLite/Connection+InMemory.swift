import GRDB

extension Connection {
    /// Runs `body` on an empty database of its own that is gone afterwards.
    static func inMemory<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let queue = try DatabaseQueue()
        return try queue.inDatabase { database in
            // An open GRDB database has its handle, and stays open while this block runs.
            let connection = unsafe Connection(handle: database.sqliteConnection.unsafelyUnwrapped, path: ":memory:")
            defer { connection.forgetStatements() }
            return try body(connection)
        }
    }
}
