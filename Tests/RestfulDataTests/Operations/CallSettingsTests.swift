import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// The settings of calls, and requests that concern no model.
@MainActor @Suite struct CallSettingsTests {
    @Test func `Inner call settings override outer ones`() async throws {
        let service = try Service(stub: StubTransport { _ in .json("[]") })
        let settings: (inout Call) -> Void = {
            $0.query["a"] = 1
            $0.timeout = .seconds(5)
        }
        try await API.with(settings) {
            _ = try await Post.fetchAll(in: service.main) { $0.query["b"] = 2 }
            _ = try await Post.fetchAll(in: service.main)
        }
        _ = try await Post.fetchAll(in: service.main)
        #expect(service.stub.log == ["GET /posts?a=1&b=2", "GET /posts?a=1", "GET /posts"])
        #expect(service.stub.requests.map(\.timeout) == [.seconds(5), .seconds(5), .seconds(60)])
    }

    @Test func `A query in call settings narrows a list`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"[{"id": 5}]"#) })
        let author = try await service.imported(Author.self, #"{"id": 3, "posts": [{"id": 5}, {"id": 9}]}"#)
        _ = try await author.$posts.fetch { $0.query["state"] = "open" }
        #expect(author.posts.map(\.identifier).contains(9))
        _ = try await author.$posts.fetch { $0.query["per_page"] = 50 }
        #expect(author.posts.map(\.identifier) == [5])
    }

    @Test func `A path in call settings keeps the operation's query`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"[{"id": 5}]"#) })
        let author = try await service.imported(Author.self, #"{"id": 3}"#)
        let settings: Call.Settings = {
            $0.path = "/other"
            $0.query["v"] = 2
        }
        _ = try await author.$posts.fetch(from: "/starred", query: ["sort": "age"])
        _ = try await Post.fetchAll(query: ["sort": "age"], in: service.main, with: settings)
        _ = try await Post.fetch("/posts/5", query: ["sort": "age"], in: service.main, with: settings)
        try await service.main.send(.put, "/x", query: ["sort": "age"], with: settings)
        #expect(
            service.stub.log == [
                "GET /starred?sort=age", "GET /other?sort=age&v=2", "GET /other?sort=age&v=2",
                "PUT /other?sort=age&v=2",
            ])
    }

    @Test func `A path in call settings makes no complete listing`() async throws {
        let service = try Service(stub: StubTransport { _ in .json("[]") })
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        _ = try await Post.fetchAll(prune: .delete, in: service.main) { $0.path = "/drafts" }
        #expect(!post.isDeleted && service.stub.log == ["GET /drafts"])
    }

    @Test func `The checks after a deletion's 404 use the model's URL without the call's body and key`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                request.method == .delete ? .status(404) : request.url.path() == "/posts" ? .json("[]") : .status(404)
            })
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        try await post.delete {
            $0.path = "/trash/:id"
            $0.query["hard"] = true
            $0.idempotencyKey = "k"
        }
        #expect(post.isDeleted)
        #expect(service.stub.log[0] == "DELETE /trash/5?hard=true")
        #expect(service.stub.requests.dropFirst().allSatisfy { $0.headerFields[.init("Idempotency-Key")!] == nil })
    }

    @Test func `A policy argument overrides the policy in call settings`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"[{"id": 5}]"#) })
        _ = try await Post.fetchAll(in: service.main)
        _ = try await Post.fetchAll(in: service.main) { $0.policy = .offline }
        #expect(service.stub.log.count == 1)
        _ = try await Post.fetchAll(policy: .reload, in: service.main) { $0.policy = .offline }
        #expect(service.stub.log.count == 2)
    }

    @Test func `A call with a reply reader can't be answered by the store`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"[{"id": 5}]"#) })
        let same = ReplyReader { (json: JSONValue) in json }
        _ = try await Post.fetchAll(in: service.main) { $0.reading = same }
        let error = await failure {
            _ = try await Post.fetchAll(policy: .offline, in: service.main) { $0.reading = same }
        }
        guard case .notStored? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.stub.log.count == 1)
    }

    @Test func `A reply reader isn't called for an error reply`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"error": "no"}"#, status: 404) })
        let none = ReplyReader { (_: JSONValue) in throw CancellationError() }
        let error = await failure { _ = try await Post.fetch(key: 1, in: service.main) { $0.reading = none } }
        #expect(error?.reply?.status == 404)
    }

    @Test func `A description of call settings has names but no values`() {
        var call = Call()
        call.headers[.authorization] = "s3cr3t"
        call.query["token"] = "s3cr3t"
        call.idempotencyKey = "s3cr3t"
        call.timeout = .seconds(1)
        var dumped = ""
        dump(call, to: &dumped)
        #expect("\(call)" == "Call(Authorization, Idempotency-Key, ?token, timeout)")
        #expect(!dumped.contains("s3cr3t"))
    }

    // MARK: Responses

    @Test func `A call collects one response per page and per shared request`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                request.url.query() == nil
                    ? .json(#"[{"id": 5}]"#, headerFields: [.init("Link")!: "</posts?page=2>; rel=\"next\""])
                    : .json(#"[{"id": 6}]"#)
            })
        let (_, pages) = try await API.responding { try await Post.fetchAll(pages: .all(), in: service.main) }
        #expect(pages.map(\.url) == ["https://api.example.com/posts", "https://api.example.com/posts?page=2"])

        let held = HeldTransport()
        let store = try Store(
            .temporary, models: Blog.models, api: API("https://api.example.com", transport: held))
        let calls = (0..<2).map { _ in
            Task { try await API.responding { try await Post.fetch(key: 5, in: store.main) }.responses.map(\.status) }
        }
        try await store.waitForCallers(2)
        held.answer(0, .json(#"{"id": 5}"#))
        for call in calls { #expect(try await call.value == [.ok]) }
        #expect(held.log.count == 1)
    }

    @Test func `A stored answer adds no response, and a 304 does`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                request.headerFields[.ifNoneMatch] == nil
                    ? .json(#"[{"id": 5}]"#, headerFields: [.eTag: "\"1\""]) : .status(304)
            })
        let (_, responses) = try await API.responding {
            _ = try await Post.fetchAll(in: service.main)
            _ = try await Post.fetchAll(policy: .offline, in: service.main)
            _ = try await Post.fetchAll(in: service.main)
        }
        #expect(responses.map(\.status.code) == [200, 304])
    }

    @Test func `Calls that share a request are one request event`() async throws {
        let held = HeldTransport()
        let api = API("https://api.example.com", transport: held) { BearerToken("t") }
        let store = try Store(.temporary, models: Blog.models, api: api)
        var events = api.requests.makeAsyncIterator()
        let calls = (0..<2).map { _ in Task { _ = try await Post.fetch(key: 5, in: store.main) } }
        try await store.waitForCallers(2)
        held.answer(0, .json(#"{"id": 5}"#))
        for call in calls { try await call.value }
        _ = await failure { _ = try await Post.fetch(key: 6, policy: .offline, in: store.main) }
        var seen: [RequestEvent.Kind] = []
        for _ in 0..<4 { if let event = await events.next() { seen.append(event.kind) } }
        #expect(seen == [.started, .ended(status: 200), .started, .notStored])
    }

    // MARK: Actions

    @Test(arguments: [
        (#"{"id": 5, "title": "New"}"#, "New", 5), (#"{"title": "New"}"#, "New", 5), (#"{"ok": true}"#, "Old", 5),
        (#"{"id": 6, "title": "Other"}"#, "Old", 6),
    ])
    func `An action imports its reply's object`(
        _ reply: String, _ title: String, _ identifier: Int
    ) async throws {
        let service = try Service(stub: StubTransport { _ in .json(reply) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old", "text": "T"}"#)
        post.text = "edited"
        let result = try await post.send(.post, "/posts/:id/favourite", query: ["by": "me"])
        #expect(service.stub.log == ["POST /posts/5/favourite?by=me"])
        #expect(post.title == title && post.text == "edited" && result.identifier == identifier)
        #expect((result === post) == (identifier == 5))
    }

    @Test func `An action on an object that isn't created yet throws`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(204) })
        let error = await failure { try await Post(in: service.main).send(.post, "/posts/:id/favourite") }
        guard case .notYetCreated(model: "Post")? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `An action with an unknown name in its URL throws before anything is sent`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(204) })
        let post = try await service.imported(Post.self, #"{"id": 5}"#)
        let error = await failure { try await post.send(.post, "/posts/:idd/favourite") }
        guard case .route? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.stub.log.isEmpty)
    }

    @Test(arguments: [204, 200]) func `An action with an empty reply changes nothing`(_ status: Int) async throws {
        let service = try Service(stub: StubTransport { _ in .status(status) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        try await post.send(.put, "/posts/:id/lock", body: ["reason": "spam"])
        #expect(post.title == "Old" && service.stub.log == [#"PUT /posts/5/lock {"reason":"spam"}"#])
    }

    // MARK: Without a store

    @Test func `A custom request has the API's credentials and returns any status`() async throws {
        let stub = StubTransport { _ in .status(418) }
        let api = API("https://api.example.com", transport: stub) { BearerToken("t") }
        api.headers[.acceptLanguage] = "de"
        let reply = try await api.send(APIRequest(.options, "https://api.example.com/files"))
        #expect(reply.status.code == 418)
        #expect(stub.requests[0].headerFields[.authorization] == "Bearer t")
        #expect(stub.requests[0].headerFields[.acceptLanguage] == "de")
        _ = try await api.send(APIRequest(.get, "https://elsewhere.example.com/"))
        #expect(stub.requests[1].headerFields[.acceptLanguage] == nil)
    }

    private struct Hook: Decodable, Equatable {
        var id: Int
        var at: Date?
    }

    @Test func `A reply is decoded as a Decodable type, and an error has its path`() async throws {
        let stub = StubTransport([
            "GET /hooks": .json(#"[{"id": 1, "at": "1970-01-01T00:00:00Z"}]"#), "GET /wrong": .json(#"[{"id": "x"}]"#),
            "GET /html": .init(status: 200, headerFields: [.contentType: "text/html"], body: Array("<html>".utf8)),
        ])
        let api = API("https://api.example.com", transport: stub)
        let hooks: [Hook] = try await api.json("/hooks")
        #expect(hooks == [Hook(id: 1, at: Date(timeIntervalSince1970: 0))])
        let wrong = await failure { let _: [Hook] = try await api.json("/wrong") }
        guard case .unread(is DecodingError, _)? = wrong else {
            Testing.Issue.record("\(String(describing: wrong))")
            return
        }
        let html = await failure { let _: JSONValue = try await api.json("/html") }
        guard case .body? = html else {
            Testing.Issue.record("\(String(describing: html))")
            return
        }
    }

    @Test(arguments: ["2026-11-23T00:00:00Z", "2026-11-23T00:00:00.000Z", "2026-11-23T01:00:00+01:00", "2026-11-23"])
    func `A date in a decoded reply can be a day, or have a fraction or an offset`(_ text: String) async throws {
        let stub = StubTransport { _ in .json("{\"id\": 1, \"at\": \"\(text)\"}") }
        let hook: Hook = try await API("https://api.example.com", transport: stub).json("/hook")
        #expect(hook.at == Date(timeIntervalSince1970: 1_795_392_000))
    }

    @Test(arguments: ["2026-11-xx", "yesterday", ""])
    func `A text that is no date in a decoded reply throws`(_ text: String) async {
        let stub = StubTransport { _ in .json("{\"id\": 1, \"at\": \"\(text)\"}") }
        let api = API("https://api.example.com", transport: stub)
        let error = await failure { let _: Hook = try await api.json("/hook") }
        guard case .unread(is DecodingError, _)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `A failed request for data throws with the server's message`() async throws {
        let stub = StubTransport { _ in .json(#"{"message": "Not here"}"#, status: 404) }
        let api = API("https://api.example.com", transport: stub)
        let error = await failure { _ = try await api.data("/none") }
        #expect(error?.reply?.status == 404 && error?.description.contains("Not here") == true)
    }

    // MARK: Downloads

    private static func content(of folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func `A failed download leaves no file and keeps an existing one`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try Data("old".utf8).write(to: file)
            for status in [404, 500] {
                let stub = StubTransport { _ in .json("{}", status: status) }
                let api = API("https://api.example.com", transport: stub)
                let error = await failure { try await api.download("/film", to: file) }
                #expect(error?.reply?.status == status)
            }
            #expect(try Self.content(of: folder) == ["film"])
            #expect(try String(contentsOf: file, encoding: .utf8) == "old")
        }
    }

    @Test func `A download into a missing folder throws with the reason`() async throws {
        let stub = StubTransport { _ in .json("{}") }
        let api = API("https://api.example.com", transport: stub)
        let error = await failure { try await api.download("/film", to: URL(filePath: "/nowhere/film")) }
        guard case .transport(let error)? = error, case .unwritableFile(let reason) = error.reason else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("No such file or directory"))
    }

    @Test func `A download from memory replaces the file`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try Data("old and longer".utf8).write(to: file)
            let stub = StubTransport { _ in .json("new") }
            try await API("https://api.example.com", transport: stub).download("/film", to: file)
            #expect(try String(contentsOf: file, encoding: .utf8) == "new")
            #expect(try Self.content(of: folder) == ["film"])
            #expect(stub.requests[0].headerFields[.acceptEncoding] == "identity")
        }
    }
}
