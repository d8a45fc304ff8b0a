import GRDBSQLite

@testable import ObjectStore

extension Store {
    /// The work so far: the objects that the main context examined in memory, and the steps of SQLite's virtual machine
    /// for it and for the writer.
    @MainActor
    func work() async throws -> Int {
        let writing = try await file.write { writer in (writer.connection.steps, ChangeSet(writer.schema)) }
        main.catchUp()
        return main.unsaved.work.total + (try main.reader?.reading().connection.steps ?? 0) + writing
    }

    /// How much `body` does.
    @MainActor
    func work(of body: () async throws -> Void) async throws -> Int {
        let before = try await work()
        try await body()
        return try await work() - before
    }
}

extension Connection {
    /// The steps that all statements of the connection have taken (https://sqlite.org/c3ref/c_stmtstatus_counter.html).
    var steps: Int {
        var steps = 0
        var statement = unsafe sqlite3_next_stmt(handle, nil)
        while let next = unsafe statement {
            steps += Int(unsafe sqlite3_stmt_status(next, SQLITE_STMTSTATUS_VM_STEP, 0))
            unsafe statement = sqlite3_next_stmt(handle, next)
        }
        return steps
    }
}
