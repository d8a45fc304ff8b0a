import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// The result of a list fetch equals the reply, in its order and with its repetitions.
@MainActor @Suite struct RepeatedElementTests {
    private nonisolated static let body = #"[{"id": 1, "title": "a"}, {"id": 2}, {"id": 1}]"#

    private nonisolated static func page(_ body: String, next: String?) -> StubTransport.Reply {
        .json(body, headerFields: next.map { [.init("Link")!: "<https://api.example.com\($0)>; rel=\"next\""] } ?? [:])
    }

    @ResponseBody
    struct Posts { var posts: [Post] }

    @Test func `Imports, fetches and response types give an object as often as the body has it`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                .json(request.url.path() == "/wrapped" ? "{\"posts\": \(Self.body)}" : Self.body)
            })
        let imported = try await service.main.import(Post.self, from: Array(Self.body.utf8))
        #expect(imported.objects.map(\.identifier) == [1, 2, 1] && imported.objects[0] === imported.objects[2])
        #expect(imported.report.description == "2 inserted, 0 updated, 0 unchanged")
        #expect(try await Post.fetchAll(in: service.main).map(\.identifier) == [1, 2, 1])
        #expect(try await Post.fetchAllReporting(in: service.main).objects == imported.objects)
        #expect(try await Posts.fetch("/wrapped", in: service.main).posts.map(\.identifier) == [1, 2, 1])
        let wrapped = Array("{\"posts\": \(Self.body)}".utf8)
        #expect(try await service.main.import(Posts.self, from: wrapped).body.posts.map(\.identifier) == [1, 2, 1])
        #expect(try await Post.pages(in: service.main).first()?.objects.map(\.identifier) == [1, 2, 1])
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        #expect(try await author.$posts.fetch().map(\.identifier) == [1, 2, 1])
        #expect(author.posts.map(\.identifier) == [1, 2] && author.$posts.repeatsMember)
        #expect(try service.main.query(Post.self).count() == 2)
    }

    @Test(arguments: [3, 40])
    func `A stored answer repeats objects like the server's`(_ count: Int) async throws {
        let ids = Array(1...count) + [1, 1, 2]
        let body = "[" + ids.map { "{\"id\": \($0), \"title\": \"p\"}" }.joined(separator: ",") + "]"
        let newsstand = Newsstand(["/posts": body, "/authors/7": #"{"id": 7}"#, "/authors/7/posts": body])
        let subscriber = try Subscriber(newsstand)
        let author = try await Author.fetch(key: 7, in: subscriber.main)
        for policy in [FetchPolicy.revalidate, .revalidate, .cached, .offline, .ifOlder(than: .seconds(9))] {
            let all = try await Post.fetchAll(policy: policy, in: subscriber.main)
            #expect(all.map(\.identifier) == ids)
            #expect(try await author.$posts.fetch(policy).map(\.identifier) == ids)
            #expect(author.$posts.repeatsMember && author.posts.map(\.identifier) == Array(1...count))
        }
        #expect(subscriber.log().contains("GET /authors/7/posts ?tag"))
    }

    @Test func `A repeated object on one page doesn't hide a missing page`() async throws {
        let service = try Service(
            stub: StubTransport { _ in .json(Self.body, headerFields: [.init("X-Total-Count")!: "3"]) })
        let author = try await service.imported(Author.self, #"{"id": 7, "posts": [{"id": 1}, {"id": 9}]}"#)
        let fetched = try await author.$posts.fetchReporting(pages: .all())
        #expect(!fetched.report.hasMore && fetched.report.repeatedLists == ["the body"])
        #expect(author.posts.map(\.identifier) == [1, 2] && author.$posts.completeness.extent == .whole)
    }

    @Test func `A page repeats its own objects, and all pages omit those of earlier pages`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                request.url.query() == "page=2"
                    ? .json(#"[{"id": 2}, {"id": 3}, {"id": 3}]"#)
                    : Self.page(#"[{"id": 1}, {"id": 2}, {"id": 1}]"#, next: "\(request.url.path())?page=2")
            })
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        var pages: [[Int?]] = []
        for try await page in author.$friends.pages() { pages.append(page.objects.map(\.identifier)) }
        #expect(pages == [[1, 2, 1], [2, 3, 3]])
        let all = try await author.$friends.fetchReporting(pages: .all())
        #expect(all.objects.map(\.identifier) == [1, 2, 1, 3, 3])
        #expect(author.friends.map(\.identifier) == [1, 2, 3] && author.$friends.repeatsMember)
    }

    /// Two cases can't be distinguished: a member that is in the list twice, and a list that moves.
    @Test func `A list with a member on two pages isn't sent until it is listed without it`() async throws {
        let isMoving = Box(true)
        let service = try Service(
            stub: StubTransport { request in
                guard request.method == .get else { return .status(204) }
                return request.url.query() == "page=2"
                    ? .json(isMoving.value ? #"[{"id": 1}, {"id": 3}]"# : #"[{"id": 3}]"#)
                    : Self.page(#"[{"id": 1}, {"id": 2}]"#, next: "/authors/7/friends?page=2")
            })
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        let all = try await author.$friends.fetchReporting(pages: .all())
        #expect(all.report.repeatedLists == ["the list"] && author.$friends.repeatsMember)
        author.friends.removeFirst()
        guard case .repeatedMember("Author", "friends")? = await failure({ try await author.save() }) else {
            Testing.Issue.record("sent: \(service.stub.log)")
            return
        }
        isMoving.value = false
        try await author.$friends.fetch(pages: .all())
        try await author.save()
        #expect(service.stub.log.last == #"PATCH /authors/7 {"friend_ids":[2,3]}"#)
    }
}
