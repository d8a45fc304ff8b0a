#if canImport(Darwin)
    import Foundation
    import HTTPTypes
    import RESTTransport
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

        @Test(arguments: [
            URLError.Code.notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive,
        ])
        func `A network that may not be used counts as no network`(_ code: URLError.Code) async throws {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [FailingProtocol.self]
            let transport = URLSessionTransport(configuration: configuration)
            let error = await failure { () async throws(TransportError) -> APIResponse in
                try await transport.send(APIRequest(.get, "http://example.com/\(code.rawValue)"))
            }
            #expect(error?.reason == .connectionFailed("there is no network"))
            #expect(error?.isTransient == true)
        }
    }

    /// Fails each request with the code that its path names.
    private final class FailingProtocol: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            let code = request.url.flatMap { Int($0.lastPathComponent) } ?? 0
            client?.urlProtocol(self, didFailWithError: NSError(domain: NSURLErrorDomain, code: code))
        }

        override func stopLoading() {}
    }
#endif
