import Foundation
import HTTPTypes
import RESTTransport
import Synchronization
import TestSupport
import Testing

/// The servers that get a credential.
@Suite struct CredentialTests {
    @Test(arguments: [
        ("https://api.example.com/v1/x", true), ("https://API.example.com:443/", true),
        ("http://api.example.com/v1/x", false), ("https://api.example.com:8443/", false),
        ("https://example.com/", false), ("https://api.example.com.evil.example/", false),
    ])
    func `Credentials are sent only to the API's own origin`(url: String, gets: Bool) async throws {
        let apiKey = try #require(HTTPField.Name("X-API-Key"))
        let middleware: [(any Middleware, HTTPField.Name, String)] = [
            (BearerToken(" secret\n"), .authorization, "Bearer secret"),
            (BasicAuthentication(user: "me", password: "geheim"), .authorization, "Basic bWU6Z2VoZWlt"),
            (Headers([apiKey: "secret"], secret: true), apiKey, "secret"),
        ]
        for (middleware, field, value) in middleware {
            let stub = Stub(.status(.ok))
            _ = try await TransportChain(stub) { middleware }.send(APIRequest(.get, url))
            #expect(stub.requests[0].headerFields[field] == (gets ? value : nil))
            if gets, field == apiKey { #expect(stub.requests[0].credentialFields == [apiKey]) }
        }
    }

    @Test func `Without a known API, no credentials are sent`() async throws {
        let stub = Stub(.status(.ok))
        _ = try await BearerToken("secret").intercept(APIRequest(.get, apiURL)) {
            request async throws(TransportError) in
            try await stub.send(request)
        }
        #expect(stub.requests[0].headerFields[.authorization] == nil)
    }

    @Test func `A request's own Authorization field is kept`() async throws {
        let stub = Stub(.status(.ok))
        _ = try await TransportChain(stub) { BearerToken("secret") }
            .send(APIRequest(.get, apiURL, headerFields: [.authorization: "mine"]))
        #expect(stub.requests[0].headerFields[.authorization] == "mine")
    }

    @Test(arguments: ["", "  \n", "two words", "line\nbreak", "ümlaut"])
    func `A malformed token is an error before any request`(token: String) async throws {
        let stub = Stub(.status(.ok))
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await TransportChain(stub) { BearerToken(token) }.send(APIRequest(.get, apiURL))
        }
        guard case .credentialUnavailable = error?.reason else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(stub.requests.count == 0)
    }

    @Test func `Plain header fields and the user agent are sent everywhere, and a request's own are kept`() async throws
    {
        let stub = Stub(.status(.ok))
        let chain = TransportChain(stub) {
            UserAgent("Tool/1")
            Headers([.accept: "application/json", .acceptLanguage: "de"])
        }
        _ = try await chain.send(APIRequest(.get, "https://elsewhere.example/", headerFields: [.acceptLanguage: "fr"]))
        let expected: HTTPFields = [.acceptLanguage: "fr", .userAgent: "Tool/1", .accept: "application/json"]
        #expect(stub.requests[0].headerFields == expected)
    }

    @Test func `A rejected token is replaced once for all waiting requests`() async throws {
        let asked = Mutex<[String?]>([])
        let stub = Stub { _, request in
            // The old token is always rejected, and all first attempts are under way before one is answered.
            request.headerFields[.authorization] == "Bearer new" ? .status(.ok) : .status(.unauthorized)
        }
        let token = BearerToken { rejected in
            asked.withLock { $0.append(rejected) }
            return rejected == nil ? "old" : "new"
        }
        let chain = TransportChain(stub) { token }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { try await chain.send(APIRequest(.post, apiURL)).status.code }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(asked.withLock { $0 } == [nil, "old"])
    }

    @Test func `A late rejection of a replaced token requests no new one`() async throws {
        let asked = Mutex<[String?]>([])
        let (isReplaced, replaced) = AsyncStream.makeStream(of: Void.self)
        let (isSent, sent) = AsyncStream.makeStream(of: Void.self)
        let stub = Stub { _, request in
            guard request.headerFields[.authorization] == "Bearer old" else { return .status(.ok) }
            if request.method == .put {
                sent.yield()
                for await _ in isReplaced { break }
            }
            return .status(.unauthorized)
        }
        let token = BearerToken { rejected in
            asked.withLock { $0.append(rejected) }
            return rejected == nil ? "old" : "new"
        }
        let chain = TransportChain(stub) { token }
        async let late = chain.send(APIRequest(.put, apiURL))
        for await _ in isSent { break }
        #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess)
        replaced.yield()
        #expect(try await late.isSuccess)
        #expect(asked.withLock { $0 } == [nil, "old"])
    }

    @Test func `A rejected replacement of a token is returned as the reply`() async throws {
        let stub = Stub(.status(.unauthorized))
        let number = Mutex(0)
        let token = BearerToken { _ in
            number.withLock { number in
                number += 1
                return "token\(number)"
            }
        }
        let reply = try await TransportChain(stub) { token }.send(APIRequest(.get, apiURL))
        #expect(reply.status == .unauthorized)
        #expect(stub.requests.compactMap { $0.headerFields[.authorization] } == ["Bearer token1", "Bearer token2"])
    }

    /// Only 401 means that the token is invalid (RFC 9110 §15.5.2). With 403 the server knows the user, and refuses.
    @Test(arguments: [400, 402, 403, 404, 407, 419, 429, 500] as [HTTPResponse.Status])
    func `Only a 401 makes the provider replace a token`(_ status: HTTPResponse.Status) async throws {
        let asked = Mutex<[String?]>([])
        let stub = Stub(.status(status))
        let token = BearerToken { rejected in
            asked.withLock { $0.append(rejected) }
            return rejected == nil ? "old" : "new"
        }
        let chain = TransportChain(stub) { token }
        for _ in 0..<2 { #expect(try await chain.send(APIRequest(.get, apiURL)).status == status) }
        #expect(stub.requests.compactMap { $0.headerFields[.authorization] } == ["Bearer old", "Bearer old"])
        #expect(asked.withLock { $0 } == [nil])
    }

    /// A provider that waited for itself would end with the request's timeout.
    @Test func `A token provider's requests to the same API are sent without a token`() async throws {
        let stub = Stub { _, request in
            switch (request.method, request.headerFields[.authorization]) {
            case (.post, _): .status(.unauthorized, [.wwwAuthenticate: "none"])
            case (_, "Bearer fresh"?): .status(.ok)
            default: .status(.unauthorized)
            }
        }
        let api = Mutex<TransportChain?>(nil)
        let token = BearerToken { rejected in
            let chain = try #require(api.withLock { $0 })
            let reply = try await chain.send(APIRequest(.post, apiURL))
            #expect(reply.status == .unauthorized)
            return rejected == nil ? "stale" : "fresh"
        }
        let chain = TransportChain(stub) { token }
        api.withLock { $0 = chain }
        let reply = try await chain.send(APIRequest(.get, apiURL, timeout: patience))
        #expect(reply.isSuccess)
        let sent = stub.requests.map { "\($0.method) \($0.headerFields[.authorization] ?? "-")" }
        #expect(sent == ["POST -", "GET Bearer stale", "POST -", "GET Bearer fresh"])
    }

    @Test func `A rejected fixed token is not sent again`() async throws {
        let stub = Stub(.status(.unauthorized))
        _ = try await TransportChain(stub) { BearerToken("secret") }.send(APIRequest(.get, apiURL))
        #expect(stub.requests.count == 1)
    }

    @Test func `An error of the token provider is hidden, and the next request calls it again`() async throws {
        struct Leaky: Error { let password = "hidden" }
        let attempts = Mutex(0)
        let token = BearerToken { _ in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts == 1 { throw Leaky() }
            }
            return "good"
        }
        let chain = TransportChain(Stub(.status(.ok))) { token }
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await chain.send(APIRequest(.get, apiURL))
        }
        #expect(error?.reason == .credentialUnavailable("the provider threw Leaky"))
        #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess)
    }

    @Test(arguments: [("", "the token is empty"), ("a b", "the token has characters that no token has")])
    func `After an unusable token, the next request calls the provider again`(
        token unusable: String, problem: String
    ) async throws {
        let asked = Mutex<[String?]>([])
        let token = BearerToken { rejected in
            asked.withLock { asked in
                asked.append(rejected)
                return asked.count == 1 ? unusable : "good"
            }
        }
        let stub = Stub(.status(.ok))
        let chain = TransportChain(stub) { token }
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await chain.send(APIRequest(.get, apiURL))
        }
        #expect(error?.reason == .credentialUnavailable(problem))
        for _ in 1...2 { #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess) }
        #expect(stub.requests.map { $0.headerFields[.authorization] } == ["Bearer good", "Bearer good"])
        #expect(asked.withLock { $0 } == [nil, nil])
    }

    @Test func `A cancelled request doesn't wait for its token provider`() async throws {
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let ended = AsyncStream.makeStream(of: Void.self)
        let token = BearerToken { _ in
            signal.yield()
            defer { ended.continuation.yield() }
            await untilCancelled()
            return "late"
        }
        let chain = TransportChain(Stub(.status(.ok))) { token }
        let sending = Task {
            await failure { () async throws(TransportError) -> APIResponse in
                try await chain.send(APIRequest(.get, apiURL))
            }
        }
        for await _ in started { break }
        sending.cancel()
        #expect(await sending.value?.reason == .cancelled)
        for await _ in ended.stream { break }  // The provider was cancelled, as no request waits for it.
    }

    @Test func `A token provider that ignores its cancellation isn't called twice at once`() async throws {
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let (isOpen, open) = AsyncStream.makeStream(of: Void.self)
        let calls = Mutex(0)
        let token = BearerToken { _ in
            calls.withLock { $0 += 1 }
            signal.yield()
            // A task of its own isn't cancelled with the provider.
            await Task { for await _ in isOpen { break } }.value
            return "late"
        }
        let stub = Stub(.status(.ok))
        let chain = TransportChain(stub) { token }
        let first = Task {
            await failure { () async throws(TransportError) -> APIResponse in
                try await chain.send(APIRequest(.get, apiURL))
            }
        }
        for await _ in started { break }
        first.cancel()
        #expect(await first.value?.reason == .cancelled)
        let second = Task { try await chain.send(APIRequest(.get, apiURL, timeout: patience)).status }
        await giveWay()
        open.finish()
        #expect(try await second.value == .ok)
        #expect(stub.requests.map { $0.headerFields[.authorization] } == ["Bearer late"])
        #expect(calls.withLock { $0 } == 1)
    }
}
