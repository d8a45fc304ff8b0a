import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@Model("/writers", identity: "url")
private final class Writer {
    var url: URL?
    var name = ""
    @Relationship(inverse: "author") var books: [Book]
}

@Model("/books", identity: "url")
private final class Book {
    var url: URL?
    var title = ""
    var author: Writer?
    @Relationship(inverse: nil) var readers: [Writer]
}

/// Features of Django REST Framework alone: hyperlinked relations, and slashes everywhere.
@MainActor @Suite struct DjangoRESTTests {
    private func service(_ replies: [String: StubTransport.Reply]) throws -> Service {
        try Service([Writer.self, Book.self], conventions: .djangoREST, replies: replies)
    }

    @Test func `Hyperlinked relations are resolved by their URLs`() async throws {
        let service = try service([
            "GET /books/": .json(
                """
                {"count": 1, "next": null, "previous": null, "results": [
                  {"url": "https://api.example.com/books/1/", "title": "Notes",
                   "author": "https://api.example.com/writers/3/",
                   "readers": ["https://api.example.com/writers/3/", "https://api.example.com/writers/4/"]}]}
                """),
            "GET /writers/": .json(
                """
                [{"url": "https://api.example.com/writers/4/", "name": "Bob"},
                 {"url": "https://api.example.com/writers/3/", "name": "Ada", "books": ["https://api.example.com/books/1/"]}]
                """),
        ])
        let book = try #require(try await Book.fetchAll(in: service.main).first)
        #expect(book.author == nil, "nobody here has that URL yet")
        let writers = try await Writer.fetchAll(in: service.main)
        #expect(book.author === writers[1] && writers[1].books.first === book)
        #expect(Set(book.readers.map(\.name)) == ["Ada", "Bob"])
    }

    @Test func `An object that is named by its URL is fetched, saved and deleted there`() async throws {
        let object = #"{"url": "https://api.example.com/writers/3/", "name": "Ada"}"#
        let service = try service([
            "GET /writers/3/": .json(object), "PATCH /books/1/": .status(204), "DELETE /books/1/": .status(204),
        ])
        let ada = try await Writer.fetch(
            key: #require(URL(string: "https://api.example.com/writers/3/")), in: service.main)
        try await ada.fetch()
        let book = try await service.imported(Book.self, #"{"url": "https://api.example.com/books/1/"}"#)
        book.author = ada
        book.readers = [ada]
        try await book.save()
        try await book.delete()
        #expect(
            service.stub.log == [
                "GET /writers/3/", "GET /writers/3/",
                #"PATCH /books/1/ {"author":"https://api.example.com/writers/3/","readers":["https://api.example.com/writers/3/"]}"#,
                "DELETE /books/1/",
            ])
    }

    @Test func `An object whose URL is on another server can't be saved`() async throws {
        let service = try service([:])
        let book = try await service.imported(Book.self, #"{"url": "https://elsewhere.example/books/1/"}"#)
        book.title = "Mine"
        let error = await failure { try await book.save() }
        guard case .route(.invalidURL("https://elsewhere.example/books/1/")) = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.stub.log == [])
    }

    @Test func `Every URL ends in a slash`() async throws {
        let service = try Service(
            conventions: .djangoREST, stub: StubTransport { _ in .json(#"{"id": 1, "number": 4}"#) })
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        try await author.$friends.fetch(query: ["q": "a"])
        try await author.$favourite.fetch()
        try await author.$posts.fetch(12)
        try await post.$comments.fetch(4)
        _ = try await Author.fetch("/people/:name", ["name": "a.b"], query: ["x": 1], in: service.main)
        _ = try await Author.fetch("/export/:name.json", ["name": "a"], in: service.main)
        _ = try await Author.fetch("https://api.example.com/as/it/stands", in: service.main)
        #expect(
            service.stub.log.map { $0.dropFirst(4) } == [
                "/authors/7/friends/?q=a", "/authors/7/favourite/", "/authors/7/posts/12/", "/posts/5/comments/4/",
                "/people/a.b/?x=1", "/export/a.json", "/as/it/stands",
            ])
    }

    @Test func `Escaped slashes make one segment of a key`() async throws {
        var conventions = APIConventions.rails
        conventions.urls.escapeSlashes = true
        let service = try Service(
            GitHub.models, conventions: conventions,
            stub: StubTransport { _ in .json(#"{"id": 1, "full_name": "a/b"}"#) })
        let repository = try await Repository.fetch(key: "a/b", in: service.main)
        try await repository.$issues.fetch()
        #expect(service.stub.log == ["GET /repos/a%2Fb", "GET /repos/a%2Fb/issues"])
    }
}
