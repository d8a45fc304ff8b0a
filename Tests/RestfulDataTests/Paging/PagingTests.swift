import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// The ways in which services page, each by declaration.
@MainActor @Suite struct PagingTests {
    private typealias Author = Newsroom.Author

    /// Each page may have that URL: the next request shows whether they lead on.
    @Test func `A page that links to itself and repeats is the last`() async throws {
        let link: HTTPFields = [.init("Link")!: #"<https://api.example.com/authors?limit=2>; rel="next""#]
        let service = try Service(
            Newsroom.models,
            stub: StubTransport { _ in .json(#"[{"id": 1}, {"id": 2}]"#, headerFields: link) })
        let authors = try await Author.fetchAll("/authors?limit=2", pages: .all(), in: service.main)
        #expect(authors.map(\.identifier) == [1, 2])
        #expect(service.stub.log == ["GET /authors?limit=2", "GET /authors?limit=2"])
    }

    private nonisolated static func conventions(
        _ paging: APIConventions.Paging, _ envelopes: APIConventions.Envelopes = .none
    ) -> APIConventions {
        var conventions = APIConventions.rails
        conventions.paging = paging
        conventions.envelopes = envelopes
        return conventions
    }

    /// The conventions, each page's URL and reply.
    private nonisolated static let services: [(APIConventions, [(String, StubTransport.Reply)])] = [
        (
            conventions(.more(), .lists("data")),
            [
                ("/authors?limit=2", .json(#"{"object": "list", "data": [{"id": 1}, {"id": 2}], "has_more": true}"#)),
                (
                    "/authors?limit=2&starting_after=2",
                    .json(#"{"object": "list", "data": [{"id": 3}, {"id": 4}], "has_more": true}"#)
                ),
                (
                    "/authors?limit=2&starting_after=4",
                    .json(#"{"object": "list", "has_more": false, "data": [{"id": 5}]}"#)
                ),
            ]
        ),
        (
            conventions(.pageHeader()),
            [
                ("/authors?limit=2", .json(#"[{"id": 1}, {"id": 2}]"#, headerFields: [.init("X-Next-Page")!: "2"])),
                (
                    "/authors?limit=2&page=2",
                    .json(#"[{"id": 3}, {"id": 4}]"#, headerFields: [.init("X-Next-Page")!: "3"])
                ),
                ("/authors?limit=2&page=3", .json(#"[{"id": 5}]"#, headerFields: [.init("X-Next-Page")!: ""])),
            ]
        ),
        (
            conventions(.cursor(at: "meta.next_cursor"), .lists("authors")),
            [
                ("/authors?limit=2", .json(#"{"meta": {"next_cursor": "a=b/"}, "authors": [{"id": 1}, {"id": 2}]}"#)),
                (
                    "/authors?limit=2&cursor=a%3Db%2F",
                    .json(#"{"authors": [{"id": 3}, {"id": 4}, {"id": 5}], "meta": {"next_cursor": null}}"#)
                ),
            ]
        ),
        (
            conventions(.nextLink(at: "paging.next"), .lists("results")),
            [
                (
                    "/authors?limit=2",
                    .json(#"{"paging": {"next": "/authors?p=2"}, "results": [{"id": 1}, {"id": 2}]}"#)
                ),
                // If the body has no paging, the header field counts.
                (
                    "/authors?p=2",
                    .json(
                        #"{"results": [{"id": 3}, {"id": 4}]}"#,
                        headerFields: [.init("Link")!: #"</authors?p=3>; rel="next""#])
                ),
                ("/authors?p=3", .json(#"[{"id": 5}]"#)),
            ]
        ),
    ]

    @Test(arguments: services.indices)
    func `All pages are followed in each style of paging`(_ index: Int) async throws {
        let (conventions, pages) = Self.services[index]
        let service = try Service(
            Newsroom.models, conventions: conventions,
            stub: StubTransport { request in
                pages.first { "GET \($0.0)" == request.line }?.1 ?? .status(404)
            })
        let authors = try await Author.fetchAll(query: ["limit": 2], pages: .all(), in: service.main)
        #expect(authors.map(\.identifier) == [1, 2, 3, 4, 5])
        #expect(service.stub.log == pages.map { "GET \($0.0)" })
    }

    @Test func `A list unlinks missing members only if it is whole`() async throws {
        let conventions = Self.conventions(.more(), .lists("data"))
        for (hasMore, expected) in [("false", [2]), ("true", [2, 1])] {
            let service = try Service(
                conventions: conventions,
                stub: StubTransport { _ in .json(#"{"data": [{"id": 2}], "has_more": \#(hasMore)}"#) })
            let author = try await service.imported(
                RestfulDataTests.Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}]}"#)
            try await author.$friends.fetch()
            #expect(author.friends.map(\.identifier) == expected)
        }
    }

    @Test(arguments: ["null", "\"\"", "false", "0", "\"0\""])
    func `An empty cursor ends the pages`(_ cursor: String) async throws {
        let service = try Service(
            conventions: Self.conventions(.cursor(at: "next_cursor"), .lists("data")),
            stub: StubTransport { _ in .json(#"{"data": [{"id": 2}], "next_cursor": \#(cursor)}"#) })
        let author = try await service.imported(
            RestfulDataTests.Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}]}"#)
        let fetched = try await author.$friends.fetchReporting(pages: .all())
        #expect(author.friends.map(\.identifier) == [2])
        #expect(!fetched.report.hasMore && !author.$friends.isPartial)
        #expect(service.stub.log.count == 1)
    }

    @Test(arguments: [true, false])
    func `A middle page isn't the whole list, and a page requested as the first is`(_ isFirst: Bool)
        async throws
    {
        let service = try Service(
            conventions: .djangoREST,
            stub: StubTransport { _ in
                .json(#"{"next": null, "previous": "https://api.example.com/x/", "results": [{"id": 2}]}"#)
            })
        let author = try await service.imported(
            RestfulDataTests.Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}]}"#)
        try await author.$friends.fetch(query: isFirst ? [:] : ["page": 2])
        #expect(author.friends.map(\.identifier) == (isFirst ? [2] : [1, 2]))
    }

    @Test func `Empty pages that announce more end the list`() async throws {
        let service = try Service(
            Newsroom.models, conventions: Self.conventions(.more(), .lists("data")),
            stub: StubTransport { _ in .json(#"{"data": [], "has_more": true}"#) })
        #expect(try await Author.fetchAll(pages: .all(), in: service.main).isEmpty)
        #expect(service.stub.log == ["GET /authors"])
    }

    @Test func `A host written in Unicode and in ASCII is one host`() async throws {
        let stub = StubTransport { request in
            .json(
                request.url.query()?.contains("page=2") == true
                    ? #"{"next": null, "results": [{"id": 2}]}"#
                    : #"{"next": "https://xn--bcher-kva.example/authors/?page=2", "results": [{"id": 1}]}"#)
        }
        let api = API("https://bücher.example", conventions: .djangoREST, transport: stub) { BearerToken("secret") }
        let store = try Store(.temporary, models: Newsroom.models, api: api)
        #expect(try await Author.fetchAll(pages: .all(), in: store.main).count == 2)
        #expect(stub.requests.map { $0.headerFields[.authorization] } == ["Bearer secret", "Bearer secret"])
    }

    @Test func `A link to another server is followed without credentials`() async throws {
        let token = HTTPField.Name.authorization
        let stub = StubTransport { request in
            .json(
                request.url.host() == "api.example.com"
                    ? #"{"next": "https://elsewhere.example/authors/?page=2", "results": [{"id": 1}]}"#
                    : #"{"next": "file:///etc/passwd", "results": [{"id": 2}]}"#)
        }
        let api = API("https://api.example.com", conventions: .djangoREST, transport: stub) { BearerToken("secret") }
        let store = try Store(.temporary, models: Newsroom.models, api: api)
        #expect(try await Author.fetchAll(pages: .all(), in: store.main).count == 2)
        #expect(stub.requests.map { $0.headerFields[token] } == ["Bearer secret", nil])
        #expect(stub.requests.map { $0.url.absoluteString }.last == "https://elsewhere.example/authors/?page=2")
    }
}
