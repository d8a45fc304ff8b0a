import Foundation
import JSONBytes
import TestSupport
import Testing

@testable import RestfulData

/// A list or a push that brings the object of a creation without a known outcome is recognized by the natural key.
@MainActor @Suite struct OutboxNaturalListTests {
    typealias Ticket = OutboxNaturalKeyTests.Ticket

    private let server = OutboxServer()
    private let file: TemporaryFile
    private let store: Store

    init() throws {
        file = try TemporaryFile()
        store = try Self.open(file, server)
    }

    private static func open(_ file: TemporaryFile, _ server: OutboxServer) throws -> Store {
        let store = try Store(
            .file(file.path), models: [Ticket.self, Shelf.self, Book.self],
            api: API("https://api.example.com", transport: server))
        store.outbox.width = 1
        return store
    }

    private func lost(_ code: String = "A7") async throws -> Ticket {
        let ticket = Ticket(in: store.main)
        (ticket.code, ticket.title) = (code, "old")
        try await ticket.save(.queued)
        server.fail(.lostReply)
        await store.outbox.drain()
        server.forgetLog()
        return ticket
    }

    @Test func `30 A list shows the object of a creation with an unknown outcome once`() async throws {
        let ticket = try await lost()
        let all = try await Ticket.fetchAll(in: store.main)
        #expect(all.map(\.identifier) == [101])
        #expect(ticket.identifier == 101)
        #expect(try store.main.query(Ticket.self).fetch() == [ticket])
        #expect(ticket.syncState == .synced)
        #expect(store.main.outboxCount == 0)
        await store.outbox.drain()
        #expect(server.log == ["GET /tickets"])
    }

    @Test func `A later edit of an object recognized in a list is sent as a change`() async throws {
        let ticket = try await lost()
        ticket.title = "new"
        try await ticket.save(.queued)
        _ = try await Ticket.fetchAll(in: store.main)
        #expect((ticket.identifier, ticket.title) == (101, "new"))
        await store.outbox.drain()
        #expect(server.log == ["GET /tickets", #"PATCH /tickets/101 {"title":"new"}"#])
        #expect(ticket.syncState == .synced)
    }

    @Test func `A list recognizes a created object after a restart`() async throws {
        _ = try await lost()
        let copy = try file.copy()
        defer { withExtendedLifetime(copy) {} }
        let other = try Self.open(copy, server)
        _ = try await Ticket.fetchAll(in: other.main)
        #expect(try other.main.query(Ticket.self).fetch().map(\.identifier) == [101])
        #expect(other.main.outboxCount == 0)
        await other.outbox.drain()
        #expect(server.log == ["GET /tickets"])
    }

    @Test func `An import in another context recognizes a created object`() async throws {
        let ticket = try await lost()
        let other = try Self.open(file, server)
        _ = try await other.imported(Ticket.self, #"{"id": 101, "code": "A7", "title": "old"}"#)
        await store.file.deliver(on: MainActor.shared)
        #expect(ticket.identifier == 101)
        #expect(try store.main.query(Ticket.self).count() == 1)
        #expect(other.main.outboxCount == 0)
    }

    private static func fetch(in store: Store) async {
        do { _ = try await Ticket.fetchAll(in: store.main) } catch { Testing.Issue.record(error) }
    }

    @Test func `A list requested during a creation leaves its object to the reply`() async throws {
        let ticket = Ticket(in: store.main)
        (ticket.code, ticket.title) = ("A7", "old")
        try await ticket.save(.queued)
        let store = store
        server.whenArriving { [server] request in
            guard request.method == .post else { return }
            server.put("/tickets", 101, ["id": 101, "code": "A7", "title": "old"])
            await Self.fetch(in: store)
        }
        await store.outbox.drain()
        #expect(try store.main.query(Ticket.self).fetch().map(\.identifier) == [101])
        #expect(ticket.identifier == 101)
        #expect(ticket.syncState == .synced)
    }

    @Test func `Several objects with the natural key aren't recognized`() async throws {
        let ticket = try await lost()
        server.put("/tickets", 55, ["id": 55, "code": "A7", "title": "old"])
        _ = try await Ticket.fetchAll(in: store.main)
        #expect(!ticket.isKnownToServer)
        #expect(try store.main.query(Ticket.self).count() == 3)
    }

    @Test func `An object with the edited natural key isn't recognized`() async throws {
        let ticket = try await lost()
        ticket.code = "B2"
        try await ticket.save(.queued)
        server.put("/tickets", 55, ["id": 55, "code": "B2", "title": "other"])
        _ = try await Ticket.fetchAll(in: store.main)
        #expect(!ticket.isKnownToServer)
        await store.outbox.drain()
        #expect(ticket.identifier == 101)
    }

    @Test func `A list omits the object of a creation that was deleted since`() async throws {
        try await lost().delete(.queued)
        let all = try await Ticket.fetchAll(in: store.main)
        #expect(all.isEmpty)
        #expect(try store.main.query(Ticket.self).count() == 0)
        #expect(try await store.outbox.entries().map(\.request) == ["DELETE https://api.example.com/tickets/101"])
        await store.outbox.drain()
        #expect(server.log == ["GET /tickets", "DELETE /tickets/101"])
        #expect(store.main.outboxCount == 0)
    }

    // MARK: Members of lists

    @Model("/shelves") final class Shelf {
        var identifier: Int?
        @Relationship("/shelves/:id/books", inverse: "shelf", sentAs: .never) var books: [Book]
    }

    @Model("/books", natural: ["code"]) final class Book {
        var identifier: Int?
        var code: String?
        var title: String?
        var shelf: Shelf?
    }

    @Test func `A new member created through a list is recognized`() async throws {
        server.put("/shelves", 3, ["id": 3])
        let shelf = try await store.imported(Shelf.self, #"{"id": 3}"#)
        let book = Book(in: store.main)
        book.code = "A7"
        try await shelf.$books.add(book, .queued)
        server.fail(.lostReply)
        await store.outbox.drain()
        book.title = "new"
        try await book.save(.queued)
        _ = try await Book.fetchAll(in: store.main)
        #expect(book.identifier == 101)
        #expect(shelf.books == [book])
        server.forgetLog()
        await store.outbox.drain()
        #expect(server.log == [#"PATCH /books/101 {"title":"new"}"#])
        #expect(book.syncState == .synced)
        #expect(store.main.outboxCount == 0)
    }
}
