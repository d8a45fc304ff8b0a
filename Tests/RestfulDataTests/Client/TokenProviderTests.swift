import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@ResponseBody
private struct Login {
    var token = ""
}

/// A token that is asked for by way of the store whose requests it is for.
@MainActor @Suite struct TokenProviderTests {
    @Test func `A provider's own requests through the same store do not wait for it`() async throws {
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
}
