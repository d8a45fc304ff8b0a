import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Members omitted by a listing are deleted only on proof.
@MainActor @Suite struct PruningTests {
    private func shop(
        _ posts: [Int], style: Bookshop.Style = .link, hasValidators: Bool = true
    ) async throws -> (Bookshop, StubTransport, Store, Author) {
        let shop = Bookshop(posts, style: style, hasValidators: hasValidators)
        let stub = shop.stub
        let store = try shop.store(stub: stub)
        let author = try await Author.fetch(key: 1, in: store.main)
        _ = try await author.$posts.fetch(pages: .all())
        stub.forgetRequests()
        return (shop, stub, store, author)
    }

    private func all(_ store: Store) throws -> [Int] {
        try store.main.query(Post.self).fetch().compactMap(\.identifier).sorted()
    }

    @Test(arguments: Bookshop.Style.allCases, [true, false])
    func `A listing prunes missing objects with proof`(_ style: Bookshop.Style, _ deletes: Bool) async throws {
        let (shop, stub, store, author) = try await shop(Array(1...6), style: style)
        shop.posts.value = [1, 3, 4, 6]
        let result = try await author.$posts.fetchReporting(pages: .all(), prune: deletes ? .delete : .unlink)
        #expect(author.posts.map(\.identifier) == [1, 3, 4, 6])
        #expect(try all(store) == (deletes ? [1, 3, 4, 6] : Array(1...6)))
        let pruned = try #require(result.pruned)
        #expect(pruned.unlinked == 2 && pruned.deleted == (deletes ? 2 : 0) && pruned.kept == 0)
        #expect(result.report.unlinked == 2 && result.report.deleted == pruned.deleted)
        let proof: PruneReport.Proof = style == .oneAnswer ? .oneAnswer : style == .after ? .order : .sameTwice
        #expect(pruned.proof == proof && pruned.obstacle == nil)
        let pages = Set(stub.log).count
        #expect(stub.log.count == (proof == .sameTwice ? 2 * pages : pages), "\(stub.log)")
    }

    @Test func `A listing without missing objects isn't repeated`() async throws {
        let (shop, stub, store, author) = try await shop(Array(1...6))
        shop.posts.value.append(7)
        let result = try await author.$posts.fetchReporting(pages: .all())
        #expect(stub.log.count == 4 && result.pruned.isNothing)
        #expect(try await author.$posts.fetchReporting(pages: .all()).pruned.isNothing)
        #expect(try all(store) == Array(1...7))
    }

    @Test func `Objects that move between two pages aren't pruned`() async throws {
        let (shop, _, store, author) = try await shop(Array(1...6))
        // After the first page has been fetched, its first object is deleted: the third is on no page that is read.
        let asked = Box(0)
        shop.change.value = { posts in
            asked.value += 1
            if asked.value == 2 { posts.removeAll { $0 == 1 } }
        }
        let result = try await author.$posts.fetchReporting(pages: .all(), prune: .delete)
        #expect(result.pruned?.obstacle == .changing && result.pruned?.deleted == 0)
        #expect(author.posts.count == 6)
        #expect(try all(store) == Array(1...6))
        shop.change.value = nil
        let quiet = try await author.$posts.fetchReporting(pages: .all(), prune: .delete)
        #expect(quiet.pruned?.deleted == 1 && quiet.pruned?.proof == .sameTwice)
        #expect(try all(store) == [2, 3, 4, 5, 6])
    }

    @Test func `A failing second listing is no error, and nothing is pruned`() async throws {
        let (shop, stub, store, author) = try await shop(Array(1...6), hasValidators: false)
        shop.posts.value = [2, 3, 4, 5, 6]
        let count = Box(0)
        let failing = StubTransport { request throws(TransportError) in
            count.value += 1
            if count.value > 3 { throw TransportError(.connectionLost, request) }
            return shop.answer(request)
        }
        let other = try shop.store(stub: failing)
        let same = try await other.imported(Author.self, #"{"id": 1, "posts": [{"id": 1}, {"id": 2}]}"#)
        let result = try await same.$posts.fetchReporting(pages: .all())
        #expect(result.pruned?.obstacle == .unproven && result.objects.count == 5 && same.posts.count == 6)
        _ = (stub, store, author)
    }

    @Test func `A whole collection deletes the objects that it omits`() async throws {
        let (shop, stub, store, author) = try await shop(Array(1...6))
        shop.posts.value = [1, 2, 3]
        let result = try await Post.fetchAllReporting(pages: .all(), prune: .delete, in: store.main)
        #expect(result.pruned?.deleted == 3 && result.pruned?.proof == .sameTwice)
        #expect(try all(store) == [1, 2, 3] && author.posts.map(\.identifier) == [1, 2, 3])
        _ = stub
    }

    /// Reasons not to prune, by the query, the template and the policy.
    @Test func `An incomplete or narrowed collection deletes nothing`() async throws {
        let (shop, _, store, _) = try await shop(Array(1...4))
        shop.posts.value = [1]
        func obstacle(_ result: Imported<Post>) -> PruneReport.Obstacle? { result.pruned?.obstacle }
        let main = store.main
        let some = try await Post.fetchAllReporting(query: ["state": "open"], pages: .all(), prune: .delete, in: main)
        #expect(obstacle(some) == .otherScope)
        let other = try await Post.fetchAllReporting("/posts/recent", pages: .all(), prune: .delete, in: main)
        #expect(obstacle(other) == .otherScope)
        shop.posts.value = [1, 2, 3]
        let first = try await Post.fetchAllReporting(prune: .delete, in: main)
        #expect(obstacle(first) == .incomplete)
        let stored = try await Post.fetchAllReporting(policy: .cached, prune: .delete, in: main)
        #expect(obstacle(stored) == .stored)
        #expect(try all(store) == [1, 2, 3, 4])
        let keyed = try? await Post.fetchAllReporting(at: "items", pages: .all(), prune: .delete, in: main)
        #expect(keyed == nil || keyed.map(obstacle) == .otherScope)
        func asking(_ name: HTTPField.Name) async throws -> Imported<Post> {
            try await API.withHeaders([name: "b"]) {
                try await Post.fetchAllReporting(pages: .all(), prune: .delete, in: main)
            }
        }
        #expect(obstacle(try await asking(HTTPField.Name("X-Tenant")!)) == .otherScope)
        #expect(obstacle(try await asking(.authorization)) == .otherScope)
        #expect(try all(store) == [1, 2, 3, 4])
        #expect(try await asking(.acceptLanguage).pruned?.deleted == 1)
        _ = try await store.imported(Post.self, #"{"id": 4}"#)
        let none = try await Post.fetchAllReporting(pages: .all(), in: main)
        #expect(none.pruned == nil)
        #expect(try all(store) == [1, 2, 3, 4])
    }

    /// The values around the first page, of four posts in pages of two, and whether the next page is requested.
    @Test(arguments: [
        (#""total": 2"#, true), (#""total": 4"#, true), (#""total": 2, "has_more": false"#, false),
        (#""total": 2, "total_pages": 1"#, false),
    ])
    func `A total that may be the page's own doesn't end the pages`(_ said: String, _ goesOn: Bool) async throws {
        var conventions = APIConventions.default
        conventions.paging = .offset()
        conventions.envelopes = .lists("items")
        let stub = StubTransport { request in
            let start = request.url.query()?.contains("offset=2") == true ? 3 : 1
            if request.url.query()?.contains("offset=4") == true { return .json(#"{"items": []}"#) }
            return .json(#"{"items": [{"id": \#(start)}, {"id": \#(start + 1)}], \#(said)}"#)
        }
        let service = try Service(conventions: conventions, stub: stub)
        _ = try await service.imported(Post.self, #"[{"id": 3}, {"id": 4}, {"id": 5}]"#)
        let result = try await Post.fetchAllReporting(pages: .all(), prune: .delete, in: service.main)
        #expect(try all(service.store) == (goesOn ? [1, 2, 3, 4] : [1, 2]))
        #expect(result.pruned?.deleted == (goesOn ? 1 : 3))
    }

    @Test func `A collection with a page on another host deletes nothing`() async throws {
        let link = HTTPField.Name("Link")!
        let stub = StubTransport { request in
            request.url.host() == "api.example.com"
                ? .json(#"[{"id": 1}]"#, headerFields: [link: "<https://other.example.com/posts?page=2>; rel=\"next\""])
                : .json(#"[{"id": 2}]"#)
        }
        let service = try Service(stub: stub)
        _ = try await service.imported(Post.self, #"[{"id": 2}, {"id": 3}]"#)
        let result = try await Post.fetchAllReporting(pages: .all(), prune: .delete, in: service.main)
        #expect(result.pruned?.obstacle == .otherScope && result.objects.map(\.identifier) == [1, 2])
        #expect(try all(service.store) == [1, 2, 3])
    }

    @Test func `Nothing is pruned if pruning is never allowed`() async throws {
        for style in [Bookshop.Style.link, .oneAnswer] {
            let (shop, _, store, author) = try await shop(Array(1...5), style: style)
            shop.posts.value = [1, 2]
            let result = try await author.$posts.fetchReporting(pages: .all(), prune: .never)
            #expect(author.posts.map(\.identifier) == Array(1...5) && result.pruned == nil)
            _ = store
        }
    }

    // MARK: Unsent and newer values

    @Test func `Pruning keeps objects with pending edits and their targets`() async throws {
        let (shop, _, store, author) = try await shop(Array(1...6))
        let main = store.main
        try #require(try main.find(Post.self, 2)).title = "edited and saved"
        let mine = Post(in: main)
        (mine.title, mine.author) = ("mine", author)
        let remark = Remark(in: main)
        remark.post = try main.find(Post.self, 3)
        try await main.save()
        try #require(try main.find(Post.self, 4)).title = "edited"
        shop.posts.value = [1]
        let result = try await Post.fetchAllReporting(pages: .all(), prune: .delete, in: main)
        #expect(result.pruned?.deleted == 2 && result.pruned?.kept == 2, "\(result.pruned as Any)")
        #expect(try all(store) == [1, 2, 3, 4] && !mine.isDeleted && remark.post?.identifier == 3)
        #expect(try main.find(Post.self, 4)?.title == "edited")
    }

    @Test func `Pruning keeps an object created during the listing`() async throws {
        let held = HeldTransport()
        let store = try Store(.temporary, models: Blog.models, api: API("https://api.example.com", transport: held))
        let author = try await store.imported(Author.self, #"{"id": 1, "posts": [{"id": 1}, {"id": 2}]}"#)
        let listing = Task {
            try await Post.fetchAllReporting(prune: .delete, in: store.main).pruned
        }
        await held.wait(for: 1)
        let mine = Post(in: store.main)
        (mine.title, mine.author) = ("mine", author)
        let creating = Task { try await mine.create() }
        await held.wait(for: 2)
        held.answer(1, .json(#"{"id": 3, "title": "mine"}"#, status: 201))
        try await creating.value
        // A stored post that another reply has confirmed meanwhile.
        let post = try #require(try store.main.find(Post.self, 2))
        post.title = "other"
        let saving = Task { try await post.save() }
        await held.wait(for: 3)
        held.answer(2, .json(#"{"id": 2, "title": "other"}"#))
        try await saving.value
        held.answer(0, .json(#"[]"#))
        let pruned = try await listing.value
        #expect(try all(store) == [2, 3])
        #expect(pruned?.deleted == 1 && pruned?.kept == 1)
    }
}

extension PruneReport? {
    fileprivate var isNothing: Bool { self.map { "\($0)" } == "nothing to prune" }
}
