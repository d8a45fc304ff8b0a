import Foundation
import JSONBytes
import RestfulData
import Synchronization
import TestSupport
import Testing

/// A creation whose reply was lost is looked up by the object's natural key before it is repeated.
@MainActor @Suite struct OutboxNaturalKeyTests {
    @Model("/tickets", natural: ["code"]) final class Ticket {
        var identifier: Int?
        var code: String?
        var title = ""
    }

    private let server = OutboxServer()
    private let store: Store

    init() throws {
        store = try Store(
            .inMemory, models: [Ticket.self], api: API("https://api.example.com", transport: server))
    }

    /// A queued ticket whose creation was carried out at the server, with a lost reply.
    private func lost(_ fault: OutboxServer.Fault = .lostReply) async throws -> Ticket {
        let ticket = Ticket(in: store.main)
        (ticket.code, ticket.title) = ("A7", "old")
        try await ticket.save(.queued)
        server.fail(fault)
        await store.outbox.drain()
        server.forgetLog()
        return ticket
    }

    private func ticket(_ id: Int, _ code: String) -> JSONValue {
        ["id": .number("\(id)"), "code": .string(code), "title": "old"]
    }

    @Test func `A creation with a lost reply is found by its natural key`() async throws {
        let ticket = try await lost()
        let report = await store.outbox.drain()
        #expect(server.log == ["GET /tickets"])
        #expect((report.sent, report.waiting, report.rejected) == (1, 0, 0))
        #expect(ticket.identifier == 101)
        #expect(ticket.syncState == .synced)
        #expect(try store.main.query(Ticket.self).count() == 1)
        #expect(server.objects("/tickets").count == 1)
    }

    @Test func `A lookup sends the values of the natural key`() async throws {
        _ = try await lost()
        let queries = Queries()
        server.whenArriving { request in queries.note(request.url.query() ?? "") }
        await store.outbox.drain()
        #expect(queries.all == ["code=A7"])
    }

    @Test func `A natural key edited after the creation is looked up with its sent value`() async throws {
        let ticket = try await lost()
        ticket.code = "B2"
        try await ticket.save(.queued)
        await store.outbox.drain()
        #expect(server.log == ["GET /tickets", #"PATCH /tickets/101 {"code":"B2"}"#])
        #expect(server.objects("/tickets").count == 1)
    }

    @Test func `A lookup comes before repeating a creation`() async throws {
        var conventions = APIConventions.default
        conventions.unknownCreations = .repeat
        let store = try Store(
            .temporary, models: [Ticket.self],
            api: API("https://api.example.com", conventions: conventions, transport: server))
        let ticket = Ticket(in: store.main)
        ticket.code = "A7"
        try await ticket.save(.queued)
        server.fail(.lostReply)
        await store.outbox.drain()
        await store.outbox.drain()
        #expect(server.objects("/tickets").count == 1)
        #expect(ticket.identifier == 101)
    }

    private final class Queries: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock { $0 } }

        func note(_ text: String) { texts.withLock { $0.append(text) } }
    }

    @Test func `An edit made after a creation with a lost reply is sent as a change`() async throws {
        let ticket = try await lost()
        ticket.title = "new"
        try await ticket.save(.queued)
        await store.outbox.drain()
        #expect(server.log == ["GET /tickets", #"PATCH /tickets/101 {"title":"new"}"#])
        #expect(ticket.syncState == .synced)
    }

    @Test func `A creation that the lookup doesn't find is repeated`() async throws {
        let ticket = try await lost()
        server.put("/tickets", 101, nil)
        let report = await store.outbox.drain()
        #expect(server.log == ["GET /tickets", #"POST /tickets {"code":"A7","title":"old"}"#])
        #expect(report.sent == 1)
        #expect(ticket.syncState == .synced)
    }

    @Test func `A creation waits for a decision if the lookup finds several objects`() async throws {
        let ticket = try await lost()
        server.put("/tickets", 55, self.ticket(55, "A7"))
        let report = await store.outbox.drain()
        #expect(report.rejections.map(\.kind) == [.undecided])
        #expect(!ticket.isKnownToServer)
        #expect(server.log == ["GET /tickets"])
    }

    @Test func `A lookup ignores objects with other values of the natural key`() async throws {
        let ticket = try await lost()
        server.put("/tickets", 55, self.ticket(55, "B1"))
        await store.outbox.drain()
        #expect(ticket.identifier == 101)
        #expect(try store.main.query(Ticket.self).count() == 2)
    }

    @Test func `A failed lookup is repeated`() async throws {
        let ticket = try await lost()
        server.fail(.unreachable)
        let report = await store.outbox.drain()
        #expect((report.waiting, report.rejected) == (1, 0))
        await store.outbox.drain()
        #expect(ticket.identifier == 101)
    }

    @Test func `A creation without a value of the natural key waits for a decision`() async throws {
        let ticket = Ticket(in: store.main)
        ticket.title = "none"
        try await ticket.save(.queued)
        server.fail(.lostReply)
        await store.outbox.drain()
        let report = await store.outbox.drain()
        #expect(report.rejections.map(\.kind) == [.undecided])
    }

    @Test func `A creation that was never sent needs no lookup`() async throws {
        _ = try await lost(.unreachable)
        await store.outbox.drain()
        #expect(server.log == [#"POST /tickets {"code":"A7","title":"old"}"#])
    }

    @Test func `A natural key that isn't an attribute is refused when the store opens`() {
        #expect(throws: StoreError.self) { try Store(.inMemory, models: [Miskeyed.self]) }
    }

    /// Its natural key names a link, which the compiler can't see.
    @Model("/miskeyed", natural: ["parent"]) final class Miskeyed {
        var identifier: Int?
        @Relationship(inverse: nil) var parent: Ticket?
    }
}

/// `store.explain` describes a model's offline writes.
@MainActor @Suite struct OfflineExplanationTests {
    @Model("/parcels", creates: .put, conditionalWrites: .attribute("version"), conflicts: .serverWins)
    final class Parcel {
        var identifier: Int?
        var version: String?
    }

    @Test func `The explanation lists a model's own offline declarations`() throws {
        let store = try Store(
            .inMemory, models: [Parcel.self], api: API("https://api.example.com"),
            options: StoreOptions(writes: .queued))
        let lines = try #require(store.explanation(of: Parcel.self)).offline.map { "\($0.name) \($0.value)" }
        #expect(
            lines == [
                "a write is queued in the outbox", "a queued creation without a reply is sent again",
                "a change carries If-Match with version", "a conflict of a queued change takes the server's version",
            ])
    }

    @Test func `The explanation names the natural key and the parts of a policy`() throws {
        var conventions = APIConventions.default
        conventions.conditionalWrites = .entityTags
        conventions.conflicts = .byProperty(otherwise: .localWins)
        let store = try Store(
            .inMemory, models: [OutboxNaturalKeyTests.Ticket.self],
            api: API("https://api.example.com", conventions: conventions))
        let text = store.explain(OutboxNaturalKeyTests.Ticket.self)
        for words in ["is looked up by code", "If-Match with the ETag", "is merged by property"] {
            #expect(text.contains(words), "\(text)")
        }
    }
}
