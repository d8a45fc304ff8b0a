#if canImport(Darwin)
    import Foundation
    import RESTTransport
    import TestSupport
    import Testing

    /// The ends of requests that only URLSession has.
    @Suite struct URLSessionTests {
        @Test func `A refused challenge isn't a cancellation`() async throws {
            try await withWebServer { _ in
                ServerReply(status: 401, fields: ["WWW-Authenticate": "Basic realm=\"staff\""])
            } _: { base in
                let transport = URLSessionTransport(configuration: .ephemeral) { _ in
                    (.cancelAuthenticationChallenge, nil)
                }
                let error = await failure { () async throws(TransportError) -> APIResponse in
                    try await transport.send(APIRequest(.get, base + "/"))
                }
                #expect(error?.reason == .credentialUnavailable("the challenge handler refused to sign in"))
            }
        }
    }
#endif
