import GRDB

extension Connection {
    /// Runs `body` with a database that is deleted afterwards.
    static func inMemory<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let queue = try DatabaseQueue()
        return try queue.inDatabase { database in
            // The database is open while this block runs.
            let connection = unsafe Connection(handle: database.sqliteConnection.unsafelyUnwrapped, path: ":memory:")
            defer { connection.forgetStatements() }
            return try body(connection)
        }
    }
}
