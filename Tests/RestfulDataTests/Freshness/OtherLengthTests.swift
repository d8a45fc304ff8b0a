import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A list that the store has in pages of one length answers for it in any other, where the server is not to be asked.
@MainActor @Suite struct OtherLengthTests {
    private func shop(_ style: Bookshop.Style = .link, _ location: Store.Location = .temporary) throws
        -> (StubTransport, Store)
    {
        let stub = Bookshop(Array(1...7), style: style).stub
        return (stub, try Bookshop([], style: style).store(location, stub: stub))
    }

    private nonisolated static let styles: [Bookshop.Style] = [.link, .offset, .cursorByIndex, .after, .oneAnswer]

    @Test(arguments: styles)
    func `Pages read to the end answer an offline fetch of any page size`(_ style: Bookshop.Style)
        async throws
    {
        let (stub, store) = try shop(style)
        for try await _ in Post.pages(size: 3, in: store.main) {}
        stub.forgetRequests()
        for pages in [Pages.first, .all()] {
            let all = try await Post.fetchAllReporting(pages: pages, policy: .offline, in: store.main)
            #expect(all.objects.map(\.identifier) == Array(1...7) && all.source == .store && !all.report.hasMore)
        }
        let other = try await Post.fetchAll(query: ["per_page": 50], policy: .offline, in: store.main)
        #expect(other.count == 7 && stub.log.isEmpty)
    }

    @Test func `Pages of a relationship answer an offline fetch after a restart`() async throws {
        let file = try TemporaryFile()
        do {
            let (_, store) = try shop(.link, .file(file.path))
            let author = try await Author.fetch(key: 1, in: store.main)
            for try await _ in author.$posts.pages(size: 3) {}
        }
        let copy = try file.copy()
        let (stub, store) = try shop(.link, .file(copy.path))
        let author = try #require(try store.main.find(Author.self, 1))
        let posts = try await author.$posts.fetch(.offline)
        #expect(posts.map(\.identifier) == Array(1...7) && stub.log.isEmpty)
    }

    @Test func `The newest of several listings with different page sizes answers`() async throws {
        let shop = Bookshop(Array(1...7))
        let stub = shop.stub
        let clock = Box(1_800_000_000.0)
        var api = API("https://api.example.com", transport: stub)
        api.now = { clock.value }
        let store = try Store(.temporary, models: Blog.models, api: api)
        for (size, posts) in [(3, [1, 2, 3, 4]), (2, [4, 3, 2]), (4, [9, 1])] {
            clock.value += 60
            shop.posts.value = posts
            for try await _ in Post.pages(size: size, in: store.main) {}
        }
        #expect(try await Post.fetchAll(policy: .offline, in: store.main).map(\.identifier) == [9, 1])
    }

    @Test func `Incomplete pages, or another list's, don't answer an offline fetch`() async throws {
        let (stub, store) = try shop()
        for try await _ in Post.pages(size: 3, limit: 2, in: store.main) {}
        for try await _ in Post.pages("/other", size: 3, in: store.main) {}
        stub.forgetRequests()
        for pages in [Pages.first, .all()] {
            let error = await failure {
                _ = try await Post.fetchAll(pages: pages, policy: .offline, in: store.main)
            }
            guard case .notStored? = error else {
                Testing.Issue.record("\(error as Any)")
                return
            }
            #expect(error?.description.contains("query()") == true)
        }
        #expect(try await Post.fetchAll("/other", policy: .offline, in: store.main).count == 7)
        #expect(stub.log.isEmpty)
    }

    @Test func `Another account's pages don't answer an offline fetch`() async throws {
        let stub = Bookshop(Array(1...4)).stub
        let store = try Store(.temporary, models: Blog.models, api: API("https://api.example.com", transport: stub))
        func stored(_ account: String) async throws -> Int {
            try await API.withHeaders([.authorization: account]) {
                try await Post.fetchAll(policy: .offline, in: store.main).count
            }
        }
        try await API.withHeaders([.authorization: "one"]) {
            for try await _ in Post.pages(size: 3, in: store.main) {}
        }
        #expect(try await stored("one") == 4)
        guard case .notStored? = await failure({ _ = try await stored("two") }) else {
            Testing.Issue.record("the first account's pages were given to the second")
            return
        }
    }
}
