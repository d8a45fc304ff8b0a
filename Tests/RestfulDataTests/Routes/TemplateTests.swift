import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// The names allowed in a template, the characters of a URL that aren't escaped, and the URL of one object.
@MainActor @Suite struct TemplateTests {
    // MARK: Names

    @Model("/depots") final class Depot {
        var identifier: Int?
        var entries: [Entry]
    }

    @Model("/depots/:repository.id/entries") final class Entry {
        var identifier: Int?
        var repository: Depot?
    }

    @Model("/marks", key: "name") final class Mark {
        var identifier: Int?
        var name: String?
        var number: Int?
    }

    @Test func `A template names attributes by JSON key path or Swift name`() async throws {
        @MainActor func requests(_ conventions: APIConventions, _ json: String, _ entry: String) async throws
            -> [String]
        {
            let service = try Service(
                [Request.self, Depot.self, Entry.self, Mark.self], conventions: conventions,
                stub: StubTransport { request in request.method == .get ? .json("[]") : .status(204) })
            let pull = try await service.imported(Request.self, json)
            try await pull.$marks.fetch()
            try await pull.$others.fetch()
            try await pull.repository?.$entries.fetch()
            try await service.imported(Entry.self, entry).delete()
            try await pull.delete()
            return service.stub.log
        }
        let expected = [
            "GET /pulls/o/a/marks/7", "GET /repository/3/7/marks", "GET /depots/3/entries",
            "DELETE /depots/3/entries/8",
            "DELETE /pulls/o/a/all/7",
        ]
        #expect(
            try await requests(
                .default,
                #"{"id": 1, "number": 7, "base": {"repo": {"full_name": "o/a"}}, "repository": {"id": 3}}"#,
                #"{"id": 8, "repository": {"id": 3}}"#) == expected)
        #expect(
            try await requests(
                .default.registering(json: "repo", swift: "repository").registering(json: "nr", swift: "number"),
                #"{"id": 1, "nr": 7, "base": {"repo": {"full_name": "o/a"}}, "repo": {"id": 3}}"#,
                #"{"id": 8, "repo": {"id": 3}}"#) == expected)
    }

    @Model("/pulls/:repositoryName/all", key: "number") final class Request {
        var identifier: Int?
        var number: Int?
        @Attribute("base.repo.full_name", isPath: true) var repositoryName: String?
        @Relationship("/pulls/:base.repo.full_name/marks/:number", inverse: nil) var marks: [Mark]
        @Relationship("/repository/:repository.id/:number/marks", inverse: nil) var others: [Mark]
        @Relationship(inverse: nil) var repository: Depot?
    }

    @Model("/depots/:repo.id/slips") final class Slip {
        var identifier: Int?
        var repository: Depot?
    }

    @Test func `A template can use a name registered in the conventions`() async throws {
        let service = try Service(
            [Slip.self, Depot.self, Entry.self],
            conventions: .default.registering(json: "repo", swift: "repository"),
            stub: StubTransport { _ in .status(204) })
        let slip = try await service.imported(Slip.self, #"{"id": 8, "repo": {"id": 3}}"#)
        try await slip.delete()
        #expect(service.stub.log == ["DELETE /depots/3/slips/8"])
        let error = #expect(throws: StoreError.self) {
            try Store(
                .temporary, models: [Slip.self, Depot.self, Entry.self], api: API("https://api.example.com"))
        }
        #expect(error?.description.contains("the unknown name \":repo.id\"") == true, "\(error as Any)")
    }

    // MARK: The key of a composite identity

    @Model("/repos/:repository.full_name/tickets", identity: "number", "repository") final class Ticket {
        var number: Int?
        var repository: Stock?
    }

    @Model("/repos", key: "fullName") final class Stock {
        var identifier: Int?
        var fullName = ""
    }

    @Model("/pairs", identity: "left", "right") final class Pair {
        var left: Int?
        var right: Int?
    }

    @Test func `The key is the part of the identity that the base URL doesn't have`() async throws {
        let service = try Service([Ticket.self, Stock.self], stub: StubTransport { _ in .status(204) })
        let ticket = try await service.imported(
            Ticket.self, #"{"number": 9, "repository": {"id": 3, "full_name": "o/h"}}"#)
        try await ticket.delete()
        #expect(service.stub.log == ["DELETE /repos/o/h/tickets/9"])
        let error = #expect(throws: StoreError.self) { try Store(.temporary, models: [Pair.self]) }
        #expect(
            error?.description.contains(
                "Pair's URL has 2 parts of the identity to end in (left, right): name the one that is its key with "
                    + "@Model(key:)") == true, "\(error as Any)")
    }

    // MARK: Slashes

    @Model("/v1", key: "name", identity: "name") final class Resource {
        @Attribute(isPath: true) var name: String?
        var text = ""
        @Relationship("/v1/:name/notes", inverse: nil) var notes: [Note]
    }

    @Model("/notes", key: "name", identity: "name") final class Note {
        @Attribute(isPath: true) var name: String?
        var text = ""
    }

    @Model("/files", key: "name", identity: "name") final class Entity {
        var name: String?
        var text = ""
        @Attribute(isPath: false) var folder: String?
        @Relationship("/in/:folder/files/:name/parts", inverse: nil) var parts: [Note]
    }

    @Test(arguments: [false, true])
    func `A key's slashes stand unescaped if that is declared`(
        isAlone: Bool
    ) async throws {
        let service = try Service(
            isAlone ? [Resource.self, Note.self] : [Resource.self, Note.self] + GitHub.models,
            stub: StubTransport { request in
                request.method == .get ? .json(#"{"name": "users/me/notes/n1"}"#) : .status(204)
            })
        let resource = try await service.imported(Resource.self, #"{"name": "users/me"}"#)
        let note = try await resource.$notes.fetch("n/1")
        resource.text = "x"
        try await resource.save()
        try await resource.$notes.delete(note)
        _ = try await Note.fetch(key: "users/me/notes/n1", in: service.main)
        _ = try await Note.fetch("/notes/:name", ["name": "users/me/notes/n1"], in: service.main)
        #expect(
            service.stub.log == [
                "GET /v1/users/me/notes/n/1", #"PATCH /v1/users/me {"text":"x"}"#,
                "DELETE /v1/users/me/notes/users/me/notes/n1", "GET /notes/users/me/notes/n1",
                "GET /notes/users/me/notes/n1",
            ])
        #expect(service.store.explain(Resource.self).contains("whose slashes stand as they are"))
    }

    @Test(arguments: [false, true]) func `A key's slashes are escaped unless declared, in keys and in calls`(
        isAlone: Bool
    ) async throws {
        let service = try Service(
            isAlone ? [Entity.self, Note.self] : [Entity.self, Note.self] + GitHub.models,
            stub: StubTransport { request in request.method == .get ? .json(#"{"name": "a/b"}"#) : .status(204) })
        let entity = try await service.imported(Entity.self, #"{"name": "a/b", "folder": "c/d"}"#)
        entity.text = "x"
        try await entity.save()
        _ = try await Entity.fetch("/files/:id", ["id": "1/delete"], in: service.main)
        _ = try await Entity.fetch(key: "1/delete", in: service.main)
        _ = await failure { _ = try await Entity.fetch(key: "../users", in: service.main) }
        try await entity.$parts.fetch()
        #expect(
            service.stub.log == [
                #"PATCH /files/a%2Fb {"text":"x"}"#, "GET /files/1%2Fdelete", "GET /files/1%2Fdelete",
                "GET /in/c%2Fd/files/a/b/parts",
            ])
    }

    @Test(arguments: [false, true]) func `A GitHub repository has one URL with and without its issues`(
        isAlone: Bool
    ) async throws {
        let service = try Service(
            isAlone ? [Stock.self] : [Stock.self, Ticket.self], conventions: .github,
            stub: StubTransport { _ in .json(#"{"id": 1, "full_name": "octocat/Hello-World"}"#) })
        let stock = try await Stock.fetch(
            "/repos/:full_name", ["full_name": "octocat/Hello-World"], in: service.main)
        try await stock.fetch()
        #expect(service.stub.log == ["GET /repos/octocat/Hello-World", "GET /repos/octocat/Hello-World"])
    }

    // MARK: Where one object is

    @Model("/Products", object: "/Products(:id)") final class Product {
        var identifier: Int?
        var name = ""
        @Relationship("/Products(:id)/Parts", inverse: "product") var parts: [Part]
    }

    @Model("/Products(:product.id)/Parts", object: "/Parts(:id).json") final class Part {
        var identifier: Int?
        var name = ""
        var product: Product?
    }

    @Test func `An object's URL can lie outside its collection`() async throws {
        let service = try Service(
            [Product.self, Part.self, Shelf.self, Item.self],
            stub: StubTransport { request in request.method == .get ? .json(#"{"id": 5, "name": "A"}"#) : .status(204) }
        )
        let product = try await Product.fetch(key: 5, in: service.main)
        product.name = "B"
        try await product.save()
        let shelf = try await service.imported(Shelf.self, #"{"id": 1, "items": [{"id": 2}]}"#)
        let item = try #require(shelf.items.first)
        try await shelf.$items.delete(item)
        #expect(
            service.stub.log == [
                "GET /Products(5)", #"PATCH /Products(5) {"name":"B"}"#, "DELETE /items/2.json",
            ])
        #expect(service.store.explain(Product.self).contains("GET /Products(:id)"))
        let error = #expect(throws: StoreError.self) {
            try Store(.temporary, models: [Broken.self], api: API("https://api.example.com"))
        }
        #expect(error?.description.contains("Broken's URL") == true, "\(error as Any)")
    }

    @Model("/shelves") final class Shelf {
        var identifier: Int?
        @Relationship(inverse: "shelf") var items: [Item]
    }

    @Model("/shelves/:shelf.id/items", object: "/items/:id.json") final class Item {
        var identifier: Int?
        var shelf: Shelf?
    }

    @Model("/broken", object: "/broken(:zzzz)") final class Broken {
        var identifier: Int?
        var name = ""
    }

    // MARK: URLs as keys

    @Model("/writers", identity: "url") final class Writer {
        var url: URL?
        var name = ""
        var books: [Book]
        @Relationship("/writers/:url/friends", inverse: nil) var friends: [Writer]
    }

    @Model("/writers/:author/books", identity: "url") final class Book {
        var url: URL?
        var title = ""
        var author: Writer?
    }

    @Test func `Objects identified by URLs can be members of lists`() async throws {
        let service = try Service(
            [Writer.self, Book.self],
            stub: StubTransport { request in
                switch request.method {
                case .get: .json(#"{"url": "https://api.example.com/writers/3/books/8"}"#)
                case .post: .json(#"{"url": "https://api.example.com/writers/3/books/9"}"#, status: 201)
                default: .status(204)
                }
            })
        let ada = try await service.imported(
            Writer.self,
            #"""
            {"url": "https://api.example.com/writers/3", "friends": [{"url": "https://api.example.com/writers/4"}]}
            """#)
        _ = await failure { try await ada.$books.fetch() }
        let book: Book = try await ada.$books.fetch(
            try #require(URL(string: "https://api.example.com/writers/3/books/8")))
        #expect(book.author === ada)
        let new = Book(in: service.main)
        new.title = "New"
        try await ada.$books.add(new)
        try await ada.$books.delete(book)
        try await ada.$friends.delete(try #require(ada.friends.first))
        #expect(
            service.stub.log == [
                "GET /writers/3/books", "GET /writers/3/books/8", #"POST /writers/3/books {"title":"New"}"#,
                "DELETE /writers/3/books/8", "DELETE /writers/3/friends/4",
            ])
    }

    @Test func `A URL's scheme may be in capital letters`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 7}"#) })
        _ = try await Author.fetch("HTTPS://api.example.com/people/:id", ["id": 7], in: service.main)
        #expect(service.stub.requests.map(\.url.absoluteString) == ["HTTPS://api.example.com/people/7"])
    }
}
