import Foundation
import HTTPTypes
import RESTTransport
import Testing

/// The targets of redirects, the redirected requests, and refused ones.
@Suite struct RedirectTests {
    @Test(
        arguments: TransportKind.allCases,
        [
            (301, "GET", "GET", false), (302, "GET", "GET", false),
            (303, "POST", "GET", false), (303, "PUT", "GET", false), (303, "DELETE", "GET", false),
            (307, "POST", "POST", true), (308, "POST", "POST", true), (308, "PATCH", "PATCH", true),
        ] as [(Int, String, String, Bool)])
    func `A redirect keeps or changes method and body by its status`(
        kind: TransportKind, row: (status: Int, method: String, expected: String, keepsBody: Bool)
    ) async throws {
        try await withWebServer { request in
            request.target == "/old"
                ? .redirect(row.status, to: "/new")
                : ServerReply(body: "\(request.method) \(request.body) \(request.fields["content-type"] ?? "-")")
        } _: { base in
            let sendsBody = row.method != "GET"
            let request = try APIRequest(
                try #require(HTTPRequest.Method(row.method)), base + "/old",
                headerFields: sendsBody ? [.contentType: "text/plain"] : [:],
                body: sendsBody ? .bytes(Array("hi".utf8)) : nil)
            let reply = try await kind.make().send(request)
            let expected = row.keepsBody ? "\(row.expected) hi text/plain" : "\(row.expected)  -"
            #expect(String(decoding: reply.body, as: UTF8.self) == expected)
            #expect(reply.url.absoluteString == base + "/new")
            #expect(reply.request.url == request.url && reply.method.rawValue == row.expected)
        }
    }

    @Test(
        arguments: TransportKind.allCases,
        [(301, "POST"), (302, "POST"), (301, "PATCH"), (302, "PUT"), (302, "DELETE")])
    func `A write that can't be redirected is an error that names the new URL`(
        kind: TransportKind, row: (status: Int, method: String)
    ) async throws {
        try await withWebServer { request in
            request.target == "/old" ? .redirect(row.status, to: "/new?token=secret") : ServerReply(body: "changed")
        } _: { base in
            let request = try APIRequest(
                try #require(HTTPRequest.Method(row.method)), base + "/old", body: .bytes(Array("hi".utf8)))
            let error = await #expect(throws: TransportError.self) { try await kind.make().send(request) }
            guard case .redirectedWrite(to: let url)? = error?.reason else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(url.hasPrefix(base + "/new") && !url.contains("secret"))
        }
    }

    @Test(arguments: [("PUT", 303, false), ("PUT", 307, true), ("GET", 303, true)])
    func `The conditions of a write aren't sent with the GET after a 303`(
        method: String, status: Int, keeps: Bool
    ) async throws {
        let stub = Stub { number, _ in
            number == 0 ? .status(.init(code: status), [.location: "/new"]) : .status(.ok)
        }
        let request = try APIRequest(
            try #require(HTTPRequest.Method(method)), "https://api.example.com/old",
            headerFields: [.ifMatch: "\"1\"", .accept: "a/b"])
        _ = try await TransportChain(stub) { FollowRedirects() }.send(request)
        let fields = try #require(stub.requests.last?.headerFields)
        #expect(stub.requests.count == 2 && fields[.accept] == "a/b")
        #expect(fields[.ifMatch] == (keeps ? "\"1\"" : nil))
    }

    @Test(arguments: [(303, true), (307, false)])
    func `A connection refused after a redirected write is reported by whether the write may be done`(
        status: Int, isLost: Bool
    ) async throws {
        let stub = Stub { number, request throws(TransportError) in
            if number > 0 { throw TransportError(.connectionRefused, request) }
            return .status(.init(code: status), [.location: "/new"])
        }
        let request = try APIRequest(.post, "https://api.example.com/old", body: .bytes([1]))
        let chain = TransportChain(stub) { FollowRedirects() }
        let error = await #expect(throws: TransportError.self) { try await chain.send(request) }
        #expect(error?.reason == (isLost ? .connectionLost : .connectionRefused))
        #expect(error?.request.method == "POST")
    }

    @Test(arguments: [
        (["/b", "/c"], false), (["https://other.example.com/b", "https://api.example.com/c"], true),
        (["https://other.example.com/b"], true), (["https://api.example.com:443/b"], false),
    ])
    func `A reply reports whether its redirects have left the origin`(locations: [String], hasLeft: Bool) async throws {
        let stub = Stub { number, _ in
            number < locations.count ? .status(.found, [.location: locations[number]]) : .status(.ok)
        }
        let reply = try await TransportChain(stub) { FollowRedirects() }
            .send(APIRequest(.get, "https://api.example.com/a"))
        #expect(reply.hasLeftOrigin == hasLeft)
    }

    @Test(arguments: TransportKind.allCases)
    func `A HEAD request remains a HEAD after a redirect`(kind: TransportKind) async throws {
        try await RawServer.run { number in
            number == 0
                ? [.send("HTTP/1.1 303 See Other\r\nLocation: /new\r\nConnection: close\r\n\r\n")]
                : [.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")]
        } _: { server, base in
            _ = try await kind.make().send(APIRequest(.head, base + "/old"))
            #expect(server.requests.map { $0.prefix(9) } == ["HEAD /old", "HEAD /new"])
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A redirect sends credentials only to the same origin`(kind: TransportKind) async throws {
        let apiKey = try #require(HTTPField.Name("X-API-Key"))
        let shown: @Sendable (ServerRequest) -> ServerReply = { request in
            let names = ["authorization", "cookie", "proxy-authorization", "x-api-key", "x-harmless"]
            return ServerReply(body: names.map { request.fields[$0] ?? "-" }.joined(separator: " "))
        }
        try await withWebServer(shown) { other in
            try await withWebServer { request in
                switch request.target {
                case "/here": .redirect(302, to: "/target")
                case "/there": .redirect(307, to: other + "/target")
                default: shown(request)
                }
            } _: { base in
                for (path, expected) in [("/here", "a b c d e"), ("/there", "- - - - e")] {
                    var request = try APIRequest(
                        .get, base + path,
                        headerFields: [
                            .authorization: "a", .cookie: "b", .proxyAuthorization: "c", apiKey: "d",
                            try #require(HTTPField.Name("X-Harmless")): "e",
                        ])
                    request.credentialFields = [apiKey]
                    let reply = try await kind.make().send(request)
                    #expect(String(decoding: reply.body, as: UTF8.self) == expected)
                }
            }
        }
    }

    @Test func `Credentials aren't sent again when another origin redirects back`() async throws {
        let stub = Stub { number, _ in
            switch number {
            case 0: .status(302, [.location: "https://elsewhere.example.com/"])
            case 1: .status(302, [.location: "https://api.example.com/v1/home"])
            default: .status(.ok)
            }
        }
        let chain = TransportChain(stub) {
            FollowRedirects()
            BearerToken("secret")
        }
        _ = try await chain.send(APIRequest(.get, "https://api.example.com/v1/start"))
        #expect(stub.requests.map { $0.headerFields[.authorization] } == ["Bearer secret", nil, nil])
    }

    @Test(arguments: [
        (
            "https://a.example.com/x", "http://a.example.com/x?token=hidden",
            "the server leads from https to http://a.example.com/x?token=REDACTED"
        ),
        (
            "https://a.example.com/x", "ftp://a.example.com/",
            "a redirect leads to ftp://a.example.com/, which is no http or https URL"
        ),
        (
            "https://a.example.com/x", "https://u:p@b.example.com/",
            "a redirect leads to https://b.example.com/, with a user name or password in the URL, which is left out here"
        ),
        (
            "https://a.example.com/x", "https://b.example.com:99999/",
            "a redirect leads to https://b.example.com:99999/, whose port is none from 1 to 65535"
        ),
        ("https://a.example.com/x", "https:///", "a redirect leads to https:///, which names no host"),
        (
            "https://a.example.com/x", "javascript:alert(1)",
            "a redirect leads to javascript:alert(1), which is no http or https URL"
        ),
        ("https://a.example.com/x", "/x", "redirects lead back to https://a.example.com/x"),
    ])
    func `A redirect to an unsafe or malformed URL is an error`(url: String, location: String, expected: String)
        async throws
    {
        let stub = Stub(.status(301, [.location: location]))
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await TransportChain(stub) { FollowRedirects() }.send(APIRequest(.get, url))
        }
        #expect(error?.reason.description == expected)
        #expect(error?.request.url == url)
        #expect(stub.requests.count == 1)
    }

    @Test func `A redirect loop over several pages is an error`() async throws {
        let stub = Stub { number, _ in .status(302, [.location: "/\(number % 3)"]) }
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await TransportChain(stub) { FollowRedirects() }.send(APIRequest(.get, "https://a.example.com/2"))
        }
        #expect(error?.reason == .redirectLoop(to: "https://a.example.com/2"))
    }

    @Test func `More redirects than the limit are an error`() async throws {
        let stub = Stub { number, _ in .status(302, [.location: "/\(number)"]) }
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await TransportChain(stub) { FollowRedirects() }.send(APIRequest(.get, "https://a.example.com/start"))
        }
        #expect(error?.reason == .tooManyRedirects(limit: 10))
        #expect(stub.requests.count == 11)
    }

    @Test(arguments: TransportKind.allCases)
    func `With a limit of zero, the redirect is returned as the reply`(kind: TransportKind) async throws {
        try await withWebServer { _ in
            .redirect(302, to: "/elsewhere")
        } _: { base in
            let reply = try await kind.make(redirects: FollowRedirects(limit: 0)).send(APIRequest(.get, base + "/"))
            #expect(reply.status == .found)
            #expect(String(decoding: reply.body, as: UTF8.self) == "moved")
        }
    }

    @Test func `A redirect without a location, or a status that is none, is returned as the reply`() async throws {
        for answer in [
            Stub.Answer.status(302), .status(302, [.location: ""]), .status(304, [.location: "/x"]),
            .status(201, [.location: "/x"]),
        ] {
            let stub = Stub(answer)
            _ = try await TransportChain(stub) { FollowRedirects() }.send(APIRequest(.get, "https://a.example.com/"))
            #expect(stub.requests.count == 1)
        }
    }
}
