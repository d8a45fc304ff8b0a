import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// The store's file: its contents, and the files that are refused.
@MainActor
@Suite struct FileTests {
    private func problem(_ location: Store.Location, _ models: [any Model.Type] = [Label.self]) -> StoreError
        .FileProblem?
    {
        do {
            _ = try Store(location, models: models)
        } catch StoreError.file(let problem, path: _) {
            return problem
        } catch {
            Testing.Issue.record("\(error)")
        }
        return nil
    }

    @Test func `Reopening a store keeps values, unsent edits and pending links`() async throws {
        let file = try TemporaryFile()
        let before: String
        do {
            let store = try Store(.file(file.path), models: World.models)
            let issue = try await store.main.take(
                Issue.self,
                #"{"id": 1, "title": "a", "labels": [{"id": 2}, {"id": 1}], "assignee_id": 9, "repository": {"id": 3, "topics": ["x"]}}"#
            ).objects[0]
            issue.number = 5
            Label(in: store.main).name = "local"
            try await store.main.save()
            before = try store.dump()
            store.close()
        }
        let store = try Store(.file(file.path), models: World.models)
        #expect(try store.dump() == before)
        let issue = try #require(try store.main.find(Issue.self, 1))
        #expect(issue.number == 5 && issue.labels.map(\.identifier) == [2, 1] && issue.repository?.identifier == 3)
        try await store.main.take(Issue.self, #"{"id": 1, "number": 6}"#)
        #expect(issue.number == 5)
        try await store.main.take(User.self, #"{"id": 9}"#)
        #expect(issue.assignee?.identifier == 9)
    }

    @Test func `A file that isn't a database is refused and left unchanged`() throws {
        let file = try TemporaryFile()
        let text = String(repeating: "This is not a database. ", count: 100)
        try text.write(toFile: file.path, atomically: true, encoding: .utf8)
        #expect(problem(.file(file.path)) == .notADatabase)
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
        guard case .cannotOpen? = problem(.file(file.folder.path)) else {
            Testing.Issue.record("a folder was opened")
            return
        }
        guard case .cannotOpen? = problem(.file(file.folder.path + "/missing/store.sqlite")) else {
            Testing.Issue.record("a missing folder was opened")
            return
        }
    }

    @Test func `A database of another program is refused`() throws {
        let file = try TemporaryFile()
        try Database(file.path).execute("CREATE TABLE label (name TEXT); INSERT INTO label VALUES ('theirs')")
        guard case .modelsChanged(let reasons)? = problem(.file(file.path)) else {
            Testing.Issue.record("another program's table was taken")
            return
        }
        #expect(reasons == ["its table \"label\" was not made by this library"])
        #expect(try Database(file.path).value("SELECT name FROM label") == "theirs")
    }

    @Test func `A newer file is refused`() throws {
        let file = try TemporaryFile()
        try Database(file.path).execute("PRAGMA user_version = 99")
        #expect(problem(.file(file.path)) == .newerVersion(99))
    }

    @Test(.enabled(if: geteuid() != 0, "root may write every file"))
    func `A read-only file is refused`() throws {
        let file = try TemporaryFile()
        _ = try Store(.file(file.path), models: [Label.self])
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file.path)
        #expect(problem(.file(file.path)) == .readOnly)
    }

    @Test func `A full disk is reported, and the store keeps its rows`() async throws {
        let store = try Store(of: World.models)
        let user = try await store.main.take(User.self, #"{"id": 1, "login": "a"}"#).objects[0]
        let before = try store.dump()
        // Simulates a full disk: the file is limited to its present pages.
        try await store.file.write { writer in
            try writer.connection.execute("PRAGMA max_page_count = 1")
            return ((), ChangeSet(writer.schema))
        }
        let body =
            "["
            + (1...5_000).map { #"{"id": \#($0), "login": "\#(String(repeating: "x", count: 50))"}"# }
            .joined(separator: ",") + "]"
        let error = await #expect(throws: StoreError.self) { _ = try await store.main.take(User.self, body) }
        guard case .file(.full, path: store.path)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        user.name = String(repeating: "y", count: 100_000)
        #expect(await failure { try await store.main.save() } == "\(StoreError.file(.full, path: store.path))")
        #expect(user.changedProperties == ["name"])
        #expect(try store.dump() == before)
        #expect(try store.check() == [])
        try await store.file.write { writer in
            try writer.connection.execute("PRAGMA max_page_count = 1000000")
            return ((), ChangeSet(writer.schema))
        }
        try await store.main.save()
        #expect(try await store.main.take(User.self, body).objects.count == 5_000)
    }

    @Test func `A save that can't be read back fails`() async throws {
        let store = try Store(of: World.models)
        let user = try await store.main.take(User.self, #"{"id": 1, "login": "a"}"#).objects[0]
        try FileHandle(forWritingTo: URL(fileURLWithPath: store.path + "-wal")).truncate(atOffset: 0)
        user.login = "b"
        let said = await failure { try await store.main.save() }
        #expect(said.contains(store.path), "\(said), and it shows \(user.login)")
    }

    @Test func `Two stores on one file do not collide`() async throws {
        let file = try TemporaryFile()
        let first = try Store(.file(file.path), models: World.models)
        let second = try Store(.file(file.path), models: World.models)
        for round in 0..<5 {
            try await first.main.take(User.self, #"[{"id": \#(round * 10 + 1)}, {"id": \#(round * 10 + 2)}]"#)
            try await second.main.take(
                User.self, #"[{"id": \#(round * 10 + 3)}, {"id": \#(round * 10 + 1), "login": "second"}]"#)
            Label(in: first.main).name = "first"
            Label(in: second.main).name = "second"
            try await first.main.save()
            try await second.main.save()
        }
        #expect(try Database(file.path).value("SELECT count(*) FROM user") == "15")
        #expect(try Database(file.path).value("SELECT count(*) FROM label") == "10")
        try await first.main.take(User.self, #"[{"id": 1, "name": "n"}]"#)
        #expect(try first.main.find(User.self, 1)?.login == "second")
        #expect(try first.check() == [])
    }

    @Test func `Two stores on one file follow each other's commits`() async throws {
        let file = try TemporaryFile()
        let first = try Store(.file(file.path), models: World.models)
        let second = try Store(
            .file(file.folder.path + "/../\(file.folder.lastPathComponent)/store.sqlite"), models: World.models)
        let mine = try #require(try await first.main.take(User.self, #"{"id": 1, "login": "a"}"#).objects.first)
        let theirs = try #require(try second.main.find(User.self, 1))
        theirs.login = "b"
        try await second.main.save()
        await until { mine.login == "b" }
        try await first.background { try $0.find(User.self, 1)?.login = "c" }
        #expect(mine.login == "c" && theirs.login == "c")
    }

    @Test func `A second store with other models is refused while the first is open`() async throws {
        let file = try TemporaryFile()
        let first = try Store(.file(file.path), models: World.models)
        #expect(problem(.file(file.path), World.models.reversed()) == .openWithOtherModels)
        #expect(problem(.file(file.path)) == .openWithOtherModels)
        first.close()
        #expect(problem(.file(file.path), World.models.reversed()) == nil)
    }

    @Test func `A temporary store leaves nothing behind`() async throws {
        var store: Store? = try Store(of: World.models)
        let path = try #require(store?.path)
        try await store?.main.take(Repository.self, #"{"id": 1, "owner": {"id": 1}}"#)
        #expect(try store?.main.find(Repository.self, 1)?.owner?.identifier == 1)
        store?.close()
        store = nil
        for suffix in ["", "-wal", "-shm"] { #expect(!FileManager.default.fileExists(atPath: path + suffix)) }
    }
}
