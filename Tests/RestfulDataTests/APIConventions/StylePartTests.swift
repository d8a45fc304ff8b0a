import RestfulData
import RestfulDataTesting
import Testing

@Model("/boards")
private final class Corkboard {
    var identifier: Int?
    var title = ""
    var note: String?
    @Relationship(inverse: "board") var cards: [Slip]
    @Relationship("/boards/:id/people", inverse: nil) var people: [Person]
    @Relationship("/boards/:id/pinned", inverse: nil, removal: .unlinks) var pinned: [Person]
    @Relationship(inverse: nil) var badge: Badge?
    @Relationship(inverse: nil) var stamps: [Badge]
}

@Model("/cards")
private final class Slip {
    var identifier: Int?
    var board: Corkboard?
}

@Model("/boards/5/people")
private final class Person {
    var identifier: Int?
}

@Model(embedded: true)
private final class Badge {
    var name = ""
}

@Model("/shelves", key: "name", identity: "name")
private final class Bookcase {
    var name: String?
    @Relationship(inverse: "shelf") var books: [Book]
}

@Model("/:shelf.name/books", key: "name", identity: "name")
private final class Book {
    var name: String?
    var title = ""
    var shelf: Bookcase?
}

@Model("/files", object: "/drive/:name", key: "name", identity: "name")
private final class DriveFile {
    var name: String?
}

/// The parts of styles, one at a time.
@MainActor @Suite struct StylePartTests {
    private static let models: [any Model.Type] = [Corkboard.self, Slip.self, Person.self, Badge.self]

    private func service(
        _ change: (inout APIConventions) -> Void, _ replies: [String: StubTransport.Reply] = [:]
    ) throws -> Service {
        var conventions = APIConventions.rails
        change(&conventions)
        return try Service(Self.models, conventions: conventions, replies: replies)
    }

    @Test func `An API's own formats keep its style's forms of nil`() {
        let api = API("https://api.example.com", conventions: .google, values: ValueFormats(dates: .epochSeconds))
        #expect(api.conventions.values.nothing.contains(.missingKey))
        #expect(api.conventions.values.dates == .epochSeconds)
        let plain = API("https://api.example.com", values: ValueFormats(dates: .epochSeconds))
        #expect(plain.conventions.values.nothing == ValueFormats().nothing)
    }

    // MARK: Pages

    @Test(arguments: [("relation", "url"), ("rel", "href")])
    func `The next page is found in an array of links`(_ relation: String, _ url: String) async throws {
        let service = try service(
            {
                $0.envelopes = .lists("items")
                $0.paging = .nextLink(at: "meta.links")
            },
            [
                "GET /boards": .json(
                    """
                    {"items": [{"id": 1}], "meta": {"links": [
                        7, {}, {"\(relation)": "self", "\(url)": "/boards"},
                        {"\(relation)": "next", "\(url)": "/boards?p=2"}]}}
                    """),
                "GET /boards?p=2": .json(
                    #"{"items": [{"id": 2}], "meta": {"links": [{"\#(relation)": "prev", "\#(url)": "/boards"}]}}"#),
            ])
        let found = try await Corkboard.fetchAllReporting(pages: .all(), in: service.main)
        #expect(service.stub.log == ["GET /boards", "GET /boards?p=2"])
        #expect(found.objects.map(\.identifier) == [1, 2])
        #expect(!found.report.hasMore, "\(found.report)")
    }

    @Test func `A page size joins the caller's own Prefer header`() async throws {
        let service = try service({ $0.pageSizePreference = "maxpagesize" }, ["GET /boards": .json("[]")])
        let prefer = try #require(HTTPField.Name("Prefer"))
        for try await _ in Corkboard.pages(size: 0, in: service.main, with: { $0.headers[prefer] = "return=minimal" }) {
        }
        #expect(service.stub.requests.map { $0.headerFields[prefer] } == ["return=minimal, maxpagesize=1"])
    }

    @Test func `A page size in the Prefer header doesn't narrow a list`() async throws {
        let service = try service({ $0.pageSizePreference = "maxpagesize" }, ["GET /boards": .json(#"[{"id": 1}]"#)])
        let kept = try await service.imported(Corkboard.self, #"{"id": 2}"#)
        for try await page in Corkboard.pages(size: 50, prune: .delete, in: service.main) {
            #expect(page.pruned?.deleted == 1)
        }
        #expect(kept.isDeleted && Corkboard.completeness(in: service.main).extent == .whole)
    }

    @Test func `A list is found under the model's name, and is empty without it`() async throws {
        let service = try Service(
            [Corkboard.self, Slip.self, Person.self, Badge.self], conventions: .hal,
            replies: [
                "GET /boards": .json(#"{"_embedded": {"corkboards": [{"id": 1}]}, "_links": {}}"#),
                "GET /cards": .json(#"{"_embedded": {"items": [{"id": 2}]}}"#),
                "GET /boards/1/people": .json(#"{"_links": {"self": {"href": "/boards/1/people"}}}"#),
            ])
        let board = try #require(try await Corkboard.fetchAll(in: service.main).first)
        #expect(try await Slip.fetchAll(in: service.main).map(\.identifier) == [2])
        #expect(try await board.$people.fetch().isEmpty)
    }

    // MARK: Versions

    @Test(arguments: [(ConditionalWrites.entityTags, nil), (.weakEntityTags, #"W/"1""#)] as [(_, String?)])
    func `A weak tag becomes a condition if that is declared`(
        _ writes: ConditionalWrites, _ condition: String?
    ) async throws {
        let service = try service(
            { $0.conditionalWrites = writes },
            [
                "GET /boards/5": .json(#"{"id": 5}"#, headerFields: [.eTag: #"W/"1""#]),
                "PATCH /boards/5": .status(204), "DELETE /boards/5": .status(204),
            ])
        let board = try await Corkboard.fetch(key: 5, in: service.main)
        board.title = "A"
        try await board.save()
        #expect(service.stub.requests.last?.headerFields[.ifMatch] == condition)
    }

    // MARK: Members

    @Test func `A member is removed by a DELETE of the list with the member in the body`() async throws {
        let service = try service(
            { $0.removals = .withBody },
            [
                "DELETE /boards/5/pinned": .status(204), "DELETE /boards/5/people/1": .status(204),
            ])
        let board = try await service.imported(
            Corkboard.self, #"{"id": 5, "people": [{"id": 1}, {"id": 2}], "pinned": [{"id": 1}, {"id": 2}]}"#)
        try await board.$pinned.delete(board.pinned[1])
        #expect(board.pinned.map(\.identifier) == [1])
        // At the member's own URL a DELETE deletes it.
        try await board.$people.delete(board.people[0])
        #expect(board.people.map(\.identifier) == [2] && board.pinned.isEmpty)
        #expect(
            service.stub.log == [#"DELETE /boards/5/pinned {"pinned_ids":[2]}"#, "DELETE /boards/5/people/1"])
        #expect(service.store.explain(Corkboard.self).contains("with the object in the body"))
    }

    @Test func `A removal with a body is the same request from the outbox`() async throws {
        let service = try service({ $0.removals = .withBody }, ["DELETE /boards/5/pinned": .status(204)])
        let board = try await service.imported(Corkboard.self, #"{"id": 5, "pinned": [{"id": 1}]}"#)
        try await board.$pinned.delete(board.pinned[0], .queued)
        let entry = try #require(try await service.store.outbox.entries().first)
        #expect(entry.body == #"{"pinned_ids":[1]}"#)
        _ = await service.store.outbox.drain()
        #expect(service.stub.log == [#"DELETE /boards/5/pinned {"pinned_ids":[1]}"#])
    }

    @Test func `A known member is added by its own link with the API's save method`() async throws {
        for (method, line) in [
            (SaveMethod.updateMask, #"PATCH /cards/2?updateMask=board_id {"board_id":5}"#),
            (.jsonPatch, #"PATCH /cards/2 [{"op":"add","path":"/board_id","value":5}]"#),
            (.mergePatch, #"PATCH /cards/2 {"board_id":5}"#),
        ] {
            let service = try Service(
                Self.models, saveMethod: method, stub: StubTransport { _ in .status(204) })
            let board = try await service.imported(Corkboard.self, #"{"id": 5}"#)
            let card = try await service.imported(Slip.self, #"{"id": 2}"#)
            try await board.$cards.add(card)
            #expect(service.stub.log == [line])
            #expect(board.cards.map(\.identifier) == [2])
        }
    }

    // MARK: Names that are paths

    @Test func `A resource name is used as the object's path`() async throws {
        let service = try Service(
            [Bookcase.self, Book.self, DriveFile.self], conventions: .google,
            replies: [
                "GET /shelves/1/books/2": .json(#"{"name": "shelves/1/books/2", "title": "Dune"}"#),
                "GET /shelves/1/books": .json(#"{"books": [{"name": "shelves/1/books/2", "title": "Dune"}]}"#),
                "DELETE /shelves/1/books/2": .json("{}"), "GET /drive/a": .json(#"{"name": "a"}"#),
            ])
        let book = try await Book.fetch(key: "shelves/1/books/2", in: service.main)
        let shelf = try await service.imported(Bookcase.self, #"{"name": "shelves/1"}"#)
        #expect(try await shelf.$books.fetch().map(\.title) == ["Dune"])
        #expect(book.shelf === shelf)
        try await book.delete()
        // A model's own declaration takes precedence.
        #expect(try await DriveFile.fetch(key: "a", in: service.main).name == "a")
        #expect(service.stub.log.last == "GET /drive/a")
    }

    // MARK: Omitted values

    @Test func `A missing key means nil, and removes embedded objects, if that is declared`() async throws {
        let replies = Box([
            #"{"id": 5, "title": "A", "note": "n", "badge": {"name": "b"}, "stamps": [{"name": "s"}], "people": [{"id": 1}]}"#,
            #"{"id": 5, "title": "A"}"#,
        ])
        var conventions = APIConventions.rails
        conventions.values.nothing = .missingKey
        let service = try Service(
            Self.models, conventions: conventions, stub: StubTransport { _ in .json(replies.value.removeFirst()) })
        let board = try await Corkboard.fetch(key: 5, in: service.main)
        #expect(board.badge?.name == "b" && board.stamps.map(\.name) == ["s"])
        try await board.fetch()
        #expect(board.title == "A" && board.note == nil && board.badge == nil && board.stamps.isEmpty)
        // An object's links to others are separate from it.
        #expect(board.people.map(\.identifier) == [1])
    }

    @Test func `A missing key means nothing in a reply to a request for part of each object`() async throws {
        let full = #"{"id": 5, "title": "A", "note": "n", "badge": {"name": "b"}, "stamps": [{"name": "s"}]}"#
        let part = #"{"id": 5, "title": "B"}"#
        let service = try service(
            {
                $0.values.nothing = .missingKey
                $0.partParameters = ["fields"]
            },
            [
                "GET /boards/5": .json(full), "GET /boards?fields=id,title": .json("[\(part)]"),
                "PATCH /boards/5?fields=id": .json(#"{"id": 5}"#), "GET /boards": .json("[\(part)]"),
            ])
        let board = try await Corkboard.fetch(key: 5, in: service.main)
        _ = try await Corkboard.fetchAll("/boards?fields=id,title", in: service.main)
        #expect(board.title == "B" && board.note == "n" && board.badge?.name == "b" && board.stamps.count == 1)
        board.title = "C"
        try await board.save { $0.query = ["fields": "id"] }
        #expect(board.title == "C" && board.note == "n" && board.badge?.name == "b" && board.stamps.count == 1)
        _ = try await Corkboard.fetchAll(in: service.main)
        #expect(board.title == "B" && board.note == nil && board.badge == nil && board.stamps.isEmpty)
    }

    @Test func `A JSON Patch removes a value that is sent as a missing key`() async throws {
        var conventions = APIConventions.rails
        conventions.values.nothing = .missingKey
        conventions.saveMethod = .jsonPatch
        let service = try Service(
            Self.models, conventions: conventions, stub: StubTransport { _ in .status(204) })
        let board = try await service.imported(
            Corkboard.self, #"{"id": 5, "title": "A", "note": "n", "badge": {"name": "b"}, "stamps": [{"name": "s"}]}"#)
        board.note = nil
        board.badge = nil
        board.stamps = []
        try await board.save()
        #expect(
            service.stub.log == [
                #"PATCH /boards/5 [{"op":"remove","path":"/note"},{"op":"remove","path":"/badge"},"#
                    + #"{"op":"remove","path":"/stamps"}]"#
            ])
    }

    // MARK: Errors

    @Test(
        arguments: [
            (
                #"{"error": "Validation failed: Title can't be blank, Note is bad, or worse"}"#,
                ["title": ["can't be blank"], "note": ["is bad, or worse"]]
            ),
            (
                """
                {"resourceType": "OperationOutcome", "id": "7", "issue": [
                    {"severity": "error", "code": "invalid", "details": {"text": "Too long"},
                     "expression": ["Board.title"]},
                    {"severity": "error", "code": "required", "expression": ["Board.badge.name"]}]}
                """, ["title": ["Too long"], "badge.name": ["required"]]
            ),
            (
                """
                {"data": null, "error": {"status": 400, "name": "ValidationError", "message": "2 errors occurred",
                 "details": {"errors": [{"path": ["title"], "message": "too short", "name": "ValidationError"},
                                        {"path": ["badge", "name"], "message": "taken", "name": "ValidationError"}]}}}
                """, ["title": ["too short"], "badge.name": ["taken"]]
            ),
        ] as [(String, [String: [String]])])
    func `Validation errors by property are read in several services' forms`(
        _ body: String, _ fields: [String: [String]]
    ) async throws {
        let service = try service({ _ in }, ["POST /boards": .json(body, status: 422)])
        do {
            try await Corkboard(in: service.main).create()
            Testing.Issue.record("created")
        } catch APIError.reply(let error) {
            #expect(error.kind == .validation && error.fields == fields)
        }
    }
}
