import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Services with a feed of changes.
@MainActor @Suite struct ChangeFeedTests {
    @Model("/issues", changes: "/issues?since=:updated_at&state=all") final class Ticket {
        var identifier: Int?
        var title = ""
        var updatedAt: Date?
    }

    @Model("/events", changes: .token("/calendars/:calendar/events", at: "nextSyncToken", parameter: "syncToken"))
    final class Event {
        var identifier: Int?
    }

    @Model("/messages", changes: .link("/messages/delta")) final class Message {
        var identifier: Int?
    }

    @Model("/notes", changes: "/notes?filter%5Bsince%5D=:{updated-at}") final class Note {
        var identifier: Int?
        @Attribute("updated-at") var updatedAt: Date?
    }

    private static let models: [any Model.Type] = [Ticket.self, Event.self, Message.self]

    private func ticket(_ id: Int, at second: Int) -> String {
        "{\"id\": \(id), \"title\": \"t\(second)\", \"updated_at\": \"2026-11-23T10:00:0\(second)Z\"}"
    }

    private func link(_ path: String) -> HTTPFields {
        [HTTPField.Name("Link")!: "<https://api.example.com\(path)>; rel=\"next\""]
    }

    @Test func `A change feed asks only for changes, also after a restart`() async throws {
        let file = try TemporaryFile()
        let replies = Box<[String: StubTransport.Reply]>([
            "GET /issues?state=all": .json("[\(ticket(1, at: 3)), \(ticket(2, at: 5))]"),
            "GET /issues?state=all&since=2026-11-23T10%3A00%3A05Z": .json("[\(ticket(2, at: 5)), \(ticket(3, at: 7))]"),
            "GET /issues?state=all&since=2026-11-23T10%3A00%3A07Z": .json("[]"),
        ])
        let stub = StubTransport { request throws(TransportError) in replies.value[request.line] ?? .status(404) }
        for round in 0..<4 {
            let service = try Service(Self.models, location: .file(URL(filePath: file.path)), stub: stub)
            let result = try await Ticket.fetchChanges(in: service.main)
            #expect(result.objects.map(\.identifier) == [[1, 2], [2, 3], [], []][round])
            // Another answer leaves the feed where it is.
            _ = try await service.imported(Ticket.self, ticket(9, at: 9))
        }
        #expect(stub.log.count == 4 && stub.log[2] == stub.log[3])
    }

    @Test func `The parameter of a change feed can be escaped, and its attribute in braces`() async throws {
        let stub = StubTransport { _ in .json(#"[{"id": 1, "updated-at": "2026-11-23T10:00:01Z"}]"#) }
        let service = try Service([Note.self], stub: stub)
        for _ in 0..<2 { try await Note.fetchChanges(in: service.main) }
        #expect(stub.log == ["GET /notes", "GET /notes?filter%5Bsince%5D=2026-11-23T10%3A00%3A01Z"])
    }

    @Test func `The request of a change feed has the call's query`() async throws {
        let stub = StubTransport { _ in .json("[]") }
        let service = try Service(Self.models, stub: stub)
        try await Ticket.fetchChanges(in: service.main) { $0.query["per_page"] = 5 }
        try await Ticket.fetchChanges(in: service.main) { $0.query["label"] = "bug" }
        #expect(stub.log == ["GET /issues?state=all&per_page=5", "GET /issues?state=all&label=bug"])
    }

    @Test func `A change feed advances once all pages have come and none moved meanwhile`() async throws {
        let (first, second) = (Box(""), Box(""))
        let fails = Box(true)
        let next = link("/issues?page=2")
        let stub = StubTransport { request throws(TransportError) in
            if request.line == "GET /issues?page=2" { return fails.value ? .status(500) : .json(second.value) }
            return .json(first.value, headerFields: next)
        }
        let service = try Service(Self.models, stub: stub)
        (first.value, second.value) = ("[\(ticket(1, at: 1))]", "[\(ticket(2, at: 2))]")
        await #expect(throws: APIError.self) { _ = try await Ticket.fetchChanges(in: service.main) }
        fails.value = false
        stub.forgetRequests()
        try await Ticket.fetchChanges(in: service.main)
        #expect(stub.log.count == 4 && stub.log.allSatisfy { !$0.contains("since") }, "\(stub.log)")
        stub.forgetRequests()
        try await Ticket.fetchChanges(in: service.main)
        #expect(stub.log.first == "GET /issues?state=all&since=2026-11-23T10%3A00%3A02Z")
    }

    /// Of a ticket that has changed again, after another of which nothing has come.
    @Test func `Objects fetched by other requests don't advance a change feed`() async throws {
        let isHeld = Box(true)
        let newer = ticket(2, at: 9)
        let list = "[\(ticket(1, at: 3)), \(ticket(2, at: 5))]"
        let stub = StubTransport { request throws(TransportError) in
            if request.url.path() == "/issues/2" { return .json(newer) }
            while request.line == "GET /issues?state=all", isHeld.value { await Task.yield() }
            return .json(list)
        }
        let service = try Service(Self.models, stub: stub)
        let changes = Task { try await Ticket.fetchChanges(in: service.main).objects.count }
        while stub.log.isEmpty { await Task.yield() }
        let ticket = try await Ticket.fetch(key: 2, in: service.main)
        isHeld.value = false
        #expect(try await changes.value == 2 && ticket.title == "t9")
        try await Ticket.fetchChanges(in: service.main)
        #expect(stub.log.last == "GET /issues?state=all&since=2026-11-23T10%3A00%3A05Z")
    }

    @Test func `A stored answer that is revalidated advances a change feed`() async throws {
        let list = "[\(ticket(1, at: 3)), \(ticket(2, at: 5))]"
        let stub = StubTransport { request throws(TransportError) in
            if request.headerFields[.ifNoneMatch] != nil { return .status(304) }
            return .json(list, headerFields: [.eTag: "\"a\""])
        }
        let service = try Service(Self.models, stub: stub)
        _ = try await Ticket.fetchAll(query: ["state": "all"], in: service.main)
        try await Ticket.fetchChanges(in: service.main)
        #expect(stub.requests.last?.headerFields[.ifNoneMatch] != nil)
        try await Ticket.fetchChanges(in: service.main)
        #expect(stub.log.last == "GET /issues?state=all&since=2026-11-23T10%3A00%3A05Z")
    }

    @Test func `A stored answer doesn't hide the token of a change feed`() async throws {
        let stub = StubTransport { request throws(TransportError) in
            if request.headerFields[.ifNoneMatch] != nil { return .status(304) }
            return .json(#"{"items": [{"id": 1}], "nextSyncToken": "a"}"#, headerFields: [.eTag: "\"1\""])
        }
        var conventions = APIConventions.default
        conventions.envelopes = .lists("items")
        let service = try Service(Self.models, conventions: conventions, stub: stub)
        _ = try await Event.fetchAll("/calendars/7/events", in: service.main)
        for _ in 0..<2 { try await Event.fetchChanges(["calendar": 7], in: service.main) }
        #expect(stub.log.last == "GET /calendars/7/events?syncToken=a")
    }

    @Test func `Deletions missed by a forgotten token are pruned if the call says so`() async throws {
        let replies = Box<[StubTransport.Reply]>([])
        let stub = StubTransport { _ in replies.value.removeFirst() }
        let service = try Service(Self.models, stub: stub)
        let (both, one) = ("[\(ticket(1, at: 1)), \(ticket(2, at: 2))]", "[\(ticket(2, at: 2))]")
        replies.value = [.json(both), .status(410), .json(one), .json(one), .status(410), .json(one)]
        try await Ticket.fetchChanges(prune: .delete, in: service.main)
        try await Ticket.fetchChanges(in: service.main)
        #expect(try service.main.query(Ticket.self).count() == 2)
        // A feed of changes is a part of a list.
        let changes = try await Ticket.fetchChanges(prune: .delete, in: service.main)
        #expect(try changes.pruned == nil && service.main.query(Ticket.self).count() == 2)
        let anew = try await Ticket.fetchChanges(prune: .delete, in: service.main)
        #expect(try anew.pruned?.deleted == 1 && service.main.query(Ticket.self).count() == 1)
    }

    @Test func `Rejected elements of a change feed are reported and passed over`() async throws {
        let body = Box("[\(ticket(1, at: 1))]")
        let stub = StubTransport { _ in .json(body.value) }
        let service = try Service(Self.models, stub: stub)
        try await Ticket.fetchChanges(in: service.main)
        body.value = "[null, {\"title\": \"x\"}, \(ticket(1, at: 4))]"
        let changes = try await Ticket.fetchChanges(in: service.main)
        #expect(changes.report.rejectedCount > 0 && changes.objects.count == 1)
        body.value = "[]"
        try await Ticket.fetchChanges(in: service.main)
        #expect(stub.log.last == "GET /issues?state=all&since=2026-11-23T10%3A00%3A04Z")
    }

    @Test func `A change feed sends the last page's token until the server forgets it`() async throws {
        let stub = StubTransport([
            "GET /calendars/7/events": .json(#"{"items": [{"id": 1}], "nextSyncToken": "a/b"}"#),
            "GET /calendars/7/events?syncToken=a%2Fb": .json(
                #"{"items": [{"id": 1, "status": "cancelled", "deleted": true}, {"id": 2}], "nextSyncToken": "c"}"#),
            "GET /calendars/7/events?syncToken=c": .status(410),
            "GET /calendars/8/events": .json(#"{"items": [], "nextSyncToken": "x"}"#),
        ])
        var conventions = APIConventions.default
        conventions.envelopes = .lists("items")
        conventions.tombstones = ["deleted"]
        let service = try Service(Self.models, conventions: conventions, stub: stub)
        try await Event.fetchChanges(["calendar": 7], in: service.main)
        let second = try await Event.fetchChanges(["calendar": 7], in: service.main)
        #expect(second.report.deleted == 1)
        #expect(try service.main.query(Event.self).fetch().map(\.identifier) == [2])
        try await Event.fetchChanges(["calendar": 7], in: service.main)
        try await Event.fetchChanges(["calendar": 8], in: service.main)
        #expect(
            stub.log.map { $0.dropFirst("GET /calendars/".count) }
                == ["7/events", "7/events?syncToken=a%2Fb", "7/events?syncToken=c", "7/events", "8/events"])
    }

    @Test func `A change feed follows the last page's link the next time`() async throws {
        let stub = StubTransport([
            "GET /messages/delta": .json(
                #"{"value": [{"id": 1}], "@odata.nextLink": "https://api.example.com/messages/delta?page=2"}"#),
            "GET /messages/delta?page=2": .json(
                #"{"value": [{"id": 2}], "@odata.deltaLink": "https://api.example.com/messages/delta?token=q"}"#),
            "GET /messages/delta?token=q": .json(#"{"value": [{"id": 3}]}"#),
        ])
        var conventions = APIConventions.default
        conventions.envelopes = .lists("value")
        conventions.paging = .nextLink(at: ["@odata.nextLink"])
        let service = try Service(Self.models, conventions: conventions, stub: stub)
        for _ in 0..<3 { try await Message.fetchChanges(in: service.main) }
        #expect(stub.log.suffix(2) == ["GET /messages/delta?token=q", "GET /messages/delta?token=q"])
        #expect(try service.main.query(Message.self).count() == 3)
    }

    @Test func `Another tenant's answer doesn't advance a change feed`() async throws {
        let (own, other) = ("[\(ticket(1, at: 1))]", "[\(ticket(2, at: 9))]")
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        let stub = StubTransport { request throws(TransportError) in
            .json(request.headerFields[tenant] == nil ? own : other)
        }
        let service = try Service(Self.models, stub: stub)
        try await Ticket.fetchChanges(in: service.main)
        try await API.withHeaders([tenant: "2"]) { _ = try await Ticket.fetchChanges(in: service.main) }
        try await Ticket.fetchChanges(in: service.main)
        #expect(
            stub.log == [
                "GET /issues?state=all", "GET /issues?state=all",
                "GET /issues?state=all&since=2026-11-23T10%3A00%3A01Z",
            ])
    }

    @Test func `A change feed's link may be relative`() async throws {
        let links = Box([#""/v1/messages/delta?token=a""#, #"{"href": "delta?token=b"}"#, #""""#])
        let stub = StubTransport { _ in
            let link = links.value.removeFirst()
            return .json("{\"value\": [{\"id\": 1}], \"@odata.deltaLink\": \(link)}")
        }
        var conventions = APIConventions.default
        conventions.envelopes = .lists("value")
        let api = API("https://api.example.com/v1", conventions: conventions, transport: stub)
        let store = try Store(.temporary, models: [Message.self], api: api)
        for _ in 0..<3 { try await Message.fetchChanges(in: store.main) }
        #expect(
            stub.log == ["", "?token=a", "?token=b"].map { "GET /v1/messages/delta" + $0 })
    }

    @Test(arguments: [false, true])
    func `A change feed follows pages with only deletions unless a page repeats`(isSame: Bool) async throws {
        var conventions = APIConventions.default
        conventions.tombstones = ["deleted"]
        conventions.paging = .pageNumber()
        let pages = [
            #"[{"id": 1, "deleted": true}, {"id": 2, "deleted": true}]"#, #"[{"id": 3, "deleted": true}]"#,
            "[\(ticket(5, at: 1))]", "[]",
        ]
        let stub = StubTransport { request throws(TransportError) in
            let number = request.url.query()?.split(separator: "page=").last.flatMap { Int($0) } ?? 1
            return .json(pages[isSame ? 0 : number - 1])
        }
        let service = try Service(Self.models, conventions: conventions, stub: stub)
        let changes = try await Ticket.fetchChanges(in: service.main)
        #expect(changes.objects.map(\.identifier) == (isSame ? [] : [5]))
        if isSame { #expect(stub.log.count == 2) }
    }

    @Test func `A model without a change feed refuses fetchChanges`() async throws {
        let service = try Service(replies: [:])
        await #expect(throws: APIError.self) { _ = try await Post.fetchChanges(in: service.main) }
    }
}
