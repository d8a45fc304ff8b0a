import Foundation
import HTTPTypes
import Observation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A list in pages is in the server's order as far as the pages show it: new members on its first page are in front.
@MainActor @Suite struct PageOrderTests {
    private nonisolated static let styles: [Bookshop.Style] = [.link, .pageNumber, .offset, .cursorByIndex, .nextURL]

    private func shop(
        _ posts: [Int], style: Bookshop.Style = .link, in location: Store.Location = .temporary
    ) async throws -> (Bookshop, Store, Author) {
        let shop = Bookshop(posts, style: style, hasValidators: false)
        let store = try shop.store(location, stub: shop.stub)
        let author = try await Author.fetch(key: 1, in: store.main)
        _ = try await author.$posts.fetch(pages: .all())
        return (shop, store, author)
    }

    @Test(arguments: styles)
    func `New members on the first page go to the front`(_ style: Bookshop.Style) async throws {
        let (shop, store, author) = try await shop(Array(1...6), style: style)
        shop.posts.value = [7] + Array(1...6)
        let page = try await author.$posts.fetch()
        #expect(page.map(\.identifier) == [7, 1])
        #expect(author.posts.map(\.identifier) == [7, 1, 2, 3, 4, 5, 6])
        // So it is from then on.
        shop.posts.value = [9, 8] + shop.posts.value
        _ = try await author.$posts.fetch()
        #expect(author.posts.map(\.identifier) == [9, 8, 7, 1, 2, 3, 4, 5, 6])
        _ = try await author.$posts.fetch(pages: .all())
        #expect(author.posts.map(\.identifier) == shop.posts.value)
        _ = store
    }

    @Test(arguments: styles)
    func `New members on later pages go to the front up to the known ones`(_ style: Bookshop.Style) async throws {
        let (shop, _, author) = try await shop([1, 2], style: style)
        shop.posts.value = [9, 8, 7, 6, 5, 1, 2, 3, 4]
        var seen: [[Int?]] = []
        for try await page in author.$posts.pages(prune: .never) {
            _ = page
            seen.append(author.posts.map(\.identifier))
        }
        #expect(
            seen.prefix(5) == [
                [9, 8, 1, 2], [9, 8, 7, 6, 1, 2], [9, 8, 7, 6, 5, 1, 2], [9, 8, 7, 6, 5, 1, 2, 3],
                [9, 8, 7, 6, 5, 1, 2, 3, 4],
            ])
    }

    @Test func `A page kept while members move is appended`() async throws {
        let (shop, _, author) = try await shop([1, 2])
        shop.posts.value = [9, 8, 7, 1, 2]
        var kept: ListPage<Post>?
        for try await page in author.$posts.pages() {
            kept = page
            break
        }
        #expect(author.posts.map(\.identifier) == [9, 8, 1, 2])
        let all = shop.posts.value
        shop.posts.value = [9, 8]
        _ = try await author.$posts.fetch(pages: .all())
        #expect(author.posts.map(\.identifier) == [9, 8])
        shop.posts.value = all
        _ = try await kept?.next()
        #expect(author.posts.map(\.identifier) == [9, 8, 7, 1])
    }

    @Test func `A member that moves to the front moves in the local list`() async throws {
        let (shop, store, author) = try await shop(Array(1...6))
        shop.posts.value = [5, 2, 1, 3, 4, 6]
        _ = try await author.$posts.fetch()
        #expect(author.posts.map(\.identifier) == [5, 2, 1, 3, 4, 6])
        #expect(try store.main.query(Post.self).count() == 6)
    }

    @Test func `New members in front survive a restart and show in another context`() async throws {
        let file = try TemporaryFile()
        let path = file.path
        do {
            let (shop, store, author) = try await shop(Array(1...6), in: .file(path))
            shop.posts.value = [8, 7] + Array(1...6)
            _ = try await author.$posts.fetch()
            let order = try await store.background { context in
                try context.find(Author.self, 1)?.posts.map(\.identifier)
            }
            #expect(order == [8, 7, 1, 2, 3, 4, 5, 6])
        }
        let again = try Bookshop([]).store(.file(path), stub: StubTransport { _ in .status(500) })
        #expect(try again.main.find(Author.self, 1)?.posts.map(\.identifier) == [8, 7, 1, 2, 3, 4, 5, 6])
    }

    @Test func `Pages from a bookmark after a restart keep the order`() async throws {
        let file = try TemporaryFile()
        let newer = [9, 8, 7, 6, 1, 2]
        let stored: Data
        do {
            let (shop, _, author) = try await shop([1, 2], in: .file(file.path))
            shop.posts.value = newer
            var bookmark: PageBookmark?
            for try await page in author.$posts.pages() {
                bookmark = page.bookmark
                break
            }
            stored = try JSONEncoder().encode(bookmark)
        }
        let shop = Bookshop(newer, hasValidators: false)
        let store = try shop.store(.file(file.path), stub: shop.stub)
        let author = try #require(try store.main.find(Author.self, 1))
        let bookmark = try JSONDecoder().decode(PageBookmark.self, from: stored)
        for try await page in author.$posts.pages(from: bookmark) { _ = page }
        #expect(author.posts.map(\.identifier) == newer)
    }

    @Test func `A list fetched for the first time is revalidated by its validators`() async throws {
        let shop = Bookshop(Array(1...5))
        let store = try shop.store(stub: shop.stub)
        let author = try await Author.fetch(key: 1, in: store.main)
        _ = try await author.$posts.fetch(pages: .all())
        #expect(try await author.$posts.fetchReporting(pages: .all()).source == .validated)
        #expect(author.posts.map(\.identifier) == Array(1...5))
    }

    @Test func `An unchanged page wakes no observers`() async throws {
        let (_, store, author) = try await shop(Array(1...6))
        for _ in 0..<2 {
            let isWoken = Box(false)
            withObservationTracking {
                _ = author.posts.count
            } onChange: {
                isWoken.value = true
            }
            _ = try await author.$posts.fetch()
            #expect(!isWoken.value && author.posts.map(\.identifier) == Array(1...6))
        }
        _ = store
    }

    @Test func `Pending members stay when new members go to the front`() async throws {
        let (shop, store, author) = try await shop(Array(1...4))
        let mine = Post(in: store.main)
        (mine.title, mine.author) = ("mine", author)
        try await store.main.save()
        let unsaved = Post(in: store.main)
        unsaved.author = author
        shop.posts.value = [9, 1, 2, 3, 4]
        _ = try await author.$posts.fetch()
        #expect(author.posts.map(\.identifier) == [9, 1, 2, 3, 4, nil, nil])
        try await store.main.save()
        #expect(author.posts.map(\.identifier) == [9, 1, 2, 3, 4, nil, nil])
    }

    /// With such a query, the position of the page in the list is unknown.
    @Test func `Members from a narrowed page are appended`() async throws {
        let (shop, _, author) = try await shop(Array(1...4))
        shop.posts.value = [9, 1, 2, 3, 4]
        _ = try await author.$posts.fetch(query: ["state": "open"])
        #expect(author.posts.map(\.identifier) == [1, 2, 3, 4, 9])
    }

    /// A locally edited list with its rows in a join table.
    @Test func `New members of a many-to-many list go to the front`() async throws {
        let server = try TestServer(models: Blog.models) {
            try $0.seed(Author.self, json: #"{"id": 99, "friend_ids": [1, 2, 3, 4]}"#)
            try $0.seed(Author.self, json: #"[{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}, {"id": 8}, {"id": 9}]"#)
            $0.pageSize = 2
        }
        let store = try Store(.temporary, models: Blog.models, api: API(server))
        let author = try await store.imported(Author.self, #"{"id": 99}"#)
        _ = try await author.$friends.fetch(pages: .all())
        #expect(author.friends.map(\.identifier) == [1, 2, 3, 4])
        try server.update(Author.self, 99, setting: ["friend_ids": [8, 1, 2, 3, 4]])
        _ = try await author.$friends.fetch()
        #expect(author.friends.map(\.identifier) == [8, 1, 2, 3, 4])
        author.friends.removeAll { $0.identifier == 2 }
        try await store.main.save()
        #expect(author.friends.map(\.identifier) == [8, 1, 3, 4])
        try server.update(Author.self, 99, setting: ["friend_ids": [9, 8, 1, 2, 3, 4]])
        _ = try await author.$friends.fetch()
        // Unsent edits don't affect other members.
        #expect(author.friends.map(\.identifier) == [9, 8, 1, 3, 4])
    }
}
