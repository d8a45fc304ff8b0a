import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@ResponseBody
private struct Login {
    var token = ""
}

/// A token that is requested through the same store that needs it.
@MainActor @Suite struct TokenProviderTests {
    @Test func `A token provider's own requests don't wait for its token`() async throws {
        let known = Box<Store?>(nil)
        let stub = StubTransport { request in
            if request.url.path() == "/login" { return .json(#"{"token": "fresh"}"#) }
            return request.headerFields[.authorization] == "Bearer fresh" ? .json(#"{"id": 5}"#) : .status(401)
        }
        let api = API("https://api.example.com", transport: stub) {
            BearerToken { _ in
                let store = try #require(known.value)
                return try await store.background { try await Login.send(.post, "/login", in: $0).token }
            }
        }
        let store = try Store(.temporary, models: Blog.models, api: api)
        known.value = store
        #expect(try await Post.fetch(key: 5, in: store.main).identifier == 5)
        #expect(stub.requests.map { $0.headerFields[.authorization] } == [nil, "Bearer fresh"])
    }

    /// The cancellation of the one that waits reaches the provider's own request on the same thread.
    @Test func `The only caller that waits for a fetching token provider can be cancelled`() async throws {
        let known = Box<Store?>(nil)
        let held = HeldTransport()
        let api = API("https://api.example.com", transport: held) {
            BearerToken { _ in
                let store = try #require(known.value)
                return try await store.background { try await Author.fetch(key: 7, in: $0).name }
            }
        }
        let store = try Store(.temporary, models: Blog.models, api: api)
        known.value = store
        let fetching = Task { try await Post.fetch(key: 5, in: store.main).identifier }
        await held.wait(for: 1)
        fetching.cancel()
        let error = await #expect(throws: APIError.self) { try await fetching.value }
        #expect(error?.isCancellation == true)
        held.answer(0, .json(#"{"id": 7, "name": "fresh"}"#))
        // The next one asks again.
        let again = Task { try await Post.fetch(key: 5, in: store.main).identifier }
        await held.wait(for: 2)
        held.answer(1, .json(#"{"id": 7, "name": "fresh"}"#))
        await held.wait(for: 3)
        held.answer(2, .json(#"{"id": 5}"#))
        #expect(try await again.value == 5)
        #expect(held.log == ["GET /authors/7", "GET /authors/7", "GET /posts/5"])
    }
}
