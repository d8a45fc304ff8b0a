import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// A list is whole only with a reason: any sign of further members makes it a page, which leaves all members linked.
@MainActor @Suite struct WholeListTests {
    private nonisolated static func conventions(
        _ change: (inout APIConventions) -> Void = { _ in }
    ) -> APIConventions {
        var conventions = APIConventions.rails
        change(&conventions)
        return conventions
    }

    /// The friends of an author with the friends 1, 2 and 3, after a fetch with this answer.
    private func friends(
        after reply: StubTransport.Reply, _ conventions: APIConventions = .rails
    ) async throws -> [Int] {
        let service = try Service(conventions: conventions, stub: StubTransport { _ in reply })
        let author = try await service.imported(
            Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
        try await author.$friends.fetch()
        return author.friends.compactMap(\.identifier)
    }

    private nonisolated static func fields(_ fields: [String: String]) -> HTTPFields {
        var result = HTTPFields()
        for (name, value) in fields { if let name = HTTPField.Name(name) { result[name] = value } }
        return result
    }

    @Test(
        arguments: [
            ["X-Total-Count": "45"], ["X-Total": "45"], ["Total-Count": "45"], ["X-Total-Pages": "3"],
            ["X-WP-Total": "45", "X-WP-TotalPages": "23"],
            ["X-Pagination-Total-Count": "45"], ["X-Pagination": #"{"totalCount":45,"pageSize":2}"#],
            ["X-Next-Page": "2"], ["X-Next-Cursor": "abc"], ["X-Has-More": "true"], ["Next-Range": "id ]2.."],
            ["Content-Range": "comments 0-1/45"], ["Content-Range": "0-1/45"], ["Content-Range": "5-6/7"],
            ["Link": #"</authors/7/friends?cursor=x>; rel="next""#],
            ["Link": #"</authors/7/friends?page=5>; rel="last""#],
            ["Link": #"</authors/7/friends?page=1>; rel="first", </authors/7/friends?page=5>; rel="last""#],
            ["Link": "</authors/7/friends?cursor=x>; rel='next'"], ["Link": "</x?page=2>; title='a'; rel='next last'"],
            ["X-Total-Count": "45, 45"], ["X-Total": "45,45,45"], ["X-Has-More": "true, true"],
            ["X-Next-Page": "2, 2"], ["X-Collection-Count": "45"],
            // It leads on, wherever to.
            ["Link": "<ftp://x/2>; rel=next"], ["Link": "<http://>; rel=\"next\""], ["Link": "<>; rel=next"],
            ["Link": "<localhost:3000/authors/7/friends?page=2>; rel=\"next\""],
            // Two elements are the range 0-1: whether more follow is unknown.
            ["Content-Range": "0-1/*"], ["Content-Range": "items 0-1/*"], ["Content-Range": "2-3/*"],
        ])
    func `A list whose header announces more is a page`(_ fields: [String: String]) async throws {
        let reply = StubTransport.Reply.json(#"[{"id": 3}, {"id": 4}]"#, headerFields: Self.fields(fields))
        // Where another one follows, it is the first of the list.
        let isFirst = fields["Link"].map { $0.hasPrefix("</") && $0.contains("next") } ?? false
        #expect(try await friends(after: reply) == (isFirst ? [3, 4, 1, 2] : [1, 2, 3, 4]))
    }

    @Test(
        arguments: [
            [:], ["X-Total-Count": "2"], ["X-Total-Pages": "1", "X-Page": "1", "X-Next-Page": ""],
            ["Content-Range": "comments 0-1/2"], ["X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "50"],
            ["X-RateLimit-Total": "60", "X-WP-Total": "2", "X-WP-TotalPages": "1"],
            ["X-Pagination": #"{"totalCount":2,"pageSize":20,"totalPages":1}"#], ["X-Has-More": "false"],
            ["Link": #"</authors/7/friends>; rel="first", </authors/7/friends>; rel="last""#],
            ["Link": #"</authors/7/friends?page=1>; rel="first", </authors/7/friends?page=1>; rel="last""#],
            ["Link": "</authors/7>; rel='up'"], ["X-Total-Count": "2, 2"], ["X-Total-Count": "45, 46"],
            ["X-Has-More": "false, false"], ["X-Collection-Count": "2"], ["X-Remaining": "59"], ["X-Count": "x, x"],
            ["Content-Range": "0-1/*", "Link": "</x>; rel=first"], ["Content-Range": "*/*"],
            ["Link": #"</authors/7/friends?min_id=4>; rel="prev""#],
            ["Link": #"</authors/7/friends?page=0>; rel="previous""#],
        ])
    func `A list without any sign of more is whole`(_ fields: [String: String]) async throws {
        let reply = StubTransport.Reply.json(#"[{"id": 3}, {"id": 4}]"#, headerFields: Self.fields(fields))
        #expect(try await friends(after: reply) == [3, 4])
    }

    /// How much is known of a list that leads back, once it has come from a URL with that query.
    private func extent(ofListWith query: String) async throws -> ListCompleteness.Extent? {
        let back = Self.fields(["Link": #"</posts?min_id=3>; rel="prev""#])
        let service = try Service(stub: StubTransport { _ in .json(#"[{"id": 3}]"#, headerFields: back) })
        _ = try await Post.fetchAll(URLTemplate("/posts?" + query), in: service.main)
        return try service.main.knownListings().first?.completeness.extent
    }

    @Test(
        arguments: [
            "page=2", "page=1", "offset=2", "cursor=abc", "after=4", "max_id=5", "min_id=5", "page%5Bnumber%5D=2",
            "starting_after=4", "next_token=x", "sort=id&page=3",
        ])
    func `A page requested by number or cursor isn't the first, even with a previous link`(_ query: String)
        async throws
    {
        #expect(try await extent(ofListWith: query) == .part)
    }

    @Test(arguments: ["", "sort=id", "page=", "per_page=20", "limit=20", "q=page"])
    func `A list requested without number or cursor is the first page, whatever its links`(_ query: String)
        async throws
    {
        #expect(try await extent(ofListWith: query) == .whole)
    }

    @Test func `A list within an object counts as a first page`() async throws {
        let service = try Service([Cabinet.self, Guest.self], stub: StubTransport([:]))
        let cabinet = try await service.imported(
            Cabinet.self, #"{"id": 1, "files": {"data": [{"id": 1}, {"id": 2}], "previous": null}}"#)
        _ = try await service.imported(
            Cabinet.self, #"{"id": 1, "files": {"data": [{"id": 3}], "paging": {"previous": "/x"}}}"#)
        #expect(cabinet.files.compactMap(\.identifier) == [3] && !cabinet.$files.isPartial)
        _ = try await service.imported(
            Cabinet.self, #"{"id": 1, "files": {"data": [{"id": 4}], "has_previous": true}}"#)
        #expect(cabinet.files.compactMap(\.identifier) == [3, 4])
    }

    /// Mastodon links from a first page to future objects, by `min_id`.
    @Test func `A first page with a previous link prunes and puts new members in front`() async throws {
        let statuses = Box(Array((496...500).reversed()))
        let service = try Service(
            stub: StubTransport { request in
                let maximum = request.url.query()?.split(separator: "=").last.flatMap { Int($0) } ?? .max
                let page = statuses.value.filter { $0 < maximum }.prefix(3)
                guard let first = page.first, let last = page.last else { return .json("[]") }
                let path = request.url.path()
                let next = "<\(path)?max_id=\(last)>; rel=\"next\", "
                return .json(
                    "[" + page.map { "{\"id\": \($0)}" }.joined(separator: ",") + "]",
                    headerFields: Self.fields([
                        "Link": (page.count == 3 ? next : "") + "<\(path)?min_id=\(first)>; rel=\"prev\""
                    ]))
            })
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        try await author.$posts.fetch(pages: .all())
        #expect(author.posts.map(\.identifier) == [500, 499, 498, 497, 496] && !author.$posts.isPartial)
        statuses.value.insert(501, at: 0)
        try await author.$posts.fetch()
        #expect(author.posts.map(\.identifier) == [501, 500, 499, 498, 497, 496])
        statuses.value = [501, 499]
        try await author.$posts.fetch()
        #expect(author.posts.map(\.identifier) == [501, 499] && author.$posts.completeness.extent == .whole)
    }

    @Test func `A 206 reply is a part of a list unless its range is the whole`() async throws {
        let body = #"[{"id": 3}, {"id": 4}]"#
        #expect(try await friends(after: .json(body, status: 206)) == [1, 2, 3, 4])
        let ranged = Self.fields(["Content-Range": "items 0-1/2"])
        #expect(try await friends(after: .json(body, status: 206, headerFields: ranged)) == [3, 4])
    }

    @Test(
        arguments: [
            #""total_count": 45"#, #""total": "45""#, #""count": 45"#, #""has_more": true"#, #""hasMore": true"#,
            #""next": "/x?page=2""#, #""next": {"href": "/x"}"#, #""next": ["/x"]"#, #""nextPageToken": "abc""#,
            #""next_cursor": 17"#,
            #""meta": {"total": 45}"#, #""meta": {"pagination": {"pageCount": 3}}"#, #""last": false"#,
            #""links": {"next": "/x?page=2"}"#, #""_links": {"next": {"href": "/x"}}"#, #""@odata.nextLink": "/x""#,
            #""@odata.count": 45"#, #""pagination": {"current_page": 1, "total_pages": 3}"#,
            #""page": {"size": 2, "totalElements": 45, "totalPages": 23, "number": 0}"#, #""isLastPage": false"#,
            #""link": [{"relation": "self", "url": "/x"}, {"relation": "next", "url": "/y"}]"#,
            #""page_info": {"has_next_page": true}"#, #""has_previous": true"#, #""offset": 20"#, #""limit": 2"#,
            #""incomplete_results": true"#, #""response_metadata": {"next_cursor": "abc"}"#, #""done": false"#,
            #""cursor": "abc""#, #""cursor": {"next": "abc"}"#, #""after": "t3_abc", "before": null"#,
            #""meta": {"after": "abc"}"#, #""paging": {"cursors": {"before": "a", "after": "b"}, "next": "/x"}"#,
            #""hydra:totalItems": 45"#, #""hydra:view": {"hydra:next": "/x"}"#,
            #""view": {"next": "/x"}"#, #""@iot.nextLink": "/x""#, #""info": {"count": 45, "pages": 3, "next": "/x"}"#,
            #""total": {"value": 45, "relation": "gte"}"#, #""found": 45"#,
            #""numberMatched": 45, "numberReturned": 2"#,
            #""recordsTotal": 45"#, #""record_count": 45"#, #""totalItemCount": 45"#, #""next_page_number": 2"#,
            #""next_max_id": "5""#, #""next_batch": "s""#, #""complete": false"#, #""partial": true"#,
            #""summary": {"total_count": 45}"#, #""search_metadata": {"next_results": "?max_id=2"}"#,
            #""remaining": 25"#, #""meta": {"remaining": "25"}"#, #""stats": {"total": 45}"#,
            #""statistics": {"totalCount": 45, "views": 7}"#, #""meta": {"stats": {"total": 45}}"#,
            #""collectionCount": 45"#,
        ], [false, true])
    func `A sign of more around a list in the body makes it a page`(_ sign: String, _ isFirst: Bool) async throws {
        let list = #""items": [{"id": 3}, {"id": 4}]"#
        let reply = StubTransport.Reply.json("{\(isFirst ? "\(sign), \(list)" : "\(list), \(sign)")}")
        #expect(try await friends(after: reply, Self.conventions { $0.envelopes = .lists("items") }) == [1, 2, 3, 4])
        let deep = StubTransport.Reply.json("{\"data\": {\(list)}, \(sign)}")
        let style = Self.conventions { $0.envelopes = .lists("data.items") }
        #expect(try await friends(after: deep, style) == [1, 2, 3, 4])
    }

    @Test(
        arguments: [
            // The link back leads from a first page to future objects.
            #""previous": "/x?page=1""#, #""after": null, "before": "t3_abc""#, #""next": null, "prev": "?min_id=4""#,
            #""links": {"prev": "/x", "next": null}"#, #""paging": {"previous": "/x"}"#,
            #""total_count": 2"#, #""has_more": false"#, #""next": null, "previous": null, "count": 2"#,
            #""next": []"#, #""next": [null]"#,
            #""next_cursor": """#, #""next_cursor": 0"#, #""meta": {"total": 2, "page": 1, "per_page": 2}"#,
            #""_links": {"self": {"href": "/x"}}"#, #""page": {"size": 20, "totalElements": 2, "totalPages": 1}"#,
            #""size": 20, "last": true, "first": true, "totalPages": 1"#, #""offset": 0, "limit": 20"#,
            #""links": {"first": "/x", "last": "/x", "prev": null, "next": null}"#, #""nextSyncToken": "abc""#,
            #""cursor": null"#, #""cursor": {"next": null, "previous": null}"#, #""cursors": {"after": "abc"}"#,
            #""after": null, "before": null"#, #""paging": {"cursors": {"before": "a", "after": "b"}}"#,
            #""hydra:totalItems": 2"#, #""info": {"count": 2, "pages": 1, "next": null}"#, #""total": {"value": 2}"#,
            #""found": 2"#, #""complete": true"#, #""partial": false"#, #""summary": {"total_count": 2}"#,
            #""remaining": 0"#, #""stats": {"total": 2}"#, #""stats": {"count": 45, "more": true, "next": "x"}"#,
            #""remaining": null"#, #""rate_limit": {"remaining": 25}"#, #""quota_remaining": 25"#,
        ])
    func `A sign of the end makes a list whole`(_ signs: String) async throws {
        let reply = StubTransport.Reply.json("{\"items\": [{\"id\": 3}, {\"id\": 4}], \(signs)}")
        #expect(try await friends(after: reply, Self.conventions { $0.envelopes = .lists("items") }) == [3, 4])
    }

    /// An end by these would be a guess: they only ever speak of more.
    @Test(arguments: [#""remaining": 0"#, #""stats": {"total": 2}"#, #""collection_count": 2"#])
    func `An ambiguous sign of the end doesn't make a list whole`(_ sign: String) async throws {
        let reply = StubTransport.Reply.json("{\"items\": [{\"id\": 3}, {\"id\": 4}], \"limit\": 2, \(sign)}")
        #expect(try await friends(after: reply, Self.conventions { $0.envelopes = .lists("items") }) == [1, 2, 3, 4])
    }

    @Test func `A range with an unknown total is whole if it is shorter than requested`() async throws {
        let ranged = Self.fields(["Content-Range": "0-1/*"])
        let service = try Service(
            stub: StubTransport { _ in .json(#"[{"id": 3}, {"id": 4}]"#, headerFields: ranged) })
        let author = try await service.imported(
            Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
        try await author.$friends.fetch(query: ["limit": 2])
        #expect(author.friends.compactMap(\.identifier) == [1, 2, 3, 4])
        try await author.$friends.fetch(query: ["limit": 50])
        #expect(author.friends.compactMap(\.identifier) == [3, 4])
    }

    @Test func `A list below a key path is judged by its signs`() async throws {
        let service = try Service(
            stub: StubTransport { _ in .json(#"{"data": {"items": [{"id": 3}], "hasMore": true}}"#) })
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}]}"#)
        let result = try await author.$friends.fetchReporting(at: "data.items")
        #expect(author.friends.map(\.identifier) == [1, 2, 3])
        #expect(result.report.hasMore && result.report.partialLists == 1)
    }

    @Test func `Conventions can declare lists as pages or as whole`() async throws {
        let body = #"{"items": [{"id": 3}, {"id": 4}], "total": 4500}"#
        let wrapped = Self.conventions { $0.envelopes = .lists("items") }
        for (extent, expected) in [(ListExtent.judged, [1, 2, 3, 4]), (.whole, [3, 4]), (.pages, [1, 2, 3, 4])] {
            var conventions = wrapped
            conventions.lists = extent
            #expect(try await friends(after: .json(body), conventions) == expected)
            let plain = #"[{"id": 3}, {"id": 4}]"#
            #expect(try await friends(after: .json(plain), conventions) == (extent == .pages ? expected : [3, 4]))
        }
        // What the API's way of paging leads to is another page, whatever is declared.
        let paged = StubTransport.Reply.json(
            #"[{"id": 4}]"#, headerFields: Self.fields(["Link": #"</x>; rel="next""#]))
        #expect(try await friends(after: paged, Self.conventions { $0.lists = .whole }) == [4, 1, 2, 3])
    }

    @Test func `A relationship can be declared as always whole`() async throws {
        let reply = StubTransport.Reply.json(#"[{"id": 2}]"#, headerFields: Self.fields(["X-Total-Count": "9"]))
        let service = try Service([Crowd.self, Guest.self], stub: StubTransport { _ in reply })
        let crowd = try await service.imported(
            Crowd.self, #"{"id": 1, "all": [{"id": 1}, {"id": 2}], "some": [{"id": 1}, {"id": 2}]}"#)
        try await crowd.$all.fetch()
        try await crowd.$some.fetch()
        #expect(crowd.all.map(\.identifier) == [2] && crowd.some.map(\.identifier) == [1, 2])
    }

    @Test(
        arguments: [
            (#""comments_count": 5"#, [1, 2, 3], [3]), (#""total_comments": 1"#, [3], [3]),
            (#""likes_count": 9"#, [3], [1, 2, 3]), (#""comments_count": 5, "likes_count": 1"#, [1, 2, 3], [3]),
            (#""noted_count": 7, "comments_count": 1"#, [3], [3]),
        ])
    func `A sign next to a list in a nested object applies to that list`(
        _ signs: String, _ comments: [Int], _ likes: [Int]
    ) async throws {
        let service = try Service([Digest.self, Guest.self], stub: StubTransport([:]))
        let two = #"[{"id": 1}, {"id": 2}]"#
        let digest = try await service.imported(
            Digest.self, #"{"id": 1, "stats": {"comments": \#(two), "likes": \#(two), "noted": \#(two)}}"#)
        _ = try await service.imported(
            Digest.self,
            #"{"id": 1, "stats": {"comments": [{"id": 3}], \#(signs), "likes": [{"id": 3}], "noted": [{"id": 3}]}}"#)
        #expect(digest.comments.compactMap(\.identifier) == comments)
        #expect(digest.likes.compactMap(\.identifier) == likes)
        // A count that is an attribute says the same.
        #expect(digest.noted.compactMap(\.identifier) == (signs.contains("noted") ? [1, 2, 3] : [3]))
    }

    @Test func `All pages are the whole list if their number of objects equals the total`() async throws {
        for (total, expected) in [(3, [5, 6, 7]), (4, [5, 6, 7, 1])] {
            let fields = ["X-Total-Count": "\(total)"]
            let service = try Service(
                stub: StubTransport { request in
                    request.url.query() == nil
                        ? .json(
                            #"[{"id": 5}, {"id": 6}]"#,
                            headerFields: Self.fields(
                                fields.merging(["Link": #"</authors/7/friends?page=2>; rel="next""#]) { $1 }))
                        : .json(
                            #"[{"id": 7}]"#,
                            headerFields: Self.fields(
                                fields.merging(["Link": #"</authors/7/friends>; rel="prev""#]) { $1 }))
                })
            let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}]}"#)
            let result = try await author.$friends.fetchReporting(pages: .all())
            #expect(author.friends.compactMap(\.identifier) == expected)
            #expect(result.report.hasMore == (total == 4))
        }
    }

    @Test(
        arguments: [
            // The first was deleted between the pages, so that the third was on none of them; or one was inserted.
            (["1", "2"], 5, ["4", "5"], 4), (["1", "2"], 4, ["2", "3"], 4),
        ])
    func `Members that move between pages aren't unlinked`(
        _ first: [String], _ total: Int, _ second: [String], _ newTotal: Int
    ) async throws {
        @Sendable func reply(_ ids: [String], _ total: Int, _ link: String) -> StubTransport.Reply {
            .json(
                "[\(ids.map { "{\"id\": \($0)}" }.joined(separator: ","))]",
                headerFields: Self.fields(["X-Total-Count": "\(total)", "Link": link]))
        }
        let service = try Service(
            stub: StubTransport { request in
                request.url.query() == nil
                    ? reply(first, total, #"</authors/7/friends?page=2>; rel="next""#)
                    : reply(second, newTotal, #"</authors/7/friends>; rel="prev""#)
            })
        let author = try await service.imported(
            Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 9}]}"#)
        try await author.$friends.fetch(pages: .all())
        #expect(author.friends.contains { $0.identifier == 3 } && author.friends.contains { $0.identifier == 9 })
    }

    @Test func `A query for longer pages doesn't narrow a list`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"[{"id": 3}, {"id": 4}]"#) })
        for (limit, expected) in [(100, [3, 4]), (2, [1, 3, 4])] {
            let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}]}"#)
            try await author.$friends.fetch(query: ["per_page": limit], pages: .all())
            #expect(author.friends.compactMap(\.identifier) == expected)
        }
    }

    @Test(arguments: [1, 2, 5])
    func `Pages cut at their limit are reported as incomplete`(_ limit: Int) async throws {
        let service = try Service(
            stub: StubTransport { request in
                let page = Int(request.url.query()?.dropFirst("page=".count) ?? "1") ?? 1
                return .json(
                    #"[{"id": \#(page)}]"#,
                    headerFields: Self.fields(["Link": "</authors?page=\(page + 1)>; rel=\"next\""]))
            })
        let result = try await Author.fetchAllReporting(pages: .all(limit: limit), in: service.main)
        #expect(result.objects.count == limit && result.report.hasMore)
        #expect(result.report.description == "\(limit) inserted, 0 updated, 0 unchanged, there is more")
    }

    @Test(arguments: [true, false])
    func `A whole list drops pending members, over one page or several`(_ hasPages: Bool) async throws {
        let service = try Service(
            stub: StubTransport { request in
                let isFirst = request.url.query() == nil
                return .json(
                    isFirst ? #"[{"id": 1}]"# : #"[{"id": 2}]"#,
                    headerFields: isFirst && hasPages
                        ? Self.fields(["Link": #"</authors/7/friends?page=2>; rel="next""#]) : [:])
            })
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [1, 8]}"#)
        try await author.$friends.fetch(pages: .all())
        _ = try await service.imported(Author.self, #"{"id": 8}"#)
        #expect(author.friends.compactMap(\.identifier) == (hasPages ? [1, 2] : [1]))
    }

    @Test func `A later page that isn't a list throws`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                request.url.query() == nil
                    ? .json(#"[{"id": 1}]"#, headerFields: Self.fields(["Link": #"</authors?page=2>; rel="next""#]))
                    : .json(#"{"message": "Not now"}"#)
            })
        let error = await failure { _ = try await Author.fetchAll(pages: .all(), in: service.main) }
        guard case .noObject = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [#"[{"name": "Nobody"}, 7]"#, #"[{"id": "?"}]"#])
    func `A list without any readable element throws`(_ body: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}]}"#)
        for error in [
            await failure { _ = try await Author.fetchAll(in: service.main) },
            await failure { try await author.$friends.fetch() },
            await failure { try await author.$friends.fetch(pages: .all()) },
        ] {
            guard case .noObject("Author", let report, _) = error else {
                Testing.Issue.record("\(String(describing: error))")
                return
            }
            #expect(report.rejectedCount > 0)
        }
        #expect(author.friends.map(\.identifier) == [1])
    }

    @Test(
        arguments: [
            (.json("[]", headerFields: fields(["X-Total-Count": "45"])), false), (.json("[]", status: 206), false),
            (.json("[]", headerFields: fields(["X-Total-Count": "0"])), true),
        ] as [(StubTransport.Reply, Bool)])
    func `A removal's 404 counts if the whole list lacks the member`(
        _ list: StubTransport.Reply, _ isGone: Bool
    ) async throws {
        let service = try Service(
            stub: StubTransport { request in
                request.method == .get ? list : .json(#"{"message": "Not Found"}"#, status: 404)
            })
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}]}"#)
        let friend = author.friends[0]
        let error = await failure { try await author.$friends.delete(friend) }
        #expect((error == nil) == isGone && author.friends.isEmpty == isGone)
    }

    // MARK: Lists within objects

    private func linkage(_ members: String) -> String {
        #"{"data": {"type": "articles", "id": "1", "relationships": {"reviewers": \#(members)}}}"#
    }

    @Test(
        arguments: [
            (#"{"data": [{"type": "people", "id": "3"}], "links": {"next": "/articles/1/x?page=2"}}"#, [1, 3]),
            (#"{"links": {"next": {"href": "/x"}}, "data": [{"type": "people", "id": "3"}]}"#, [1, 3]),
            (#"{"data": [{"type": "people", "id": "3"}], "meta": {"total": 45}}"#, [1, 3]),
            (#"{"data": [{"type": "people", "id": "3"}, {"type": "robots", "id": "4"}]}"#, [1, 3]),
            (#"{"data": [{"type": "people", "id": "3"}], "links": {"self": "/x", "next": null}}"#, [3]),
            (#"{"data": [{"type": "people", "id": "3"}], "links": {"related": "/x"}, "meta": {"total": 1}}"#, [3]),
        ])
    func `A resource's linkage can be a page`(_ members: String, _ expected: [Int]) async throws {
        let service = try Service(Library.models, conventions: .jsonAPI)
        _ = try await service.imported(Library.Person.self, #"{"data": [{"type": "people", "id": "3"}]}"#)
        let article = try await service.imported(
            Library.Article.self,
            #"""
            {"data": [{"type": "articles", "id": "1", "relationships": {"reviewers": {"data": [{"type": "people", "id": "1"}]}}}],
             "included": [{"type": "people", "id": "1"}]}
            """#)
        let url = #"{"data": {"type": "articles", "id": "1", "relationships": {"reviewers": \#(members)}}}"#
        _ = try await service.main.import(Library.Article.self, from: Array(url.utf8))
        #expect(article.reviewers.compactMap(\.identifier) == expected)
    }
}

@Model("/crowds")
private final class Crowd {
    var identifier: Int?
    @Relationship("/crowds/:id/all", inverse: nil, merges: false) var all: [Guest]
    @Relationship("/crowds/:id/some", inverse: nil) var some: [Guest]
}

@Model("/cabinets")
private final class Cabinet {
    var identifier: Int?
    @Relationship(json: "files.data", inverse: nil) var files: [Guest]
}

@Model("/digests")
private final class Digest {
    var identifier: Int?
    @Relationship(json: "stats.comments", inverse: nil) var comments: [Guest]
    @Relationship(json: "stats.likes", inverse: nil) var likes: [Guest]
    @Relationship(json: "stats.noted", inverse: nil) var noted: [Guest]
    @Attribute("stats.noted_count") var notedCount: Int?
}

@Model("/guests")
private final class Guest {
    var identifier: Int?
}
