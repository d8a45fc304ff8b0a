import GRDB
import GRDBSQLite

/// A context's own connection for reading. It holds one state of the file from the first read after a merge to the next
/// merge, so that all that the context reads in between belongs together.
///
/// It is used on its context's actor only.
final class Reader {
    private let schema: Schema
    /// Keeps the connection open; used itself only to open and close it.
    private var queue: DatabaseQueue?
    private var connection: Connection?
    private var isReading = false
    private var rowStatements: [RawStatement?]
    private var findStatements: [RawStatement?]
    private let memberStatements: MemberStatements

    init(_ file: StoreFile) throws(StoreError) {
        schema = file.schema
        rowStatements = Array(repeating: nil, count: schema.tables.count)
        findStatements = rowStatements
        memberStatements = MemberStatements(count: schema.listCount)
        do {
            let queue = try DatabaseQueue(path: file.path, configuration: file.readerConfiguration)
            // GRDB's queue is not used while this object lives, so no other thread is on the connection, which is what
            // SQLite's multi-thread mode asks for (https://sqlite.org/threadsafe.html).
            connection = queue.unsafeRead { database in
                unsafe Connection(handle: database.sqliteConnection.unsafelyUnwrapped, path: file.path)
            }
            self.queue = queue
        } catch {
            throw StoreError(wrapping: error, path: file.path)
        }
    }

    deinit { close() }

    func close() {
        rowStatements = []
        findStatements = []
        memberStatements.removeAll()
        connection?.forgetStatements()
        connection = nil
        try? queue?.close()
        queue = nil
    }

    /// Gives up the state that was read, so that the next read sees the newest.
    func endReading() {
        guard isReading else { return }
        isReading = false
        try? connection?.execute("COMMIT")
    }

    /// The connection, at the state that this reader holds.
    func reading() throws -> Connection {
        guard let connection else { throw StoreError.endedContext }
        if !isReading {
            try connection.execute("BEGIN")
            isReading = true
        }
        return connection
    }

    /// The row of a local key; `nil` where there is none.
    func row(_ table: Int, _ id: Int64) throws -> Snapshot? {
        let connection = try reading()
        let compiled = schema.tables[table]
        let statement: RawStatement
        if let known = rowStatements[table] {
            statement = known
        } else {
            statement = try connection.statement(SQL.selectRows(compiled) + " WHERE _id = ?")
            rowStatements[table] = statement
        }
        statement.bind(id, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return Snapshot.row(of: statement, from: 1, slots: compiled.slots, count: compiled.properties.count)
    }

    /// The statement that gives the row of an identity.
    func findStatement(_ table: ModelSchema) throws -> RawStatement {
        let connection = try reading()
        if let known = findStatements[table.index] { return known }
        let statement = try connection.statement(SQL.selectRows(table) + " WHERE " + SQL.identityCondition(table))
        findStatements[table.index] = statement
        return statement
    }

    /// The local keys of a list's members, in its order.
    func members(of list: List, owner: Int64) throws -> [Int64] {
        try memberStatements.members(of: list, owner: owner, schema, reading())
    }
}
