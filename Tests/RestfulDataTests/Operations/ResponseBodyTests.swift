import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Types that take a whole response.
@MainActor @Suite struct ResponseBodyTests {
    private func service(_ body: String, _ line: String = "GET /page") throws -> Service {
        try Service(GitHub.models, conventions: .github, replies: [line: .json(body)])
    }

    @Test func `A response type has values and models of the caller's context`() async throws {
        let service = try service(
            """
            {"total_count": 2, "incomplete_results": false, "items": [
                {"id": 1, "number": 7, "title": "A", "user": {"id": 5, "login": "octocat"}},
                {"id": 2, "number": 8, "title": "B", "user": {"id": 5, "login": "octocat"}}]}
            """, "GET /search/issues?q=bug")
        let known = try await service.imported(User.self, #"{"id": 5, "login": "old"}"#)
        let page = try await IssueSearch.fetch("/search/issues", query: ["q": "bug"], in: service.main)
        #expect(page.totalCount == 2 && page.incompleteResults == false)
        #expect(page.items.map(\.title) == ["A", "B"])
        #expect(page.items[0].user === known && known.login == "octocat")
        #expect(try service.main.find(Issue.self, 1) === page.items[0])
    }

    @Test func `A generic response type reads key paths and nested types`() async throws {
        let body = """
            {"data": [{"id": 1, "login": "a"}, {"id": 2, "login": "b"}],
             "meta": {"total": "17", "cursor": {"after": "x"}, "kind": "partial", "price": "1.50",
                      "generated_at": "2014-01-02", "requested_by": {"id": 3, "login": "c"}}}
            """
        let page = try await Page<User>.fetch("/page", in: service(body).main)
        #expect(page.data.map(\.login) == ["a", "b"])
        #expect(page.total == 17 && page.cursor == Page<User>.Cursor(after: "x"))
        #expect(page.meta.kind == .partial && page.meta.price == Decimal(string: "1.5"))
        #expect(page.meta.generatedAt == Date(timeIntervalSince1970: 1_388_620_800))
        #expect(page.meta.requester?.login == "c")
        let repositories = try await Page<Repository>.fetch("/page", in: service(body).main)
        #expect(repositories.data.map(\.identifier) == [1, 2])
    }

    @Test func `A response type can be the whole body as a list`() async throws {
        let service = try service(#"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}]"#)
        let everything = try await Everything.fetch("/page", in: service.main)
        #expect(everything.users.map(\.login) == ["a", "b"])
        #expect(everything.raw?.map(\.login) == ["a", "b"])
    }

    @Test func `Response types contain lists of other response types`() async throws {
        let service = try service(
            """
            {"viewer": {"id": 1, "login": "a"}, "sections": [
                {"title": "Own", "count": 1, "repositories": [{"id": 10, "owner": {"id": 1}}]},
                {"title": "Teams", "sections": [{"title": "Core", "repositories": [{"id": 11}]}, null]}, {}]}
            """)
        let board = try await Dashboard.fetch("/page", in: service.main)
        #expect(board.sections.map(\.title) == ["Own", "Teams", nil])
        #expect(board.sections.map(\.count) == [1, -1, -1])
        #expect(board.sections[0].repositories[0].owner === board.viewer)
        #expect(board.sections[1].sections.map(\.title) == ["Core"])
        #expect(board.sections[1].sections[0].repositories.map(\.identifier) == [11])
        #expect(!board.isShown)
    }

    @Test(arguments: [
        (#"{}"#, "0 nil []"), (#"{"total_count": null, "incomplete_results": null, "items": null}"#, "0 nil []"),
        (#"{"totalCount": 3, "items": []}"#, "3 nil []"),
        (#"{"total_count": "5", "incomplete_results": 1}"#, "5 Optional(true) []"),
    ])
    func `A missing part of a response type is its default, nil or empty`(body: String, expected: String) async throws {
        let page = try await IssueSearch.fetch("/page", in: service(body).main)
        #expect(
            "\(page.totalCount) \(page.incompleteResults.map { "Optional(\($0))" } ?? "nil") \(page.items)" == expected)
    }

    @Test(arguments: ["[]", "[{}]", "7", #""created""#, "true"])
    func `A body that can't be the response type throws`(body: String) async throws {
        let service = try service(body)
        await #expect {
            _ = try await IssueSearch.fetch("/page", in: service.main)
        } throws: { error in
            if case .noObject(model: "IssueSearch", let report, _) = error as? APIError {
                report.rejectedCount == 1
            } else {
                false
            }
        }
        await #expect {
            _ = try await service.main.import(IssueSearch.self, from: Array(body.utf8))
        } throws: { error in
            if case .rejected(let report) = error as? StoreError { report.rejectedCount == 1 } else { false }
        }
    }

    @Test func `An element that isn't the response type is rejected and reported`() async throws {
        let service = try service(#"{"sections": [{"title": "A"}, 7, [], {"title": "B"}], "viewer": null}"#)
        let received = try await Dashboard.fetchReporting("/page", in: service.main)
        #expect(received.body.sections.map(\.title) == ["A", "B"])
        #expect(
            received.report.rejected.map(\.description) == [
                "sections[1]: 7 where a Section was expected", "sections[2]: an array where a Section was expected",
            ])
    }

    @Test func `Nested response types are read up to the depth limit`() async throws {
        let body = String(repeating: #"{"sections": ["#, count: 200) + String(repeating: "]}", count: 200)
        let service = try service(body)
        let received = try await Dashboard.fetchReporting("/page", in: service.main)
        #expect(received.report.mismatched.map(\.expected) == ["objects nested less deeply"])
    }

    @Test func `A reply without a body gives an empty response type`() async throws {
        let service = try Service(GitHub.models, replies: ["GET /page": .status(204)])
        let page = try await Page<User>.fetch("/page", in: service.main)
        #expect(page.data.isEmpty && page.total == nil && page.meta.kind == .full)
    }

    @Test(arguments: ["7", "[7]", "[]", "null"])
    func `A key path into a value that isn't an object is reported`(_ inner: String) async throws {
        let store = try Store(.temporary, models: GitHub.models)
        let report = try await store.main.import(Nested.self, from: Array(#"{"a": {"b": \#(inner)}}"#.utf8)).report
        let isNothing = ["[]", "null"].contains(inner)
        #expect(report.mismatched.map(\.path) == (isNothing ? [] : ["a.b"]), "\(report)")
    }

    @Test func `An invalid part of a response is left out and reported with its path`() async throws {
        let service = try service(
            """
            {"data": [{"id": 1}, 7, {"login": "nobody"}], "meta": {"total": "many", "kind": {}, "price": true,
             "generated_at": "yesterday", "requested_by": []}}
            """)
        let (page, report) = try await {
            let received = try await Page<User>.fetchReporting("/page", in: service.main)
            return (received.body, received.report)
        }()
        #expect(page.data.map(\.identifier) == [1] && page.total == nil && page.meta.kind == .full)
        #expect(report.inserted == 1)
        #expect(
            report.rejected.map(\.description) == [
                "data[1]: 7 where a User was expected", "data[2]: a User without an identity (\"id\")",
                "meta.requested_by: an array where a User was expected",
            ])
        #expect(
            Set(report.mismatched.map(\.description)) == [
                "meta.total: \"many\" where a whole number was expected",
                "meta.kind: an object where a string was expected",
                "meta.price: true where a decimal number was expected",
                "meta.generated_at: \"yesterday\" where \(AttributeKind.date.expectation) was expected",
            ])
    }

    @Test(
        arguments: [
            (#"{"items": [{"id": 1}, {"id": 2]}"#, .expectedCommaOrBrace), ("<html>", .expectedValue),
            (#"{"items": [{"id": 1}], "items": []}"#, .duplicateKey),
        ] as [(String, JSONError.Reason)])
    func `A body with invalid JSON or a duplicate key writes nothing`(
        body: String, reason: JSONError.Reason
    ) async throws {
        let service = try service(body)
        let error = await failure { _ = try await IssueSearch.fetch("/page", in: service.main) }
        guard case .body(let json, _)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(json.reason == reason)
        #expect(try service.main.query(Issue.self).count() == 0)
    }

    @Test func `All models of a response are imported in one transaction`() async throws {
        let service = try service(
            #"{"viewer": {"id": 1}, "sections": [{"repositories": [{"id": 2}]}, {"repositories": [{"id": 3}]}]}"#)
        let main = service.main
        var counts: [Int] = []
        let updates = main.query(Repository.self).updates.makeAsyncIterator()
        counts.append(try await updates.next()?.count ?? -1)
        _ = try await Dashboard.fetch("/page", in: main)
        counts.append(try await updates.next()?.count ?? -1)
        #expect(counts == [0, 2])
    }

    @Test func `A response type with a model that the store lacks throws before anything is sent`() async throws {
        let service = try Service(replies: [:])
        await #expect {
            _ = try await IssueSearch.fetch("/page", in: service.main)
        } throws: { error in
            "\(error)".contains("IssueSearch.items takes Issue, which is not among the store's models")
        }
        #expect(service.stub.log.isEmpty)
    }

    // MARK: Sending

    @Test func `A request with a custom body returns a response type`() async throws {
        let service = try service(#"{"total_count": 1, "items": [{"id": 4}]}"#, "POST /issues/7/find")
        struct Query: Encodable { var text: String, since: Date }
        let page = try await IssueSearch.send(
            .post, "/issues/:number/find", ["number": 7],
            body: Query(text: "a/b", since: Date(timeIntervalSince1970: 0)), in: service.main)
        #expect(page.items.map(\.identifier) == [4])
        #expect(service.stub.log == [#"POST /issues/7/find {"since":"1970-01-01T00:00:00Z","text":"a/b"}"#])
    }

    @Test func `A request without a result stores nothing`() async throws {
        let service = try Service(
            GitHub.models,
            replies: ["PUT /lock?by=me": .json(#"{"id": 1}"#), "DELETE /lock": .status(403), "POST /x": .status(204)])
        try await service.main.send(.put, "/lock", query: ["by": "me"])
        try await service.main.send(.post, "/x", body: ["a": 1])
        #expect(service.stub.log == ["PUT /lock?by=me", #"POST /x {"a":1}"#])
        #expect(try await service.store.contents().isEmpty)
        await #expect {
            let main = service.main
            try await main.send(.delete, "/lock")
        } throws: { error in
            (error as? APIError)?.reply?.kind == .forbidden
        }
    }

    @Test func `A body that JSON can't express is refused before anything is sent`() async throws {
        let service = try Service(GitHub.models)
        await #expect {
            let main = service.main
            try await main.send(.post, "/x", body: ["ratio": Double.nan])
        } throws: { error in
            if case .unencodable = error as? APIError { true } else { false }
        }
        #expect(service.stub.log.isEmpty)
    }

    // MARK: Without a network

    @Test func `A store without an API reads response types`() async throws {
        let store = try Store(.temporary, models: GitHub.models)
        let body = Array(#"{"total_count": 1, "items": [{"id": 4}, 5]}"#.utf8)
        let read = try await store.main.import(IssueSearch.self, from: body)
        #expect(read.body.items.map(\.identifier) == [4] && read.report.rejectedCount == 1)
        await #expect {
            _ = try await store.main.import(IssueSearch.self, from: body, isAllOrNothing: true)
        } throws: { error in
            if case .rejected(let report) = error as? StoreError { report.rejectedCount == 1 } else { false }
        }
    }
}
