import RestfulData
import TestSupport
import Testing

/// Entries of the outbox, after the token was replaced.
@MainActor @Suite struct OutboxAccountNameTests {
    typealias Issue = Tracker.Issue

    private let server = OutboxServer()
    private let file: TemporaryFile

    init() throws { file = try TemporaryFile() }

    private func store(_ token: BearerToken?) throws -> Store {
        let api = API("https://api.example.com", transport: server) { if let token { token } }
        return try Store(.file(file.path), models: Tracker.models, api: api)
    }

    private func queue(_ title: String, in store: Store) async throws {
        let issue = Issue(in: store.main)
        issue.title = title
        try await issue.save(.queued)
    }

    @Test func `A change queued with an unnamed token is sent with the token that replaces it`() async throws {
        try await queue("A", in: store(BearerToken("one")))
        let report = try await store(BearerToken("two")).outbox.drain()
        #expect(report.sent == 1 && server.accounts == ["Bearer two"])
    }

    @Test func `A named account's change is sent with the account's next token`() async throws {
        try await queue("A", in: store(BearerToken("one", account: "anna")))
        let report = try await store(BearerToken("two", account: "anna")).outbox.drain()
        #expect(report.sent == 1 && server.accounts == ["Bearer two"])
    }

    @Test func `A change queued without a name waits once the account is named, and is sent without it again`()
        async throws
    {
        try await queue("A", in: store(BearerToken("one")))
        let report = try await store(BearerToken("two", account: "anna")).outbox.drain()
        #expect(report.sent == 0 && report.waiting == 1)
        #expect(try await store(BearerToken("three")).outbox.drain().sent == 1)
    }

    @Test func `A change of another named account waits`() async throws {
        try await queue("A", in: store(BearerToken("one", account: "anna")))
        let report = try await store(BearerToken("two", account: "ben")).outbox.drain()
        #expect(report.sent == 0 && report.waiting == 1)
    }
}
