import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Commits of other processes to the file. A connection of SQLite's own is as foreign to a store as another process, so
/// most tests do with one process.
@MainActor
@Suite struct OtherProcessTests {
    private let file: TemporaryFile
    private let store: Store

    init() async throws {
        file = try TemporaryFile()
        store = try Store(.file(file.path), models: World.models)
        try await store.main.take(
            User.self,
            #"[{"id": 1, "login": "a", "name": "n", "repositories": [{"id": 1}, {"id": 2}]}, {"id": 2}, {"id": 3}]"#)
        await endStep(store)
    }

    private func user(_ number: Int) throws -> User { try #require(try store.main.find(User.self, number)) }

    @Test func `Live objects follow the writes of another connection`() async throws {
        let (user, other) = (try user(1), try user(2))
        await endStep(store)
        user.name = "mine"
        try Database(file.path).execute("UPDATE user SET login = 'b', name = 'theirs' WHERE identifier = 1")
        await until { user.login == "b" }
        #expect(user.name == "mine" && other.login == "")
        user.rollback(\.name)
        #expect(user.name == "theirs")
    }

    @Test func `Live objects follow the writes of another process`() async throws {
        let tool = "/usr/bin/sqlite3"
        guard FileManager.default.isExecutableFile(atPath: tool) else { return }
        let user = try user(1)
        await endStep(store)
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments = [file.path, "PRAGMA busy_timeout = 5000; UPDATE user SET login = 'b' WHERE identifier = 1"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        await until { user.login == "b" }
        await until { !process.isRunning }
        #expect(process.terminationStatus == 0)
        // Later writes of this process continue from there.
        user.name = "c"
        try await store.main.save()
        #expect(try Database(file.path).rows("SELECT login, name FROM user WHERE identifier = 1") == [["b", "c"]])
    }

    @Test func `A query and the live objects show the same state of the file in one step`() async throws {
        let user = try user(1)
        for round in 0..<20 {
            await endStep(store)
            try Database(file.path).execute("UPDATE user SET login = 'r\(round)' WHERE identifier = 1")
            #expect(try store.main.query(User.self).where { $0.login == "r\(round)" }.fetch().first === user)
            #expect(user.login == "r\(round)")
        }
    }

    @Test func `Own commits and another process's writes are distinguished`() async throws {
        let user = try user(1)
        for round in 0..<20 {
            user.name = "own\(round)"
            try await store.main.save()
            try Database(file.path).execute("UPDATE user SET login = 'r\(round)' WHERE identifier = 1")
            try await store.takeElsewhere(Label.self, "{\"id\": \(round)}")
            await until { user.login == "r\(round)" }
        }
        #expect(try store.check() == [])
    }

    @Test func `Rows deleted by another process mark their objects, and lists are read again`() async throws {
        let user = try user(1)
        let repository = try #require(user.repositories.first)
        await endStep(store)
        let database = try Database(file.path)
        try database.execute("DELETE FROM repository WHERE identifier = 1")
        await until { repository.isDeleted }
        #expect(user.repositories.map(\.identifier) == [2])
        let row = try #require(try database.value("SELECT _id FROM user WHERE identifier = 2"))
        await endStep(store)
        try database.execute("UPDATE repository SET owner_id = \(row) WHERE identifier = 2")
        await until { user.repositories.isEmpty }
        #expect(try self.user(2).repositories.map(\.identifier) == [2])
    }

    @Test func `A new object unifies with a row of its identity that another process inserted`() async throws {
        let new = User(in: store.main)
        (new.identifier, new.login) = (9, "mine")
        await endStep(store)
        try Database(file.path).execute("INSERT INTO user (identifier, login, name) VALUES (9, 'theirs', 'n')")
        await until { !new.isInserted }
        #expect(new.login == "mine" && new.name == "n")
        try await store.main.save()
        #expect(try Database(file.path).rows("SELECT login FROM user WHERE identifier = 9") == [["mine"]])
    }

    @Test func `A listing follows the progress that another process records`() async throws {
        let key = Listing.Key(source: "Issue", owner: nil, relationship: "", scope: "")
        var listing = Listing(key, begunAt: 1)
        listing.objectCount = 5
        store.file.note(listing, over: nil, isLast: true)
        let database = try Database(file.path)
        try await until { try database.value("SELECT count(*) FROM _listing") == "1" }
        #expect(try store.main.listing(key)?.objectCount == 5)
        await endStep(store)
        try database.execute("UPDATE _listing SET objects = 9, whole = 2")
        try await until { try store.main.listing(key)?.objectCount == 9 }
        #expect(try store.main.listings().map(\.wholeAt) == [2])
        await endStep(store)
        try database.execute("DELETE FROM _listing")
        try await until { try store.main.listing(key) == nil }
        #expect(try store.main.listings().isEmpty)
    }

    @Test func `Live results follow the deletions of another process`() async throws {
        let results = store.main.query(User.self).order(by: { $0.identifier }).updates.makeAsyncIterator()
        #expect(try await results.next()?.count == 3)
        try Database(file.path).execute("DELETE FROM user WHERE identifier = 3")
        var counts: [Int] = []
        while counts.last != 2, let next = try await results.next() { counts.append(next.count) }
        #expect(counts.last == 2)
    }

    @Test func `Contexts on other actors follow the writes of another process`() async throws {
        let store = store
        let path = file.path
        let login = try await store.background { context in
            let user = try context.find(User.self, 1)
            try Database(path).execute("UPDATE user SET login = 'b' WHERE identifier = 1")
            await until { user?.login == "b" }
            return user?.login
        }
        #expect(login == "b")
    }

    @Test func `A store's own writes aren't reported as another process's`() async throws {
        let user = try user(1)
        // This process only reads topics. They are queried again after each call that may have written.
        var asked = 0
        let topics = try store.main.query(Topic.self).live {
            asked += 1
            return try $0.count()
        }
        for round in 0..<30 {
            user.name = "n\(round)"
            try await store.main.save()
            try await store.takeElsewhere(Label.self, "{\"id\": \(round)}")
            _ = topics.value
            if round.isMultiple(of: 10) {
                try await store.file.write { writer in ((), ChangeSet(writer.schema)) }
            }
        }
        // Enough that the WAL is copied and begins anew.
        for round in 0..<4 {
            let users = (1...3000).map {
                "{\"id\": \($0), \"login\": \"\(round) \(String(repeating: "x", count: 400))\"}"
            }
            try await store.takeElsewhere(User.self, "[\(users.joined(separator: ","))]")
            _ = topics.value
            await endStep(store)
        }
        // Another process's write is seen after all effects of this one's writes.
        try Database(file.path).execute("UPDATE user SET name = 'theirs' WHERE identifier = 1")
        await until { user.name == "theirs" }
        #expect(topics.value == 0 && asked == 2)
    }

    @Test func `A file that another process brought to other models is refused`() async throws {
        let user = try user(1)
        user.name = "kept"
        await endStep(store)
        // Another process may have older models, and ignores this one's claim.
        let database = try Database(file.path)
        try database.execute(
            "ALTER TABLE user ADD COLUMN age INTEGER; UPDATE _schema SET value = replace(value, 'login', 'handle')")
        func problem(_ body: () async throws -> Void) async throws -> StoreError.FileProblem? {
            do { try await body() } catch StoreError.file(let problem, path: _) { return problem }
            return nil
        }
        #expect(try await problem { try await store.main.save() } == .migratedElsewhere)
        #expect(try await problem { _ = try store.main.query(User.self).fetch() } == .migratedElsewhere)
        #expect(try await problem { _ = try store.main.query(User.self).fetch() } == .migratedElsewhere)
        #expect(user.name == "kept" && user.changedProperties == ["name"] && user.login == "a")
        #expect(try database.value("SELECT name FROM user WHERE identifier = 1") == "n")
    }

    @Test func `A released store stops watching its file`() async throws {
        weak var feed: CommitFeed?
        let other = try TemporaryFile()
        do {
            let store = try Store(.file(other.path), models: World.models)
            try await store.takeElsewhere(User.self, #"{"id": 1}"#)
            feed = store.file.commits
        }
        await until { feed == nil }
        try Database(other.path).execute("UPDATE user SET login = 'b'")
    }
}
