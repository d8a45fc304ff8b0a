import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Fetching lists: order, membership, pages.
@MainActor @Suite struct ListTests {
    /// An author with three friends, and the API's answer from then on.
    private func author(_ answer: @escaping @Sendable (String) -> StubTransport.Reply) async throws -> (Service, Author)
    {
        let service = try Service(
            stub: StubTransport { request in answer(String(request.line.dropFirst("GET ".count))) })
        let author = try await service.imported(
            Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}, {"id": 3}], "followed": [{"id": 1}]}"#)
        return (service, author)
    }

    private nonisolated static func page(_ body: String, next: String? = nil, prev: String? = nil)
        -> StubTransport.Reply
    {
        let links = [("next", next), ("prev", prev)].compactMap { relation, url in
            url.map { "<\($0)>; rel=\"\(relation)\"" }
        }
        return .json(body, headerFields: links.isEmpty ? [:] : [.init("Link")!: links.joined(separator: ", ")])
    }

    // MARK: Membership

    @Test func `A fetched list has the reply's members in the server's order`() async throws {
        let (service, author) = try await author { _ in .json(#"[{"id": 3}, {"id": 9, "name": "New"}, {"id": 1}]"#) }
        let second = author.friends[1]
        let friends = try await author.$friends.fetch()
        #expect(friends.map(\.identifier) == [3, 9, 1])
        #expect(author.friends.map(\.identifier) == [3, 9, 1] && author.friends[0] === friends[0])
        #expect(!second.isDeleted, "what left the list is still there")
        #expect(service.stub.log == ["GET /authors/7/friends"])
    }

    @Test func `A fetched one-to-many list has the server's order and sets its members' links`() async throws {
        let service = try Service(replies: ["GET /authors/7/posts": .json(#"[{"id": 6}, {"id": 4}, {"id": 5}]"#)])
        let author = try await service.imported(Author.self, #"{"id": 7, "posts": [{"id": 4}, {"id": 8}]}"#)
        let gone = try #require(try service.main.find(Post.self, 8))
        try await author.$posts.fetch()
        #expect(author.posts.map(\.identifier) == [6, 4, 5] && author.posts.allSatisfy { $0.author === author })
        #expect(gone.author == nil && !gone.isDeleted)
    }

    @Test func `A list narrowed by a query is merged`() async throws {
        let (service, author) = try await author { _ in .json(#"[{"id": 9}, {"id": 3}]"#) }
        let found = try await author.$friends.fetch(query: ["q": "a&b=ü", "page": 2, "none": RouteValue.missing])
        #expect(found.map(\.identifier) == [9, 3])
        #expect(author.friends.map(\.identifier) == [1, 2, 3, 9])
        #expect(service.stub.log == ["GET /authors/7/friends?q=a%26b%3D%C3%BC&page=2"])
    }

    @Test func `A list declared as merging is merged, also over several pages`() async throws {
        let (_, author) = try await author { url in
            url.hasSuffix("=2") ? Self.page("[]") : Self.page(#"[{"id": 2}]"#, next: "/authors/7/followed?page=2")
        }
        try await author.$followed.fetch()
        try await author.$followed.fetch(pages: .all())
        #expect(author.followed.map(\.identifier) == [1, 2])
    }

    @Test(arguments: [StubTransport.Reply.json("[]"), .json(" [ ] ")])
    func `A fetched empty list is empty`(_ reply: StubTransport.Reply) async throws {
        let (_, author) = try await author { _ in reply }
        #expect(try await author.$friends.fetch().isEmpty)
        #expect(author.friends.isEmpty)
    }

    @Test(arguments: ["", " ", #"{"message": "Not now"}"#, "null", "7", #""[]""#, "<html>", #"{"items": [{"id": 1}]}"#])
    func `A reply that isn't a list throws and keeps the list`(_ body: String) async throws {
        let (service, author) = try await author { _ in .json(body) }
        let before = try await service.store.contents()
        let error = await failure { try await author.$friends.fetch() }
        switch error {
        case .body, .noObject: break
        default: Testing.Issue.record("\(error as Any)")
        }
        #expect(author.friends.map(\.identifier) == [1, 2, 3])
        #expect(try await service.store.contents() == before)
    }

    @Test func `A list with rejected elements unlinks no member`() async throws {
        let (_, author) = try await author { _ in .json(#"[{"id": 3}, {"id": "?"}, 7, {"name": "Nobody"}]"#) }
        let result = try await author.$friends.fetchReporting()
        #expect(result.objects.map(\.identifier) == [3])
        #expect(result.report.rejectedCount == 3)
        #expect(Set(author.friends.compactMap(\.identifier)) == [1, 2, 3])
    }

    @Test func `A single object instead of a list is added as a member`() async throws {
        let (_, author) = try await author { _ in .json(#"{"id": 9}"#) }
        try await author.$friends.fetch()
        #expect(author.friends.map(\.identifier) == [1, 2, 3, 9])
    }

    @Test func `A 304 returns the known list unchanged`() async throws {
        let (service, author) = try await author { _ in .status(304) }
        let before = try await service.store.contents()
        let friends = try await API.withHeaders([.ifNoneMatch: "\"a\""]) { try await author.$friends.fetch() }
        #expect(friends.map(\.identifier) == [1, 2, 3])
        #expect(try await service.store.contents() == before)
    }

    @Test func `A fetched list keeps pending edits`() async throws {
        let (_, author) = try await author { _ in .json(#"[{"id": 3}, {"id": 1}]"#) }
        author.friends = Array(author.friends.prefix(1))
        try await author.$friends.fetch()
        #expect(author.friends.map(\.identifier) == [1])
        try await author.context?.save()
        try await author.$friends.fetch()
        #expect(author.friends.map(\.identifier) == [1], "the edit is stored and not sent")
    }

    @Test func `A fetched list of an unsaved owner is stored with the owner`() async throws {
        let service = try Service(
            GitHub.models, conventions: .github, stub: StubTransport { _ in .json(#"[{"id": 2}]"#) })
        let ada = User(in: service.main)
        ada.login = "ada"
        try await ada.$repositories.fetch()
        #expect(ada.repositories.map(\.identifier) == [2] && ada.repositories[0].owner === ada && !ada.isInserted)
    }

    // MARK: Pages

    /// Three pages of friends; the last of them is 5.
    private nonisolated static let pages: @Sendable (String) -> StubTransport.Reply = { url in
        switch url {
        case "/authors/7/friends":
            page(#"[{"id": 1}, {"id": 4}]"#, next: "https://api.example.com/authors/7/friends?after=4")
        case "/authors/7/friends?after=4": page(#"[{"id": 4}, {"id": 2}]"#, next: "/elsewhere/3", prev: "/first")
        default: page(#"[{"id": 5}]"#, prev: "/authors/7/friends?after=4")
        }
    }

    @Test func `A first page with further pages is merged`() async throws {
        let (service, author) = try await author(Self.pages)
        #expect(try await author.$friends.fetch().map(\.identifier) == [1, 4])
        #expect(author.friends.map(\.identifier) == [1, 4, 2, 3])
        #expect(service.stub.log == ["GET /authors/7/friends"])
    }

    @Test func `All pages of a list replace the membership`() async throws {
        let (service, author) = try await author(Self.pages)
        let result = try await author.$friends.fetchReporting(pages: .all())
        #expect(result.objects.map(\.identifier) == [1, 4, 2, 5], "each once")
        #expect(author.friends.map(\.identifier) == [1, 4, 2, 5], "and 3 is gone")
        let pages = ["GET /authors/7/friends", "GET /authors/7/friends?after=4", "GET /elsewhere/3"]
        #expect(service.stub.log == pages + pages, "listed again, as somebody was missing")
        #expect(result.report.inserted == 2 && result.report.unchanged == 3 && result.report.unlinked == 1)
        #expect(result.pruned?.proof == .sameTwice && result.pruned?.unlinked == 1)
    }

    @Test(arguments: [#"[{"id": 2}, {"name": "Nobody"}]"#, #"[{"id": 2}, 7]"#], [false, true])
    func `Pages with rejected elements unlink no member`(_ rejected: String, _ isLast: Bool) async throws {
        let (_, author) = try await author { url in
            let isSecond = url.hasSuffix("page=2")
            let body = isSecond == isLast ? rejected : #"[{"id": 9}]"#
            return Self.page(body, next: isSecond ? nil : "/authors/7/friends?page=2")
        }
        let result = try await author.$friends.fetchReporting(pages: .all())
        #expect(result.report.rejectedCount == 1)
        #expect(author.friends.map(\.identifier) == (isLast ? [9, 1, 2, 3] : [2, 1, 3, 9]))
    }

    @Test func `A limited number of pages is merged`() async throws {
        let (service, author) = try await author(Self.pages)
        try await author.$friends.fetch(pages: .all(limit: 2))
        #expect(author.friends.map(\.identifier) == [1, 4, 2, 3])
        #expect(service.stub.log.count == 2)
    }

    @Test func `Pages before a failing one are kept`() async throws {
        let (_, author) = try await author { $0.contains("elsewhere") ? .status(500) : Self.pages($0) }
        let error = await failure { try await author.$friends.fetch(pages: .all()) }
        #expect(error?.reply?.kind == .server)
        #expect(author.friends.map(\.identifier) == [1, 4, 2, 3])
    }

    @Test func `Pages that link in a circle end`() async throws {
        let (service, author) = try await author { url in
            Self.page(#"[{"id": 1}]"#, next: url.contains("2") ? "/authors/7/friends" : "/authors/7/friends?page=2")
        }
        try await author.$friends.fetch(pages: .all())
        #expect(service.stub.log.count == 3, "the first comes again as it was, however its address is spelt")
        #expect(author.friends.map(\.identifier) == [1, 2, 3])
    }

    @Test func `All objects of a model are fetched over several pages`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                request.url.query() == nil
                    ? Self.page(#"[{"id": 2}, {"id": 1}]"#, next: "/authors?page=2") : Self.page(#"[{"id": 3}]"#)
            })
        let result = try await Author.fetchAllReporting(pages: .all(), in: service.main)
        #expect(result.objects.map(\.identifier) == [2, 1, 3] && result.report.inserted == 3)
        let again = try await Author.fetchAllReporting(pages: .all(), in: service.main)
        #expect(again.report.description == "0 inserted, 0 updated, 3 unchanged")
        #expect(zip(again.objects, result.objects).allSatisfy { $0 === $1 })
        #expect(try await Author.fetchAll(in: service.main).map(\.identifier) == [2, 1])
    }
}
