import Logging
import RestfulData
import TestSupport
import Testing

/// Entries of the outbox, after the token was replaced.
@MainActor @Suite struct OutboxAccountNameTests {
    typealias Issue = Tracker.Issue

    private let server = OutboxServer()
    private let log = Box<[String]>([])
    private let file: TemporaryFile

    init() throws { file = try TemporaryFile() }

    private func store(_ token: BearerToken?) throws -> Store {
        var api = API("https://api.example.com", transport: server) { if let token { token } }
        api.makeLogger = { [log] in Logger(label: "test") { _ in StreamLog(log) } }
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
        #expect(report.sent == 0 && report.waiting == 1 && log.value.isEmpty)
    }

    @Test func `A warning says once that changes of an unnamed account wait beside a named one`() async throws {
        for title in ["A", "B"] { try await queue(title, in: store(BearerToken("one"))) }
        let named = try store(BearerToken("two", account: "anna"))
        let report = await named.outbox.drain()
        await named.outbox.drain()
        #expect(report.sent == 0 && report.waiting == 2 && log.value.count == 1)
        #expect(log.value.first?.contains("2 changes in the outbox were queued by an account without a name") == true)
        #expect(log.value.first?.contains("anna") == false)
    }

    @Test func `A warning says that changes of a named account wait beside an unnamed one`() async throws {
        try await queue("A", in: store(BearerToken("one", account: "anna")))
        let report = try await store(BearerToken("one")).outbox.drain()
        #expect(report.sent == 0 && log.value.count == 1)
        #expect(log.value.first?.contains("BearerToken(_:account:)") == true)
        #expect(log.value.first?.contains("anna") == false)
    }
}
