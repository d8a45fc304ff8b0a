import Foundation
import RestfulDataTesting
import Testing

@testable import RestfulData

/// Odd elements of replies spoil only themselves, and long errors are read up to a limit.
@MainActor @Suite struct OddReplyTests {
    @Test func `A lone surrogate is read as U+FFFD and reported`() async throws {
        let service = try Service(
            stub: StubTransport { _ in
                .json(#"[{"id": 1, "title": "a\ud83d", "unknown": "\uDE00"}, {"id": 2, "title": "\ud83d\ude00"}]"#)
            })
        let imported = try await Post.fetchAllReporting(in: service.main)
        #expect(imported.objects.map(\.title) == ["a\u{FFFD}", "😀"])
        #expect(imported.report.replacedCharacters == 2)
        #expect(imported.report.description.hasSuffix("2 half characters replaced"))
    }

    @Test(
        arguments: [
            #"{"id": 1, "published_at": "2026-01-01T00:00:00Z", "publishedAt": "2025-01-01T00:00:00Z"}"#,
            #"{"publishedAt": "2025-01-01T00:00:00Z", "ID": 7, "published_at": "2026-01-01T00:00:00Z", "id": 1}"#,
        ])
    func `The exact key wins over another spelling, which is reported`(_ body: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let report = try await service.main.importReporting(Post.self, from: Array(body.utf8))
        let post = try #require(try service.main.find(Post.self, 1))
        #expect(post.publishedAt == Date(timeIntervalSince1970: 1_767_225_600))
        #expect(report.mismatched.contains { $0.path == "published_at" && $0.expected == "one spelling of the key" })
    }

    @Test func `Other spellings of keys are read if the exact one is missing`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(204) })
        let post = try await service.imported(
            Post.self,
            #"{"ID": 1, "publishedAt": "2026-01-01T00:00:00Z", "Author": {"Id": 7}, "Comments": [{"Number": 1}]}"#)
        #expect(post.identifier == 1 && post.publishedAt != nil && post.author?.identifier == 7)
        #expect(post.comments.map(\.number) == [1])
    }

    @Test func `An element with contradicting values is rejected alone`() async throws {
        let body = #"[{"id": 1, "title": "A"}, {"id": 2, "author": {"id": 7, "name": "a", "name": "b"}}, {"id": 3}]"#
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let imported = try await Post.fetchAllReporting(in: service.main)
        #expect(imported.objects.map(\.identifier) == [1, 3])
        #expect(imported.report.rejected.map(\.description) == [#"[1]: two values for "[1].author.name""#])
    }

    @Test(arguments: ["{}", #"{"error": "x"}"#, "null", #""none""#])
    func `A reply without a list is an error that names the found value`(_ body: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let found = body == "null" ? "null" : body.hasPrefix("{") ? "an object" : body
        let error = await failure { _ = try await Post.fetchAll(in: service.main) }
        #expect(
            error?.description
                == """
                GET https://api.example.com/posts: the reply holds no Post; the body: \(found) where a list of Post was expected
                """)
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}]}"#)
        #expect(
            await failure { _ = try await author.$friends.fetch() }?.description.contains("a list of Author") == true)
        #expect(author.friends.map(\.identifier) == [8])
    }

    // MARK: Successes with an error

    @Test(arguments: [
        #"{"ok": false, "error": "not_authed"}"#, #"{"success": false}"#, #"{"status": "error", "message": "Not now"}"#,
        #"{"data": null, "errors": [{"message": "No"}]}"#, #"{"errcode": 40001, "errmsg": "invalid"}"#,
    ])
    func `A 200 reply that says it failed throws and changes nothing`(_ body: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}]}"#)
        let friend = author.friends[0]
        author.name = "Ada"
        for error in [
            await failure { try await author.save() }, await failure { try await author.save(using: .put) },
            await failure { try await author.$friends.delete(friend) }, await failure { try await friend.delete() },
            await failure { try await author.delete() },
        ] { #expect(error?.reply?.status == 200, "\(String(describing: error))") }
        #expect(author.changedProperties == ["name"] && author.friends.map(\.identifier) == [8])
        #expect(!author.isDeleted && !friend.isDeleted)
    }

    @Test func `A 200 reply with errors by property is a validation error`() async throws {
        let service = try Service(
            stub: StubTransport { _ in .json(#"{"ok": false, "errors": {"published_at": ["is in the past"]}}"#) })
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        post.publishedAt = Date(timeIntervalSince1970: 0)
        let error = await failure { try await post.save() }
        #expect(error?.reply?.kind == .validation && error?.fields == ["publishedAt": ["is in the past"]])
        #expect(post.changedProperties == ["publishedAt"])
    }

    @Test(arguments: [
        #"{"ok": true}"#, #"{"ok": true, "error": null}"#, #"{"id": 5, "error": "of the last run"}"#,
        #"{"code": 20000, "message": "Saved"}"#, #"{"status": "success"}"#, #"{"success": true, "errors": []}"#,
    ])
    func `A reply with the object, or without any sign of failure, is a success`(_ body: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        post.title = "B"
        try await post.save()
        #expect(post.title == "B" && post.changedProperties.isEmpty && post.unsentProperties.isEmpty)
        try await post.delete()
        #expect(post.isDeleted)
    }

    @Test(arguments: [
        #"{"type": "about:blank", "title": "Not Found", "status": 404}"#, #"{"success": false, "title": "Not now"}"#,
        #"{"error": {"code": "locked"}, "title": "Locked"}"#, #"{"statusCode": 403, "title": "Forbidden"}"#,
    ])
    func `Values in a 200 reply that reports an error aren't imported`(_ body: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "A"}"#)
        #expect(await failure { try await post.fetch() }?.reply?.status == 200)
        #expect(post.title == "A" && !post.hasChanges)
        post.title = "B"
        #expect(await failure { try await post.save() }?.reply?.status == 200)
        #expect(await failure { try await post.delete() }?.reply?.status == 200)
        #expect(post.title == "B" && post.changedProperties == ["title"] && !post.isDeleted)
    }

    @Test(arguments: [#"{"id": 5, "deleted": false}"#, #"{"deleted": 0}"#])
    func `A deletion fails if its 200 reply denies it`(_ body: String) async throws {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "A"}"#)
        #expect(await failure { try await post.delete() }?.reply?.status == 200)
        #expect(!post.isDeleted && post.title == "A")
        try await post.save()
        #expect(post.title == "A")
    }

    private func wrapping(_ reply: StubTransport.Reply) throws -> Service {
        var conventions = APIConventions.rails
        conventions.envelopes = APIConventions.Envelopes(object: ["data"], list: ["data"])
        return try Service(conventions: conventions, emptyReplies: [], stub: StubTransport { _ in reply })
    }

    @Test(arguments: [
        #"{"success": false, "message": "Not now", "data": []}"#, #"{"errors": [{"message": "Not now"}], "data": {}}"#,
        #"{"success": false, "data": [{"code": "locked", "message": "Not now"}]}"#,
        #"{"success": false, "data": {"reason": "locked"}}"#, #"{"code": 401, "msg": "expired", "data": null}"#,
    ])
    func `An empty envelope doesn't turn a failure into a success`(_ body: String) async throws {
        let service = try wrapping(.json(body))
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}]}"#)
        author.name = "Ada"
        for error in [
            await failure { try await author.save() }, await failure { try await author.delete() },
            await failure { try await author.$friends.delete(author.friends[0]) },
        ] { #expect(error?.reply?.status == 200, "\(String(describing: error))") }
        #expect(author.changedProperties == ["name"] && !author.isDeleted && author.friends.map(\.identifier) == [8])
    }

    @Test(arguments: [
        #"{"success": false, "data": [{"id": 7, "name": "Ada"}]}"#, #"{"error": "of old", "data": {"name": "Ada"}}"#,
        #"{"code": 20000, "data": []}"#, #"{"code": 0, "data": null}"#, #"{"errors": [], "data": {}}"#,
    ])
    func `An envelope with the object, or without a sign of failure, is a success`(_ body: String)
        async throws
    {
        let service = try wrapping(.json(body))
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        author.name = "Ada"
        try await author.save()
        #expect(author.unsentProperties.isEmpty)
    }

    // MARK: Lists and links that are empty because something failed

    private nonisolated static let failedQuestions = [
        #"{"data": null, "errors": [{"message": "Time is up"}]}"#, #"{"error": "Time is up", "data": []}"#,
        #"{"code": 401, "msg": "Time is up", "data": null}"#,
        #"{"success": false, "data": [], "message": "Time is up"}"#,
        #"{"status": "error", "message": "Time is up", "data": null}"#,
    ]

    @Test(arguments: failedQuestions) func `An error in an enveloped reply throws and empties no list`(_ body: String)
        async throws
    {
        let service = try wrapping(.json(body))
        let author = try await service.imported(
            Author.self, #"{"id": 7, "favourite": {"id": 5}, "friends": [{"id": 8}]}"#)
        for error in [
            await failure { _ = try await author.$friends.fetch() },
            await failure { _ = try await author.$friends.fetch(pages: .all(), prune: .delete) },
            await failure { _ = try await Author.fetchAll(in: service.main) },
            await failure { _ = try await Author.fetchAll(at: "data", in: service.main) },
            await failure { _ = try await author.$favourite.fetch() },
            await failure { _ = try await Author.fetch(key: 7, in: service.main) },
        ] {
            #expect(error?.reply?.status == 200)
            #expect(error?.description.hasSuffix(": 200 Time is up") == true, "\(String(describing: error))")
        }
        #expect(author.friends.map(\.identifier) == [8] && author.favourite?.identifier == 5)
    }

    @Test func `An error instead of a later page is thrown`() async throws {
        let service = try Service(
            conventions: .djangoREST,
            stub: StubTransport { request in
                .json(
                    request.line.hasSuffix("page=2")
                        ? #"{"results": [], "errors": ["Time is up"]}"#
                        : #"{"results": [{"id": 1}], "next": "/authors/?page=2"}"#)
            })
        let error = await failure { _ = try await Author.fetchAll(pages: .all(), in: service.main) }
        #expect(
            error?.description.hasSuffix("/authors/?page=2: 200 Time is up") == true, "\(String(describing: error))")
        #expect(try service.main.query(Author.self).count() == 1)
    }

    @Test(arguments: [
        #"{"data": []}"#, #"{"data": null}"#, #"{"code": 0, "data": null}"#, #"{"code": 20000, "data": []}"#,
        #"{"data": [], "errors": []}"#, #"{"data": [], "message": "None"}"#,
    ])
    func `An empty list without an error is a valid list`(_ body: String) async throws {
        let service = try wrapping(.json(body))
        #expect(try await Author.fetchAll(in: service.main).isEmpty)
    }

    @Test func `A list with an error next to it is partial and unlinks nothing`() async throws {
        let service = try wrapping(.json(#"{"data": [{"id": 8}], "errors": [{"message": "A shard failed"}]}"#))
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}, {"id": 9}]}"#)
        #expect(try await author.$friends.fetch().map(\.identifier) == [8])
        #expect(author.friends.map(\.identifier) == [8, 9])
    }

    // MARK: Changes of which nothing was done

    private nonisolated static func rows(_ text: String?, _ range: String, _ status: Int = 200) -> StubTransport.Reply {
        var reply = text.map { StubTransport.Reply.json($0, status: status) } ?? .status(status)
        reply.headerFields[.contentRange] = range
        return reply
    }

    @Test(
        arguments: [
            ("PATCH", rows("[]", "*/*")), ("PATCH", rows(nil, "*/*", 204)), ("PATCH", rows(nil, "*/0", 204)),
            ("DELETE", rows("[]", "*/*")), ("DELETE", rows(nil, "*/0", 204)), ("PATCH", .json("false")),
            ("DELETE", .json("false")), ("PATCH", .json(#"[{"error": "No such row"}]"#)),
            ("DELETE", .json(#"[{"error": "No such row"}]"#)),
            ("PATCH", .json(#"{"responses": [{"status": 422}]}"#, status: 207)),
            ("PATCH", .json(#"[{"id": 7, "status": 422}]"#, status: 207)),
            ("PATCH", .json(#"[{"id": 7}, {"id": 8}]"#, status: 207)),
            ("DELETE", .json(#"{"results": [{"status": 403}]}"#, status: 207)),
            ("PATCH", .init(status: 207, body: Array("<multistatus/>".utf8))),
        ] as [(String, StubTransport.Reply)])
    func `A reply of zero changed rows, false or an open 207 is no success`(
        _ method: String, _ reply: StubTransport.Reply
    )
        async throws
    {
        let service = try Service(stub: StubTransport { _ in reply })
        let author = try await service.imported(Author.self, #"{"id": 7, "name": "Old"}"#)
        author.name = "Ada"
        let error = await failure { method == "PATCH" ? try await author.save() : try await author.delete() }
        #expect(error?.reply?.status == reply.status)
        #expect(author.name == "Ada" && author.changedProperties == ["name"] && !author.isDeleted)
    }

    @Test(
        arguments: [
            ("PATCH", rows(#"[{"id": 7, "name": "Ada"}]"#, "0-0/*")), ("PATCH", rows(nil, "0-0/*", 204)),
            ("PATCH", .json("[]")), ("PATCH", .json(#"{"id": 7, "name": "Ada"}"#, status: 207)),
            ("DELETE", rows(#"[{"id": 7}]"#, "*/*")), ("DELETE", rows(nil, "*/*", 204)),
            ("DELETE", rows(nil, "*/1", 204)),
        ] as [(String, StubTransport.Reply)])
    func `A reply of one changed row, or without a verdict, is a success`(
        _ method: String, _ reply: StubTransport.Reply
    )
        async throws
    {
        let service = try Service(stub: StubTransport { _ in reply })
        let author = try await service.imported(Author.self, #"{"id": 7, "name": "Old"}"#)
        author.name = "Ada"
        if method == "PATCH" {
            try await author.save()
            #expect(author.unsentProperties.isEmpty)
        } else {
            try await author.delete()
            #expect(author.isDeleted)
        }
    }

    // MARK: Answers of 304

    private func asked<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await API.withHeaders([.ifNoneMatch: "\"a\""]) { try await body() }
    }

    @Test func `304 to a fetch by key returns the known object`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(304) })
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}]}"#)
        #expect(try await asked { try await Author.fetch(key: 7, in: service.main) } === author)
        #expect(try await asked { try await author.$friends.fetch(8) } === author.friends[0])
        #expect(await failure { _ = try await asked { try await Author.fetch(key: 9, in: service.main) } } != nil)
    }

    @Test(arguments: [1, 2]) func `304 to a page of all objects ends the listing as incomplete`(page: Int)
        async throws
    {
        let service = try Service(stub: Self.unmodified(page))
        let result = try await asked { try await Author.fetchAllReporting(pages: .all(), in: service.main) }
        #expect(result.objects.map(\.identifier) == (page == 1 ? [] : [1, 2]) && result.report.hasMore)
    }

    nonisolated private static func unmodified(_ page: Int) -> StubTransport {
        StubTransport { request in
            let number = request.line.hasSuffix("page=2") ? 2 : 1
            return number == page
                ? .status(304)
                : .json(
                    #"[{"id": 1}, {"id": 2}]"#,
                    headerFields: [.init("Link")!: #"</authors?page=2>; rel="next""#])
        }
    }

    @Test(arguments: [1, 2]) func `304 to an unconditional request for a page throws`(page: Int) async throws {
        let service = try Service(stub: Self.unmodified(page))
        let all = await failure { _ = try await Author.fetchAll(pages: .all(), in: service.main) }
        #expect(all?.reply?.status == 304)
        #expect(
            all?.description.hasSuffix(": 304 nothing has changed, says the server, and nobody has asked that") == true)
        #expect(Author.completeness(in: service.main).extent == (page == 1 ? .never : .part))
        var count = 0
        let loop = await failure {
            for try await page in Author.pages(in: service.main) { count += page.objects.count }
        }
        #expect(loop?.reply?.status == 304 && count == (page == 1 ? 0 : 2))
    }

    @Test func `304 to an unconditional request for an object throws`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(304) })
        let author = try await service.imported(Author.self, #"{"id": 7, "favourite": {"id": 5}}"#)
        for error in [
            await failure { try await author.fetch() },
            await failure { _ = try await Author.fetch(key: 7, in: service.main) },
            await failure { _ = try await author.$favourite.fetch() },
            await failure { _ = try await author.$friends.fetch() },
        ] { #expect(error?.reply?.status == 304) }
        #expect(author.favourite?.identifier == 5)
    }

    @Test func `304 to a page keeps the list`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                let isSecond = request.url.query()?.contains("page=2") == true
                return .status(
                    304, headerFields: isSecond ? [:] : [.init("Link")!: #"</authors/7/friends?page=2>; rel="next""#])
            })
        let author = try await service.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}, {"id": 9}]}"#)
        let friends = try await asked { try await author.$friends.fetch(pages: .all()) }
        #expect(friends.map(\.identifier) == [8, 9])
        #expect(author.friends.count == 2)
    }

    // MARK: Long errors

    @Test(
        arguments: [
            #""a","#, #"{"title":"is bad"},"#, "0,", "[", #"{"a":"#, #"{"field":"title","message":"no"},"#,
        ])
    func `A long error body is read up to a limit`(_ part: String) async throws {
        let body = "[" + String(repeating: part, count: 4_000_000 / part.utf8.count)
        let service = try Service(stub: StubTransport { _ in .json(body, status: 422) })
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        post.title = "B"
        let reply = try #require(await failure { try await post.save() }?.reply)
        #expect(reply.kind == .validation && reply.status == 422)
        #expect(reply.objectErrors.count + reply.fields.values.reduce(0) { $0 + $1.count } <= 200)
    }

    @Test(arguments: [#""a","#, #"{"title":"is bad"},"#, "[", #"{"a":"#])
    func `Reading an error body has bounded cost`(_ part: String) {
        func read(_ size: Int) -> Int {
            ReplyExcerpt(Array(("[" + String(repeating: part, count: size / part.utf8.count)).utf8)).readCount
        }
        let short = read(512_000)
        #expect(read(4_000_000) == short && short <= ReplyExcerpt.byteLimit && read(4000) <= 4001)
    }

    @Test func `Errors before the cut of a long body are read`() async throws {
        let body =
            #"{"message": "Invalid", "errors": {"title": ["is too long"]}, "echo": ""#
            + String(repeating: "x", count: 300_000) + #"", "more": 1}"#
        let service = try Service(stub: StubTransport { _ in .json(body, status: 422) })
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        post.title = "B"
        let reply = try #require(await failure { try await post.save() }?.reply)
        #expect(reply.message == "Invalid" && reply.fields == ["title": ["is too long"]])
    }
}
