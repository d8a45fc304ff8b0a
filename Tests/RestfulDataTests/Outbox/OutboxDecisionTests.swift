import RestfulData
import Testing

/// Users' decisions about entries, and their effect at the server.
@MainActor @Suite struct OutboxDecisionTests {
    typealias Issue = Tracker.Issue
    typealias Repo = Tracker.Repo
    typealias Label = Tracker.Label

    private let program: Program
    private var server: OutboxServer { program.server }
    private var outbox: RestfulData.Outbox { program.outbox }

    init() throws {
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        program = try Program(OutboxServer(knowsKeys: true), conventions: conventions, width: 1)
    }

    private func issue(_ title: String) -> Issue {
        let issue = Issue(in: program.main)
        issue.title = title
        return issue
    }

    private func newRepo() -> Repo {
        let repo = Repo(in: program.main)
        repo.name = "R"
        return repo
    }

    @Test func `A refused repetition keeps the idempotency key of the unanswered creation`() async throws {
        let issue = issue("A")
        try await issue.save(.queued)
        server.fail(.lostReply, .status(403))
        await outbox.drain()
        let report = await outbox.drain()
        #expect(report.rejections.map(\.kind) == [.refused])
        issue.title = "B"
        try await issue.save(.queued)
        await outbox.drain()
        #expect(server.objects("/issues").values.map { $0["title"]?.string } == ["B"])
        #expect(Set(server.keys.compactMap(\.self)).count == 1)
        #expect(issue.syncState == .synced)
    }

    @Test func `A creation found invalid after a lost reply gets a new idempotency key`() async throws {
        let issue = issue("A")
        try await issue.save(.queued)
        server.fail(.status(503), .status(422, body: #"{"errors": {"title": ["is taken"]}}"#))
        await outbox.drain()
        await outbox.drain()
        issue.title = "B"
        try await issue.save(.queued)
        await outbox.drain()
        #expect(server.log.last == #"POST /issues {"title":"B"}"#)
        #expect(server.log.count == 3)
        #expect(Set(server.keys).count == 2)
        #expect(issue.syncState == .synced)
    }

    @Test func `Discarding a new object's addition deletes it and its other entries`() async throws {
        let repo = try await program.imported(Repo.self, #"{"id": 3, "name": "R"}"#)
        let label = try await program.imported(Label.self, #"{"id": 7, "name": "bug"}"#)
        let issue = issue("A")
        try await repo.$issues.add(issue, .queued)
        try await issue.$labels.add(label, .queued)
        try await outbox.discard(outbox.entries()[0])
        #expect(issue.isDeleted)
        #expect(repo.issues.isEmpty)
        #expect(program.main.outboxCount == 0)
    }

    @Test func `A new object is created even if its list's new owner is discarded`() async throws {
        let (repo, issue) = (newRepo(), issue("A"))
        try await repo.save(.queued)
        try await repo.$issues.add(issue, .queued)
        try await outbox.discard(outbox.entries()[0])
        #expect(repo.isDeleted)
        await outbox.drain()
        #expect(server.objects("/repos").isEmpty)
        #expect(server.objects("/issues").values.map { $0["title"]?.string } == ["A"])
        #expect(issue.syncState == .synced)
    }

    @Test func `A new object is created even if its list's owner is deleted`() async throws {
        let (repo, issue) = (newRepo(), issue("A"))
        try await repo.save(.queued)
        try await repo.$issues.add(issue, .queued)
        try await repo.delete(.queued)
        await outbox.drain()
        #expect(server.objects("/issues").values.map { $0["title"]?.string } == ["A"])
        #expect(issue.syncState == .synced)
    }

    @Test func `A new object in two lists stays when one addition is discarded`() async throws {
        server.put("/repos", 1, ["id": 1, "name": "one"])
        let known = try await program.imported(Repo.self, #"{"id": 1, "name": "one"}"#)
        let (other, issue) = (newRepo(), issue("A"))
        try await other.save(.queued)
        try await known.$issues.add(issue, .queued)
        try await other.$issues.add(issue, .queued)
        let first = try #require(try await outbox.entries().first { $0.action == .add("issues") })
        try await outbox.discard(first)
        #expect(!issue.isDeleted)
        await outbox.drain()
        #expect(server.objects("/issues").values.map { $0["title"]?.string } == ["A"])
        #expect(issue.syncState == .synced)
    }

    @Test func `Discarding a deletion restores the entries that it replaced`() async throws {
        server.put("/issues", 1, ["id": 1, "title": "old"])
        let issue = try await program.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        let label = try await program.imported(Label.self, #"{"id": 7, "name": "bug"}"#)
        issue.title = "A"
        try await issue.save(.queued)
        try await issue.$labels.add(label, .queued)
        try await issue.delete(.queued)
        let entries = try await outbox.entries()
        #expect(entries.map(\.action) == [.delete])
        try await outbox.discard(entries[0])
        #expect(try await outbox.entries().map(\.action) == [.update, .add("labels")])
        await outbox.drain()
        #expect(server.log == [#"PATCH /issues/1 {"title":"A"}"#, #"POST /issues/1/labels {"label_ids":[7]}"#])
        let back = try #require(try program.main.find(Issue.self, 1))
        #expect(back.syncState == .synced)
        #expect(back.labels == [label])
    }

    @Test func `Discarding a deletion after a restart restores the entries that it replaced`() async throws {
        let issue = issue("old")
        try await issue.save(.queued)
        await outbox.drain()
        let label = try await program.imported(Label.self, #"{"id": 7, "name": "bug"}"#)
        issue.title = "A"
        try await issue.save(.queued)
        try await issue.$labels.add(label, .queued)
        try await issue.delete(.queued)
        try program.restart()
        try await outbox.discard(outbox.entries()[0])
        #expect(try await outbox.entries().map(\.action) == [.update, .add("labels")])
        await outbox.drain()
        #expect(server.objects("/issues")[101]?["title"]?.string == "A")
        #expect(server.members("/issues/101/labels") == [7])
    }
}
