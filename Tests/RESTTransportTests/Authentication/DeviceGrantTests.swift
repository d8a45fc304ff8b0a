import Foundation
import HTTPTypes
import RESTTransport
import Synchronization
import TestSupport
import Testing

/// A user who signs in on another device (RFC 8628).
@Suite(.timeLimit(.minutes(10))) struct DeviceGrantTests {
    private static let deviceURL = URL(string: "https://login.example.com/device")!
    private static let client = OAuth2Client(id: "app", tokenURL: URL(string: "https://login.example.com/token")!)
    private static let code = AuthorizationServer.Reply(
        json: """
            {"device_code":"d3vice","user_code":"WDJB-MJHT","verification_uri":"https://login.example.com/enter",
            "verification_uri_complete":"https://login.example.com/enter?code=WDJB-MJHT","expires_in":60}
            """)

    /// Signs in at a server that gives these answers.
    private func signIn(
        _ answers: AuthorizationServer.Reply...
    ) async -> (error: OAuth2Error?, server: AuthorizationServer, time: FakeTime) {
        let (server, time) = (AuthorizationServer { number, _ in answers[min(number, answers.count - 1)] }, FakeTime())
        let oauth = OAuth2(
            .device(at: Self.deviceURL, scope: "repo") { _ in }, client: Self.client, transport: server,
            time: time.source)
        do throws(OAuth2Error) {
            try await oauth.signIn()
            return (nil, server, time)
        } catch {
            return (error, server, time)
        }
    }

    @Test func `A device sign-in shows the code and gets the token after its entry`() async throws {
        let server = AuthorizationServer(Self.code, .error("authorization_pending"), .tokens("one", refresh: "r1"))
        let time = FakeTime()
        let shown = Mutex<[DevicePrompt]>([])
        let grant = OAuth2Grant.device(at: Self.deviceURL, scope: "repo user") { prompt in
            shown.withLock { $0.append(prompt) }
        }
        let oauth = OAuth2(grant, client: Self.client, transport: server, time: time.source)
        try await oauth.signIn()
        try await oauth.signIn()
        let prompts = shown.withLock { $0 }
        let prompt = try #require(prompts.first)
        #expect(prompts.count == 1 && prompt.userCode == "WDJB-MJHT" && prompt.lifetime == .seconds(60))
        #expect(prompt.verificationURL.absoluteString == "https://login.example.com/enter")
        #expect(prompt.completeVerificationURL?.query() == "code=WDJB-MJHT")
        #expect(!"\(prompt) \(String(reflecting: prompt))".contains("WDJB"))
        let asked = [
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "d3vice", "client_id": "app",
        ]
        #expect(server.forms == [["client_id": "app", "scope": "repo user"], asked, asked])
        #expect(server.requests.map(\.url.path) == ["/device", "/token", "/token"])
        #expect(time.sleeps == [.seconds(5), .seconds(5)])

        let stub = Stub(.status(.ok))
        _ = try await TransportChain(stub) { oauth }.send(APIRequest(.get, apiURL))
        #expect(stub.requests.map { $0.headerFields[.authorization] } == ["Bearer one"])
    }

    @Test func `A device sign-in polls less often if the server says so`() async {
        let pending = AuthorizationServer.Reply.error("authorization_pending")
        let signedIn = await signIn(Self.code, .error("slow_down"), pending, .error("slow_down"), .tokens("one"))
        #expect(signedIn.error == nil)
        #expect(signedIn.time.sleeps == [5, 10, 10, 15].map { .seconds($0) })
    }

    @Test func `A device sign-in polls an unreachable server less often`() async throws {
        let time = FakeTime()
        let server = AuthorizationServer { number, form throws(TransportError) in
            switch number {
            case 0: return Self.code
            case 1: throw TransportError(.connectionLost, RequestSummary(method: "POST", url: ""))
            case 2: throw TransportError(.timedOut(after: .seconds(1)), RequestSummary(method: "POST", url: ""))
            default: return .tokens("one")
            }
        }
        let oauth = OAuth2(
            .device(at: Self.deviceURL) { _ in }, client: Self.client, transport: server, time: time.source)
        try await oauth.signIn()
        #expect(time.sleeps == [5, 10, 20].map { .seconds($0) })
    }

    @Test func `A device sign-in polls a failing server less often`() async {
        let signedIn = await signIn(
            Self.code, .init(status: 503, json: "busy"),
            .init(status: 500, json: #"{"error": "Internal Server Error"}"#), .tokens("one"))
        #expect(signedIn.error == nil)
        #expect(signedIn.time.sleeps == [5, 10, 20].map { .seconds($0) })
        let refused = await signIn(Self.code, .init(status: 501, json: "no"))
        #expect(refused.error?.reason == .unreadable(status: 501, "and no JSON with tokens or an error"))
        #expect(refused.server.requests.count == 2)
    }

    @Test func `A code of a device sign-in that isn't entered expires`() async {
        let signedIn = await signIn(Self.code, .error("authorization_pending"))
        #expect(signedIn.error?.reason == .refused(code: "expired_token", description: nil))
        #expect(signedIn.error?.needsSignIn == true)
        #expect(signedIn.time.sleeps.count == 12 && signedIn.server.requests.count == 12)
        #expect(
            signedIn.error?.description
                == "the device grant of OAuth 2 gave no token: expired_token; sign in again, and enter the code in time"
        )
    }

    @Test(arguments: ["access_denied", "expired_token", "invalid_client"])
    func `Any other error of the server ends a device sign-in`(code: String) async {
        let signedIn = await signIn(Self.code, .error(code, "no d3vice"))
        #expect(signedIn.error?.reason == .refused(code: code, description: "no REDACTED"))
        #expect(signedIn.server.requests.count == 2)
    }

    @Test func `A reply without a code is an error of the device sign-in`() async {
        let signedIn = await signIn(.init(json: #"{"device_code":"d","user_code":"u"}"#))
        #expect(
            signedIn.error?.reason == .unreadable(status: 200, "without a device code, user code and URL"))
    }

    @Test func `A device sign-in reads members as sent by Google and older servers`() async throws {
        let json = #"""
            {"device_code":"d","user_code":"u","verification_url":"https://login.example.com/","expires_in":"60",
            "interval":"2"}
            """#
        let signedIn = await signIn(.init(json: json), .tokens("one"))
        #expect(signedIn.error == nil && signedIn.time.sleeps == [.seconds(2)])
    }

    @Test func `A device sign-in without an interval polls once a second`() async {
        let json = #"{"device_code":"d","user_code":"u","verification_uri":"https://login.example.com/","interval":0}"#
        let signedIn = await signIn(.init(json: json), .tokens("one"))
        #expect(signedIn.error == nil && signedIn.time.sleeps == [.seconds(1)])
    }

    @Test func `An error of the prompt ends a device sign-in, without its content`() async {
        struct Leaky: Error { let secret = "hidden" }
        let oauth = OAuth2(
            .device(at: Self.deviceURL) { _ in throw Leaky() }, client: Self.client,
            transport: AuthorizationServer(Self.code), time: FakeTime().source)
        let error = await #expect(throws: OAuth2Error.self) { try await oauth.signIn() }
        #expect(error?.reason == .promptFailed("Leaky"))
    }

    @Test func `An invalid refresh token is an error, and the next request starts a device sign-in`() async throws {
        let storage = TokenMemory(OAuth2Tokens(accessToken: "old", refreshToken: "r1"))
        let server = AuthorizationServer { _, form in
            switch form["grant_type"] {
            case "refresh_token": .error("invalid_grant")
            case nil: Self.code
            default: .tokens("new", refresh: "r2")
            }
        }
        let stub = Stub { _, request in
            request.headerFields[.authorization] == "Bearer new" ? .status(.ok) : .status(.unauthorized)
        }
        let chain = TransportChain(stub) {
            OAuth2(
                .device(at: Self.deviceURL) { _ in }, client: Self.client, storage: storage, transport: server,
                time: FakeTime().source)
        }
        let error = await failure { () async throws(TransportError) in try await chain.send(APIRequest(.get, apiURL)) }
        #expect(
            error?.reason
                == .tokenRefused(OAuth2Error(.refreshToken, .refused(code: "invalid_grant", description: nil))))
        #expect(try await chain.send(APIRequest(.get, apiURL)).isSuccess)
        #expect(storage.load()?.refreshToken == "r2")
    }

    @Test func `A cancelled device sign-in ends before the code is entered`() async {
        let waiting = AsyncStream.makeStream(of: Void.self)
        var time = FakeTime().source
        time.sleep = { _ in
            waiting.continuation.yield()
            await untilCancelled()
            try Task.checkCancellation()
        }
        let oauth = OAuth2(
            .device(at: Self.deviceURL) { _ in }, client: Self.client, transport: AuthorizationServer(Self.code),
            time: time)
        let signingIn = Task { () async -> OAuth2Error? in
            do throws(OAuth2Error) { try await oauth.signIn() } catch { return error }
            return nil
        }
        for await _ in waiting.stream { break }
        signingIn.cancel()
        #expect(await signingIn.value?.reason == .cancelled)
    }
}
