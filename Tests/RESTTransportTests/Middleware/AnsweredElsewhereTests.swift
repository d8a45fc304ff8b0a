import HTTPTypes
import RESTTransport
import Testing

/// The target of a 303 is requested with a GET. Its failure is separate from the first request, which was executed.
@Suite struct AnsweredElsewhereTests {
    /// A server that has carried out each write, and then refuses to show its result.
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
    func `A write is not sent again when its redirect's target is refused`(
        status: HTTPResponse.Status, fields: HTTPFields
    ) async throws {
        let stub = stub(status, fields)
        let reply = try await sent(APIRequest(.post, apiURL, body: .bytes([1])), to: stub) {
            Retry(time: FakeTime().source)
        }
        #expect(reply.status == status && reply.method == .get)
        #expect(stub.requests.map(\.method) == [.post, .get])
    }

    @Test func `A write is not sent again with a new token when its redirect's target is rejected`() async throws {
        let stub = stub(.unauthorized)
        let reply = try await sent(APIRequest(.post, apiURL, body: .bytes([1])), to: stub) {
            BearerToken { rejected in rejected == nil ? "a" : "b" }
        }
        #expect(reply.status == .unauthorized)
        #expect(stub.requests.map(\.method) == [.post, .get])
    }

    @Test func `A repeatable write is sent again when its redirect's target is refused`() async throws {
        let stub = stub(.tooManyRequests, [.retryAfter: "1"])
        _ = try await sent(APIRequest(.put, apiURL, body: .bytes([1])), to: stub) {
            Retry(attempts: 2, time: FakeTime().source)
        }
        #expect(stub.requests.map(\.method) == [.put, .get, .put, .get])
    }
}
