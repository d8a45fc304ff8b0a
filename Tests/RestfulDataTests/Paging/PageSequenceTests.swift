import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Lists page by page.
@MainActor @Suite struct PageSequenceTests {
    private func author(_ shop: Bookshop, _ stub: StubTransport, _ location: Store.Location = .temporary) async throws
        -> (Store, Author)
    {
        let store = try shop.store(location, stub: stub)
        let author = try await Author.fetch(key: 1, in: store.main)
        stub.forgetRequests()
        return (store, author)
    }

    @Test(arguments: Bookshop.Style.allCases)
    func `A loop over pages gives all in order and completes the list`(_ style: Bookshop.Style) async throws {
        let shop = Bookshop(Array(1...7), style: style)
        let stub = shop.stub
        let (store, author) = try await author(shop, stub)
        var pages: [[Int?]] = []
        for try await page in author.$posts.pages() { pages.append(page.objects.map(\.identifier)) }
        let expected = style == .oneAnswer ? [Array(1...7)] : [[1, 2], [3, 4], [5, 6], [7]]
        #expect(pages.filter { !$0.isEmpty } == expected)
        #expect(author.posts.map(\.identifier) == Array(1...7) && !author.$posts.isPartial)
        _ = store
    }

    @Test func `A loop requests one page ahead and no more`() async throws {
        let held = HeldTransport()
        let store = try Store(.temporary, models: Blog.models, api: API("https://api.example.com", transport: held))
        let author = try await store.imported(Author.self, #"{"id": 1, "name": "Ada"}"#)
        let iterator = author.$posts.pages(size: 1).makeAsyncIterator()
        func answer(_ index: Int, isLast: Bool = false) {
            let next = "<https://api.example.com/authors/1/posts?page=\(index + 2)>; rel=\"next\""
            held.answer(
                index, .json("[{\"id\": \(index + 1)}]", headerFields: isLast ? [:] : [HTTPField.Name("Link")!: next]))
        }
        let first = Task { try await iterator.next()?.objects.map(\.identifier) }
        await held.wait(for: 1)
        answer(0)
        #expect(try await first.value == [1])
        await held.wait(for: 2)
        answer(1)
        await giveWay()
        #expect(held.log.count == 2, "the third waits until the second is wanted")
        #expect(author.posts.map(\.identifier) == [1], "and nothing is imported before")
        #expect(try await iterator.next()?.objects.map(\.identifier) == [2])
        await held.wait(for: 3)
        answer(2, isLast: true)
        #expect(try await iterator.next()?.objects.map(\.identifier) == [3])
        #expect(try await iterator.next() == nil)
        #expect(author.posts.map(\.identifier) == [1, 2, 3] && held.log.count == 3)
    }

    @Test func `Leaving a loop cancels the request in flight`() async throws {
        let cancelled = Box(false)
        let shop = Bookshop(Array(1...6))
        let stub = StubTransport { request throws(TransportError) in
            guard request.url.query()?.contains("page=2") == true else { return shop.answer(request) }
            while !Task.isCancelled { await Task.yield() }
            cancelled.value = true
            throw TransportError(.cancelled, request)
        }
        let (_, author) = try await author(shop, stub)
        for try await page in author.$posts.pages() {
            #expect(page.objects.count == 2)
            while !stub.log.contains("GET /authors/1/posts?page=2") { await Task.yield() }
            break
        }
        while !cancelled.value { await Task.yield() }
        #expect(author.posts.map(\.identifier) == [1, 2])
    }

    @Test func `A page size is sent in the API's own parameter`() async throws {
        let shop = Bookshop(Array(1...7))
        let stub = shop.stub
        let (store, author) = try await author(shop, stub)
        for try await _ in author.$posts.pages(size: 4) {}
        #expect(stub.log == ["GET /authors/1/posts?per_page=4", "GET /authors/1/posts?per_page=4&page=2"])
        #expect(author.posts.count == 7 && !author.$posts.isPartial, "a size narrows nothing")
        stub.forgetRequests()
        for try await _ in Post.pages(size: 100, query: ["per_page": 5, "sort": "id"], in: store.main) {}
        #expect(stub.log == ["GET /posts?sort=id&per_page=100"])
    }

    @Test func `A page can fetch its next page repeatedly`() async throws {
        let shop = Bookshop(Array(1...5))
        let stub = shop.stub
        let (_, author) = try await author(shop, stub)
        let first = try #require(try await author.$posts.pages().first())
        #expect(first.objects.map(\.identifier) == [1, 2] && first.hasNext && first.report.hasMore)
        await giveWay()
        #expect(stub.log == ["GET /authors/1/posts"], "nothing is asked for ahead")
        let second = try #require(try await first.next())
        let again = try #require(try await first.next())
        #expect(second.objects == again.objects && second.progress.pageNumber == 2)
        #expect(again.source == .validated && second.source == .network)
        let last = try #require(try await second.next())
        #expect(try await last.next() == nil && !last.hasNext && last.bookmark == nil)
        #expect(author.posts.map(\.identifier) == [1, 2, 3, 4, 5] && last.progress.fetchedCount == 5)
    }

    @Test func `A page that failed can be fetched again`() async throws {
        let shop = Bookshop(Array(1...5), hasValidators: false)
        let fails = Box(true)
        let stub = StubTransport { request throws(TransportError) in
            if request.url.query() == "page=2", fails.value { return .status(500) }
            return shop.answer(request)
        }
        let (_, author) = try await author(shop, stub)
        let iterator = author.$posts.pages().makeAsyncIterator()
        #expect(try await iterator.next()?.objects.count == 2)
        for _ in 0..<2 { await #expect(throws: APIError.self) { _ = try await iterator.next() } }
        fails.value = false
        #expect(try await iterator.next()?.objects.map(\.identifier) == [3, 4])
        #expect(try await iterator.next()?.objects.map(\.identifier) == [5])
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(author.posts.map(\.identifier) == [1, 2, 3, 4, 5] && !author.$posts.isPartial)
    }

    @Test func `The last page is given even if pruning was undecided at first`() async throws {
        let shop = Bookshop(Array(1...4), hasValidators: false)
        let stub = shop.stub
        let (_, author) = try await author(shop, stub)
        for try await _ in author.$posts.pages() {}
        shop.posts.value = [1, 2, 3]
        let iterator = author.$posts.pages().makeAsyncIterator()
        #expect(try await iterator.next()?.objects.count == 2)
        // One member has left, so the list is to be listed again.
        let last = Task { try await iterator.next()?.objects.count }
        last.cancel()
        await #expect(throws: APIError.self) { _ = try await last.value }
        let page = try await iterator.next()
        #expect(page?.objects.map(\.identifier) == [3] && page?.pruned?.unlinked == 1)
        #expect(try await iterator.next() == nil)
        #expect(author.posts.map(\.identifier) == [1, 2, 3])
    }

    @Test(arguments: [true, false])
    func `An interrupted loop continues after a restart`(_ hasValidators: Bool) async throws {
        let shop = Bookshop(Array(1...9), hasValidators: hasValidators)
        let file = try TemporaryFile()
        let stored: Data
        do {
            let stub = shop.stub
            let (_, author) = try await author(shop, stub, .file(URL(filePath: file.path)))
            var bookmark: PageBookmark?
            for try await page in author.$posts.pages() {
                bookmark = page.bookmark
                if page.progress.pageNumber == 3 { break }
            }
            stored = try JSONEncoder().encode(bookmark)
        }
        let stub = shop.stub
        let (_, author) = try await author(shop, stub, .file(URL(filePath: file.path)))
        #expect(author.posts.map(\.identifier) == [1, 2, 3, 4, 5, 6])
        if hasValidators {
            // Begun again, it costs three answers without a body.
            var sources: [AnswerSource] = []
            for try await page in author.$posts.pages() { sources.append(page.source) }
            #expect(sources == [.validated, .validated, .validated, .network, .network])
        } else {
            let bookmark = try JSONDecoder().decode(PageBookmark.self, from: stored)
            #expect(bookmark.fetchedCount == 6)
            var counts: [Int] = []
            for try await page in author.$posts.pages(from: bookmark) { counts.append(page.progress.fetchedCount) }
            #expect(counts == [8, 9] && stub.log == ["GET /authors/1/posts?page=4", "GET /authors/1/posts?page=5"])
        }
        #expect(author.posts.map(\.identifier) == Array(1...9))
    }

    // MARK: Paging fields of the reply

    @Test func `A page's progress has plausible totals only`() async throws {
        func progress(_ fields: [String: String], next: Bool = true) async throws -> PageProgress {
            var all: HTTPFields = [:]
            if next { all[HTTPField.Name("Link")!] = "<https://api.example.com/posts?page=2>; rel=\"next\"" }
            for (name, value) in fields { all.append(HTTPField(name: .init(name)!, value: value)) }
            let service = try Service(
                stub: StubTransport { [all] _ in .json("[{\"id\": 1}, {\"id\": 2}]", headerFields: all) })
            return try #require(try await Post.pages(in: service.main).first()).progress
        }
        let known = try await progress(["X-Total-Count": "8"])
        #expect(known.totalCount == 8 && known.fetchedCount == 2 && known.fraction == 0.25)
        #expect(try await progress(["X-Total-Pages": "5"]).fraction == 0.2)
        let unknown = try await progress([:])
        #expect(unknown.totalCount == nil && unknown.pageCount == nil && unknown.fraction == nil)
        // Fewer than have come while there are more.
        #expect(try await progress(["X-Total-Count": "2"]).fraction == nil)
        #expect(try await progress(["X-Total-Count": "2"], next: false).fraction == 1)
        #expect(try await progress(["X-Total-Count": "1"], next: false).fraction == nil)
        #expect(try await progress(["X-Total-Count": "99999999999999999999"]).fraction == nil)
    }

    @Test func `A loop over endless pages ends at the limit and says so`() async throws {
        let stub = StubTransport { request in
            let page = Int(request.url.query()?.split(separator: "=").last ?? "") ?? 1
            let next = "<https://api.example.com/posts?page=\(page + 1)>; rel=\"next\""
            return .json("[{\"id\": \(page)}]", headerFields: [HTTPField.Name("Link")!: next])
        }
        let service = try Service(stub: stub)
        var last: ListPage<Post>?
        for try await page in Post.pages(limit: 20, in: service.main) { last = page }
        #expect(last?.progress.pageNumber == 20 && last?.report.hasMore == true && stub.log.count == 20)
    }

    @Test(arguments: [true, false])
    func `A loop over endlessly repeated pages ends early`(_ isEmpty: Bool) async throws {
        let stub = StubTransport { request in
            let page = Int(request.url.query()?.split(separator: "=").last ?? "") ?? 1
            let next = "<https://api.example.com/posts?page=\(page + 1)>; rel=\"next\""
            return .json(isEmpty && page > 1 ? "[]" : "[{\"id\": 1}]", headerFields: [HTTPField.Name("Link")!: next])
        }
        let service = try Service(stub: stub)
        let all = try await Post.fetchAllReporting(pages: .all(limit: 50), prune: .delete, in: service.main)
        // Pages without anything may lead on, by a filter of the server's own.
        #expect(stub.log.count == (isEmpty ? 50 : 11) && all.report.hasMore)
        #expect(all.pruned?.obstacle == .incomplete)
    }

    @Test func `A page on another host is fetched without the API's credentials`() async throws {
        let stub = StubTransport { request in
            guard request.url.host() == "api.example.com" else { return .json("[{\"id\": 2}]") }
            let next = "<https://evil.example/posts?page=2>; rel=\"next\""
            return .json("[{\"id\": 1}]", headerFields: [HTTPField.Name("Link")!: next])
        }
        let api = API("https://api.example.com", transport: stub) { BearerToken("secret") }
        let store = try Store(.temporary, models: Blog.models, api: api)
        for try await _ in Post.pages(in: store.main) {}
        #expect(stub.requests.map { $0.url.host() } == ["api.example.com", "evil.example"])
        #expect(stub.requests.map { $0.headerFields[.authorization] != nil } == [true, false])
    }

    @Test func `A link from HTTPS to HTTP isn't followed`() async throws {
        let stub = StubTransport { request in
            let next = "<http://api.example.com/posts?page=2&token=s3cr3t>; rel=\"next\""
            return .json("[{\"id\": 1}]", headerFields: [HTTPField.Name("Link")!: next])
        }
        let api = API("https://api.example.com", transport: stub) { BearerToken("secret") }
        let store = try Store(.temporary, models: Blog.models, api: api)
        let loop = await failure { for try await _ in Post.pages(in: store.main) {} }
        let all = await failure { _ = try await Post.fetchAll(pages: .all(), in: store.main) }
        let bookmark = try await Post.pages(in: store.main).first()?.bookmark
        let later = await failure { for try await _ in Post.pages(from: bookmark, in: store.main) {} }
        for error in [loop, all, later] {
            #expect(
                error?.description
                    == """
                    GET https://api.example.com/posts: the server leads from https to \
                    http://api.example.com/posts?page=2&token=REDACTED; use the URL that the server means, or have the server fixed
                    """)
        }
        #expect(stub.requests.allSatisfy { $0.url.scheme == "https" })
    }

    @Test func `An object on two pages is given with both, as often as each has it`() async throws {
        let stub = StubTransport { request in
            request.url.query() == "page=2"
                ? .json(#"[{"id": 2}, {"id": 3}]"#)
                : .json(
                    #"[{"id": 1}, {"id": 2}, {"id": 1}]"#,
                    headerFields: [HTTPField.Name("Link")!: "<https://api.example.com/posts?page=2>; rel=\"next\""])
        }
        let service = try Service(stub: stub)
        #expect(try await Post.fetchAll(pages: .all(), in: service.main).map(\.identifier) == [1, 2, 1, 3])
        #expect(try await Post.fetchAll(in: service.main).map(\.identifier) == [1, 2, 1])
        var pages: [[Int?]] = []
        for try await page in Post.pages(in: service.main) { pages.append(page.objects.map(\.identifier)) }
        #expect(pages == [[1, 2, 1], [2, 3]])
    }

    @Test func `A limit applies to the loop, and its last page can still fetch the next`() async throws {
        let shop = Bookshop(Array(1...7), hasValidators: false)
        let stub = shop.stub
        let (_, author) = try await author(shop, stub)
        var last: ListPage<Post>?
        for try await page in author.$posts.pages(limit: 1) { last = page }
        #expect(last?.hasNext == true && last?.report.hasMore == true && stub.log.count == 1)
        let next = try await last?.next()
        #expect(next?.objects.map(\.identifier) == [3, 4] && next?.hasNext == true)
    }

    @Test func `Pages end when one repeats`() async throws {
        let stub = StubTransport { request in
            let page = Int(request.url.query()?.split(separator: "=").last ?? "") ?? 1
            let next = "<https://api.example.com/posts?page=\(page % 3 + 1)>; rel=\"next\""
            return .json("[{\"id\": \(page)}]", headerFields: [HTTPField.Name("Link")!: next])
        }
        let service = try Service(stub: stub)
        var pages: [ListPage<Post>] = []
        for try await page in Post.pages("/posts?page=1", in: service.main) { pages.append(page) }
        // It is unknown whether the last page has a next one before that is requested.
        #expect(pages.map { $0.objects.map(\.identifier) } == [[1], [2], [3]] && stub.log.count == 4)
        #expect(pages.last?.report.hasMore == true && pages.last?.hasNext == true)
        #expect(try await pages.last?.next() == nil && stub.log.count == 5)
        // Each page in a loop of its own.
        var bookmark = pages.first?.bookmark
        for _ in 0..<9 where bookmark != nil {
            bookmark = try await Post.pages("/posts?page=1", from: bookmark, in: service.main).first()?.bookmark
        }
        #expect(stub.log.count == 8 && bookmark == nil)
    }

    @Test func `A loop over an invalid route throws at the first page`() async throws {
        let service = try Service(replies: [:])
        let post = try await service.imported(Post.self, #"{"id": 1}"#)
        service.main.delete(post)
        await #expect(throws: APIError.self) { for try await _ in Post.pages("/:missing", in: service.main) {} }
    }

    @Test func `A page costs the same however many came before`() async throws {
        let shop = Bookshop(Array(1...2_000), size: 5, hasValidators: false)
        let stub = shop.stub
        let (store, author) = try await author(shop, stub)
        var written: [Int] = []
        for try await page in author.$posts.pages() { written.append(page.report.inserted) }
        #expect(written == Array(repeating: 5, count: 400) && author.posts.count == 2_000)
        _ = store
    }

    /// More changes than are recorded for a request in flight.
    private func changeMuch(in store: Store) async throws {
        let many = (100...150).map { "{\"id\": \($0)}" }.joined(separator: ",")
        for _ in 0..<2 { _ = try await store.main.import(Picture.self, from: Data("[\(many)]".utf8)) }
    }

    @Test(arguments: [1000, 10])
    func `An iterator that outlives many changes merges its pages and prunes nothing`(_ limit: Int)
        async throws
    {
        let shop = Bookshop(Array(1...6))
        let stub = shop.stub
        let (store, author) = try await author(shop, stub)
        store.main.operations.noteLimit = limit
        _ = try await author.$posts.fetch(pages: .all())
        shop.posts.value = [1, 2, 3, 4, 5]
        let iterator = author.$posts.pages().makeAsyncIterator()
        #expect(try await iterator.next()?.objects.map(\.identifier) == [1, 2])
        stub.forgetRequests()
        try await changeMuch(in: store)
        #expect(try await iterator.next()?.objects.map(\.identifier) == [3, 4])
        let last = try #require(try await iterator.next())
        #expect(last.objects.map(\.identifier) == [5])
        #expect(try await iterator.next() == nil)
        #expect(author.posts.map(\.identifier) == (limit == 10 ? [1, 2, 3, 4, 5, 6] : [1, 2, 3, 4, 5]))
        #expect(last.pruned?.obstacle == (limit == 10 ? .incomplete : nil))
        #expect(stub.log.count { $0.contains("page=2") } >= 1)
        // The next loop is as any.
        for try await _ in author.$posts.pages() {}
        #expect(author.posts.map(\.identifier) == [1, 2, 3, 4, 5])
    }

    @Test func `A reply older than the recorded changes is requested again`()
        async throws
    {
        let held = HeldTransport()
        let store = try Store.held(by: held)
        store.main.operations.noteLimit = 10
        let author = try await store.imported(Author.self, #"{"id": 1, "name": "Ada"}"#)
        let third = try await store.imported(Post.self, #"{"id": 3, "title": "old"}"#)
        let iterator = author.$posts.pages().makeAsyncIterator()
        let next: HTTPFields = [
            HTTPField.Name("Link")!: "<https://api.example.com/authors/1/posts?page=2>; rel=\"next\""
        ]
        let first = Task { try await iterator.next()?.objects.count }
        await held.wait(for: 1)
        held.answer(0, .json(#"[{"id": 1}]"#, headerFields: next))
        #expect(try await first.value == 1)
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"id": 3, "title": "old"}]"#))
        third.title = "new"
        let saving = Task { try await third.save() }
        await held.wait(for: 3)
        held.answer(2, .status(204))
        try await saving.value
        try await changeMuch(in: store)
        let second = Task { try await iterator.next()?.objects.map(\.title) }
        await held.wait(for: 4)
        held.answer(3, .json(#"[{"id": 3, "title": "newest"}]"#))
        #expect(try await second.value == ["newest"])
        #expect(held.queries == [nil, "page=2", nil, "page=2"])
        #expect(author.posts.map(\.identifier) == [1, 3])
    }
}
