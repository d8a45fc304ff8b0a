import Foundation
import RESTTransport
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A token whose renewal fails, for all calls of a store that wait for it.
@MainActor @Suite(.timeLimit(.minutes(10))) struct RefusedTokenTests {
    @Test func `A refused token refresh fails all waiting calls, and the next call tries again`()
        async throws
    {
        let login = HeldTransport()
        let stub = StubTransport { request in
            guard request.headerFields[.authorization] == "Bearer two" else { return .status(401) }
            return request.method == .get ? .json("[]") : .status(204)
        }
        let client = OAuth2Client(
            id: "app", secret: "s3cr3t", tokenURL: try #require(URL(string: "https://login.example.com/token")))
        let oauth = OAuth2(.refreshToken("refresh"), client: client, transport: login)
        let api = API("https://api.example.com", timeout: patience, transport: stub) { oauth }
        let store = try Store(.temporary, models: Blog.models, api: api)
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "New"

        func isRefused(_ call: @escaping @MainActor () async throws -> Void) -> Task<Bool, Never> {
            Task { @MainActor in
                guard case .transport(let error) = await failure({ try await call() }),
                    case .tokenRefused = error.reason
                else { return false }
                return !"\(error)".contains("s3cr3t") && !"\(error)".contains("refresh\"")
            }
        }
        let fetches = (1..<20).map { number in
            isRefused { _ = try await Post.fetchAll("/posts/of/\(number)", in: store.main) }
        }
        let save = isRefused { try await post.save() }
        await until { oauth.waiting == 20 }
        login.answer(0, .json(#"{"error": "invalid_grant", "error_description": "revoked"}"#, status: 400))
        for call in fetches + [save] { #expect(await call.value) }
        #expect(stub.requests.isEmpty && login.log.count == 1)
        #expect(post.title == "New" && post.hasChanges)

        let again = Task { @MainActor in try await post.save() }
        await login.wait(for: 2)
        login.answer(1, .json(#"{"access_token": "two", "token_type": "bearer"}"#))
        try await again.value
        #expect(stub.log == [#"PATCH /posts/5 {"title":"New"}"#] && !post.hasChanges)
    }
}
