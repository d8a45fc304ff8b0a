import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Replies that are corrected before anything reads them.
@MainActor @Suite struct MapResponseTests {
    private func store(
        _ stub: StubTransport, _ models: [any Model.Type] = Blog.models,
        @MiddlewareBuilder _ middleware: () -> [any Middleware]
    ) throws -> Store {
        let layers = middleware()
        return try Store(.temporary, models: models, api: API("https://api.example.com", transport: stub) { layers })
    }

    /// `<post><id>5</id><title>A</title></post>`, as JSON.
    private nonisolated static func json(ofXML bytes: [UInt8], _ request: APIRequest) throws(TransportError) -> [UInt8]
    {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("<post>"), text.hasSuffix("</post>") else {
            throw TransportError(.malformedResponse("no post in XML"), request)
        }
        let inside = text.dropFirst("<post>".count).dropLast("</post>".count)
        let members = inside.matches(of: /<(\w+)>([^<]*)<\/\w+>/).map { "\"\($0.output.1)\": \"\($0.output.2)\"" }
        return Array("{\(members.joined(separator: ", "))}".utf8)
    }

    private nonisolated static let readingXML = MapResponse { response throws(TransportError) in
        guard response.headerFields[.contentType] == "application/xml" else { return response }
        var response = response
        response.body = try Self.json(ofXML: response.body, response.request)
        response.head.headerFields[.contentType] = "application/json"
        return response
    }

    @Test func `A body in XML is imported as the JSON that it is mapped to`() async throws {
        let stub = StubTransport { request in
            let title = request.method == .get ? "A" : "Theirs"
            return .init(
                status: 200, headerFields: [.contentType: "application/xml"],
                body: Array("<post><id>5</id><title>\(title)</title><is_public>true</is_public></post>".utf8))
        }
        let store = try store(stub) { Self.readingXML }
        let post = try await Post.fetch("/posts/5", in: store.main)
        #expect(post.identifier == 5 && post.title == "A" && post.isPublic)
        post.title = "Mine"
        try await post.save()
        #expect(post.title == "Theirs" && !post.hasChanges)
    }

    @Test func `A body that can't be mapped to JSON throws, and edits stay`() async throws {
        let stub = StubTransport { _ in
            .init(status: 200, headerFields: [.contentType: "application/xml"], body: Array("<html>".utf8))
        }
        let store = try store(stub) { Self.readingXML }
        let post = try await store.main.import(Post.self, from: Array(#"{"id": 5}"#.utf8)).objects[0]
        post.title = "Mine"
        guard case .transport(let error)? = await failure({ try await post.save() }) else {
            Testing.Issue.record("no error")
            return
        }
        #expect(error.reason == .malformedResponse("no post in XML"))
        #expect(post.changedProperties == ["title"])
    }

    /// `{"status": 422, "error": {…}, "data": …}` with HTTP 200.
    private nonisolated static let openingEnvelopes = MapResponse { response in
        guard let body = try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any],
            let status = body["status"] as? Int
        else { return response }
        var response = response
        response.head.status = .init(code: status)
        let inside = body["data"] ?? ["errors": body["error"] ?? ""]
        response.body = (try? JSONSerialization.data(withJSONObject: inside)).map(Array.init) ?? []
        return response
    }

    @Test func `A success that is mapped to a failure becomes a validation error`() async throws {
        let isValid = Box(false)
        let stub = StubTransport { _ in
            isValid.value
                ? .json(#"{"status": 201, "data": {"id": 5, "title": "A"}}"#)
                : .json(#"{"status": 422, "error": {"is_public": ["must be set"]}}"#)
        }
        let store = try store(stub) { Self.openingEnvelopes }
        let post = Post(in: store.main)
        post.title = "A"
        let error = try #require(await failure { try await post.create() }?.reply)
        #expect(error.kind == .validation && error.status == 422 && error.fields == ["isPublic": ["must be set"]])
        #expect(post.isInserted && post.changedProperties == ["title"])
        isValid.value = true
        try await post.create()
        #expect(post.identifier == 5 && !post.hasChanges)
    }

    @Test func `Mapped header fields lead to further pages`() async throws {
        let stub = StubTransport { request in
            request.url.query() == nil
                ? .json(#"[{"id": 1}]"#, headerFields: [.init("X-Next")!: "/posts?page=2"]) : .json(#"[{"id": 2}]"#)
        }
        let store = try store(stub) {
            MapResponse { response in
                guard let next = response.headerFields[.init("X-Next")!] else { return response }
                var response = response
                response.head.headerFields[.init("Link")!] = "<\(next)>; rel=\"next\""
                return response
            }
        }
        let posts = try await Post.fetchAll(pages: .all(), in: store.main)
        #expect(posts.map(\.identifier) == [1, 2])
    }

    @Test func `Outer middleware sees responses that inner middleware mapped`() async throws {
        let count = Box(0)
        let stub = StubTransport { _ in
            count.value += 1
            return count.value < 3 ? .json(#"{"status": 503}"#) : .json(#"{"status": 200, "data": {"id": 5}}"#)
        }
        let store = try store(stub) {
            Again()
            Self.openingEnvelopes
        }
        #expect(try await Post.fetch("/posts/5", in: store.main).identifier == 5)
        #expect(stub.log.count == 3)
    }

    /// Asks until it is no failure of the server's.
    private nonisolated struct Again: Middleware {
        func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
            var response = try await next(request)
            while response.status.kind == .serverError { response = try await next(request) }
            return response
        }
    }
}
