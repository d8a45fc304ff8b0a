import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// The store's knowledge of a list's completeness.
@MainActor @Suite struct ListCompletenessTests {
    private let file: TemporaryFile
    private let shop = Bookshop(Array(1...5))
    private let stub: StubTransport

    init() throws {
        file = try TemporaryFile()
        stub = shop.stub
    }

    @Model final class Nobody {
        var identifier: Int?
    }

    private func store() throws -> Store { try shop.store(.file(URL(filePath: file.path)), stub: stub) }

    @Test func `A list's completeness goes from never to part to whole and survives a restart`() async throws {
        var store = try store()
        var author = try await Author.fetch(key: 1, in: store.main)
        #expect(author.$posts.completeness.extent == .never && "\(author.$posts.completeness)" == "never listed")
        for try await page in author.$posts.pages() where page.progress.pageNumber == 2 { break }
        for round in 0..<2 {
            let part = author.$posts.completeness
            #expect(part.extent == .part && part.pageCount == 2 && part.objectCount == 4 && part.wholeAt == nil)
            #expect(part.bookmark?.fetchedCount == 4)
            if round == 0 { try await settle(store, file) }
            store = try self.store()
            author = try #require(try store.main.find(Author.self, 1))
        }
        let begun = try #require(author.$posts.completeness.listedAt)
        for try await _ in author.$posts.pages(from: author.$posts.completeness.bookmark) {}
        let gone = author.$posts.completeness
        #expect(gone.extent == .whole && gone.pageCount == 3 && gone.objectCount == 5 && gone.bookmark == nil)
        #expect(try #require(gone.wholeAt) <= begun, "what was broken off may have changed since it began")
        #expect(author.posts.count == 5)
        _ = try await author.$posts.fetch(pages: .all())
        for round in 0..<2 {
            let whole = author.$posts.completeness
            #expect(whole.extent == .whole && whole.wholeAt != nil && whole.pageCount == 3 && whole.objectCount == 5)
            #expect(whole.bookmark == nil)
            if round == 0 { try await settle(store, file) }
            store = try self.store()
            author = try #require(try store.main.find(Author.self, 1))
        }
        // A look at the first page takes nothing of that back.
        let whole = author.$posts.completeness
        _ = try await author.$posts.fetch()
        _ = try await author.$posts.pages().first()?.next()
        let looked = author.$posts.completeness
        #expect(looked.extent == .whole && looked.pageCount == 3 && looked.objectCount == 5 && looked.bookmark == nil)
        #expect(looked.wholeAt == whole.wholeAt && looked.listedAt != whole.listedAt)
    }

    /// Programs end without releasing their objects.
    @Test(arguments: [false, true])
    func `A list's completeness is stored when its store is closed`(_ isClosed: Bool) async throws {
        let others = Bookshop([1])
        var store: Store? = try others.store(.file(URL(filePath: file.path)), stub: others.stub)
        // A context of another store, so that the first one isn't alone with its knowledge.
        let outlasting = try #require(store).context(on: MainActor.shared)
        let author = try await Author.fetch(key: 1, in: #require(store).main)
        _ = try await author.$posts.fetch()
        if isClosed { store?.close() } else { store = nil }
        let copy = try file.copy()
        let later = try others.store(.file(URL(filePath: copy.path)), stub: others.stub)
        let same = try #require(try later.main.find(Author.self, 1))
        #expect(same.$posts.completeness.extent == .whole && same.$posts.completeness.objectCount == 1)
        withExtendedLifetime((store, outlasting)) {}
    }

    @Test func `Pages fetched one by one are the whole list once all have come`() async throws {
        let store = try store()
        let author = try await Author.fetch(key: 1, in: store.main)
        var page = try await author.$posts.pages().first()
        while let next = try await page?.next() {
            #expect(author.$posts.completeness.extent == (next.hasNext ? .part : .whole))
            page = next
        }
        let whole = author.$posts.completeness
        #expect(whole.extent == .whole && whole.objectCount == 5 && whole.pageCount == 3)
    }

    @Test func `Pages from an unknown bookmark leave the list a part`() async throws {
        let store = try store()
        let author = try await Author.fetch(key: 1, in: store.main)
        var bookmarks: [PageBookmark?] = []
        for try await page in author.$posts.pages(limit: 2) { bookmarks.append(page.bookmark) }
        // The store has seen two pages. It is unknown whether the second is unchanged when the list is continued from
        // there.
        for try await _ in author.$posts.pages(from: bookmarks[0]) {}
        #expect(author.$posts.completeness.extent == .part && author.$posts.completeness.bookmark == nil)
    }

    @Test func `A page with a rejected element leaves the list a part`() async throws {
        let stub = StubTransport { request in
            let isLast = request.url.query() == "page=2"
            let next: HTTPFields = [.init("Link")!: "<https://api.example.com/posts?page=2>; rel=\"next\""]
            return isLast ? .json(#"[{"id": 2}]"#) : .json(#"[{"id": 1}, {"title": "no id"}]"#, headerFields: next)
        }
        let service = try Service(stub: stub)
        let first = try await Post.pages(in: service.main).first()
        #expect(Post.completeness(in: service.main).bookmark == first?.bookmark)
        for try await _ in Post.pages(from: first?.bookmark, in: service.main) {}
        #expect(Post.completeness(in: service.main).extent == .part)
    }

    @Test func `The order of query parameters matters only for those of one name`() async throws {
        let store = try store()
        _ = try await Post.fetchAll(
            query: ["state": "open", "author": 1, "label": "b", "size": 7], pages: .all(), in: store.main)
        func extent(_ query: RouteQuery) -> ListCompleteness.Extent {
            Post.completeness(query: query, in: store.main).extent
        }
        #expect(extent(["label": "b", "author": 1, "size": 7, "state": "open"]) == .whole)
        #expect(extent(["label": "b", "author": 2, "size": 7, "state": "open"]) == .never)
        _ = try await Post.fetchAll(query: ["label": "a", "label": "b"], pages: .all(), in: store.main)
        #expect(extent(["label": "a", "label": "b"]) == .whole && extent(["label": "b", "label": "a"]) == .never)
    }

    /// Waits until the listings are in the file.
    private func settle(_ store: Store, _ file: TemporaryFile) async throws {
        try await store.main.importReporting(Picture.self, from: Data(#"{"id": 1}"#.utf8))
    }

    @Test func `Completeness is known per query and for all objects`() async throws {
        let store = try store()
        let main = store.main
        let author = try await Author.fetch(key: 1, in: main)
        _ = try await author.$posts.fetch(query: ["state": "open", "per_page": 3], pages: .all())
        #expect(author.$posts.completeness(query: ["state": "open"]).extent == .whole)
        #expect(author.$posts.completeness(query: ["state": "closed"]).extent == .never)
        #expect(author.$posts.completeness.wholeAt == nil && author.$posts.completeness.extent != .whole)
        #expect(Post.completeness(in: main).extent == .never)
        _ = try await Post.fetchAll(in: main)
        #expect(Post.completeness(in: main).extent == .part)
        _ = try await Post.fetchAll(pages: .all(), in: main)
        #expect(Post.completeness(in: main).extent == .whole && Author.completeness(in: main).extent == .never)
        _ = try await Post.fetchAll("/posts/recent", query: ["token": "secret"], in: main)
        let names = try main.knownListings().map { "\($0)".prefix { $0 != ":" } }
        #expect(
            names.sorted() == ["Author 1 posts ?state=open", "Post", "Post /posts/recent?token=REDACTED"], "\(names)")
    }

    @Test func `A context's explanation lists the fetched lists`() async throws {
        let store = try store()
        let main = store.main
        #expect(try main.explain(Author.self) == store.explain(Author.self) + "\nListed\n  nothing")
        let author = try await Author.fetch(key: 1, in: main)
        _ = try await author.$posts.fetch(query: ["state": "open", "per_page": 3], pages: .all())
        _ = try await author.$posts.fetch(pages: .all())
        let lines = try main.explain(Author.self).split(separator: "\n").suffix(3)
        #expect(
            lines.first == "Listed"
                && lines.dropFirst().first?.hasPrefix("  Author 1 posts              whole as of ") == true)
        #expect(lines.last?.hasPrefix("  Author 1 posts ?state=open  whole as of ") == true, "\(lines)")
        #expect(try !main.explain(Post.self).contains("Author 1"))
        #expect(try main.explain(Nobody.self).hasSuffix("is not among the models that this store was opened with."))
    }

    @Test func `A deleted object that returns has no listed relationships`() async throws {
        let store = try store()
        let author = try await Author.fetch(key: 1, in: store.main)
        _ = try await author.$posts.fetch(pages: .all())
        store.main.delete(author)
        try await store.main.save()
        let again = try await Author.fetch(key: 1, in: store.main)
        #expect(again.$posts.completeness.extent == .never)
        #expect(try store.main.knownListings().isEmpty)
    }

    @Test func `A list within its owner is whole or a part as its signs say`() async throws {
        let store = try store()
        let whole = try await store.imported(Author.self, #"{"id": 2, "posts": [{"id": 1}]}"#)
        #expect(whole.$posts.completeness.extent == .whole && whole.$posts.completeness.wholeAt == nil)
        let part = try await store.imported(
            Author.self, #"{"id": 3, "posts_count": 7, "posts": [{"id": 2}]}"#)
        #expect(part.$posts.completeness.extent == .part)
    }

    @Test func `A listing that moved meanwhile, or a stored answer, doesn't make the list whole`()
        async throws
    {
        let store = try store()
        let author = try await Author.fetch(key: 1, in: store.main)
        _ = try await author.$posts.fetch(pages: .all())
        let whole = try #require(author.$posts.completeness.wholeAt)
        let asked = Box(0)
        shop.change.value = { posts in
            asked.value += 1
            if asked.value == 2 { posts.removeAll { $0 == 1 } }
        }
        _ = try await author.$posts.fetch(pages: .all())
        #expect(author.$posts.completeness.wholeAt == whole)
        shop.change.value = nil
        let before = author.$posts.completeness.listedAt
        _ = try await author.$posts.fetch(.cached, pages: .all())
        #expect(author.$posts.completeness.listedAt == before)
        _ = try await author.$posts.fetch(pages: .all())
        #expect(try #require(author.$posts.completeness.wholeAt) > whole)
    }

    @Model("/issues", changes: "/issues?project_key=:project_key&since=:updated_at") final class Issue {
        var identifier: Int?
        var updatedAt: Date?
    }

    @Test func `The newest listings of many queries are kept, with the list's own and each feed's`()
        async throws
    {
        let stub = StubTransport { _ in .json(#"[{"id": 1, "updated_at": "2026-11-23T10:00:00Z"}]"#) }
        let clock = Box(1_800_000_000.0)
        var api = API("https://api.example.com", transport: stub)
        api.now = { clock.value }
        do {
            let store = try self.store(api)
            for project in 1...30 { try await Issue.fetchChanges(["project_key": project], in: store.main) }
            _ = try await Issue.fetchAll(in: store.main)
            for number in 1...150 {
                clock.value += 1
                _ = try await Issue.fetchAll(query: ["q": "\(number)"], in: store.main)
                // Each is written separately.
                _ = try await store.main.import(Issue.self, from: Data("{\"id\": \(number + 1)}".utf8))
            }
        }
        let store = try store(api)
        let count = try store.main.rows("SELECT count(*) FROM _listing").first?[0, as: Int.self]
        #expect(count == 30 + 1 + 100)
        let known = try store.main.knownListings()
        #expect(known.count == 30 + 1 + 100)
        #expect(Issue.completeness(in: store.main).extent == .whole)
        let last = Issue.completeness(query: ["q": "150"], in: store.main)
        let first = Issue.completeness(query: ["q": "50"], in: store.main)
        #expect(last.extent == .whole && first.extent == .never)
        stub.forgetRequests()
        for project in 1...30 { try await Issue.fetchChanges(["project_key": project], in: store.main) }
        #expect(stub.log.allSatisfy { $0.hasSuffix("&since=2026-11-23T10%3A00%3A00Z") } && stub.log.count == 30)
    }

    private func store(_ api: API) throws -> Store {
        try Store(.file(URL(filePath: file.path)), models: [Issue.self], api: api)
    }
}
