import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// Lists of several pages, of which some are as they were.
@MainActor @Suite struct KeptPageTests {
    private static func page(_ ids: [Int]) -> String {
        "[" + ids.map { "{\"id\": \($0), \"title\": \"p\($0)\"}" }.joined(separator: ", ") + "]"
    }

    private func subscriber(_ pages: [[Int]]) throws -> Subscriber {
        let newsstand = Newsstand(["/authors/1": #"{"id": 1, "name": "Ada"}"#])
        set(pages, newsstand)
        return try Subscriber(newsstand)
    }

    private func set(_ pages: [[Int]], _ newsstand: Newsstand) {
        for (number, ids) in pages.enumerated() {
            let path = "/authors/1/posts" + (number == 0 ? "" : "?page=\(number + 1)")
            newsstand.pages.value[path] = Self.page(ids)
            let next = "<https://api.example.com/authors/1/posts?page=\(number + 2)>; rel=\"next\""
            newsstand.fields.value[path] = number + 1 < pages.count ? [HTTPField.Name("Link")!: next] : [:]
        }
    }

    @Test func `Each page is revalidated with its own validator`() async throws {
        let subscriber = try subscriber([[1, 2], [3, 4], [5]])
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        #expect(try await author.$posts.fetch(pages: .all()).map(\.identifier) == [1, 2, 3, 4, 5])
        _ = subscriber.log()
        let before = try await subscriber.store.contents()
        let all = try await author.$posts.fetchReporting(pages: .all())
        #expect(all.objects.map(\.identifier) == [1, 2, 3, 4, 5] && all.source == .validated)
        #expect(all.report.keptAnswers == 3 && !all.report.hasMore)
        let pages = [
            "GET /authors/1/posts ?tag", "GET /authors/1/posts?page=2 ?tag", "GET /authors/1/posts?page=3 ?tag",
        ]
        #expect(subscriber.log() == pages)
        #expect(try await subscriber.store.contents() == before)
    }

    @Test func `A stored answer isn't used for pages requested in another way`() async throws {
        let subscriber = try subscriber([[1, 2]])
        let path = "/authors/1/posts"
        subscriber.newsstand.pages.value["\(path)?page=2"] = Self.page([3])
        subscriber.newsstand.pages.value["\(path)?page=3"] = "[]"
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        try await subscriber.main.importReporting(Post.self, from: Data(#"{"id": 3, "author": {"id": 1}}"#.utf8))
        _ = try await author.$posts.fetch(prune: .never)
        for _ in 0..<2 {
            let all = try await author.$posts.fetch(pages: .all(by: .pageNumber()))
            #expect(all.map(\.identifier) == [1, 2, 3])
            #expect(author.posts.map(\.identifier) == [1, 2, 3])
        }
    }

    /// By the changed pages: the resulting list.
    @Test(arguments: [
        [[1, 2], [3, 4], [6]], [[1, 2], [4, 3], [5]], [[9, 1], [2, 3], [4, 5]], [[1, 2], [3]],
        [[1, 2], [3, 4], [5], [6]],
        [[1, 2], [3, 4], []],
    ])
    func `Changed pages are fetched, and unchanged pages are kept`(_ pages: [[Int]]) async throws {
        let subscriber = try subscriber([[1, 2], [3, 4], [5]])
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        _ = try await author.$posts.fetch(pages: .all())
        set(pages, subscriber.newsstand)
        let all = try await author.$posts.fetch(pages: .all())
        #expect(all.map(\.identifier) == pages.flatMap { $0 })
        #expect(author.posts.map(\.identifier) == pages.flatMap { $0 })
        let fresh = try Subscriber(subscriber.newsstand)
        let other = try await Author.fetch(key: 1, in: fresh.main)
        _ = try await other.$posts.fetch(pages: .all())
        #expect(other.posts.map(\.identifier) == author.posts.map(\.identifier))
    }

    @Test func `A member that joined locally leaves the list when a 304 confirms it`() async throws {
        let subscriber = try subscriber([[1, 2], [3]])
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        _ = try await author.$posts.fetch(pages: .all())
        try await subscriber.main.importReporting(Post.self, from: Data(#"{"id": 8, "author": {"id": 1}}"#.utf8))
        #expect(author.posts.count == 4)
        _ = try await author.$posts.fetch(pages: .all())
        #expect(author.posts.map(\.identifier) == [1, 2, 3])
        // Local unsent edits are excluded.
        let mine = try #require(author.posts.last)
        author.posts = [mine]
        _ = try await author.$posts.fetch(pages: .all())
        #expect(author.posts == [mine])
        try await subscriber.main.save()
        _ = try await author.$posts.fetch(pages: .all())
        #expect(author.posts == [mine])
    }

    @Test(arguments: [FetchPolicy.cached, .offline, .ifOlder(than: .seconds(60)), .revalidate.orStored])
    func `A stored answer that isn't revalidated unlinks nothing`(_ policy: FetchPolicy) async throws {
        let subscriber = try subscriber([[1, 2], [3]])
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        _ = try await author.$posts.fetch(pages: .all())
        try await subscriber.main.importReporting(Post.self, from: Data(#"{"id": 8, "author": {"id": 1}}"#.utf8))
        subscriber.newsstand.isAway.value = policy == .revalidate.orStored
        _ = subscriber.log()
        if policy == .ifOlder(than: .seconds(60)) {
            // The list differs from the server's answer, so it is fetched.
            #expect(try await author.$posts.fetchReporting(policy, pages: .all()).source == .validated)
            #expect(author.posts.map(\.identifier) == [1, 2, 3])
        } else {
            let all = try await author.$posts.fetchReporting(policy, pages: .all())
            #expect(all.objects.map(\.identifier) == [1, 2, 3] && all.source == .store)
            #expect(Set(author.posts.compactMap(\.identifier)) == [1, 2, 3, 8])
        }
    }

    @Test func `A member acknowledged during a revalidation survives its 304`()
        async throws
    {
        let held = HeldTransport()
        let store = try Store(.temporary, models: Blog.models, api: API("https://api.example.com", transport: held))
        let author = try await store.imported(Author.self, #"{"id": 1, "name": "Ada"}"#)
        let friend = try await store.imported(Author.self, #"{"id": 9, "name": "Eve"}"#)
        let tag: HTTPFields = [.eTag: "\"a\""]
        let first = Task { _ = try await author.$friends.fetch() }
        await held.wait(for: 1)
        held.answer(0, .json(#"[{"id": 2, "name": "Joe"}]"#, headerFields: tag))
        try await first.value
        let again = Task { _ = try await author.$friends.fetch() }
        await held.wait(for: 2)
        let adding = Task { try await author.$friends.add(friend) }
        await held.wait(for: 3)
        held.answer(2, .status(204))
        try await adding.value
        held.answer(1, .status(304, headerFields: tag))
        try await again.value
        #expect(author.friends.map(\.identifier) == [2, 9])
    }

    @Test func `A stored answer used without a request changes no link`() async throws {
        let newsstand = Newsstand(["/authors/1/favourite": #"{"id": 5, "title": "five"}"#])
        let subscriber = try Subscriber(newsstand)
        let author = try await subscriber.store.imported(Author.self, #"{"id": 1, "name": "Ada"}"#)
        _ = try await author.$favourite.fetch()
        try await subscriber.main.importReporting(
            Author.self, from: Data(#"{"id": 1, "favourite": {"id": 6, "title": "six"}}"#.utf8))
        for policy in [FetchPolicy.cached, .offline] {
            #expect(try await author.$favourite.fetch(policy)?.identifier == 6 && author.favourite?.identifier == 6)
        }
        _ = subscriber.log()
        #expect(try await author.$favourite.fetch(.ifOlder(than: .seconds(60)))?.identifier == 5)
        #expect(subscriber.log() == ["GET /authors/1/favourite"] && author.favourite?.identifier == 5)
    }

    @Test func `A revalidated first page is merged as a part of the list`() async throws {
        let subscriber = try subscriber([[1, 2], [3]])
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        _ = try await author.$posts.fetch(pages: .all())
        let first = try await author.$posts.fetchReporting()
        #expect(first.objects.map(\.identifier) == [1, 2] && first.report.hasMore)
        #expect(author.posts.map(\.identifier) == [1, 2, 3])
    }

    @Test func `Offline pages come from the store`() async throws {
        let subscriber = try subscriber([[1, 2], [3]])
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        _ = try await author.$posts.fetch(pages: .all())
        _ = subscriber.log()
        let all = try await author.$posts.fetchReporting(.offline, pages: .all())
        #expect(all.objects.map(\.identifier) == [1, 2, 3] && all.source == .store && subscriber.log().isEmpty)
    }

    @Test func `An empty list is revalidated as an empty list`() async throws {
        let subscriber = try subscriber([[]])
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        #expect(try await author.$posts.fetch().isEmpty)
        let again = try await author.$posts.fetchReporting()
        #expect(again.objects.isEmpty && again.source == .validated)
    }
}
