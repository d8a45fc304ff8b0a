import Foundation
import RestfulData
import TestSupport
import Testing

/// A queued DELETE goes to the URL that the object computes, as one that is sent at once.
@MainActor @Suite struct OutboxCustomURLTests {
    @Model("/invoices") final class Invoice {
        var identifier: Int?
        var number: String?
        var state: String?
    }

    private let server = OutboxServer(knowsKeys: true)
    private let file: TemporaryFile
    private let api: API

    init() throws {
        file = try TemporaryFile()
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        api = API("https://api.example.com", conventions: conventions, transport: server)
    }

    private func open(_ file: TemporaryFile? = nil) throws -> Store {
        try Store(.file((file ?? self.file).path), models: [Invoice.self], api: api)
    }

    private func known(_ state: String, in store: Store) async throws -> Invoice {
        server.put("/invoices", 7, ["id": 7, "number": "D 7", "state": .string(state)])
        return try await store.imported(Invoice.self, #"{"id": 7, "number": "D 7", "state": "\#(state)"}"#)
    }

    @Test(arguments: [("draft", "/drafts/D%207"), ("void", "/invoices/7/void"), ("sent", "/invoices/7")])
    func `A queued DELETE is sent to the computed URL`(state: String, path: String) async throws {
        let store = try open()
        try await known(state, in: store).delete(.queued)
        let copy = try file.copy()
        let other = try open(copy)
        defer { withExtendedLifetime(copy) {} }
        #expect(try await other.outbox.entries().map(\.request) == ["DELETE https://api.example.com\(path)"])
        let requests = Box<[String]>([])
        server.whenArriving { request in requests.value.append(request.url.path(percentEncoded: true)) }
        server.fail(.status(204))
        #expect(await other.outbox.drain().sent == 1)
        #expect(requests.value == [path])
    }

    @Test func `Another context queues a deletion at the computed URL`() async throws {
        let store = try open()
        _ = try await known("draft", in: store)
        let other = try open()
        try await #require(try other.main.find(Invoice.self, 7)).delete(.queued)
        let entries = try await store.outbox.entries()
        #expect(entries.map(\.request) == ["DELETE https://api.example.com/drafts/D%207"])
    }

    private func lost(_ state: String, in store: Store) async throws -> Invoice {
        let invoice = Invoice(in: store.main)
        (invoice.number, invoice.state) = ("N", state)
        try await invoice.save(.queued)
        server.fail(.lostReply)
        await store.outbox.drain()
        return invoice
    }

    @Test func `Names in a computed URL get their values once the creation is acknowledged`() async throws {
        let store = try open()
        try await lost("void", in: store).delete(.queued)
        server.fail("/invoices/101/void", .status(204))
        await store.outbox.drain()
        #expect(server.log.last == "DELETE /invoices/101/void")
        #expect(store.main.outboxCount == 0)
    }

    @Test func `A deletion whose computed URL needs an unknown identity throws and keeps the object`() async throws {
        let store = try open()
        let invoice = try await lost("byID", in: store)
        await #expect(throws: APIError.self) { try await invoice.delete(.queued) }
        #expect(!invoice.isDeleted)
    }
}

extension OutboxCustomURLTests.Invoice: CustomURLs {
    func url(to verb: ObjectVerb) -> URLTemplate? {
        guard verb == .delete else { return nil }
        return switch state {
        case "draft": "/drafts/\(number)"
        case "void": "/invoices/:id/void"
        case "byID": "/invoices/\(identifier)/void"
        default: nil
        }
    }
}
