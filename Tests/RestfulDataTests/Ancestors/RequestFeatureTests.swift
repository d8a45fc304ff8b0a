import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Synchronization
import TestSupport
import Testing

extension HTTPField.Name {
    fileprivate static let sport = HTTPField.Name("SL-Sport")!
    fileprivate static let key = HTTPField.Name("Idempotency-Key")!
}

/// Documented request features of the ancestors, each in as few lines as theirs.
@MainActor @Suite struct RequestFeatureTests {
    private nonisolated static let post = #"{"id": 5, "title": "Old", "text": "T"}"#

    private static func service(_ reply: StubTransport.Reply = .status(204)) throws -> Service {
        try Service(stub: StubTransport { _ in reply })
    }

    // MARK: NCCCoreDataClient

    @Test func `A request reports the progress of its upload`() async throws {
        let seen = Mutex(0)
        try await withWebServer { _, _ in
            .status(204)
        } _: { base in
            try await API(base).send(.put, "/film", body: .data(Data(count: 300_000), type: "video/mp4")) {
                $0.progress = { progress in seen.withLock { $0 = max($0, progress.completed) } }
            }
        }
        #expect(seen.withLock { $0 } == 300_000)
    }

    @Test func `A save takes a path, query, headers, body, timeout and idempotency key`() async throws {
        let service = try Self.service()
        let post = try await service.imported(Post.self, Self.post)
        post.title = "New"
        try await post.save {
            $0.path = "/articles/:id/draft"
            $0.query["dry"] = 1
            $0.headers[.sport] = "Hunting"
            $0.body = .text("whole")
            $0.timeout = .seconds(120)
            $0.idempotencyKey = "k1"
        }
        let request = try #require(service.stub.requests.last)
        #expect(service.stub.log == ["PATCH /articles/5/draft?dry=1 whole"])
        #expect(request.headerFields[.sport] == "Hunting" && request.headerFields[.key] == "k1")
        #expect(request.headerFields[.contentType] == "text/plain; charset=utf-8")
        #expect(request.timeout == .seconds(120) && !post.hasChanges)
    }

    @Test func `Every operation takes request settings`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                request.method == .get ? .json("[\(Self.post)]") : .json(Self.post, status: 201)
            })
        let author = try await service.imported(Author.self, #"{"id": 3}"#)
        let settings: Call.Settings = { $0.query["v"] = 2 }
        let post = try await Post.fetchAll(in: service.main, with: settings)[0]
        _ = try await Post.fetch(key: 5, in: service.main, with: settings)
        _ = try await Post.fetch("/latest", in: service.main, with: settings)
        try await post.fetch(.reload, with: settings)
        _ = try await author.$posts.fetch(with: settings)
        for try await _ in Post.pages(limit: 1, in: service.main, with: settings) {}
        for try await _ in author.$posts.pages(limit: 1, with: settings) {}
        for try await _ in author.$posts.cachedThenFresh(with: settings) {}
        post.title = "New"
        try await post.save(with: settings)
        let other = Post(in: service.main)
        other.title = "Other"
        try await author.$posts.add(other, with: settings)
        try await post.delete(with: settings)
        #expect(service.stub.log.count == 11)
        for line in service.stub.log { #expect(line.contains("?v=2"), "\(line)") }
    }

    @Test func `A save of chosen properties acknowledges those alone`() async throws {
        let service = try Self.service()
        let post = try await service.imported(Post.self, Self.post)
        (post.title, post.text, post.rating) = ("New", "U", 0.75)
        try await post.save(only: \.title, \.isPublic)
        try await post.save(only: \.text, using: .put)
        #expect(
            service.stub.log == [
                #"PATCH /posts/5 {"title":"New","is_public":false}"#, #"PUT /posts/5 {"text":"U"}"#,
            ])
        #expect(post.unsentProperties == ["rating"])
        try await post.save()
        #expect(service.stub.log.last == #"PATCH /posts/5 {"rating":0.75}"#)
    }

    @Test(arguments: ["slug", "language", "lastReader"])
    func `NCC's PUT of chosen keys refuses a key that a save doesn't send`(_ name: String) async throws {
        let service = try Self.service()
        let post = try await service.imported(Post.self, Self.post)
        let error = await failure {
            switch name {
            case "slug": try await post.save(only: \.title, \.slug)
            case "language": try await post.save(only: \.language)
            default: try await post.save(only: \.lastReader)
            }
        }
        guard case .unsendable(model: "Post", property: name, _)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.stub.log.isEmpty)
    }

    @Test func `A save can send a PUT to another path`() async throws {
        let service = try Self.service()
        let post = try await service.imported(Post.self, Self.post)
        post.title = "New"
        try await post.save(using: .put) { $0.path = "/me/posts/\(5)" }
        #expect(service.stub.log.first?.hasPrefix("PUT /me/posts/5 {") == true)
    }

    @Test func `NCC's image is sent as the body of a request about an object`() async throws {
        let service = try Self.service()
        let author = try await service.imported(Author.self, #"{"id": 3}"#)
        try await author.send(.put, "/authors/:id/avatar", body: .data(Data([1, 2]), type: "image/png"))
        let request = try #require(service.stub.requests.last)
        #expect(request.url.path() == "/authors/3/avatar" && request.headerFields[.contentType] == "image/png")
        #expect(request.body?.bytes == [1, 2])
    }

    // MARK: SLRESTfulCoreData

    @Test func `SLRESTfulCoreData's relationship is fetched from any URL, with pages and pruning`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                request.url.query()?.contains("page=2") == true
                    ? .json(#"[{"id": 6}]"#)
                    : .json(
                        #"[{"id": 5}]"#,
                        headerFields: [.init("Link")!: "</authors/3/starred?page=2>; rel=\"next\""])
            })
        let author = try await service.imported(Author.self, #"{"id": 3, "posts": [{"id": 9}]}"#)
        let posts = try await author.$posts.fetch(from: "/authors/:id/starred", pages: .all())
        #expect(posts.map(\.identifier) == [5, 6] && author.posts == posts && posts[0].author === author)
        // A list of several pages without one of the members is fetched twice, as a proof.
        let pages = ["GET /authors/3/starred", "GET /authors/3/starred?page=2"]
        #expect(service.stub.log == pages + pages)
    }

    @Test func `SLRESTfulCoreData's GET of bare JSON returns the JSON`() async throws {
        let stub = StubTransport(["GET /rate_limit": .json(#"{"rate": {"limit": 60}}"#)])
        let limits: JSONValue = try await API("https://api.example.com", transport: stub).json("/rate_limit")
        #expect(limits["rate"]?["limit"]?.integer == 60)
    }

    @Test func `SLRESTfulCoreData's POST of bare JSON returns the JSON`() async throws {
        let stub = StubTransport([#"POST /hooks?v=2"#: .json(#"{"id": 7}"#, status: 201)])
        let api = API("https://api.example.com", transport: stub)
        let hook: JSONValue = try await api.json(.post, "/hooks", query: ["v": 2], body: .json(["event": "push"]))
        #expect(hook == ["id": 7] && stub.log == [#"POST /hooks?v=2 {"event":"push"}"#])
    }

    @Test func `Start and end of each request are reported with its model`() async throws {
        let stub = StubTransport { request in request.url.path() == "/posts" ? .json("[]") : .status(404) }
        let api = API("https://api.example.com", transport: stub)
        let store = try Store(.temporary, models: Blog.models, api: api)
        var events = api.requests.makeAsyncIterator()
        _ = try await Post.fetchAll(in: store.main)
        _ = await failure { _ = try await Author.fetch(key: 1, in: store.main) }
        var seen: [RequestEvent] = []
        for _ in 0..<4 { if let event = await events.next() { seen.append(event) } }
        #expect(seen.map(\.kind) == [.started, .ended(status: 200), .started, .ended(status: 404)])
        #expect(seen.map(\.model) == ["Post", "Post", "Author", "Author"])
        #expect(seen[0].id == seen[1].id && seen[1].id != seen[2].id)
    }

    @Test(.timeLimit(.minutes(10))) func `The events of requests end with their API`() async throws {
        func events() async throws -> AsyncStream<RequestEvent> {
            let api = API("https://api.example.com", transport: StubTransport { _ in .status(204) })
            let events = api.requests
            try await api.send(.get, "/x")
            return events
        }
        let stream = try await events()
        var seen: [RequestEvent.Kind] = []
        for await event in stream { seen.append(event.kind) }
        #expect(seen == [.started, .ended(status: 204)])
    }

    // MARK: AlamofireCoreData

    @Test func `A request can have its own reply reader`() async throws {
        let service = try Self.service(.json("5;Title", headerFields: [.contentType: "text/csv"]))
        let csv = ReplyReader(response: { response in
            var response = response
            let values = String(decoding: response.body, as: UTF8.self).split(separator: ";")
            response.body = Array(#"[{"id": \#(values[0]), "title": "\#(values[1])"}]"#.utf8)
            return response
        })
        let posts = try await Post.fetchAll(in: service.main) { $0.reading = csv }
        #expect(posts.map(\.title) == ["Title"])
    }

    private struct ShopError: Error { let reason: String? }

    private static let flagged = ReplyReader { (json: JSONValue) in
        guard json["success"]?.integer == 1 else { throw ShopError(reason: json["reason"]?.string) }
        return json["data"] ?? .null
    }

    @Test func `A reply reader can throw its own error for a success flag`() async throws {
        let service = try Self.service(.json(#"{"success": 0, "reason": "sold out"}"#))
        let error = await failure { _ = try await Post.fetchAll(in: service.main) { $0.reading = Self.flagged } }
        guard case .unread(let own as ShopError, _)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(own.reason == "sold out")
        let good = try Self.service(.json(#"{"success": 1, "data": [{"id": 5}]}"#))
        #expect(try await Post.fetchAll(in: good.main) { $0.reading = Self.flagged }.count == 1)
    }

    @Test(arguments: [
        (APIConventions.FormLists.brackets, "tags%5B%5D=a&tags%5B%5D=b"), (.repeated, "tags=a&tags=b"),
        (.indexes, "tags%5B0%5D=a&tags%5B1%5D=b"), (.joined(by: ","), "tags=a%2Cb"),
    ])
    func `A request sends a form with its own kind of lists`(
        _ lists: APIConventions.FormLists, _ form: String
    ) async throws {
        let service = try Self.service()
        try await service.main.send(.post, "/search", body: .form(["tags": ["a", "b"]], lists: lists))
        #expect(service.stub.log == ["POST /search \(form)"])
        #expect(service.stub.requests[0].headerFields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test func `A call can return its response together with its result`() async throws {
        let service = try Self.service(.json("[\(Self.post)]", headerFields: [.eTag: "\"1\""]))
        let (posts, responses) = try await API.responding { try await Post.fetchAll(in: service.main) }
        #expect(posts.count == 1 && responses.map(\.status) == [.ok] && responses[0].headerFields[.eTag] == "\"1\"")
    }

    // MARK: RoundedRobot

    @Test func `An API's headers can be changed while stores are open`() async throws {
        let stub = StubTransport { _ in .json("[]") }
        let api = API("https://api.example.com", transport: stub)
        let store = try Store(.temporary, models: Blog.models, api: api)
        api.headers[.sport] = "Hunting"
        _ = try await Post.fetchAll(in: store.main)
        api.headers[.sport] = nil
        _ = try await Post.fetchAll(in: store.main)
        #expect(stub.requests.map { $0.headerFields[.sport] } == ["Hunting", nil])
        #expect(stub.requests[0].credentialFields.contains(.sport), "a redirect elsewhere leaves it out")
    }

    // MARK: Nemo Connect

    @Test func `A request sends data or a multipart form as its body`() async throws {
        let stub = StubTransport { _ in .status(204) }
        let api = API("https://api.example.com", transport: stub)
        try await api.send(.post, "/notes", body: .data(Data("hi".utf8), type: "text/plain"))
        try await api.send(.post, "/uploads", body: .multipart([.field("title", "x")], boundary: "b"))
        #expect(stub.log[0] == "POST /notes hi")
        #expect(stub.log[1].hasSuffix("--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nx\r\n--b--\r\n"))
    }

    @Test func `Settings that throw send nothing`() async throws {
        struct Note: Encodable {
            let text: String?
            func encode(to encoder: any Encoder) throws {
                guard let text else {
                    throw EncodingError.invalidValue("nil", .init(codingPath: [], debugDescription: ""))
                }
                var container = encoder.singleValueContainer()
                try container.encode(["text": text])
            }
        }
        let service = try Service(replies: ["PATCH /posts/5": .status(204), "GET /posts": .json("[]")])
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "New"
        try await post.save { $0.body = try .json(["title": "Other"]) }
        #expect(service.stub.log == [#"PATCH /posts/5 {"title":"Other"}"#])
        let failing: Call.Settings = { $0.body = try .json(Note(text: nil)) }
        post.title = "Newer"
        let pages = Post.pages(in: service.main, with: failing)
        let fresh = Post.cachedThenFresh(in: service.main, with: failing)
        for error in [
            await failure { try await post.save(with: failing) },
            await failure { _ = try await Post.fetchAll(in: service.main, with: failing) },
            await failure { for try await _ in pages {} },
            await failure { for try await _ in fresh {} },
        ] {
            guard case .unencodable = error else {
                Testing.Issue.record("\(error as Any)")
                continue
            }
        }
        #expect(service.stub.log.count == 1 && post.hasChanges)
    }

    @Test func `An API returns the bytes of an image`() async throws {
        let stub = StubTransport { _ in .init(status: 200, headerFields: [.contentType: "image/png"], body: [1, 2]) }
        let api = API("https://api.example.com", transport: stub)
        #expect(try await api.data("/images/:name", ["name": "cat.png"]) == Data([1, 2]))
        #expect(stub.requests[0].headerFields[.accept] == "*/*")
        // Reading it as JSON is an error that names its type.
        let error = await failure { let _: JSONValue = try await api.json("/images/cat.png") }
        #expect("\(error as Any)".contains("the server calls it image/png"), "\(error as Any)")
    }

    @Test func `A file is uploaded and downloaded with progress`() async throws {
        try await withTemporaryFolder { folder in
            let (up, down) = (folder.appending(path: "up.txt"), folder.appending(path: "down.txt"))
            try Data("content".utf8).write(to: up)
            let seen = Mutex<[TransferProgress]>([])
            try await withWebServer { line, _ in
                line == "PUT /files/a content" ? .status(201) : .json("downloaded")
            } _: { base in
                let api = API(base)
                try await api.send(.put, "/files/:name", ["name": "a"], body: .file(up))
                let head = try await api.download("/files/:name", ["name": "a"], to: down) { progress in
                    seen.withLock { $0.append(progress) }
                }
                #expect(head.status == .ok)
            }
            #expect(try String(contentsOf: down, encoding: .utf8) == "downloaded")
            #expect(seen.withLock { $0.last } == TransferProgress(.receiving, completed: 10, of: 10))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
    }
}
