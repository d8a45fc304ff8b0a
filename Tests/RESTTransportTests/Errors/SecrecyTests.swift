import Foundation
import HTTPTypes
import RESTTransport
import Testing

/// All descriptions are free of secrets.
@Suite struct SecrecyTests {
    private static let secret = "s3cr3t"

    /// In a process of its own: a client's dump includes the event loops, which all clients of a process share, and
    /// shows requests of other tests.
    @Test(arguments: TransportKind.allCases)
    func `No error, log line, history or description holds a secret`(kind: TransportKind) async throws {
        await #expect(processExitsWith: .success) { [kind = kind as TransportKind] in
            try await SecrecyTests.expectNoSecret(from: kind)
        }
    }

    private static func expectNoSecret(from kind: TransportKind) async throws {
        let log = CapturedLog()
        let history = RequestHistory()
        let apiKey = try #require(HTTPField.Name("X-API-Key"))
        let middleware: [any Middleware] = [
            RequestLog(log.logger), history, BearerToken(secret), BasicAuthentication(user: "me", password: secret),
            DigestAuthentication(user: "me", password: secret, account: secret),
            Headers([apiKey: secret], secret: true),
        ]
        var described: [Any] = middleware
        let answer: @Sendable (Int) -> [RawServer.Step] = { number in
            number == 0
                ? [
                    .send(
                        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nSet-Cookie: s3cr3t\r\nConnection: close\r\n\r\ns3cr3t")
                ]
                : [.send("HTTP/1.1 200 s3cr3t\r\ns3cr3t s3cr3t\r\n\r\n")]
        }
        try await RawServer.run(answer) { server, base in
            let api = try #require(URL(string: base))
            let chain = TransportChain(api: api, transport: kind.make()) { middleware }
            let request = try APIRequest(
                .post, base + "/x?access_token=s3cr3t&page=2#s3cr3t", body: .bytes(Array(secret.utf8)))
            described += [chain, request, request.timeout, RequestSummary(request)]
            described.append(try await chain.send(request))
            let error = await failure { () async throws(TransportError) -> APIResponse in try await chain.send(request)
            }
            described.append(try #require(error))
            #expect(server.requests[0].contains("Bearer s3cr3t"))
            #expect(log.lines.count == 2)
            #expect(log.lines.allSatisfy { $0.contains("\(base)/x?access_token=REDACTED&page=2") })
        }
        described += [log.lines, history.entries]
        for value in described {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains(secret), "in \(type(of: value))")
                #expect(!text.contains(Data("me:\(secret)".utf8).base64EncodedString()), "in \(type(of: value))")
                #expect(!text.contains("115, 51, 99"), "the body's bytes are in \(type(of: value))")
            }
        }
    }

    /// In a process of its own, with a request of another of its clients.
    @Test func `A client's description shows no requests of other clients`() async {
        await #expect(processExitsWith: .success) {
            try await RawServer.run { _ in
                [.waitForClose]
            } _: { server, base in
                let request = try APIRequest(.get, base + "/?q=\(SecrecyTests.secret)")
                let sending = Task { _ = try? await HTTPTransport().send(request) }
                await server.waitForRequest()
                var dumped = ""
                dump(HTTPTransport(), to: &dumped)
                dump(HTTPTransport.standard, to: &dumped)
                sending.cancel()
                #expect(!dumped.contains(SecrecyTests.secret))
                #expect(dumped.split(separator: "\n").count < 20)
            }
        }
    }

    @Test(arguments: [
        ("https://a.example/x?page=2&per_page=100#top", "https://a.example/x?page=2&per_page=100"),
        ("https://user:s3cr3t@a.example/x", "https://a.example/x"),
        ("https://s3cr3t@a.example", "https://a.example"),
        ("https://a:b@s3cr3t@a.example/@x", "https://a.example/@x"),
        ("user:s3cr3t@a.example/x", "a.example/x"),
        ("https://a.example/?token=s3cr3t", "https://a.example/?token=REDACTED"),
        ("https://a.example/?TOKEN=s3cr3t", "https://a.example/?TOKEN=REDACTED"),
        ("https://a.example/?%74oken=s3cr3t", "https://a.example/?%74oken=REDACTED"),
        ("https://a.example/?apiKey=s3cr3t&api-key=s3cr3t", "https://a.example/?apiKey=REDACTED&api-key=REDACTED"),
        ("https://a.example/?client_secret=s3cr3t&a=b", "https://a.example/?client_secret=REDACTED&a=b"),
        ("https://a.example/?auth[password]=s3cr3t", "https://a.example/?auth[password]=REDACTED"),
        ("https://a.example/?X-Amz-Signature=s3cr3t", "https://a.example/?X-Amz-Signature=REDACTED"),
        ("https://a.example/?q=ghp_s3cr3t", "https://a.example/?q=REDACTED"),
        ("https://a.example/?ghp_s3cr3t", "https://a.example/?REDACTED"),
        ("https://a.example/?pass=s3cr3t&passcode=s3cr3t", "https://a.example/?pass=REDACTED&passcode=REDACTED"),
        ("https://a.example/?_csrf=s3cr3t&cookie=s3cr3t", "https://a.example/?_csrf=REDACTED&cookie=REDACTED"),
        ("https://a.example/?client_assertion=s3cr3t", "https://a.example/?client_assertion=REDACTED"),
        ("https://a.example/?creds=s3cr3t&userPass=s3cr3t", "https://a.example/?creds=REDACTED&userPass=REDACTED"),
        ("https://a.example/?compass=n&passage=4&keyboard=de", "https://a.example/?compass=n&passage=4&keyboard=de"),
        ("/users/:login?access_token=:token&key=s3cr3t", "/users/:login?access_token=:token&key=REDACTED"),
        ("https://a.example/?token=", "https://a.example/?token="),
        ("https://a.example/?a=b?token=s3cr3t", "https://a.example/?a=b?token=s3cr3t"),
        ("https://a.example/?token=a=s3cr3t", "https://a.example/?token=REDACTED"),
        ("not a url", "not a url"), ("", ""), ("?", "?"), ("#s3cr3t", ""),
        ("https://a.example/%", "https://a.example/%"),
        ("https://a.example/?%=%&%4", "https://a.example/?%=%&%4"),
    ])
    func `A URL is shown without its secrets`(url: String, shown: String) {
        #expect(RequestSummary(method: "GET", url: url).url == shown)
    }
}
