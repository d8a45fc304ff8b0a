import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// An object has the server's version, the one in flight, and its own.
@MainActor @Suite struct SnapshotTests {
    typealias Issue = Tracker.Issue
    typealias Repo = Tracker.Repo
    typealias Label = Tracker.Label

    private let program: Program
    private var server: OutboxServer { program.server }

    init() throws { program = try Program() }

    private func known() async throws -> Issue {
        server.put("/issues", 1, ["id": 1, "title": "server", "body": "server"])
        return try await program.imported(
            Issue.self, #"{"id": 1, "title": "server", "body": "server", "repo": {"id": 5, "name": "five"}}"#)
    }

    @Test func `The server's snapshot excludes saved and unsaved edits`() async throws {
        let issue = try await known()
        issue.title = "saved"
        try await issue.save(.queued)
        issue.body = "unsaved"
        #expect(issue.snapshot(.server).title == "server")
        #expect(issue.snapshot(.server).body == "server")
        #expect(issue.snapshot(.local).title == "saved")
        #expect(issue.snapshot(.local).body == "unsaved")
        #expect(issue.snapshot(.inFlight).title == "server")
    }

    @Test func `A snapshot keeps its values`() async throws {
        let issue = try await known()
        let before = issue.snapshot(.local)
        issue.title = "edited"
        #expect(before.title == "server")
    }

    @Test func `A new object's server snapshot is empty`() {
        let issue = Issue(in: program.main)
        issue.title = "new"
        #expect(issue.snapshot(.server).title == nil)
        #expect(issue.snapshot(.local).title == "new")
    }

    @Test func `The server's snapshot has the links and lists last received`() async throws {
        let issue = try await known()
        let other = try await program.imported(Repo.self, #"{"id": 6, "name": "six"}"#)
        let label = try await program.imported(Label.self, #"{"id": 1, "name": "one"}"#)
        let former = try #require(issue.repo)
        issue.repo = other
        try await issue.save(.queued)
        try await issue.$labels.add(label, .queued)
        #expect(issue.snapshot(.server).repo === former)
        #expect(issue.snapshot(.local).repo === other)
        #expect(former.snapshot(.server).issues == [issue])
        #expect(former.snapshot(.local).issues.isEmpty)
        #expect(other.snapshot(.server).issues.isEmpty)
        #expect(other.snapshot(.local).issues == [issue])
        #expect(issue.snapshot(.server).labels.isEmpty)
        #expect(issue.snapshot(.local).labels == [label])
    }

    @Test func `The server's snapshot has a link to an object that came after the link was edited`() async throws {
        let issue = try await program.imported(Issue.self, #"{"id": 1, "title": "server", "repo_id": 2}"#)
        issue.repo = try await program.imported(Repo.self, #"{"id": 8, "name": "eight"}"#)
        try await program.main.save()
        #expect(issue.snapshot(.server).repo == nil)
        let two = try await program.imported(Repo.self, #"{"id": 2, "name": "two"}"#)
        #expect(issue.snapshot(.server).repo === two)
    }

    @Test func `The snapshot in flight has the request's values`() async throws {
        let issue = try await known()
        issue.title = "sent"
        try await issue.save(.queued)
        let seen = Seen()
        server.whenArriving { @MainActor [server] _ in
            server.whenArriving(nil)
            issue.title = "newer"
            seen.titles = [.server, .inFlight, .local].map { issue.snapshot($0).title ?? "" }
        }
        await program.outbox.drain()
        #expect(seen.titles == ["server", "sent", "newer"])
        #expect(issue.snapshot(.inFlight).title == "sent")
        #expect(issue.snapshot(.server).title == "sent")
    }

    /// Fetches while a request was in flight.
    @MainActor private final class Seen {
        var titles: [String] = []
    }

    @Test func `Rolling back to the server's version removes the entry`() async throws {
        let issue = try await known()
        let label = try await program.imported(Label.self, #"{"id": 1, "name": "one"}"#)
        issue.title = "saved"
        try await issue.save(.queued)
        issue.body = "unsaved"
        try await issue.rollback(to: .server)
        #expect((issue.title, issue.body) == ("server", "server"))
        #expect(issue.syncState == .synced)
        #expect(program.main.outboxCount == 0)
        issue.labels = [label]
        try await program.main.save()
        try await issue.rollback(to: .server)
        await program.outbox.drain()
        #expect(server.log.isEmpty)
    }

    @Test func `Rolling back to the version in flight reverts newer edits only`() async throws {
        let issue = try await known()
        issue.title = "sent"
        try await issue.save(.queued)
        server.whenArriving { @MainActor [server] _ in
            server.whenArriving(nil)
            (issue.title, issue.body) = ("newer", "newer")
            try? await issue.save(.queued)
            try? await issue.rollback(to: .inFlight)
        }
        await program.outbox.drain()
        await program.outbox.drain()
        #expect((issue.title, issue.body) == ("sent", "server"))
        #expect(server.log == [#"PATCH /issues/1 {"title":"sent"}"#])
        #expect(issue.syncState == .synced)
    }

    @Test func `Rolling back to the local version changes nothing`() async throws {
        let issue = try await known()
        issue.title = "edited"
        try await issue.rollback(to: .local)
        #expect(issue.title == "edited")
    }

    @Test func `Rolling back a list to the server's version reverts its members' links`() async throws {
        let issue = try await known()
        let repo = try #require(issue.repo)
        let other = try await program.imported(Issue.self, #"{"id": 2, "title": "other"}"#)
        repo.issues = [other]
        try await program.main.save()
        try await repo.rollback(to: .server)
        #expect(repo.issues == [issue])
        #expect(other.repo == nil)
        #expect(try program.main.unsent(Issue.self).isEmpty)
    }

    @Test func `Rolling back during a request sends the server's value afterwards`() async throws {
        let issue = try await known()
        issue.title = "sent"
        try await issue.save(.queued)
        server.whenArriving { @MainActor [server] _ in
            server.whenArriving(nil)
            try? await issue.rollback(to: .server)
        }
        await program.outbox.drain()
        #expect(issue.title == "server")
        for object in try program.main.unsent(Issue.self) { try await object.save(.queued) }
        await program.outbox.drain()
        #expect(server.objects("/issues")[1]?["title"]?.string == "server")
        #expect(issue.syncState == .synced)
    }

    @Test func `Rolling back during a request keeps the edit of a link to an object that isn't here`() async throws {
        let transport = HeldTransport()
        let store = try Store.held(by: transport, Tracker.models)
        let repos = try await store.main.import(Repo.self, from: Data(#"[{"id": 8}, {"id": 9}]"#.utf8)).objects
        // The store lacks the repo 2.
        let issue = try await store.imported(Issue.self, #"{"id": 1, "title": "server", "repo_id": 2}"#)
        (issue.title, issue.repo) = ("sent", repos[0])
        try await store.main.save()
        let request = Task { try await issue.save() }
        await transport.wait(for: 1)
        try await issue.rollback(to: .server)
        #expect(issue.title == "server" && issue.repo === repos[0])
        transport.answer(0, .status(204))
        try await request.value
        #expect(issue.title == "server" && issue.repo === repos[0] && issue.unsentProperties == ["title"])
    }

    @Test func `Rolling back to the version in flight keeps unsaved values that are being sent`() async throws {
        let transport = HeldTransport()
        let store = try Store.held(by: transport, Tracker.models)
        let repos = try await store.main.import(Repo.self, from: Data(#"[{"id": 8}, {"id": 9}]"#.utf8)).objects
        let issue = try await store.imported(Issue.self, #"{"id": 1, "title": "server", "body": "server"}"#)
        (issue.title, issue.repo) = ("sent", repos[0])
        let request = Task { try await issue.save() }
        await transport.wait(for: 1)
        (issue.title, issue.body, issue.repo) = ("newer", "newer", repos[1])
        try await issue.rollback(to: .inFlight)
        #expect(issue.title == "sent" && issue.body == "server" && issue.repo === repos[0])
        #expect(repos.map(\.issues.count) == [1, 0])
        transport.answer(0, .status(204))
        try await request.value
        #expect(issue.title == "sent" && issue.repo === repos[0])
        #expect(issue.unsentProperties == [] && !store.main.hasChanges)
    }

    @Test func `Rolling back to the version in flight edits no other property that a PUT sends`() async throws {
        let transport = HeldTransport()
        let api = API("https://api.example.com", saveMethod: .put, transport: transport)
        let store = try Store(.temporary, models: Tracker.models, api: api)
        let issue = try await store.imported(
            Issue.self, #"{"id": 1, "title": "server", "body": "server", "repo_id": 2}"#)
        issue.title = "sent"
        try await store.main.save()
        let request = Task { try await issue.save() }
        await transport.wait(for: 1)
        issue.title = "newer"
        try await store.main.save()
        try await issue.rollback(to: .inFlight)
        #expect(issue.title == "sent" && issue.unsentProperties == ["title"])
        transport.answer(0, .status(204))
        try await request.value
        // The link still waits for its target.
        let repo = try await store.imported(Repo.self, #"{"id": 2, "name": "two"}"#)
        #expect(issue.repo === repo && issue.unsentProperties == [])
    }

    @Test(arguments: [ObjectVersion.server, .inFlight])
    func `Rolling back after an unknown outcome sends the server's value`(version: ObjectVersion) async throws {
        let transport = HeldTransport()
        let store = try Store.held(by: transport, Tracker.models)
        let issue = try await store.imported(Issue.self, #"{"id": 1, "title": "server"}"#)
        issue.title = "sent"
        try await store.main.save()
        let request = Task { try await issue.save() }
        await transport.wait(for: 1)
        transport.answer(0, .status(500))
        await #expect(throws: APIError.self) { try await request.value }
        try await issue.rollback(to: version)
        #expect(issue.title == "server" && issue.unsentProperties == ["title"])
    }

    @Test func `Rolling back in a draft reverts the draft's edits only`() async throws {
        let issue = try await known()
        issue.title = "saved"
        try await program.main.save()
        let draft = try program.main.draft()
        let own = try #require(try draft.context.find(Issue.self, 1))
        own.title = "draft"
        try await own.rollback(to: .server)
        #expect(own.title == "saved")
        #expect(issue.title == "saved")
    }
}
