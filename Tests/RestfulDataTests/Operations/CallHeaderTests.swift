import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

extension HTTPField.Name {
    fileprivate static let tenant = HTTPField.Name("X-Tenant") ?? .from
}

/// Header fields of a call's and of an API's requests, in addition to the library's own.
@MainActor @Suite struct CallHeaderTests {
    private func line(_ request: APIRequest) -> String {
        let fields = request.headerFields.filter { [.ifMatch, .tenant, .contentType].contains($0.name) }
        return "\(request.method) \(request.url.absoluteString) \(fields.map(\.value).joined(separator: " "))"
    }

    @Test func `Headers of one call are sent with its requests only`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 5, "title": "A"}"#) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "A"
        try await API.withHeaders([.ifMatch: "v1", .contentType: "application/merge-patch+json"]) {
            try await API.withHeaders([.tenant: "7"]) { try await post.save() }
        }
        try await post.fetch()
        #expect(
            service.stub.requests.map(line) == [
                "PATCH https://api.example.com/posts/5 v1 application/merge-patch+json 7",
                "GET https://api.example.com/posts/5 ",
            ])
    }

    @Test func `Headers of a call aren't sent to another origin`() async throws {
        let service = try Service(stub: StubTransport { _ in .json("[]") })
        try await API.withHeaders([.tenant: "7"]) {
            _ = try await Post.fetchAll("https://other.example.com/posts", in: service.main)
            _ = try await Post.fetchAll(in: service.main)
        }
        #expect(
            service.stub.requests.map(line) == [
                "GET https://other.example.com/posts ", "GET https://api.example.com/posts 7",
            ])
        #expect(service.stub.requests[1].credentialFields == [.tenant], "redirects elsewhere leave it out")
    }

    @Test func `The checks after a deletion's 404 carry no precondition`() async throws {
        let service = try Service(
            stub: StubTransport { request in
                request.method == .delete
                    ? .status(404) : request.url.path().hasSuffix("/5") ? .status(404) : .json("[]")
            })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        try await API.withHeaders([.ifMatch: "v1", .tenant: "7"]) { try await post.delete() }
        #expect(
            service.stub.requests.map(line) == [
                "DELETE https://api.example.com/posts/5 v1 7", "GET https://api.example.com/posts/5 7",
                "GET https://api.example.com/posts 7",
            ])
    }

    @Test func `Middleware's own requests carry none of the call's headers`() async throws {
        let tokens = StubTransport { _ in .json(#"{"id": 1, "token": "t"}"#) }
        let stub = StubTransport { _ in .json(#"{"id": 5, "title": "A"}"#) }
        let other = try Store(
            .temporary, models: Blog.models, api: API("https://login.example.com", transport: tokens))
        let api = API("https://api.example.com", transport: stub) {
            MapResponse { response in
                try? await other.background { context in try await context.send(.post, "/token") }
                return response
            }
        }
        let store = try Store(.temporary, models: Blog.models, api: api)
        _ = try await API.withHeaders([.tenant: "7"]) { try await Post.fetch("/posts/5", in: store.main) }
        #expect(stub.requests.map(line) == ["GET https://api.example.com/posts/5 7"])
        #expect(tokens.requests.map(line) == ["POST https://login.example.com/token "])
    }

    @Test func `An API's query is part of each of its requests, once`() async throws {
        let stub = StubTransport { request in
            .json(request.url.path().hasSuffix("/5") ? #"{"id": 5, "title": "A"}"# : "[]")
        }
        let api = API(
            "https://api.example.com", query: ["api-version": "2024-05-01", "locale": "en"], transport: stub)
        let store = try Store(.temporary, models: Blog.models, api: api)
        let post = try await Post.fetch("/posts/5", in: store.main)
        post.text = "Words"
        try await post.save()
        _ = try await Post.fetchAll(query: ["page": 2, "locale": "de"], in: store.main)
        _ = try await Post.fetchAll("https://other.example.com/posts", in: store.main)
        #expect(
            stub.requests.map { $0.url.absoluteString } == [
                "https://api.example.com/posts/5?api-version=2024-05-01&locale=en",
                "https://api.example.com/posts/5?api-version=2024-05-01&locale=en",
                "https://api.example.com/posts?page=2&locale=de&api-version=2024-05-01",
                "https://other.example.com/posts",
            ])
    }
}
