import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Pages by number and by offset, keys with dots, and the declaration of paging: API, model or call.
@MainActor @Suite struct PagingStyleTests {
    private typealias Author = Newsroom.Author

    private nonisolated static func conventions(
        _ paging: APIConventions.Paging, _ envelopes: APIConventions.Envelopes = .none
    ) -> APIConventions {
        var conventions = APIConventions.rails
        conventions.paging = paging
        conventions.envelopes = envelopes
        return conventions
    }

    /// Answers five authors, two a page.
    private nonisolated static func page(
        from start: Int, wrapped text: (String) -> String = { $0 }
    ) -> StubTransport.Reply {
        let ids = (1...5).dropFirst(start).prefix(2).map { "{\"id\": \($0)}" }
        return .json(text("[\(ids.joined(separator: ", "))]"))
    }

    private nonisolated static func value(_ name: String, _ request: APIRequest) -> Int? {
        URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems?.first { $0.name == name }?.value
            .flatMap { Int($0) }
    }

    @Test func `Pages by number end with an empty page`() async throws {
        let service = try Service(
            Newsroom.models, conventions: Self.conventions(.pageNumber()),
            stub: StubTransport { Self.page(from: ((Self.value("page", $0) ?? 1) - 1) * 2) })
        #expect(try await Author.fetchAll(pages: .all(), in: service.main).map(\.identifier) == [1, 2, 3, 4, 5])
        #expect(
            service.stub.log == ["GET /authors", "GET /authors?page=2", "GET /authors?page=3", "GET /authors?page=4"])
    }

    @Test func `Pages by number and by offset end at the total`() async throws {
        let wrap: @Sendable (String) -> String = { "{\"total\": 5, \"items\": \($0)}" }
        for (paging, parameter, expected) in [
            (ListPaging.pageNumber(parameter: "p", from: 0), "p", ["", "?p=1", "?p=2"]),
            (.offset(parameter: "skip"), "skip", ["", "?skip=2", "?skip=4"]),
        ] {
            let isOffset = parameter == "skip"
            let service = try Service(
                Newsroom.models, conventions: Self.conventions(paging, .lists("items")),
                stub: StubTransport { request in
                    Self.page(from: (Self.value(parameter, request) ?? 0) * (isOffset ? 1 : 2), wrapped: wrap)
                })
            let result = try await Author.fetchAllReporting(pages: .all(), in: service.main)
            #expect(result.objects.map(\.identifier) == [1, 2, 3, 4, 5] && !result.report.hasMore)
            #expect(service.stub.log == expected.map { "GET /authors\($0)" })
        }
    }

    @Test func `A server that ignores the page number gets two requests`() async throws {
        let service = try Service(
            conventions: Self.conventions(.pageNumber()), stub: StubTransport { _ in .json(#"[{"id": 4}]"#) })
        let author = try await service.imported(
            RestfulDataTests.Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}]}"#)
        #expect(try await author.$friends.fetch(pages: .all()).map(\.identifier) == [4])
        #expect(service.stub.log.count == 2)
        #expect(author.friends.map(\.identifier) == [4, 1, 2], "whether that is all nobody knows")
    }

    @Test func `A single numbered page is whole only if its total says so or it is empty`() async throws {
        for (body, expected) in [
            (#"{"items": [{"id": 3}]}"#, [3, 1, 2]), (#"{"items": [{"id": 3}], "total": 1}"#, [3]),
            (#"{"items": []}"#, []),
        ] {
            let service = try Service(
                conventions: Self.conventions(.offset(), .lists("items")), stub: StubTransport { _ in .json(body) })
            let author = try await service.imported(
                RestfulDataTests.Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}]}"#)
            try await author.$friends.fetch()
            #expect(author.friends.compactMap(\.identifier) == expected)
        }
    }

    @Test(arguments: [["the.items"], "the.items", #"the\.items"#] as [JSONKeyPath])
    func `A key path can be a key with dots`(_ key: JSONKeyPath) async throws {
        let service = try Service(
            [Stamped.self],
            stub: StubTransport { request in
                .json(
                    #"{"the.items": \#(request.url.path().hasSuffix("7") ? "{\"id\": 7}" : "[{\"id\": 1}]"), "the": 5}"#
                )
            })
        #expect(try await Stamped.fetchAll(at: key, in: service.main).map(\.identifier) == [1])
        #expect(try await Stamped.fetch(key: 7, at: key, in: service.main).identifier == 7)
        let body = Array(#"{"the.items": [{"id": 2}]}"#.utf8)
        #expect(try await service.main.import(Stamped.self, from: body, at: key).objects.map(\.identifier) == [2])
    }

    @Test func `An attribute's key with dots is read and sent`() async throws {
        let service = try Service([Stamped.self], stub: StubTransport { _ in .status(204) })
        let stamped = try await service.imported(
            Stamped.self, #"{"id": 1, "@odata.etag": "a", "the.owner_id": 5, "the": {"place": "here"}}"#)
        #expect(stamped.etag == "a" && stamped.place == "here")
        #expect(stamped.$owner.identity != nil)
        (stamped.etag, stamped.place) = ("b", "there")
        stamped.owner = Stamped(in: service.main)
        stamped.owner?.identifier = 9
        try await stamped.save()
        #expect(
            service.stub.log == [
                #"PATCH /stampeds/1 {"@odata.etag":"b","the":{"place":"there"},"the.owner_id":9}"#
            ])
    }

    @Test(arguments: [["@odata.nextLink"], "@odata.nextLink"] as [JSONKeyPath])
    func `The next page's link can be at a key with dots`(_ key: JSONKeyPath) async throws {
        let service = try Service(
            conventions: Self.conventions(.nextLink(at: key), .lists("value")),
            stub: StubTransport { request in
                request.url.query() == nil
                    ? .json(#"{"value": [{"id": 3}], "@odata.nextLink": "https://api.example.com/x?$skip=1"}"#)
                    : .json(#"{"value": [{"id": 4}]}"#)
            })
        let author = try await service.imported(
            RestfulDataTests.Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}]}"#)
        try await author.$friends.fetch(pages: .all())
        #expect(author.friends.map(\.identifier) == [3, 4])
    }

    @Test func `An envelope can be a key with dots`() async throws {
        let service = try Service(
            Newsroom.models, conventions: Self.conventions(.linkHeader, .lists(["d.results"])),
            stub: StubTransport { _ in .json(#"{"d.results": [{"id": 3}], "d": {"results": [{"id": 4}]}}"#) })
        #expect(try await Author.fetchAll(in: service.main).map(\.identifier) == [3])
    }

    @Test func `A model and a call can choose the paging`() async throws {
        let stub = StubTransport { request in
            let name = request.url.path == "/stations" ? "from" : "page"
            let number = Self.value(name, request) ?? (name == "page" ? 1 : 0)
            let start = name == "page" ? (number - 1) * 2 : number
            return Self.page(from: start)
        }
        let service = try Service(Newsroom.models + [Station.self], conventions: .rails, stub: stub)
        #expect(try await Station.fetchAll(pages: .all(), in: service.main).count == 5)
        #expect(stub.log == ["GET /stations", "GET /stations?from=2", "GET /stations?from=4", "GET /stations?from=5"])
        #expect(try await Author.fetchAll(pages: .all(by: .pageNumber()), in: service.main).count == 5)
        #expect(stub.log.last == "GET /authors?page=4")
        #expect(try await Author.fetchAll(pages: .all(), in: service.main).count == 2)
        #expect(service.store.explain(Station.self).contains("\"from\" with the number of elements before it"))
    }

    @Test func `A page after the last object is requested by its identity at the server`() async throws {
        let shop = Bookshop([1, 2, 3], style: .after)
        let stub = shop.stub
        let store = try shop.store(stub: stub)
        let post = try await store.imported(Post.self, #"{"id": 2}"#)
        post.identifier = 90
        _ = try await Post.fetchAll(pages: .all(), in: store.main)
        #expect(stub.log == ["GET /posts", "GET /posts?starting_after=2"])
        #expect(post.identifier == 90)
    }

    // MARK: Absent lists

    private func friends(after body: String, _ change: (inout APIConventions) -> Void) async throws -> [Int] {
        var conventions = APIConventions.rails
        conventions.envelopes = .lists("_embedded.friends")
        change(&conventions)
        let service = try Service([Person.self], conventions: conventions, stub: StubTransport { _ in .json(body) })
        let person = try await service.imported(
            Person.self, #"{"_links": {"self": {"href": "/p/1"}}, "friends": [{"_links": {"self": {"href": "/p/2"}}}]}"#
        )
        try await person.$friends.fetch()
        #expect(try service.main.query(Person.self).count() == 2, "no bogus object")
        return person.friends.map { _ in 1 }
    }

    private nonisolated static let absent = [
        #"{"_links": {"self": {"href": "/people/1/friends"}}}"#, "{}", #"{"ok": true, "status": "success", "code": 0}"#,
        #"{"_links": {}, "page": {"totalElements": 0}}"#,
    ]

    @Test(arguments: absent) func `A reply without a list is empty if that is declared`(_ body: String)
        async throws
    {
        #expect(try await friends(after: body) { $0.absentLists = .empty }.isEmpty)
    }

    @Test(arguments: absent) func `A reply without a list throws if nothing is declared`(_ body: String)
        async throws
    {
        let error = await failure { _ = try await friends(after: body) { _ in } }
        guard case .noObject = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        #"{"ok": false}"#, #"{"success": false, "friends": null}"#, #"{"status": "error"}"#, #"{"status": 500}"#,
        #"{"code": 13}"#,
        #"{"error": "no"}"#, #"{"message": "Not now"}"#, #"{"page": {"totalElements": 3}}"#, "[1", "null",
    ])
    func `A reply with an error or a count of members isn't an empty list`(_ body: String) async throws {
        #expect(await failure { _ = try await friends(after: body) { $0.absentLists = .empty } } != nil)
    }

    @Test func `A list under an undeclared key isn't an empty list`() async throws {
        let body = #"{"_embedded": {"personList": [{"_links": {"self": {"href": "/p/3"}}}]}}"#
        let error = await failure { _ = try await friends(after: body) { $0.absentLists = .empty } }
        guard case .noObject(_, let report, _)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(report.rejected.map(\.reason) == [.noEnvelope(missing: "_embedded.friends")])
        #expect(try await friends(after: #"{"_embedded": {}}"#) { $0.absentLists = .empty }.isEmpty)
        #expect(try await friends(after: #"{"_embedded": {"facets": []}}"#) { $0.absentLists = .empty }.isEmpty)
    }
}

@Model("/stations", paging: .offset(parameter: "from"))
private final class Station {
    var identifier: Int?
}

@Model("/people", key: "url", identity: "url")
private final class Person {
    @Attribute("_links.self.href") var url: String?
    @Relationship("/friends", inverse: nil) var friends: [Person]
}

@Model("/stampeds")
private final class Stamped {
    var identifier: Int?
    @Attribute(#"@odata\.etag"#) var etag: String?
    @Attribute("the.place") var place: String?
    @Relationship(json: #"the\.owner"#, inverse: nil) var owner: Stamped?
}
