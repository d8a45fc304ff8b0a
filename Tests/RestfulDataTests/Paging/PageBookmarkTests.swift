import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Where a list goes on.
@MainActor @Suite struct PageBookmarkTests {
    /// Lists with the given number of pages, one object per page.
    private func service(_ pages: Int = 9, _ conventions: APIConventions = .default) throws -> Service {
        let stub = StubTransport { request in
            let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems
            let page = items?.first { $0.name == "page" }?.value.flatMap { Int($0) } ?? 1
            let next = "<https://api.example.com\(request.url.path())?page=\(page + 1)>; rel=\"next\""
            return .json("[{\"id\": \(page)}]", headerFields: page < pages ? [.init("Link")!: next] : [:])
        }
        return try Service(conventions: conventions, stub: stub)
    }

    /// The same with other values, as if the stored text had been changed.
    private func forged(_ bookmark: PageBookmark?, _ change: (inout [String: Any]) -> Void) throws -> PageBookmark {
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(bookmark))
        var values = try #require(object as? [String: Any])
        change(&values)
        return try JSONDecoder().decode(PageBookmark.self, from: JSONSerialization.data(withJSONObject: values))
    }

    @Test func `A limit counts the pages after the bookmark`() async throws {
        let service = try service()
        var bookmark: PageBookmark?
        for expected in [[1, 2, 3], [4, 5, 6], [7, 8, 9]] {
            var came: [Int?] = []
            for try await page in Post.pages(limit: 3, from: bookmark, in: service.main) {
                came += page.objects.map(\.identifier)
                bookmark = page.bookmark
            }
            #expect(came == expected)
        }
        #expect(bookmark == nil && Post.completeness(in: service.main).extent == .whole)
        #expect(Post.completeness(in: service.main).objectCount == 9)
    }

    @Test func `A bookmark's size doesn't grow with the pages`() async throws {
        let service = try service(1_100)
        var sizes: [Int] = []
        var bookmark: PageBookmark?
        for try await page in Post.pages(in: service.main) {
            bookmark = page.bookmark
            if [20, 1_000].contains(page.progress.pageNumber) {
                sizes.append(try JSONEncoder().encode(bookmark).count)
            }
        }
        #expect(sizes.count == 2 && sizes[1] < sizes[0] + 20 && sizes[1] < 1_000, "\(sizes)")
        var count = 0
        for try await page in Post.pages(from: bookmark, in: service.main) { count = page.progress.fetchedCount }
        #expect(count == 1_100 && Post.completeness(in: service.main).extent == .whole)
    }

    @Test(arguments: [1, 2, 15, 16, 17, 40, 100]) func `Pages that link in a circle end, even when fetched one by one`(
        _ length: Int
    )
        async throws
    {
        let stub = StubTransport { request in
            let page = Int(request.url.query()?.split(separator: "=").last ?? "") ?? 0
            // Five pages lead into it.
            let next = page < 5 ? page + 1 : 5 + (page - 4) % length
            let link = "<https://api.example.com/posts?page=\(next)>; rel=\"next\""
            return .json("[{\"id\": \(page + 1)}]", headerFields: [.init("Link")!: link])
        }
        let service = try Service(stub: stub)
        var bookmark = try await Post.pages(in: service.main).first()?.bookmark
        while bookmark != nil, stub.log.count < 1_000 {
            bookmark = try await Post.pages(from: bookmark, in: service.main).first()?.bookmark
        }
        #expect(stub.log.count <= 4 * (length + 5), "\(stub.log.count)")
    }

    @Test func `A bookmark of another list is refused`() async throws {
        let service = try service()
        let one = try await service.imported(Author.self, #"{"id": 1}"#)
        let two = try await service.imported(Author.self, #"{"id": 2}"#)
        let bookmark = try await one.$posts.pages(size: 5).first()?.bookmark
        for error in [
            await failure { for try await _ in two.$posts.pages(from: bookmark) {} },
            await failure { for try await _ in one.$friends.pages(from: bookmark) {} },
            await failure { for try await _ in one.$posts.pages(query: ["state": "open"], from: bookmark) {} },
            await failure { for try await _ in Post.pages(from: bookmark, in: service.main) {} },
        ] {
            guard case .route(.otherList(let url)) = error else {
                Testing.Issue.record("\(String(describing: error))")
                continue
            }
            #expect(url.hasPrefix("https://api.example.com/"))
        }
        let error = await failure {
            for try await _ in two.$posts.pages(query: ["token": "s3cr3t"], from: bookmark) {}
        }
        #expect(
            error?.description
                == """
                The bookmark is of another list than https://api.example.com/authors/2/posts?token=REDACTED, or of another query; \
                go on with the list that it is of, or begin this one without it. Nothing was sent.
                """)
        #expect(two.posts.isEmpty && service.stub.log.count == 1)
        // It is the same list for any length of its pages, and on any way to it.
        _ = try await one.$posts.pages(from: bookmark).first()
        _ = try await Post.pages("/authors/1/posts", size: 7, from: bookmark, in: service.main).first()
        #expect(service.stub.log.count == 3)
    }

    @Test(arguments: [
        "file:///etc/passwd", "", "not a URL ☃", "ftp://x/y", ".evil.example/posts", "@evil.example/", "javascript:x",
    ])
    func `A bookmark with an invalid URL is refused`(_ next: String) async throws {
        let service = try service()
        let bookmark = try forged(try await Post.pages(in: service.main).first()?.bookmark) { $0["next"] = next }
        let error = await failure { for try await _ in Post.pages(from: bookmark, in: service.main) {} }
        guard case .route(.invalidURL(next)) = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.stub.log.count == 1)
    }

    @Test(arguments: [Int.max, .min, -1, 0]) func `Forged numbers in a bookmark don't overflow`(_ number: Int)
        async throws
    {
        var conventions = APIConventions.default
        for paging in [APIConventions.Paging.linkHeader, .pageNumber(), .offset()] {
            conventions.paging = paging
            let service = try service(9, conventions)
            let author = try await service.imported(Author.self, #"{"id": 1, "posts": [{"id": 1}, {"id": 7}]}"#)
            let bookmark = try forged(try await author.$posts.pages().first()?.bookmark) { values in
                (values["position"], values["fetchedCount"]) = (number, number)
                var trail = values["trail"] as? [String: Any]
                trail?["count"] = number
                values["trail"] = trail
                values["next"] = "/authors/1/posts?page=8&offset=\(number)"
            }
            var last: ListPage<Post>?
            for try await page in author.$posts.pages(limit: 3, from: bookmark) { last = page }
            #expect(last != nil && last?.progress.pageNumber ?? 0 > 1)
            #expect(Set(author.posts.compactMap(\.identifier)).isSuperset(of: [1, 7]), "and nobody is unlinked by it")
        }
    }

    @Test(arguments: [Int.max, .min, -1, 0]) func `Pages may be counted from any number`(_ first: Int) async throws {
        var conventions = APIConventions.default
        conventions.paging = .pageNumber(from: first)
        let stub = StubTransport { request in .json(request.url.query() == nil ? #"[{"id": 1}]"# : "[]") }
        let service = try Service(conventions: conventions, stub: stub)
        let all = try await Post.fetchAllReporting(pages: .all(), in: service.main)
        #expect(stub.log == (first == .max ? ["GET /posts"] : ["GET /posts", "GET /posts?page=\(first + 1)"]))
        #expect(all.objects.count == 1)
    }
}
