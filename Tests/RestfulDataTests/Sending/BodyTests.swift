import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// The bodies of requests, byte for byte.
@MainActor @Suite struct BodyTests {
    private func service(_ saveMethod: API.SaveMethod = .patch) throws -> Service {
        try Service(saveMethod: saveMethod, stub: StubTransport { _ in .status(204) })
    }

    private static let stored = """
        {"id": 5, "title": "Old", "text": "Words", "rating": 1.5, "is_public": true, "tags": ["a"],
         "meta": {"source": "wire", "wordCount": 2}, "slug": "old", "language": "en",
         "author": {"id": 7, "name": "Ada"}, "last_reader": {"id": 8, "name": "Bob"},
         "cover": {"id": 30, "file": "https://example.com/c.png"}, "readers": [{"id": 7}, {"id": 8}]}
        """

    // MARK: Create

    @Test func `A creation sends the values set`() async throws {
        let service = try service()
        let post = Post(in: service.main)
        try await post.create()
        post.title = "A"
        try await post.create()
        #expect(service.stub.log == ["POST /posts {}", #"POST /posts {"title":"A"}"#])
    }

    @Test func `A creation sends saved values and no defaults`() async throws {
        let service = try service()
        let post = Post(in: service.main)
        post.title = "A"
        try await service.main.save()
        try await post.create()
        #expect(service.stub.log == [#"POST /posts {"title":"A"}"#])
    }

    @Test func `Every kind of value is written as JSON`() async throws {
        let service = try service()
        let post = Post(in: service.main)
        post.title = "quote \" backslash \\ line\nfeed tab\t bell\u{7} é 🚀 \u{2028}/"
        post.text = nil
        post.rating = 0.1
        post.isPublic = true
        post.publishedAt = Date(timeIntervalSince1970: 1_737_590_390.25)
        post.tags = ["a", "b/c"]
        post.source = "wire"
        post.wordCount = -3
        try await post.create()
        #expect(
            service.stub.log == [
                #"POST /posts {"title":"quote \" backslash \\ line\nfeed tab\t bell\u0007 é 🚀 \#u{2028}/","text":null,"#
                    + #""rating":0.1,"is_public":true,"published_at":"2025-01-22T23:59:50.250Z","tags":["a","b/c"],"#
                    + #""meta":{"source":"wire","wordCount":-3}}"#
            ])
    }

    @Test(arguments: [
        (1.0, "1"), (-0.5, "-0.5"), (1e15, "1000000000000000"), (1e16, "1e+16"), (1e300, "1e+300"),
        (.leastNonzeroMagnitude, "5e-324"),
    ])
    func `A number is written as JSON`(_ value: Double, _ text: String) async throws {
        let service = try service()
        let post = Post(in: service.main)
        post.rating = value
        try await post.create()
        #expect(service.stub.log == ["POST /posts {\"rating\":\(text)}"])
    }

    @Test(
        arguments: [
            (0, #""1970-01-01T00:00:00Z""#), (-1, #""1969-12-31T23:59:59Z""#),
            (253_402_300_799, #""9999-12-31T23:59:59Z""#),
        ] as [(Double, String)])
    func `A date is written as RFC 3339`(_ seconds: Double, _ text: String) async throws {
        let service = try service()
        let post = Post(in: service.main)
        post.publishedAt = Date(timeIntervalSince1970: seconds)
        try await post.create()
        #expect(service.stub.log == ["POST /posts {\"published_at\":\(text)}"])
    }

    // MARK: Save

    @Test func `A save sends the changed keys only`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, Self.stored)
        post.title = "New"
        post.wordCount = 3
        try await post.save()
        #expect(service.stub.log == [#"PATCH /posts/5 {"title":"New","meta":{"wordCount":3}}"#])
        #expect(!post.hasChanges)
    }

    @Test func `A save without changes sends nothing`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, Self.stored)
        try await post.save()
        post.title = "New"
        post.title = "Old"
        post.readers = post.readers
        try await post.save()
        #expect(service.stub.log == [])
        post.title = "New"
        try await post.save()
        try await post.save()
        #expect(service.stub.log.count == 1)
    }

    @Test func `A value set to nil is sent as null`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, Self.stored)
        post.text = nil
        post.author = nil
        post.readers = []
        post.cover = nil
        try await post.save()
        #expect(
            service.stub.log == [#"PATCH /posts/5 {"text":null,"author_id":null,"cover":null,"reader_ids":[]}"#])
    }

    @Test func `Saved changes are sent after the store was reopened`() async throws {
        let path = NSTemporaryDirectory() + "RestfulDataTests-\(UUID()).sqlite"
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        do {
            let service = try Service(location: .file(path), stub: StubTransport { _ in .status(204) })
            let post = try await service.imported(Post.self, Self.stored)
            post.title = "New"
            post.readers = []
            try await service.main.save()
        }
        let service = try Service(location: .file(path), stub: StubTransport { _ in .status(204) })
        let post = try #require(try service.main.find(Post.self, 5))
        try await post.save()
        try await post.save()
        #expect(service.stub.log == [#"PATCH /posts/5 {"title":"New","reader_ids":[]}"#])
    }

    @Test func `A PUT sends the whole known object, and nothing without changes`() async throws {
        let service = try service(.put)
        let post = try await service.imported(Post.self, Self.stored)
        try await post.save()
        post.title = "New"
        try await post.save()
        #expect(
            service.stub.log == [
                #"PUT /posts/5 {"id":5,"title":"New","text":"Words","rating":1.5,"is_public":true,"#
                    + #""tags":["a"],"meta":{"source":"wire","wordCount":2},"author_id":7,"#
                    + #""cover":{"id":30,"file":"https://example.com/c.png"},"reader_ids":[7,8]}"#
            ])
    }

    // MARK: Access

    @Test func `Read-only attributes are never sent, create-only ones only at creation`() async throws {
        let service = try service()
        let new = Post(in: service.main)
        new.slug = "a"
        new.language = "de"
        try await new.create()
        #expect(service.stub.log == [#"POST /posts {"language":"de"}"#])
        #expect(new.slug == "a" && !new.hasChanges && new.unsentProperties == [])
    }

    @Test func `A write-only attribute is sent, never imported, and dropped once acknowledged`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 5, "password": "echoed"}"#) })
        let post = Post(in: service.main)
        post.password = "secret"
        try await post.create()
        #expect(post.password == nil)
        post.password = "secret"
        try await service.main.save()
        try await post.save()
        post.password = "secret"
        try await post.save()
        try await post.save()
        #expect(
            service.stub.log == [
                #"POST /posts {"password":"secret"}"#, #"PATCH /posts/5 {"password":"secret"}"#,
                #"PATCH /posts/5 {"password":"secret"}"#,
            ])
        #expect(!post.hasChanges)
        #expect(try await !service.store.contents().contains("secret"))
    }

    // MARK: Relationships

    @Test func `A relationship is sent as identities or whole, as declared`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, Self.stored)
        let ada = try #require(try service.main.find(Author.self, 7))
        let bob = try #require(try service.main.find(Author.self, 8))
        let picture = Picture(in: service.main)
        picture.file = URL(string: "https://example.com/a.png")
        picture.width = 64
        post.author = bob
        post.lastReader = ada
        post.readers = [bob, ada]
        post.cover = picture
        post.pictures = [picture]
        try await post.save()
        #expect(
            service.stub.log == [
                #"PATCH /posts/5 {"author_id":8,"cover":{"file":"https://example.com/a.png","width":64},"#
                    + #""pictures":[{"file":"https://example.com/a.png","width":64}],"reader_ids":[8,7]}"#
            ])
    }

    @Test func `A relationship is sent as the declared key of its target`() async throws {
        let service = try Service(GitHub.models, conventions: .github, stub: StubTransport { _ in .status(204) })
        let issue = try await service.imported(
            Issue.self,
            #"""
            {"id": 1, "number": 5, "repository": {"id": 2, "full_name": "a/b"}, "user": {"id": 3, "login": "ada"},
             "labels": [{"id": 4, "name": "bug"}], "milestone": {"id": 6, "number": 9}}
            """#)
        let user = try #require(issue.user)
        let milestone = try #require(issue.milestone)
        issue.assignees = [user]
        issue.labels = []
        issue.milestone = nil
        try await issue.save()
        issue.milestone = milestone
        issue.user = nil
        try await issue.save()
        #expect(
            service.stub.log == [
                #"PATCH /repos/a/b/issues/5 {"assignees":["ada"],"labels":[],"milestone":null}"#,
                #"PATCH /repos/a/b/issues/5 {"user_id":null,"milestone":9}"#,
            ])
    }

    @Test func `Values in the URL aren't repeated in the body`() async throws {
        let service = try Service(GitHub.models, conventions: .github, stub: StubTransport { _ in .status(204) })
        let repository = try await service.imported(Repository.self, #"{"id": 2, "full_name": "a/b"}"#)
        let issue = Issue(in: service.main)
        issue.title = "A"
        issue.repository = repository
        try await issue.create()
        #expect(service.stub.log == [#"POST /repos/a/b/issues {"title":"A"}"#])
        #expect(repository.issues.map(\.title) == ["A"])
    }

    @Test func `A link to an object that isn't created yet throws before anything is sent`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, Self.stored)
        post.author = Author(in: service.main)
        let error = await failure { try await post.save() }
        #expect(
            error?.description
                == "Post.author leads to a new Author, which the server does not know yet; create it first. Nothing was sent."
        )
        post.author = nil
        post.readers.append(Author(in: service.main))
        let list = await failure { try await post.save() }
        guard case .unidentified(model: "Post", property: "readers", target: "Author")? = list else {
            Testing.Issue.record("\(list as Any)")
            return
        }
        #expect(service.stub.log == [])
        #expect(post.hasChanges && post.readers.count == 3)
    }

    @Test func `A link to a deleted object is sent as null`() async throws {
        let service = try service()
        let post = try await service.imported(Post.self, Self.stored)
        let bob = try #require(try service.main.find(Author.self, 8))
        post.author = bob
        service.main.delete(bob)
        try await post.save()
        #expect(service.stub.log == [#"PATCH /posts/5 {"author_id":null}"#])
        #expect(post.author == nil)
    }

    // MARK: Header fields

    @Test func `Requests accept and send JSON unless middleware changes the headers`() async throws {
        let stub = StubTransport { request in .json(request.method == .get ? "[]" : #"{"id": 5}"#) }
        func fields(@MiddlewareBuilder _ middleware: () -> [any Middleware]) async throws -> [HTTPFields] {
            stub.forgetRequests()
            let api = API("https://api.example.com/v1/", transport: stub, middleware: middleware)
            let store = try Store(.temporary, models: Blog.models, api: api)
            try await Post(in: store.main).create()
            _ = try await Post.fetchAll(in: store.main)
            return stub.requests.map(\.headerFields)
        }
        let plain = try await fields {}
        #expect(
            plain == [[.contentType: "application/json", .accept: "application/json"], [.accept: "application/json"]])
        #expect(stub.log == ["POST /v1/posts {}", "GET /v1/posts"])
        let own = try await fields { Headers([.accept: "application/vnd.github+json"]) }
        #expect(own.map { $0[values: .accept] } == [["application/vnd.github+json"], ["application/vnd.github+json"]])
    }
}
