import Foundation
import HTTPTypes
import RESTTransport
import Synchronization
import TestSupport
import Testing

/// OAuth 2: the requests for tokens, their renewal, storage and errors.
@Suite(.timeLimit(.minutes(10))) struct OAuth2Tests {
    private static let tokenURL = URL(string: "https://login.example.com/token")!
    private static let client = OAuth2Client(id: "my app", secret: "s3cr:t", tokenURL: tokenURL)

    /// An API that accepts these tokens.
    private static func api(accepting tokens: String...) -> Stub {
        Stub { _, request in
            tokens.contains { request.headerFields[.authorization] == "Bearer \($0)" }
                ? .status(.ok) : .status(.unauthorized)
        }
    }

    private static func sent(_ stub: Stub) -> [String] {
        stub.requests.map { $0.headerFields[.authorization] ?? "-" }
    }

    private static func failure(of chain: TransportChain) async -> TransportError? {
        await RESTTransportTests.failure { () async throws(TransportError) in
            try await chain.send(APIRequest(.get, apiURL, timeout: patience))
        }
    }

    // MARK: Client credentials

    @Test func `A token of client credentials is requested once and sent with all requests`() async throws {
        let server = AuthorizationServer(.tokens("one"))
        let stub = Self.api(accepting: "one")
        let chain = TransportChain(stub) {
            OAuth2(.clientCredentials(scope: "read write"), client: Self.client, transport: server)
        }
        for _ in 1...2 { #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess) }
        #expect(server.forms == [["grant_type": "client_credentials", "scope": "read write"]])
        let request = try #require(server.requests.first)
        #expect(request.method == .post && request.url == Self.tokenURL && request.apiOrigin == nil)
        #expect(request.headerFields[.accept] == "application/json")
        #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded")
        // Both are form-encoded first: "my%20app:s3cr%3At".
        #expect(request.headerFields[.authorization] == "Basic bXklMjBhcHA6czNjciUzQXQ=")
    }

    @Test(
        arguments: [
            ("secret", ["client_id": "app", "client_secret": "secret"]), (nil, ["client_id": "app"]),
        ] as [(String?, [String: String])])
    func `A client's id, secret and further parameters may be sent in the body`(
        secret: String?, fields: [String: String]
    ) async throws {
        let server = AuthorizationServer(.tokens("one"))
        let client = OAuth2Client(
            id: "app", secret: secret, in: .body, tokenURL: Self.tokenURL, parameters: ["audience": "https://a/?b&c"])
        try await OAuth2(.clientCredentials(), client: client, transport: server).signIn()
        var expected = fields
        expected["grant_type"] = "client_credentials"
        expected["audience"] = "https://a/?b&c"
        #expect(server.forms == [expected])
        #expect(server.requests[0].headerFields[.authorization] == nil)
    }

    @Test func `Twenty waiting requests cause one request for a token`() async throws {
        let (isOpen, open) = AsyncStream.makeStream(of: Void.self)
        let server = AuthorizationServer { _, _ in
            for await _ in isOpen { break }
            return .tokens("one")
        }
        let stub = Self.api(accepting: "one")
        let oauth = OAuth2(.clientCredentials(), client: Self.client, transport: server)
        let chain = TransportChain(stub) { oauth }
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<20 {
                group.addTask { try? await chain.send(APIRequest(.get, apiURL, timeout: patience)).status.code }
            }
            await until { oauth.waiting == 20 }
            open.yield()
            for await status in group { #expect(status == 200) }
        }
        #expect(server.requests.count == 1)
    }

    // MARK: Renewal

    @Test func `A refresh token gets the first token, and another one when the API rejects it`() async throws {
        let server = AuthorizationServer(.tokens("one", refresh: "r2"), .tokens("two"), .tokens("three"))
        let storage = TokenMemory()
        let stub = Self.api(accepting: "two", "three")
        let oauth = OAuth2(.refreshToken("r1"), client: Self.client, storage: storage, transport: server)
        let chain = TransportChain(stub) { oauth }
        #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess)
        #expect(Self.sent(stub) == ["Bearer one", "Bearer two"])
        #expect(server.forms.map { $0["refresh_token"] } == ["r1", "r2"])
        #expect(server.forms.map { $0["grant_type"] } == ["refresh_token", "refresh_token"])
        // The second reply omits it, so the one before stays.
        #expect(storage.load()?.refreshToken == "r2" && storage.load()?.accessToken == "two")
    }

    @Test(arguments: [(3600, 3569, 3570), (40, 29, 30), (0, -1, 0)])
    func `A token is renewed a little before it expires`(lifetime: Int, before: Int, after: Int) async throws {
        let time = FakeTime()
        let server = AuthorizationServer { number, _ in .tokens("t\(number)", expiresIn: lifetime) }
        let stub = Stub(.status(.ok))
        let chain = TransportChain(stub) {
            OAuth2(.clientCredentials(), client: Self.client, transport: server, time: time.source)
        }
        if before >= 0 {
            _ = try await chain.send(APIRequest(.get, apiURL))
            time.advance(by: .seconds(before))
            _ = try await chain.send(APIRequest(.get, apiURL))
            #expect(Self.sent(stub) == ["Bearer t0", "Bearer t0"])
            time.advance(by: .seconds(after - before))
        }
        let count = server.requests.count
        _ = try await chain.send(APIRequest(.get, apiURL))
        #expect(server.requests.count > count)
        #expect(Self.sent(stub).last == "Bearer t\(server.requests.count - 1)")
    }

    @Test func `Stored tokens are used after a restart, and renewed by their refresh token`() async throws {
        let time = FakeTime(localTime: 1_000_000)
        let storage = TokenMemory(
            OAuth2Tokens(
                accessToken: "stored", refreshToken: "r7", expiresAt: Date(timeIntervalSince1970: 1_000_100)))
        let server = AuthorizationServer(.tokens("fresh", refresh: "r8"))
        let stub = Stub(.status(.ok))
        for _ in 1...3 {
            let chain = TransportChain(stub) {
                OAuth2(
                    .refreshToken("r1"), client: Self.client, storage: storage, transport: server, time: time.source)
            }
            _ = try await chain.send(APIRequest(.get, apiURL))
            time.advance(by: .seconds(71))
        }
        #expect(Self.sent(stub) == ["Bearer stored", "Bearer fresh", "Bearer fresh"])
        #expect(server.forms.map { $0["refresh_token"] } == ["r7"])
    }

    @Test func `Tokens stored by another process replace rejected ones`() async throws {
        let storage = TokenMemory(OAuth2Tokens(accessToken: "old", refreshToken: "r1"))
        let server = AuthorizationServer(.tokens("unneeded"))
        let stub = Stub { _, request in
            guard request.headerFields[.authorization] == "Bearer old" else { return .status(.ok) }
            storage.save(OAuth2Tokens(accessToken: "new", refreshToken: "r2"))
            return .status(.unauthorized)
        }
        let chain = TransportChain(stub) {
            OAuth2(.refreshToken("r1"), client: Self.client, storage: storage, transport: server)
        }
        #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess)
        #expect(Self.sent(stub) == ["Bearer old", "Bearer new"])
        #expect(server.requests.isEmpty)
    }

    @Test func `Tokens that another process has refreshed first are kept and used`() async throws {
        let storage = TokenMemory(OAuth2Tokens(accessToken: "old", refreshToken: "r1"))
        let server = AuthorizationServer { _, _ in
            // The other process has exchanged the same refresh token, which is valid once.
            storage.save(OAuth2Tokens(accessToken: "new", refreshToken: "r2"))
            return .error("invalid_grant")
        }
        let stub = Self.api(accepting: "new")
        let chain = TransportChain(stub) {
            OAuth2(.refreshToken("r1"), client: Self.client, storage: storage, transport: server)
        }
        #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess)
        #expect(Self.sent(stub) == ["Bearer old", "Bearer new"])
        #expect(server.forms.map { $0["refresh_token"] } == ["r1"] && storage.load()?.refreshToken == "r2")
    }

    @Test func `All waiting requests get the error of an invalid refresh token`() async throws {
        let (isOpen, open) = AsyncStream.makeStream(of: Void.self)
        let server = AuthorizationServer { _, _ in
            for await _ in isOpen { break }
            return .error("invalid_grant", "expired or revoked")
        }
        let storage = TokenMemory(OAuth2Tokens(accessToken: "old", refreshToken: "r1"))
        let oauth = OAuth2(.refreshToken("r0"), client: Self.client, storage: storage, transport: server)
        let chain = TransportChain(Stub(.status(.unauthorized))) { oauth }
        let errors = await withTaskGroup(of: TransportError?.self) { group in
            for _ in 0..<20 { group.addTask { await Self.failure(of: chain) } }
            await until { oauth.waiting == 20 && server.requests.count == 1 }
            open.yield()
            return await group.reduce(into: []) { $0.append($1?.reason) }
        }
        let refusal = OAuth2Error(.refreshToken, .refused(code: "invalid_grant", description: "expired or revoked"))
        #expect(errors.allSatisfy { $0 == .tokenRefused(refusal) } && refusal.needsSignIn)
        #expect(server.requests.count == 1 && storage.load() == nil)
    }

    @Test func `A token refresh continues when its requests are cancelled`()
        async throws
    {
        let (isOpen, open) = AsyncStream.makeStream(of: Void.self)
        let server = AuthorizationServer { _, _ in
            for await _ in isOpen { break }
            return .tokens("new", refresh: "r2")
        }
        let storage = TokenMemory(OAuth2Tokens(accessToken: "old", refreshToken: "r1"))
        let stub = Self.api(accepting: "new")
        let oauth = OAuth2(.refreshToken("r0"), client: Self.client, storage: storage, transport: server)
        let chain = TransportChain(stub) { oauth }
        let cancelled = Task { await Self.failure(of: chain) }
        await until { server.requests.count == 1 }
        cancelled.cancel()
        #expect(await cancelled.value?.reason == .cancelled)
        let next = Task { try await chain.send(APIRequest(.get, apiURL, timeout: patience)).status }
        await until { oauth.waiting == 1 }
        open.yield()
        #expect(try await next.value == .ok)
        #expect(server.requests.count == 1 && storage.load()?.refreshToken == "r2")
    }

    // MARK: Errors

    @Test(arguments: [
        (
            AuthorizationServer.Reply.error("invalid_client", "no s3cr:t\\nclient"),
            """
            the client credentials grant of OAuth 2 gave no token: invalid_client (no REDACTED client); check the client's \
            id and secret, where they are sent, and which grants the server allows it
            """
        ),
        (
            .init(status: 200, json: #"{"error":"invalid_scope"}"#),
            "the client credentials grant of OAuth 2 gave no token: invalid_scope; ask for scopes that the server knows"
        ),
        (
            .init(status: 404, json: "<html>"),
            """
            the client credentials grant of OAuth 2 gave no token: the server answered 404, and no JSON with tokens or an \
            error; check the URL of the token endpoint
            """
        ),
        (
            .init(json: #"{"access_token":"t","token_type":"mac"}"#),
            """
            the client credentials grant of OAuth 2 gave no token: the server answered 200, with a token that is no bearer \
            token; check the URL of the token endpoint
            """
        ),
        (
            .init(json: #"{"access_token":7}"#),
            """
            the client credentials grant of OAuth 2 gave no token: the server answered 200, without an access token; check \
            the URL of the token endpoint
            """
        ),
    ])
    func `An OAuth error names the grant and the server's message`(
        reply: AuthorizationServer.Reply, expected: String
    ) async throws {
        let oauth = OAuth2(.clientCredentials(), client: Self.client, transport: AuthorizationServer(reply))
        let error = await #expect(throws: OAuth2Error.self) { try await oauth.signIn() }
        #expect(error?.description == expected)
        let shown = await Self.failure(of: TransportChain(Stub(.status(.ok))) { oauth })
        #expect(shown.map { "\($0)" } == "GET https://api.example.com/v1: \(expected)")
    }

    @Test(arguments: [
        (TransportError.Reason.connectionLost, true), (.connectionRefused, true),
        (.timedOut(after: .seconds(60)), true),
        (.malformedResponse("x"), false),
    ])
    func `If the authorization server doesn't reply, nothing is sent to the API`(
        reason: TransportError.Reason, isOfConnection: Bool
    ) async throws {
        let server = AuthorizationServer { _, _ throws(TransportError) in
            throw TransportError(reason, RequestSummary(method: "POST", url: "https://login.example.com/token"))
        }
        let stub = Stub(.status(.ok))
        let error = await Self.failure(
            of: TransportChain(stub) { OAuth2(.clientCredentials(), client: Self.client, transport: server) })
        let isConnectionFailed = if case .connectionFailed? = error?.reason { true } else { false }
        #expect(isConnectionFailed == isOfConnection && stub.requests.isEmpty)
        #expect(error?.description.contains("POST https://login.example.com/token: \(reason)") == true)
    }

    @Test(arguments: [
        (503, "busy", true), (429, "{}", true), (500, #"{"error": "Internal Server Error"}"#, true),
        (400, #"{"error": "temporarily_unavailable"}"#, true), (501, "no", false), (404, "no", false),
        (200, "{}", false), (500, #"{"error": "invalid_grant"}"#, false),
    ])
    func `An authorization server that fails for now counts as unreachable`(
        status: Int, json: String, isForNow: Bool
    ) async throws {
        let stub = Stub(.status(.ok))
        let error = await Self.failure(
            of: TransportChain(stub) {
                OAuth2(
                    .clientCredentials(), client: Self.client,
                    transport: AuthorizationServer(.init(status: status, json: json)))
            })
        let isConnectionFailed = if case .connectionFailed? = error?.reason { true } else { false }
        let isRefused = if case .tokenRefused? = error?.reason { true } else { false }
        #expect(isConnectionFailed == isForNow && isRefused == !isForNow)
        #expect(error?.isTransient == isForNow && stub.requests.isEmpty)
    }

    @Test func `A redirect of the token endpoint is not followed`() async throws {
        let stub = Stub(.status(.temporaryRedirect, [.location: "https://elsewhere.example.com/"]), .status(.ok))
        let transport = TransportChain(stub) { FollowRedirects() }
        let oauth = OAuth2(.clientCredentials(), client: Self.client, transport: transport)
        let error = await #expect(throws: OAuth2Error.self) { try await oauth.signIn() }
        #expect(error?.reason == .unreadable(status: 307, "and no JSON with tokens or an error"))
        #expect(stub.requests.count == 1)
    }

    // MARK: Storage

    /// Fails a given number of times, and then works.
    private final class BrokenStorage: TokenStorage {
        struct Full: Error { let secret = "hidden" }
        private let failures: Mutex<Int>
        private let memory = TokenMemory()

        init(failures: Int) { self.failures = Mutex(failures) }

        func load() -> OAuth2Tokens? { memory.load() }

        func save(_ tokens: OAuth2Tokens?) throws {
            let fails = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            if fails { throw Full() }
            memory.save(tokens)
        }
    }

    @Test func `Tokens that can't be saved are reported once, used, and saved later`() async throws {
        let storage = BrokenStorage(failures: 1)
        let server = AuthorizationServer(.tokens("one", refresh: "r2"), .tokens("two"))
        let stub = Self.api(accepting: "one")
        let chain = TransportChain(stub) {
            OAuth2(.refreshToken("r1"), client: Self.client, storage: storage, transport: server)
        }
        let error = await Self.failure(of: chain)
        #expect(error?.reason == .tokenRefused(OAuth2Error(.refreshToken, .storage("Full"))))
        #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess)
        #expect(server.requests.count == 1 && storage.load()?.refreshToken == "r2")
    }

    @Test func `A refused refresh token is reported, even if the storage can't be written`() async throws {
        let server = AuthorizationServer(.error("invalid_grant"))
        let oauth = OAuth2(
            .refreshToken("r1"), client: Self.client, storage: BrokenStorage(failures: 9), transport: server)
        let error = await #expect(throws: OAuth2Error.self) { try await oauth.signIn() }
        #expect(error?.reason == .refused(code: "invalid_grant", description: nil))
    }

    @Test func `A token file has its tokens for the owner only`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "tokens.json")
            let storage = TokenFile(file)
            #expect(try storage.load() == nil)
            for name in ["one", "two"] {
                let tokens = OAuth2Tokens(
                    accessToken: name, refreshToken: "r", expiresAt: Date(timeIntervalSince1970: 1_000_000))
                try storage.save(tokens)
                #expect(try TokenFile(file).load() == tokens)
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["tokens.json"])
            try storage.save(nil)
            try storage.save(nil)
            #expect(try storage.load() == nil)
        }
    }

    @Test(arguments: [
        Double.infinity, -.infinity, .nan, 1e300, -1e300, 0, 253_402_300_799, .leastNonzeroMagnitude,
    ])
    func `Any expiry date of stored tokens is accepted`(seconds: Double) async throws {
        let end = Date(timeIntervalSince1970: seconds)
        let storage = TokenMemory(OAuth2Tokens(accessToken: "old", refreshToken: "r", expiresAt: end))
        let server = AuthorizationServer(.tokens("new"))
        try await OAuth2(.refreshToken("r"), client: Self.client, storage: storage, transport: server).signIn()
        #expect(storage.load()?.accessToken == (server.requests.isEmpty ? "old" : "new"))
    }

    @Test func `A token file that can't be used is an error without its content`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "tokens.json")
            try Data(#"{"accessToken":"s3cr3t""#.utf8).write(to: file)
            let error = #expect(throws: TokenFileError.self) { try TokenFile(file).load() }
            #expect(error?.description == #""tokens.json" has no tokens; remove it, and sign in again"#)
            let nowhere = TokenFile(folder.appending(path: "none/tokens.json"))
            #expect(throws: TokenFileError.self) { try nowhere.save(OAuth2Tokens(accessToken: "s3cr3t")) }
        }
    }

    // MARK: Secrecy

    @Test func `No OAuth description or error contains a secret`() async throws {
        let secret = "s3cr3t"
        let client = OAuth2Client(id: "a", secret: secret, tokenURL: Self.tokenURL, parameters: ["x": secret])
        let tokens = OAuth2Tokens(accessToken: secret, refreshToken: secret)
        let server = AuthorizationServer(
            .error("invalid_grant", "the token s3cr3t of a:s3cr3t"), .error("s3cr3t", "s3cr3t"))
        let oauth = OAuth2(
            .refreshToken(secret), client: client, storage: TokenMemory(tokens), transport: server, account: secret)
        var described: [Any] = [
            client, tokens, oauth, OAuth2Grant.refreshToken(secret), OAuth2Grant.clientCredentials(scope: secret),
        ]
        let stub = Stub(.status(.unauthorized))
        for _ in 1...2 { described.append(await Self.failure(of: TransportChain(stub) { oauth }) as Any) }
        described.append(try #require(server.requests.first))
        for value in described {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains(secret), "in \(type(of: value))")
            }
        }
        #expect(server.requests.count == 2)
    }
}
