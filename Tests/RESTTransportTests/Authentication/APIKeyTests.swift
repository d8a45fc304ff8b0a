import Foundation
import HTTPTypes
import RESTTransport
import Testing

/// API keys in header fields and queries: the servers that get them, and their secrecy.
@Suite struct APIKeyTests {
    private static let field = HTTPField.Name("X-API-Key")!

    private static func chain(
        _ stub: Stub, _ key: APIKey, @MiddlewareBuilder _ inner: () -> [any Middleware] = { [] }
    ) -> TransportChain {
        let all = [key as any Middleware] + inner()
        return TransportChain(stub) { all }
    }

    @Test(arguments: [("https://api.example.com/v1/x", true), ("https://other.example.com/x", false)])
    func `An API key is sent only to the API's own origin`(url: String, gets: Bool) async throws {
        let stub = Stub(.status(.ok))
        for place in [APIKey.Place.header("X-API-Key"), .query("k")] {
            _ = try await Self.chain(stub, APIKey(" k3y\n", in: place)).send(APIRequest(.get, url))
        }
        #expect(stub.requests[0].headerFields[Self.field] == (gets ? "k3y" : nil))
        #expect(stub.requests[0].credentialFields == (gets ? [Self.field] : []))
        #expect(stub.requests[1].url.absoluteString == (gets ? "\(url)?k=k3y" : url))
    }

    @Test(arguments: [
        ("", "?k=a%2Bb%20%26%C3%BC"), ("?q=a%20b+c&r", "?q=a%20b+c&r&k=a%2Bb%20%26%C3%BC"),
        ("?", "?k=a%2Bb%20%26%C3%BC"), ("?k=mine", "?k=mine"), ("?%6B=mine&q=1", "?%6B=mine&q=1"),
        ("?K=1#f", "?K=1&k=a%2Bb%20%26%C3%BC#f"),
    ])
    func `The API key is appended to the query, which is otherwise sent as written`(
        query: String, expected: String
    ) async throws {
        let stub = Stub(.status(.ok))
        _ = try await Self.chain(stub, APIKey("a+b &ü", in: .query("k")))
            .send(APIRequest(.get, "https://api.example.com/v1/x" + query))
        #expect(stub.requests[0].url.absoluteString == "https://api.example.com/v1/x" + expected)
    }

    @Test func `A request's own key field is kept, and a key is sent along with an authorization`() async throws {
        let stub = Stub(.status(.ok))
        let chain = Self.chain(stub, APIKey("k3y", in: .header("X-API-Key")))
        _ = try await chain.send(APIRequest(.get, apiURL, headerFields: [Self.field: "mine"]))
        _ = try await chain.send(APIRequest(.get, apiURL, headerFields: [.authorization: "mine"]))
        #expect(stub.requests.map { $0.headerFields[Self.field] } == ["mine", "k3y"])
        #expect(stub.requests[1].headerFields[.authorization] == "mine")
    }

    @Test(arguments: [
        (APIKey("", in: .query("k")), "the API key is empty"), (APIKey(" \n", in: .query("k")), "the API key is empty"),
        (APIKey("k", in: .header("X API")), "\"X API\" is no name of a header field"),
        (APIKey("k\nX: y", in: .header("X")), "the API key has characters that no field has"),
        (APIKey("schlüssel", in: .header("X")), "the API key has characters that no field has"),
    ])
    func `An API key that can't be sent is an error before any request`(key: APIKey, why: String) async throws {
        let stub = Stub(.status(.ok))
        let error = await failure { () async throws(TransportError) in
            try await Self.chain(stub, key).send(APIRequest(.get, apiURL))
        }
        #expect(error?.reason == .credentialUnavailable(why) && stub.requests.isEmpty)
    }

    @Test func `A rejected API key is returned as the reply, without a retry`() async throws {
        let stub = Stub(.status(.unauthorized))
        let reply = try await Self.chain(stub, APIKey("k3y", in: .query("k"))).send(APIRequest(.get, apiURL))
        #expect(reply.status == .unauthorized && stub.requests.count == 1)
    }

    // MARK: Redirects and links

    @Test(arguments: [
        ("https://other.example.com/b?k=k3y&q=1", "https://other.example.com/b?q=1"),
        ("https://other.example.com/b?renamed=k3y", "https://other.example.com/b"),
        ("https://other.example.com/b?k=another", "https://other.example.com/b?k=another"),
        ("https://api.example.com/b?k=k3y&q=1", "https://api.example.com/b?k=k3y&q=1"),
        ("/b", "https://api.example.com/b"),
    ])
    func `A redirect to another origin has no API key`(location: String, expected: String) async throws {
        let stub = Stub(.status(.found, [.location: location]), .status(.ok))
        _ = try await Self.chain(stub, APIKey("k3y", in: .query("k"))) { FollowRedirects() }
            .send(APIRequest(.get, "https://api.example.com/v1/x"))
        #expect(stub.requests.map(\.url.absoluteString) == ["https://api.example.com/v1/x?k=k3y", expected])
    }

    @Test func `A redirect to another origin has none of several API keys`() async throws {
        let location = "https://other.example.com/b?app_id=1d&app_key=k3y&q=1"
        let stub = Stub(.status(.found, [.location: location]), .status(.ok))
        let url = try #require(URL(string: "https://api.example.com/v1/x"))
        let reply = try await Self.chain(stub, APIKey("1d", in: .query("app_id"))) {
            APIKey("k3y", in: .query("app_key"))
            FollowRedirects()
        }.send(APIRequest(.get, url))
        #expect(
            stub.requests.map(\.url.absoluteString) == [
                "https://api.example.com/v1/x?app_id=1d&app_key=k3y", "https://other.example.com/b?q=1",
            ])
        #expect(reply.request.url == url)
    }

    @Test func `A link to the next page is followed with one API key, whether it contains the key or not`() async throws
    {
        let link = try #require(HTTPField.Name("Link"))
        for next in ["https://api.example.com/v1/x?page=2&k=k3y", "https://api.example.com/v1/x?page=2"] {
            let stub = Stub(.status(.ok, [link: "<\(next)>; rel=next"]))
            let chain = Self.chain(stub, APIKey("k3y", in: .query("k")))
            let first = try await chain.send(APIRequest(.get, "https://api.example.com/v1/x"))
            _ = try await chain.send(APIRequest(.get, try #require(first.links.next)))
            #expect(stub.requests[1].url.absoluteString == "https://api.example.com/v1/x?page=2&k=k3y")
        }
    }

    @Test(arguments: ["", "?q=a%20b", "?k=k3y"])
    func `URLs of requests and replies don't contain the API key outside of its middleware`(query: String) async throws
    {
        let url = try #require(URL(string: "https://api.example.com/v1/x" + query))
        let chain = Self.chain(Stub(.status(.ok)), APIKey("k3y", in: .query("k")))
        let reply = try await chain.send(APIRequest(.get, url))
        #expect(reply.url == url && reply.request.url == url)

        let moved = Stub(.status(.found, [.location: "/y?k=k3y&q=1"]), .status(.ok))
        let redirected = try await Self.chain(moved, APIKey("k3y", in: .query("k"))) { FollowRedirects() }
            .send(APIRequest(.get, url))
        #expect(redirected.url.absoluteString == "https://api.example.com/y?q=1" && redirected.request.url == url)
    }

    // MARK: Accounts

    @Test(arguments: [APIKey.Place.header("X-API-Key"), .query("k")])
    func `Each API key has its own limits, and keys of one account share them`(place: APIKey.Place) async throws {
        for (accounts, sleeps) in [([nil, nil], []), (["a", "a"], [.seconds(60)])] as [([String?], [Duration])] {
            let time = FakeTime(chance: 0)
            let stub = Stub(.status(.ok, [limitLeft: "0", limitReset: "60"]), .status(.ok))
            let governor = Governor(.standard, api: apiURL, time: time.source)
            for (key, account) in zip(["one", "two"], accounts) {
                let chain = TransportChain(api: apiURL, transport: stub, time: time.source) {
                    APIKey(key, in: place, account: account)
                    governor
                }
                _ = try await chain.send(APIRequest(.get, apiURL, timeout: .seconds(600)))
            }
            #expect(time.sleeps == sleeps)
        }
    }

    // MARK: Secrecy

    @Test(arguments: [APIKey.Place.header("X-Plain"), .query("plain")])
    func `No log, history, error or description shows the API key, even if the server repeats it`(
        place: APIKey.Place
    ) async throws {
        // A key of this test alone, with a character that is escaped.
        let (secret, escaped) = ("unl1kely+key", "unl1kely%2Bkey")
        let (log, history, innerLog, innerHistory) = (CapturedLog(), RequestHistory(), CapturedLog(), RequestHistory())
        let link = try #require(HTTPField.Name("Link"))
        let next = "https://api.example.com/v1/x?page=2&\(place == .query("plain") ? "plain=\(escaped)" : "")"
        let stub = Stub { number, request throws(TransportError) in
            if number == 2 { throw TransportError(.connectionLost, request) }
            if number == 1 { return .status(.movedPermanently, [.location: next]) }
            return .status(.ok, [link: "<\(next)>; rel=next"])
        }
        let key = APIKey(secret, in: place)
        let middleware: [any Middleware] = [
            RequestLog(log.logger), history, key, FollowRedirects(), RequestLog(innerLog.logger), innerHistory,
        ]
        let chain = TransportChain(stub) { middleware }
        var described: [Any] = middleware + [place, chain]
        let reply = try await chain.send(APIRequest(.get, "https://api.example.com/v1/x?q=1"))
        let linked = try #require(reply.links.next)
        described += [reply, reply.links, reply.request, APIRequest(.get, linked)]
        let error = await failure { () async throws(TransportError) in try await chain.send(APIRequest(.post, linked)) }
        let lost = await failure { () async throws(TransportError) in try await chain.send(APIRequest(.get, linked)) }
        described += [try #require(error), try #require(lost), stub.requests]
        described += [log.lines, history.entries, innerLog.lines, innerHistory.entries]
        for value in described {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains(secret) && !text.contains(escaped), "in \(type(of: value))")
            }
        }
        #expect(innerLog.lines.count == 3)
    }
}
