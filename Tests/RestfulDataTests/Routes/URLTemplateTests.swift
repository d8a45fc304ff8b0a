import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// An interpolated part of a template is a value, with any text.
@MainActor @Suite struct URLTemplateTests {
    private func service(_ values: ValueFormats? = nil) throws -> Service {
        try Service(values: values, stub: StubTransport { _ in .json("[]") })
    }

    @Test(arguments: [
        ("ada", "ada"), ("a/b", "a%2Fb"), ("ada/../admin", nil), ("..", nil), (".", nil), ("..;x", nil), ("", nil),
        ("a?admin=1", "a%3Fadmin=1"), ("a#b", "a%23b"), (":login", ":login"), (":{login}", ":%7Blogin%7D"),
        ("100%", "100%25"), ("%2e%2e", "%252e%252e"), ("a b", "a%20b"), ("ü", "%C3%BC"), (";x", "%3Bx"),
        ("//evil.example", nil), ("a\r\nHost: b", "a%0D%0AHost:%20b"),
    ])
    func `An interpolated value in a path is one segment`(
        _ login: String, _ segment: String?
    ) async throws {
        let service = try service()
        let error = await failure { _ = try await Post.fetchAll("/users/\(login)/posts", in: service.main) }
        #expect((error == nil) == (segment != nil), "\(String(describing: error))")
        #expect(service.stub.log == (segment.map { ["GET /users/\($0)/posts"] } ?? []))
        // As the value of a name, which it would have been before.
        service.stub.forgetRequests()
        _ = await failure {
            _ = try await Post.fetchAll("/users/:login/posts", ["login": login], in: service.main)
        }
        #expect(service.stub.log == (segment.map { ["GET /users/\($0)/posts"] } ?? []))
    }

    @Test(arguments: [("a&b=c", "a%26b%3Dc"), ("a/b", "a%2Fb"), ("..", ".."), (":x", "%3Ax")])
    func `An interpolated value in a query is escaped as a whole`(_ text: String, _ escaped: String) async throws {
        let service = try service()
        _ = try await Post.fetchAll("/posts?q=\(text)&page=\(2)", in: service.main)
        #expect(service.stub.log == ["GET /posts?q=\(escaped)&page=2"])
    }

    @Test func `Interpolated values of any type can be mixed with names in every kind of call`() async throws {
        let service = try service(ValueFormats(dates: .epochSeconds))
        let (number, moment, login) = (5, Date(timeIntervalSince1970: 1_700_000_000), String?.some("ada"))
        _ = try await Post.fetchAll(
            "/users/\(login)/:kind/\(number).json", ["kind": "posts"], query: ["since": moment], in: service.main)
        _ = try await Post.fetchAllReporting("/a/\(moment)/\(true)/\(0.5)", in: service.main)
        for try await _ in Post.pages("/pages/\(number)", in: service.main) {}
        for try await _ in Post.cachedThenFresh("/cached/\(number)", in: service.main) {}
        _ = await failure { _ = try await Post.fetch("/posts/\(number)", in: service.main) }
        try await service.main.send(.put, "/posts/\(number)/lock")
        try await service.main.send(.post, "/posts/\(number)/tags", body: ["a"])
        _ = try await Post.fetchAll("https://other.example.com/\(number)", in: service.main)
        _ = try await Post.fetchAll(login != nil ? "/posts" : "/notes", in: service.main)
        let path = "/posts/:id"
        _ = try await Post.fetchAll(URLTemplate(path + "/related"), ["id": 7], in: service.main)
        #expect(
            service.stub.log == [
                "GET /users/ada/posts/5.json?since=1700000000", "GET /a/1700000000/true/0.5", "GET /pages/5",
                "GET /cached/5", "GET /posts/5", "PUT /posts/5/lock", #"POST /posts/5/tags ["a"]"#, "GET /5",
                "GET /posts", "GET /posts/7/related",
            ])
    }

    @Test func `A value that a URL can't have throws before anything is sent`() async throws {
        let service = try service()
        let (missing, main) = (String?.none, service.main)
        let base = "https://evil.example"
        let cases: [(template: URLTemplate, text: String)] = [
            ("/users/\(missing)", #"The route "/users/:{value 1}" needs a value for ":value 1""#),
            ("/users/\(1)/\(Double.nan)", #"needs a value for ":value 2""#),
            ("\(base)/users", "a value can't stand before the path, as it is escaped"),
            ("https://\(base)/users", "a value can't stand before the path"),
            ("https://api.example.com\(base)/users", "a value can't stand before the path"),
            ("users/\(1)", "a value can't stand before the path"),
            ("/users/\(1)/:name", #"The route "/users/:{value 1}/:name" needs a value for ":name""#),
        ]
        for (template, text) in cases {
            let error = await failure { _ = try await Post.fetchAll(template, in: main) }
            #expect(error?.description.contains(text) == true, "\(String(describing: error))")
        }
        #expect(service.stub.log == [])
    }
}
