import Observation
import RestfulData
import Testing

/// The way from an entry of the outbox to its object and back, and the values for a badge.
@MainActor @Suite(.timeLimit(.minutes(10))) struct OutboxObjectTests {
    typealias Issue = Tracker.Issue
    typealias Label = Tracker.Label

    private let program: Program
    private var server: OutboxServer { program.server }
    private var outbox: RestfulData.Outbox { program.outbox }

    init() throws { program = try Program() }

    private func known(_ id: Int = 1, _ title: String = "old") async throws -> Issue {
        server.put("/issues", id, ["id": .number("\(id)"), "title": .string(title)])
        return try await program.imported(Issue.self, #"{"id": \#(id), "title": "\#(title)"}"#)
    }

    private func queued(_ title: String) async throws -> Issue {
        let issue = try await known()
        issue.title = title
        try await issue.save(.queued)
        return issue
    }

    /// Rejects the next change.
    private func refuse() { server.fail(.status(422, body: #"{"errors": {"title": ["is taken"]}}"#)) }

    // MARK: Entries and objects

    @Test func `An entry leads to its object in each context of its store`() async throws {
        let issue = try await queued("A")
        let entry = try #require(try await outbox.entries().first)
        #expect(entry.object(in: program.main) === issue)
        let draft = try program.main.draft()
        #expect(entry.object(in: draft.context) === draft.object(for: issue))
    }

    @Test func `An entry of a list's change leads to the member`() async throws {
        let issue = try await known()
        let label = try await program.imported(Label.self, #"{"id": 7, "name": "bug"}"#)
        try await issue.$labels.add(label, .queued)
        let entry = try #require(try await outbox.entries().first)
        #expect(entry.object(in: program.main) === label)
    }

    @Test func `An entry leads nowhere once its object is deleted, and in another store`() async throws {
        let issue = try await queued("A")
        let entry = try #require(try await outbox.entries().first)
        let other = try Program()
        _ = try await other.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        #expect(entry.object(in: other.main) == nil)
        try await issue.delete(.queued)
        #expect(entry.object(in: program.main) == nil)
        let deletion = try #require(try await outbox.entries().first)
        #expect(deletion.action == .delete && deletion.object(in: program.main) == nil)
    }

    @Test func `An object leads to its entry, with the request and the rejection`() async throws {
        let issue = try await known()
        #expect(try await issue.outboxEntry() == nil)
        issue.title = "A"
        #expect(try await issue.outboxEntry() == nil)
        try await issue.save(.queued)
        let entry = try #require(try await issue.outboxEntry())
        #expect(entry.request == "PATCH https://api.example.com/issues/1" && entry.body == #"{"title":"A"}"#)
        refuse()
        await outbox.drain()
        let rejection = try #require(try await issue.outboxEntry()?.rejection)
        #expect(rejection.messages(for: Issue.properties.title) == ["is taken"])
        #expect(rejection.errorDescription == "The server refused the change: Title is taken")
        try await outbox.retry(try #require(try await issue.outboxEntry()))
        await outbox.drain()
        #expect(try await issue.outboxEntry() == nil)
    }

    // MARK: Discarding

    @Test func `Discarding from the object returns it to the server's values`() async throws {
        let issue = try await queued("A")
        #expect(try await issue.discardQueued())
        #expect(issue.title == "old" && issue.syncState == .synced && program.main.outboxCount == 0)
        #expect(try await !issue.discardQueued())
    }

    @Test func `Discarding from a new object deletes it`() async throws {
        let issue = Issue(in: program.main)
        issue.title = "A"
        try await issue.save(.queued)
        #expect(try await issue.discardQueued())
        #expect(issue.isDeleted && program.main.outboxCount == 0)
        await outbox.drain()
        #expect(server.log.isEmpty)
    }

    @Test func `Discarding from an object keeps edits that were never queued`() async throws {
        let issue = try await queued("A")
        issue.body = "B"
        #expect(try await issue.discardQueued())
        #expect(issue.title == "old" && issue.body == "B" && issue.syncState == .unsent)
    }

    @Test(arguments: [false, true])
    func `A discarded edit of a link restores the link to an object that is fetched before or after`(
        _ isBefore: Bool
    ) async throws {
        let issue = try await program.imported(Issue.self, #"{"id": 1, "title": "old", "repo_id": 7}"#)
        issue.repo = try await program.imported(Tracker.Repo.self, #"{"id": 8, "name": "other"}"#)
        try await issue.save(.queued)
        let body = #"{"id": 7, "name": "own"}"#
        if isBefore { _ = try await program.imported(Tracker.Repo.self, body) }
        #expect(try await issue.discardQueued())
        #expect(issue.repo?.identifier == (isBefore ? 7 : nil) && issue.syncState == .synced)
        if !isBefore { _ = try await program.imported(Tracker.Repo.self, body) }
        #expect(issue.repo?.identifier == 7 && issue.syncState == .synced)
    }

    @Test func `A rejected change is discarded from its object`() async throws {
        let issue = try await queued("A")
        refuse()
        await outbox.drain()
        guard case .rejected = issue.syncState else { return #expect(Bool(false), "\(issue.syncState)") }
        #expect(try await issue.discardQueued())
        #expect(issue.title == "old" && issue.syncState == .synced)
    }

    @Test func `A queued deletion is discarded from the deleted object`() async throws {
        let issue = try await known()
        try await issue.delete(.queued)
        #expect(try await issue.discardQueued())
        #expect(try program.find(Issue.self).map(\.title) == ["old"])
        #expect(program.main.outboxCount == 0)
    }

    // MARK: Values for a badge

    /// Runs `body`, and waits until the value has changed.
    private func value<Value>(
        of read: () -> Value, after body: () async throws -> Void
    ) async throws -> Value {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        _ = withObservationTracking {
            read()
        } onChange: {
            continuation.yield()
        }
        try await body()
        for await _ in changes { break }
        return read()
    }

    @Test func `Observers of the counts are notified when a waiting change is rejected`() async throws {
        let context = program.main
        #expect((context.outboxCounts.waiting, context.outboxCounts.rejected) == (0, 0))
        _ = try await queued("A")
        #expect((context.outboxCounts.waiting, context.outboxCounts.rejected) == (1, 0))
        refuse()
        let counts = try await value(
            of: { (context.outboxCount, context.outboxCounts).1 }, after: { await outbox.drain() })
        #expect((counts.waiting, counts.rejected) == (0, 1))
        #expect(context.outboxCount == 1)
    }

    @Test func `A 401 pauses the outbox until it is woken, and observers are notified`() async throws {
        let context = program.main
        #expect(context.outboxPauses.isEmpty && outbox.pauses.isEmpty)
        _ = try await queued("A")
        server.fail(.status(401))
        let pauses = try await value(of: { context.outboxPauses }, after: { await outbox.drain() })
        #expect(pauses.map(\.api) == [nil] && pauses.first?.reason.contains("401") == true)
        #expect(outbox.pauses == pauses)
        #expect(try await value(of: { context.outboxPauses }, after: { outbox.wake() }).isEmpty)
        await outbox.drain()
        #expect(context.outboxCount == 0 && context.outboxPauses.isEmpty)
    }
}
