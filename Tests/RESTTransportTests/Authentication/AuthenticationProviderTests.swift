import Foundation
import HTTPTypes
import RESTTransport
import Synchronization
import Testing

/// The rule of all providers, and the names of accounts.
@Suite(.timeLimit(.minutes(10))) struct AuthenticationProviderTests {
    /// Credentials that count: each rejection makes the next ones.
    private final class Counting: AuthenticationProvider {
        let account: String? = "robot"
        private let number = Mutex(1)
        private let accepted = Mutex<[Int]>([])

        var acceptedStatuses: [Int] { accepted.withLock { $0 } }

        func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
            var request = request
            request.headerFields[.authorization] = "Robot \(number.withLock { $0 })"
            return request
        }

        func credentialsRejected(_: APIResponse, to _: APIRequest) async throws(TransportError) -> Bool {
            number.withLock { $0 += 1 }
            return true
        }

        func credentialsAccepted(_ reply: APIResponse, to _: APIRequest) {
            accepted.withLock { $0.append(reply.status.code) }
        }
    }

    private static func sent(_ stub: Stub) -> [String] {
        stub.requests.map { $0.headerFields[.authorization] ?? "-" }
    }

    @Test func `Rejected credentials are replaced, and the request is sent once more`() async throws {
        let stub = Stub(.status(.unauthorized), .status(.created))
        let provider = Counting()
        let reply = try await TransportChain(stub) { provider }.send(APIRequest(.post, apiURL))
        #expect(reply.status == .created)
        #expect(Self.sent(stub) == ["Robot 1", "Robot 2"])
        #expect(provider.acceptedStatuses == [201])
    }

    @Test func `A second rejection of credentials is returned as the reply`() async throws {
        let stub = Stub(.status(.unauthorized))
        let reply = try await TransportChain(stub) { Counting() }.send(APIRequest(.get, apiURL))
        #expect(reply.status == .unauthorized)
        #expect(Self.sent(stub) == ["Robot 1", "Robot 2"])
    }

    @Test func `A rejection by another origin does not affect the credentials`() async throws {
        let stub = Stub { _, request in
            request.url.host() == apiURL.host()
                ? .status(.found, [.location: "https://other.example.com/"]) : .status(.unauthorized)
        }
        let provider = Counting()
        let chain = TransportChain(stub) {
            provider
            FollowRedirects()
        }
        let reply = try await chain.send(APIRequest(.get, apiURL))
        #expect(reply.status == .unauthorized)
        #expect(Self.sent(stub) == ["Robot 1", "-"])
        #expect(provider.acceptedStatuses == [])
    }

    @Test func `A request whose body can't be read again is not repeated with new credentials`() async throws {
        let stub = Stub { _, request throws(TransportError) in
            _ = try? await request.body?.readAll()
            return .status(.unauthorized)
        }
        let body = RequestBody.stream(isRepeatable: false) {
            let (chunks, ending) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
            ending.yield([1])
            ending.finish()
            return chunks
        }
        let reply = try await TransportChain(stub) { Counting() }.send(APIRequest(.post, apiURL, body: body))
        #expect(reply.status == .unauthorized)
        #expect(Self.sent(stub) == ["Robot 1"])
    }

    // MARK: Accounts

    @Test func `The limits of an account survive the renewal of its token`() async throws {
        let time = FakeTime(chance: 0)
        let stub = Stub { number, _ in
            switch number {
            case 0: .status(.unauthorized, [limitLeft: "0", limitReset: "60"])
            default: .status(.ok)
            }
        }
        let chain = TransportChain(api: apiURL, transport: stub, time: time.source) {
            BearerToken(account: "me") { rejected in rejected == nil ? "old" : "new" }
            Governor(.standard, api: apiURL, time: time.source)
        }
        let reply = try await chain.send(APIRequest(.get, apiURL, timeout: .seconds(600)))
        #expect(reply.isSuccess)
        #expect(time.sleeps == [.seconds(60)])
        #expect(stub.requests.map { $0.headerFields[.authorization] } == ["Bearer old", "Bearer new"])
    }

    @Test func `A new token without an account name has its own limits`() async throws {
        let time = FakeTime(chance: 0)
        let stub = Stub(.status(.unauthorized, [limitLeft: "0", limitReset: "60"]), .status(.ok))
        let chain = TransportChain(api: apiURL, transport: stub, time: time.source) {
            BearerToken { rejected in rejected == nil ? "old" : "new" }
            Governor(.standard, api: apiURL, time: time.source)
        }
        _ = try await chain.send(APIRequest(.get, apiURL, timeout: .seconds(600)))
        #expect(time.sleeps == [])
    }

    @Test func `Each named account has its own limits, whatever its credentials`() async throws {
        let time = FakeTime(chance: 0)
        let stub = Stub { _, request in
            request.headerFields[.authorization]?.hasPrefix("Basic") == true
                ? .status(.ok, [limitLeft: "0", limitReset: "60"]) : .status(.ok)
        }
        let governor = Governor(.standard, api: apiURL, time: time.source)
        for account in ["a", "b", "b"] {
            let chain = TransportChain(api: apiURL, transport: stub, time: time.source) {
                BasicAuthentication(user: "same", password: "same", account: account)
                governor
            }
            _ = try await chain.send(APIRequest(.get, apiURL, timeout: .seconds(600)))
        }
        #expect(time.sleeps == [.seconds(60)])
    }

    @Test func `An account's name is in no header field and no URL`() async throws {
        let stub = Stub(.status(.ok))
        let chain = TransportChain(stub) { BearerToken("t", account: "private-name") }
        _ = try await chain.send(APIRequest(.get, apiURL))
        let request = try #require(stub.requests.first)
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!"\(request.headerFields) \(request.url) \(dumped)".contains("private-name"))
    }
}
