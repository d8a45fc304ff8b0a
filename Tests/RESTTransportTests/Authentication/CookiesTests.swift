import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// Which cookies are kept, and which requests get them.
@Suite struct CookiesTests {
    private let time = FakeTime(localTime: 1_000_000)

    /// The second request's cookies, after a reply to the first one has set these.
    private func sent(
        _ fields: [String], from first: String = "https://api.example.com/v1/users/7",
        to second: String = "https://api.example.com/v1/users/8", after wait: Duration = .zero
    ) async throws -> String? {
        var set = HTTPFields()
        for field in fields { set.append(HTTPField(name: .setCookie, value: field)) }
        let stub = Stub { [set] number, _ in .status(.ok, number == 0 ? set : [:]) }
        let cookies = Cookies(time: time.source)
        let api = try #require(URL(string: first))
        let chain = TransportChain(api: api, transport: stub) { cookies }
        _ = try await chain.send(APIRequest(.get, first))
        time.advance(by: wait)
        _ = try await chain.send(APIRequest(.get, second))
        #expect(stub.requests[0].headerFields[.cookie] == nil)
        return stub.requests[1].headerFields[.cookie]
    }

    @Test(
        arguments: [
            (["a=1", "b=2; HttpOnly"], "a=1; b=2"), (["a=1", "a=2"], "a=2"), (["a=\"quoted\""], "a=\"quoted\""),
            ([" a = b=c ; x=y"], "a=b=c"), (["a="], "a="), (["=b"], nil), (["a"], nil), ([""], nil), ([";"], nil),
            (["a=1; Path=/v1", "b=2; Path=/v1/users", "c=3; Path=/"], "b=2; a=1; c=3"),
            (["a=1", "a=2; Path=/v1"], "a=1; a=2"),
            (["a=1\tb"], "a=1\tb"), (["a=" + String(repeating: "x", count: 9000)], nil),
        ] as [([String], String?)])
    func `Cookies are sent by name, those of longer paths first`(fields: [String], expected: String?) async throws {
        #expect(try await sent(fields) == expected)
    }

    @Test(arguments: [
        ("api.example.com", true), (".example.com", true), ("EXAMPLE.com", true), ("", true),
        ("com", false), (".com", false), ("other.example.com", false), ("le.com", false), ("v1.api.example.com", false),
        ("..example.com", false),
    ])
    func `A cookie's domain must be the host or a parent domain of two labels or more`(domain: String, isKept: Bool)
        async throws
    {
        #expect(try await sent(["a=1; Domain=\(domain)"]) == (isKept ? "a=1" : nil))
    }

    @Test(arguments: [
        ("http://localhost:8080/", "localhost", true), ("http://127.0.0.1/", "127.0.0.1", true),
        ("http://127.0.0.1/", "0.0.1", false), ("http://[::1]/", "", true),
    ])
    func `A host without a dot, or an address, gets only its own cookies`(
        url: String, domain: String, isKept: Bool
    ) async throws {
        #expect(try await sent(["a=1; Domain=\(domain)"], from: url, to: url) == (isKept ? "a=1" : nil))
    }

    @Test(arguments: [
        ("", "/v1/users", true), ("", "/v1/users/", true), ("", "/v1/users?q", true), ("", "/v1", false),
        ("/v1/us", "/v1/users", false), ("/v1/users/", "/v1/users", false), ("/", "/", true), ("/v1", "/v1/x", true),
        ("v1", "/v1/users", true), ("v1", "/", false),
    ])
    func `A cookie is sent to its path and paths below`(path: String, target: String, isSent: Bool) async throws {
        let cookie = try await sent(["a=1; Path=\(path)"], to: "https://api.example.com" + target)
        #expect(cookie == (isSent ? "a=1" : nil))
    }

    @Test(arguments: [
        ("Secure", "https", true), ("Secure", "http", false), ("secure=no", "http", false), ("", "http", true),
    ])
    func `A secure cookie requires https`(attribute: String, scheme: String, isKept: Bool) async throws {
        let url = "\(scheme)://api.example.com/"
        #expect(try await sent(["a=1; \(attribute)"], from: url, to: url) == (isKept ? "a=1" : nil))
    }

    @Test(arguments: [
        ("__Secure-a=1; Secure", true), ("__Secure-a=1", false), ("__Host-a=1; Secure; Path=/", true),
        ("__host-a=1; Secure", false), ("__Host-a=1; Path=/", false),
        ("__Host-a=1; Secure; Path=/; Domain=api.example.com", false),
    ])
    func `Cookies whose names have a reserved prefix are checked for its rules`(field: String, isKept: Bool)
        async throws
    {
        #expect((try await sent([field]) != nil) == isKept)
    }

    @Test(arguments: [
        // 1,000,000 is 12 January 1970, 13:46:40.
        ("Max-Age=60", 59, true), ("Max-Age=60", 60, false), ("Max-Age=0", 0, false), ("Max-Age=-5", 0, false),
        ("Max-Age=+5", 100, true), ("Max-Age=5s", 100, true), ("Max-Age=99999999999999999999", 1_000_000, true),
        ("Expires=Mon, 12 Jan 1970 13:47:40 GMT", 59, true), ("Expires=Mon, 12 Jan 1970 13:47:40 GMT", 60, false),
        ("Expires=Thu, 01 Jan 1970 00:00:00 GMT", 0, false), ("Expires=soon", 1_000_000, true),
        ("Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60", 59, true),
        ("Max-Age=60; Max-Age=600", 500, true),
    ])
    func `A cookie expires after its lifetime`(attributes: String, seconds: Int, isSent: Bool) async throws {
        #expect(try await sent(["a=1; \(attributes)"], after: .seconds(seconds)) == (isSent ? "a=1" : nil))
    }

    /// Each is 12 January 1970, 13:47:40: a minute ahead.
    @Test(arguments: [
        "Mon, 12-Jan-70 13:47:40 GMT", "Mon Jan 12 13:47:40 1970", "1970 january 12 13:47:40",
        "12 jan 1970 13:47:40 +0200", "(13:47:40) 12. JANUAR, 70",
        "13:47:40x;12th Jan".replacing(";", with: "/") + " 1970z",
    ])
    func `A cookie's expiry is read in many date formats`(date: String) async throws {
        #expect(try await sent(["a=1; Expires=\(date)"], after: .seconds(59)) == "a=1")
        #expect(try await sent(["a=1; Expires=\(date)"], after: .seconds(1)) == nil)
    }

    /// Each would be in the past, but is an invalid date, so the cookie lasts.
    @Test(arguments: [
        "30 Feb 1969 00:00:00", "0 Jan 1969 00:00:00", "1 Jan 1600 00:00:00", "1 Jan 1969 24:00:00",
        "1 Jan 1969 00:60:00",
        "1 Jan 1969", "Jan 1969 00:00:00", "1 1969 00:00:00", "1 Jan 00:00:00", "001 Jan 1969 00:00:00 x",
        "29 Feb 1900 00:00:00", "1 Jan 1969 00:00", "1 Jan 19690 00:00:00",
    ])
    func `A malformed expiry of a cookie is ignored`(date: String) async throws {
        #expect(try await sent(["a=1; Expires=\(date)"]) == "a=1")
    }

    @Test func `An expiry in the past removes the cookie`() async throws {
        let stub = Stub(
            .status(.ok, [.setCookie: "a=1"]),
            .status(.ok, [.setCookie: "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]), .status(.ok))
        let cookies = Cookies(time: time.source)
        let chain = TransportChain(stub) { cookies }
        for _ in 1...3 { _ = try await chain.send(APIRequest(.get, apiURL)) }
        #expect(stub.requests.map { $0.headerFields[.cookie] } == [nil, "a=1", nil])
        #expect(cookies.names == [])
    }

    @Test func `A cookie that is set again keeps its position`() async throws {
        let stub = Stub { number, _ in .status(.ok, [.setCookie: ["a=1", "b=2", "a=3"][min(number, 2)]]) }
        let chain = TransportChain(stub) { Cookies(time: time.source) }
        for _ in 1...4 { _ = try await chain.send(APIRequest(.get, apiURL)) }
        #expect(stub.requests.map { $0.headerFields[.cookie] } == [nil, "a=1", "a=1; b=2", "a=3; b=2"])
    }

    @Test func `Only the newest cookies are kept`() async throws {
        let stub = Stub { number, _ in .status(.ok, [.setCookie: "n\(number)=1"]) }
        let cookies = Cookies(time: time.source)
        let chain = TransportChain(stub) { cookies }
        for _ in 0..<200 { _ = try await chain.send(APIRequest(.get, apiURL)) }
        #expect(cookies.names.count == 180 && cookies.names.contains("n199") && !cookies.names.contains("n19"))
        cookies.removeAll()
        #expect(cookies.names == [])
    }

    // MARK: Recipients

    @Test func `Only the API's own origin sets and gets cookies`() async throws {
        let stub = Stub { _, request in
            request.url.path() == "/leave"
                ? .status(.found, [.location: "https://other.example.com/"])
                : .status(.ok, [.setCookie: "\(request.url.host() == apiURL.host() ? "own" : "other")=1; Path=/"])
        }
        let cookies = Cookies(time: time.source)
        let chain = TransportChain(stub) {
            cookies
            FollowRedirects()
        }
        for url in ["/own", "/leave", "https://other.example.com/x", "http://api.example.com/x"] {
            _ = try await chain.send(APIRequest(.get, try #require(URL(string: url, relativeTo: apiURL)).absoluteURL))
        }
        #expect(stub.requests.map { $0.headerFields[.cookie] } == [nil, "own=1", nil, nil, nil])
        #expect(cookies.names == ["own"])
    }

    @Test func `A redirecting login sets its cookie if redirects are followed outside of the cookies`() async throws {
        let stub = Stub { _, request in
            request.method == .post
                ? .status(.seeOther, [.location: "/home", .setCookie: "sid=1; Path=/"]) : .status(.ok)
        }
        let chain = TransportChain(stub) {
            FollowRedirects()
            Cookies(time: time.source)
        }
        _ = try await chain.send(APIRequest(.post, apiURL))
        #expect(stub.requests.map { $0.headerFields[.cookie] } == [nil, "sid=1"])
    }

    @Test func `A request's own Cookie field is kept`() async throws {
        let stub = Stub(.status(.ok, [.setCookie: "a=1"]))
        let chain = TransportChain(stub) { Cookies(time: time.source) }
        for _ in 1...2 { _ = try await chain.send(APIRequest(.get, apiURL, headerFields: [.cookie: "mine=1"])) }
        #expect(stub.requests.map { $0.headerFields[.cookie] } == ["mine=1", "mine=1"])
    }

    @Test(arguments: TransportKind.allCases)
    func `Several Set-Cookie fields of a reply set several cookies`(kind: TransportKind) async throws {
        let head = """
            HTTP/1.1 204 No Content\r\nSet-Cookie: a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT\r\n\
            Set-Cookie: b=2; Path=/\r\nConnection: close\r\n\r\n
            """
        try await RawServer.run { _ in
            [.send(head)]
        } _: { server, base in
            let chain = TransportChain(api: try #require(URL(string: base)), transport: kind.make()) { Cookies() }
            for _ in 1...2 { _ = try await chain.send(APIRequest(.get, base + "/")) }
            #expect(server.requests.count == 2 && !server.requests[0].lowercased().contains("cookie:"))
            #expect(server.requests[1].lowercased().contains("cookie: a=1; b=2\r\n"))
        }
    }

    @Test(arguments: [
        ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", " b=2"]), ("", [""]),
        ("a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT, b=2", ["a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT", " b=2"]),
        ("a=1,2,3; Path=/,b=4", ["a=1,2,3; Path=/", "b=4"]),
    ])
    func `Set-Cookie fields joined by a client are split`(joined: String, expected: [String]) {
        #expect(SetCookieFields.split(joined) == expected)
    }

    @Test func `No log, history or description shows a cookie's value`() async throws {
        let (log, history, cookies) = (CapturedLog(), RequestHistory(), Cookies(time: time.source))
        let stub = Stub(.status(.ok, [.setCookie: "sid=s3cr3t"]))
        let chain = TransportChain(stub) {
            cookies
            RequestLog(log.logger)
            history
        }
        var described: [Any] = [cookies, chain]
        for _ in 1...2 { described.append(try await chain.send(APIRequest(.get, apiURL))) }
        described += [log.lines, history.entries, stub.requests]
        #expect(stub.requests[1].headerFields[.cookie] == "sid=s3cr3t" && "\(cookies)" == "Cookies(sid)")
        for value in described {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains("s3cr3t"))
        }
    }
}
