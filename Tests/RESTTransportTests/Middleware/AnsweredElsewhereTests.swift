import HTTPTypes
import RESTTransport
import Testing

/// What a 303 leads to is asked for by a GET: that one's failure says nothing of the request that was done before.
@Suite struct AnsweredElsewhereTests {
    /// A server that has done each write, and then refuses to show what came of it.
    private func stub(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:]) -> Stub {
        Stub { number, request in
            if request.method != .get { return .status(.seeOther, [.location: "/v1/items/\(number)"]) }
            return .status(status, fields)
        }
    }

    private func sent(
        _ request: APIRequest, to stub: Stub, @MiddlewareBuilder _ middleware: () -> [any Middleware]
    ) async throws -> APIResponse {
        try await TransportChain(stub) {
            middleware()
            FollowRedirects()
        }.send(request)
    }

    @Test(
        arguments: [
            (.tooManyRequests, [.retryAfter: "1"]), (.forbidden, [.retryAfter: "1"]), (.tooManyRequests, [:]),
        ] as [(HTTPResponse.Status, HTTPFields)])
    func `What was done is not sent again where its result is held back`(
        status: HTTPResponse.Status, fields: HTTPFields
    ) async throws {
        let stub = stub(status, fields)
        let reply = try await sent(APIRequest(.post, apiURL, body: .bytes([1])), to: stub) {
            Retry(time: FakeTime().source)
        }
        #expect(reply.status == status && reply.method == .get)
        #expect(stub.requests.map(\.method) == [.post, .get])
    }

    @Test func `What was done is not sent again with another token`() async throws {
        let stub = stub(.unauthorized)
        let reply = try await sent(APIRequest(.post, apiURL, body: .bytes([1])), to: stub) {
            BearerToken { rejected in rejected == nil ? "a" : "b" }
        }
        #expect(reply.status == .unauthorized)
        #expect(stub.requests.map(\.method) == [.post, .get])
    }

    @Test func `What may be sent twice is, as before`() async throws {
        let stub = stub(.tooManyRequests, [.retryAfter: "1"])
        _ = try await sent(APIRequest(.put, apiURL, body: .bytes([1])), to: stub) {
            Retry(attempts: 2, time: FakeTime().source)
        }
        #expect(stub.requests.map(\.method) == [.put, .get, .put, .get])
    }
}
