import GRDBSQLite
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// The rows that a write reads first, of all in the file.
@MainActor
@Suite struct FirstWriteTests {
    /// The steps of SQLite's machine in all statements of the writer since the last call.
    private func steps(of store: Store) async throws -> Int {
        try await store.file.write { writer in
            var steps = 0
            var statement = unsafe sqlite3_next_stmt(writer.connection.handle, nil)
            // The connection's own list of statements, walked by the one thread that uses it.
            while let next = unsafe statement {
                steps += unsafe Int(sqlite3_stmt_status(next, SQLITE_STMTSTATUS_VM_STEP, 1))
                unsafe statement = sqlite3_next_stmt(writer.connection.handle, next)
            }
            return (steps, ChangeSet(writer.schema))
        }
    }

    private func fill(_ file: TemporaryFile, rows: Int) async throws {
        let store = try Store(.file(file.path), models: World.models)
        let labels = (1...rows).map { #"{"id": \#($0)}"# }.joined(separator: ",")
        let issues = (1...rows).map { #"{"id": \#($0), "repository_id": \#($0)}"# }.joined(separator: ",")
        try await store.main.take(Label.self, "[\(labels)]")
        try await store.main.take(Issue.self, "[\(issues)]")
        for row in 1...3 { try store.main.find(Label.self, row)?.name = "mine" }
        try await store.main.save()
        store.close()
    }

    /// By number of rows and of links that wait: the steps of the first write, and of the one after a refused save.
    private func measure(rows: Int) async throws -> (first: Int, afterRefusal: Int) {
        let file = try TemporaryFile()
        try await fill(file, rows: rows)
        let store = try Store(.file(file.path), models: World.models)
        defer { store.close() }
        let user = User(in: store.main)
        user.login = "first"
        try await store.main.save()
        let first = try await steps(of: store)
        Label(in: store.main).identifier = 1
        await #expect(throws: StoreError.self) { try await store.main.save() }
        store.main.rollback()
        _ = try await steps(of: store)
        user.login = "second"
        try await store.main.save()
        return (first, try await steps(of: store))
    }

    @Test func `The first write, and the one after a refused save, cost the same however much is in the file`()
        async throws
    {
        let (few, many) = (try await measure(rows: 500), try await measure(rows: 8_000))
        #expect(many.first <= few.first + 100, "\(few) with 500 rows, \(many) with 8,000")
        #expect(many.afterRefusal <= few.afterRefusal + 100)
    }

    @Test func `An older file gets the index, and its tables stay`() async throws {
        let file = try TemporaryFile()
        try await fill(file, rows: 10)
        try Database(file.path).execute(
            """
            DROP INDEX _unsent_label;
            UPDATE _schema SET value = replace(value, '_unsent_label', '_older_label') WHERE name = 'models'
            """)
        let reports = Reports()
        try Store(.file(file.path), models: World.models, options: StoreOptions { reports.add($0) }).close()
        #expect(reports.all.map(\.step) == [#"add the index "_unsent_label""#])
    }

    @Test func `A new row doesn't get the number of a deleted row that an unsent edit names`()
        async throws
    {
        let file = try TemporaryFile()
        do {
            let store = try Store(.file(file.path), models: World.models)
            defer { store.close() }
            try await store.main.take(User.self, #"{"id": 10}"#)
            let issue = try await store.main.take(
                Issue.self, #"{"id": 1, "assignee": {"id": 20}, "labels": [{"id": 1}]}"#
            ).objects[0]
            let user = try #require(issue.assignee)
            let label = try await store.main.take(Label.self, #"{"id": 2}"#).objects[0]
            issue.assignee = try store.main.find(User.self, 10)
            issue.labels.append(label)
            try await store.main.save()
            try await store.file.write([WriteBatch.confirmed(deletions: [user._object.record, label._object.record])])
        }
        let store = try Store(.file(file.path), models: World.models)
        defer { store.close() }
        try await store.main.take(User.self, #"{"id": 30}"#)
        try await store.main.take(Label.self, #"{"id": 3}"#)
        let issue = try #require(try store.main.find(Issue.self, 1))
        // The server's value is the deleted object's place, even if another object has that place now.
        issue.assignee = try store.main.find(User.self, 30)
        try await store.main.save()
        // An edit of a list ends with the object that it has added.
        #expect(issue._object.unsentProperties.map(\.name) == ["assignee"])
        let rows = try (store.main.find(User.self, 30), store.main.find(Label.self, 3))
        #expect(rows.0?._object.localID == RowID(3) && rows.1?._object.localID == RowID(3))
    }
}
