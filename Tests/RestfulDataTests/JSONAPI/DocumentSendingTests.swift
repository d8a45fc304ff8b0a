import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@Model("/blog-entries", resourceType: "BlogEntry")
private final class BlogEntry {
    var id: UUID?
    var headLine = ""
    var position: Int?
    @Relationship(sentAs: .never) var previous: BlogEntry?
}

@Model("/chains")
private final class Chain {
    var identifier: UUID?
    var name = ""
    @Relationship(inverse: nil) var next: Chain?
    @Relationship(inverse: nil) var others: [Chain]
}

/// Sending of JSON:API 1.1 documents, and the replies to them.
@MainActor @Suite struct DocumentSendingTests {
    private typealias Article = Library.Article
    private typealias Comment = Library.Comment
    private typealias Person = Library.Person

    private func service(
        _ answer: @escaping @Sendable (APIRequest) -> StubTransport.Reply = { _ in .status(204) }
    ) throws -> Service {
        try Service(Library.models, conventions: .jsonAPI, stub: StubTransport { answer($0) })
    }

    @Test func `A JSON:API save sends the changes with type and id`() async throws {
        let service = try service()
        let article = try await service.imported(Article.self, Library.frontPage)
        article.wordCount = 7
        article.title = nil
        article.columns = 2
        article.author = nil
        article.reviewers = [try #require(try service.main.find(Person.self, 9))]
        try await article.save()
        try await article.save()
        #expect(
            service.stub.log == [
                #"PATCH /articles/1 {"data":{"type":"articles","id":"1","attributes":"#
                    + #"{"title":null,"wordCount":7,"layout":{"columns":2}},"relationships":"#
                    + #"{"author":{"data":null},"reviewers":{"data":[{"type":"people","id":"9"}]}}}}"#
            ])
        let fields = service.stub.requests[0].headerFields
        #expect(fields[.contentType] == "application/vnd.api+json" && fields[.accept] == "application/vnd.api+json")
        #expect(!article.hasChanges && article.author == nil && article.reviewers.count == 1)
    }

    @Test func `A creation sends an id only if the client chose it`() async throws {
        let service = try Service(
            [BlogEntry.self], conventions: .jsonAPI.writing(.kebabCase), stub: StubTransport { _ in .status(204) })
        let entry = BlogEntry(in: service.main)
        entry.id = UUID(uuidString: "550e8400-e29b-41d4-a716-446655440000")
        entry.headLine = "News"
        try await entry.create()
        entry.position = 3
        try await entry.save()
        let id = "550E8400-E29B-41D4-A716-446655440000"
        #expect(
            service.stub.log == [
                #"POST /blog-entries {"data":{"type":"BlogEntry","id":"\#(id)","attributes":{"head-line":"News"}}}"#,
                #"PATCH /blog-entries/\#(id) {"data":{"type":"BlogEntry","id":"\#(id)","attributes":{"position":3}}}"#,
            ])
    }

    @Test(arguments: [API.SaveMethod.patch, .put]) func `An edit of a resource's id can't be sent`(
        _ method: API.SaveMethod
    ) async throws {
        let service = try Service(
            Library.models, conventions: .jsonAPI, saveMethod: method, stub: StubTransport { _ in .status(204) })
        let article = try await service.imported(
            Article.self, #"{"type": "articles", "id": "1", "attributes": {"title": "A"}}"#)
        article.identifier = 2
        article.title = "B"
        guard
            case .unsendable(model: "Article", property: "identifier", _)? = await failure({ try await article.save() })
        else {
            Testing.Issue.record("it was sent")
            return
        }
        #expect(service.stub.log == [] && article.unsentProperties == ["identifier", "title"])
        article.identifier = 1
        try await article.save()
        #expect(service.stub.log.count == 1 && service.stub.log[0].contains(#""id":"1""#))
        #expect(article.unsentProperties == [])
    }

    @Test func `Linkage to a resource with an edited id has the server's id`() async throws {
        let service = try service()
        let article = try await service.imported(Article.self, Library.frontPage)
        let ada = try await service.imported(Person.self, #"{"type": "people", "id": "3"}"#)
        ada.identifier = 4
        article.author = ada
        try await article.save()
        #expect(service.stub.log[0].contains(#""author":{"data":{"type":"people","id":"3"}}"#))
    }

    @Test func `A reply's document is imported with its included resources`() async throws {
        let service = try service { _ in
            .json(
                Library.frontPage.replacing("[{\n    \"type\": \"articles\"", with: "{\n    \"type\": \"articles\"")
                    .replacing("}],\n  \"included\"", with: "},\n  \"included\""), status: 201)
        }
        let article = Article(in: service.main)
        article.title = "mine"
        try await article.create()
        #expect(article.identifier == 1 && article.title == "JSON:API paints my bikeshed!")
        #expect(article.author?.twitter == "dgeb" && article.comments.map(\.identifier) == [5, 12])
        #expect(service.stub.log == [#"POST /articles {"data":{"type":"articles","attributes":{"title":"mine"}}}"#])
    }

    @Test func `A Location header gives a new resource its id`() async throws {
        let service = try service { _ in .status(204, headerFields: [.location: "https://api.example.com/articles/8"]) }
        let article = Article(in: service.main)
        try await article.create()
        #expect(article.identifier == 8)
        #expect(service.stub.log == [#"POST /articles {"data":{"type":"articles"}}"#])
    }

    @Test func `A fetch of a resource of another type names both types`() async throws {
        let service = try service { _ in .json(#"{"data": {"type": "tags", "id": "1"}}"#) }
        let error = await failure { _ = try await Article.fetch(key: 1, in: service.main) }
        #expect("\(try #require(error))".contains(#"a resource of type "tags", which is not Article's"#))
    }

    @Test func `A document without data doesn't answer a fetch`() async throws {
        let service = try service { _ in .json(#"{"meta": {"locked": true}}"#) }
        let article = try await service.imported(Article.self, #"{"type": "articles", "id": "1"}"#)
        let error = await failure { try await article.fetch() }
        #expect("\(try #require(error))".contains(#"neither "data" nor anything of an Article"#))
        article.title = "A"
        try await article.save()
        #expect(!article.hasChanges && article.title == "A")
    }

    @Test func `Models that JSON:API can't express are listed when the store opens`() {
        let models: [any Model.Type] = [Post.self, Author.self, Picture.self, Remark.self]
        do {
            _ = try Service(models, conventions: .jsonAPI)
            Testing.Issue.record("opened")
        } catch StoreError.models(let problems) {
            #expect(problems == [#"Remark's identity is post, number, but JSON:API names resources by "id""#])
        } catch {
            Testing.Issue.record("\(error)")
        }
    }

    @Test func `The explanation has the resource type, paging and media type`() throws {
        let service = try Service([BlogEntry.self], conventions: .jsonAPI)
        let text = service.store.explain(BlogEntry.self)
        #expect(
            text.hasSuffix(
                """
                  Bodies
                    resource type  "BlogEntry"               named in @Model(resourceType:)
                    the next page  the URL at "links.next"   the API's conventions
                    media type     application/vnd.api+json  the API's conventions

                  Offline
                    a write                            is sent at once       StoreOptions(writes:)
                    a queued creation without a reply  waits for a decision  the API's conventions
                    a change carries                   no condition          the API's conventions
                    a conflict of a queued change      waits for a decision  the API's conventions

                """))
        #expect(text.contains("not sent"))
    }

    /// A server compares them as the strings that they are.
    @Test func `A UUID as a resource's id keeps the server's letter case`() async throws {
        let service = try Service(
            [BlogEntry.self, Chain.self], conventions: .jsonAPI, stub: StubTransport { _ in .status(204) })
        let (id, next) = ("a1b2c3d4-0000-4000-8000-00000000abcd", "b1b2c3d4-0000-4000-8000-00000000abcd")
        let chain = try await service.imported(
            Chain.self,
            """
            {"data": {"type": "chains", "id": "\(id)",
             "relationships": {"next": {"data": {"type": "chains", "id": "\(next)"}}}}}
            """)
        chain.name = "x"
        try await chain.save()
        chain.others = [chain]
        try await chain.save(using: .put)
        #expect(
            service.stub.log == [
                #"PATCH /chains/\#(id) {"data":{"type":"chains","id":"\#(id)","attributes":{"name":"x"}}}"#,
                #"PUT /chains/\#(id) {"data":{"type":"chains","id":"\#(id)","attributes":{"name":"x"},"relationships":"#
                    + #"{"next":{"data":{"type":"chains","id":"\#(next)"}},"#
                    + #""others":{"data":[{"type":"chains","id":"\#(id)"}]}}}}"#,
            ])
    }
}
