import Foundation
import RestfulData
import TestSupport
import Testing

/// Queued writes are sent later, once each, with the objects' values of that time.
@MainActor @Suite struct OutboxTests {
    typealias Issue = Tracker.Issue
    typealias Repo = Tracker.Repo
    typealias Label = Tracker.Label

    private let program: Program
    private var server: OutboxServer { program.server }

    init() throws { program = try Program() }

    private func issue(_ title: String) -> Issue {
        let issue = Issue(in: program.main)
        issue.title = title
        return issue
    }

    /// An issue that the server has.
    private func known(_ id: Int = 1, _ title: String = "old") async throws -> Issue {
        server.put("/issues", id, ["id": .number("\(id)"), "title": .string(title)])
        return try await program.imported(Issue.self, #"{"id": \#(id), "title": "\#(title)"}"#)
    }

    @Test func `A queued object is created by the next run`() async throws {
        let issue = issue("A")
        try await issue.save(.queued)
        #expect(server.log.isEmpty)
        #expect(!issue.hasChanges)
        guard case .waiting = issue.syncState else { return #expect(Bool(false), "\(issue.syncState)") }
        let report = await program.outbox.drain()
        #expect((report.sent, report.waiting, report.rejected) == (1, 0, 0))
        #expect(server.log == [#"POST /issues {"title":"A"}"#])
        #expect(issue.identifier == 101)
        #expect(issue.syncState == .synced)
        #expect(try await program.outbox.entries().isEmpty)
    }

    @Test func `A queued edit survives a restart`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        try program.restart()
        await program.outbox.drain()
        #expect(server.log == [#"PATCH /issues/1 {"title":"A"}"#])
        #expect(try program.find(Issue.self)[0].syncState == .synced)
    }

    @Test func `Several queued edits of an object are one request`() async throws {
        let issue = try await known()
        for title in ["A", "B", "C"] {
            issue.title = title
            try await issue.save(.queued)
        }
        #expect(program.main.outboxCount == 1)
        await program.outbox.drain()
        #expect(server.log == [#"PATCH /issues/1 {"title":"C"}"#])
    }

    @Test func `A queued edit that is set back isn't sent`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        issue.title = "old"
        try await issue.save(.queued)
        #expect(program.main.outboxCount == 0)
        #expect(issue.syncState == .synced)
        await program.outbox.drain()
        #expect(server.log.isEmpty)
    }

    @Test func `An immediate save ends the queued entry`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        try await issue.save()
        #expect(program.main.outboxCount == 0)
        await program.outbox.drain()
        #expect(server.log.count == 1)
    }

    @Test func `Other unsaved edits of the context stay unsaved`() async throws {
        let other = issue("other")
        let issue = issue("A")
        try await issue.save(.queued)
        #expect(other.hasChanges)
        #expect(other.syncState == .unsent)
        await program.outbox.drain()
        #expect(server.log == [#"POST /issues {"title":"A"}"#])
    }

    @Test func `A queued deletion hides the object, also from fetches`() async throws {
        let issue = try await known()
        try await issue.delete(.queued)
        #expect(issue.isDeleted)
        #expect(server.log.isEmpty)
        let all = try await Issue.fetchAll(in: program.main)
        #expect(all.isEmpty)
        server.forgetLog()
        let report = await program.outbox.drain()
        #expect(report.sent == 1)
        #expect(server.log == ["DELETE /issues/1"])
        #expect(program.main.outboxCount == 0)
        #expect(try program.find(Issue.self).isEmpty)
    }

    @Test func `A queued new object that is deleted leaves no request`() async throws {
        let issue = issue("A")
        try await issue.save(.queued)
        try await issue.delete(.queued)
        #expect(program.main.outboxCount == 0)
        await program.outbox.drain()
        #expect(server.log.isEmpty)
    }

    @Test func `A new owner is created before its queued member`() async throws {
        let repo = Repo(in: program.main)
        repo.name = "R"
        let issue = issue("A")
        try await repo.$issues.add(issue, .queued)
        try await repo.save(.queued)
        #expect(repo.issues.map(\.title) == ["A"])
        try program.restart()
        let report = await program.outbox.drain()
        #expect(report.sent == 2)
        #expect(server.log == [#"POST /repos {"name":"R"}"#, #"POST /repos/101/issues {"title":"A","repo_id":101}"#])
        let stored = try program.find(Issue.self)[0]
        #expect(stored.repo?.identifier == 101)
        #expect(stored.syncState == .synced)
    }

    @Test func `A many-to-many member is added and removed through the outbox`() async throws {
        let issue = try await known()
        let label = try await program.imported(Label.self, #"{"id": 7, "name": "bug"}"#)
        server.put("/labels", 7, ["id": 7, "name": "bug"])
        try await issue.$labels.add(label, .queued)
        #expect(issue.labels == [label])
        let added = try #require(try await program.outbox.entries().first)
        #expect(added.request == "POST https://api.example.com/issues/1/labels")
        #expect(added.body == #"{"label_ids":[7]}"#)
        // The server's list of the meantime doesn't undo it.
        try await issue.$labels.fetch()
        #expect(issue.labels == [label])
        server.forgetLog()
        await program.outbox.drain()
        #expect(server.log == [#"POST /issues/1/labels {"label_ids":[7]}"#])
        #expect(issue.labels == [label])
        try await issue.$labels.delete(label, .queued)
        #expect(issue.labels.isEmpty)
        let removed = try #require(try await program.outbox.entries().first)
        #expect(removed.request == "DELETE https://api.example.com/issues/1/labels/7")
        try await issue.$labels.fetch()
        #expect(issue.labels.isEmpty)
        server.forgetLog()
        await program.outbox.drain()
        #expect(server.log == ["DELETE /issues/1/labels/7"])
        #expect(server.members("/issues/1/labels").isEmpty)
        #expect(program.main.outboxCount == 0)
    }

    @Test func `A rejected entry waits for a decision, and a correction is sent`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        server.fail(.status(422, body: #"{"errors": {"title": ["is taken"]}}"#))
        let report = await program.outbox.drain()
        #expect((report.sent, report.waiting, report.rejected) == (0, 0, 1))
        guard case .rejected(let rejection) = issue.syncState else { return #expect(Bool(false), "\(issue.syncState)") }
        #expect(rejection.kind == .invalid)
        #expect(rejection.fields == ["title": ["is taken"]])
        // It isn't sent again automatically.
        await program.outbox.drain()
        #expect(server.log.count == 1)
        issue.title = "B"
        try await issue.save(.queued)
        await program.outbox.drain()
        #expect(server.log.last == #"PATCH /issues/1 {"title":"B"}"#)
        #expect(issue.syncState == .synced)
    }

    @Test func `Discarding an edit restores the server's values`() async throws {
        let issue = try await known()
        issue.title = "A"
        issue.body = "text"
        try await issue.save(.queued)
        try await program.outbox.discard(program.outbox.entries()[0])
        #expect(issue.title == "old")
        #expect(issue.body == nil)
        #expect(issue.syncState == .synced)
        #expect(program.main.outboxCount == 0)
    }

    @Test func `Discarding a deletion restores the object with its links`() async throws {
        let repo = try await program.imported(
            Repo.self, #"{"id": 3, "name": "R", "issues": [{"id": 1, "title": "old"}, {"id": 2, "title": "two"}]}"#)
        let label = try await program.imported(Label.self, #"{"id": 7, "name": "bug"}"#)
        let issue = repo.issues[0]
        issue.labels = [label]
        repo.issues[1].duplicate = issue
        try await program.main.save()
        try await issue.delete(.queued)
        #expect(repo.issues.map(\.identifier) == [2])
        try await program.outbox.discard(program.outbox.entries()[0])
        #expect(Set(repo.issues.map(\.identifier)) == [1, 2])
        let back = try #require(try program.main.find(Issue.self, 1))
        #expect(back.title == "old")
        #expect(back.labels == [label])
        #expect(repo.issues.first { $0.identifier == 2 }?.duplicate === back)
        #expect(program.main.outboxCount == 0)
    }

    @Test func `Entries describe the requests to be sent`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        let new = Issue(in: program.main)
        new.title = "B"
        let repo = Repo(in: program.main)
        new.repo = repo
        try await new.save(.queued)
        let entries = try await program.outbox.entries()
        #expect(entries.map(\.action) == [.update, .create])
        #expect(entries[0].description == "1 PATCH https://api.example.com/issues/1 (waiting)")
        #expect(entries[0].body == #"{"title":"A"}"#)
        guard case .blocked = entries[1].state else { return #expect(Bool(false), "\(entries[1])") }
    }

    @Test func `A store can queue all writes`() async throws {
        let program = try Program(options: StoreOptions(writes: .queued))
        let issue = Issue(in: program.main)
        issue.title = "A"
        try await issue.create()
        #expect(program.server.log.isEmpty)
        let report = await program.outbox.drain()
        #expect(report.sent == 1, "\(report) \(issue.syncState)")
        issue.title = "B"
        try await issue.save()
        await program.outbox.drain()
        try await issue.delete()
        await program.outbox.drain()
        #expect(
            program.server.log == [
                #"POST /issues {"title":"A"}"#, #"PATCH /issues/101 {"title":"B"}"#, "DELETE /issues/101",
            ])
    }

    @Test func `A started outbox sends automatically and reports updates`() async throws {
        program.outbox.start()
        let issue = issue("A")
        try await issue.save(.queued)
        var counts: [Int] = []
        for await entries in program.outbox.updates {
            counts.append(entries.count)
            if entries.isEmpty { break }
        }
        #expect(counts.last == 0)
        #expect(server.log == [#"POST /issues {"title":"A"}"#])
        program.outbox.stop()
    }
}
