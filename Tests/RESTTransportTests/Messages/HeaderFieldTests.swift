import Foundation
import HTTPTypes
import RESTTransport
import Testing

/// Values read from a reply's header fields, and from URLs.
@Suite struct HeaderFieldTests {
    private func reply(_ fields: HTTPFields, url: String = "https://api.example.com/users/7/repos?page=3") throws
        -> APIResponse
    {
        APIResponse(HTTPResponse(status: .ok, headerFields: fields), to: try APIRequest(.get, url))
    }

    @Test(
        arguments: [
            ("", [:]),
            (
                #"<https://api.example.com/u?page=4>; rel="next", <https://api.example.com/u?page=9>; rel="last""#,
                ["next": "https://api.example.com/u?page=4", "last": "https://api.example.com/u?page=9"]
            ),
            (#"</u?page=4>; rel=next"#, ["next": "https://api.example.com/u?page=4"]),
            (#"<?page=4>;rel="next""#, ["next": "https://api.example.com/users/7/repos?page=4"]),
            (#"<//other.example/x>;rel="next""#, ["next": "https://other.example/x"]),
            (
                #"<?after=Y3Vyc29y%3D%3D&q=a%2Bb+c,d;e>; rel="next""#,
                ["next": "https://api.example.com/users/7/repos?after=Y3Vyc29y%3D%3D&q=a%2Bb+c,d;e"]
            ),
            (
                #"</a>; title="x, y; rel=\"prev\""; REL="NEXT last""#,
                ["next": "https://api.example.com/a", "last": "https://api.example.com/a"]
            ),
            (#"</a>; rel=next; rel=prev"#, ["next": "https://api.example.com/a"]),
            (#"</a>; rel="next", </b>; rel="next""#, ["next": "https://api.example.com/a"]),
            (#"</a>; rel="previous""#, ["prev": "https://api.example.com/a"]),
            (#"</a>; rel="next"; anchor="/elsewhere", </b>; rel="last""#, ["last": "https://api.example.com/b"]),
            (#"<mailto:a@b.example>; rel="next", <ftp://a.example/>; rel="last""#, [:]),
            (#" , ,</a> ; rel = "first" , "#, ["first": "https://api.example.com/a"]),
            (#"</a>"#, [:]), (#"</a"#, [:]), (#"a; rel=next"#, [:]),
            (#"</a>; rel="next"#, ["next": "https://api.example.com/a"]),
            (#"</a>; rel="next\"#, ["next": "https://api.example.com/a"]), (#"</a>; rel"#, [:]), (#"</a>; =next"#, [:]),
            ("<>", [:]),
            (#"<https://[>; rel="next", </b>; rel="last""#, ["last": "https://api.example.com/b"]),
        ] as [(String, [String: String])])
    func `Link fields are read according to RFC 8288`(field: String, expected: [String: String]) throws {
        let links = try reply([try #require(HTTPField.Name("Link")): field]).links
        let found = ["next": links.next, "prev": links.prev, "first": links.first, "last": links.last]
        #expect(found.compactMapValues { $0?.absoluteString } == expected)
    }

    @Test func `Links of several fields are all read, and resolved against the reply's URL`() throws {
        let link = try #require(HTTPField.Name("Link"))
        var fields = HTTPFields()
        fields.append(HTTPField(name: link, value: "<a>; rel=next"))
        fields.append(HTTPField(name: link, value: "<b>; rel=\"describedby\""))
        var response = try reply(fields)
        response.url = try #require(URL(string: "https://moved.example/deep/page"))
        #expect(response.links.next?.absoluteString == "https://moved.example/deep/a")
        #expect(response.links["describedBy"]?.absoluteString == "https://moved.example/deep/b")
    }

    @Test func `A long Link field is read in linear time`() throws {
        let field = String(repeating: "<", count: 200_000) + String(repeating: "</a>;;;;", count: 100_000)
        #expect(Links(field, relativeTo: apiURL).next == nil)
        let many = String(repeating: "</a>; rel=next, ", count: 20_000)
        #expect(Links(many, relativeTo: apiURL).next?.absoluteString == "https://api.example.com/a")
    }

    @Test(
        arguments: [
            ("120", Duration.seconds(120)), ("0", .zero), (" 5 ", .seconds(5)), ("-1", nil), ("", nil),
            ("2.0", .seconds(2)), ("1.5", .seconds(2)), ("1.", nil), (".5", nil), ("1.5.0", nil), ("-1.5", nil),
            ("soon", nil), ("99999999999999999999999999", .seconds(365 * 86_400)), ("٣", nil),
            ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)), ("Sunday, 06-Nov-94 08:50:37 GMT", .seconds(60)),
            ("Sun Nov  6 08:50:37 1994", .seconds(60)), ("Sun, 06 Nov 1994 08:00:00 GMT", .zero),
            ("Mon, 07 Nov 1994 08:49:37 GMT", .seconds(86_400)),
            ("Thu, 29 Feb 1996 00:00:00 GMT", .seconds(365 * 86_400)),
            ("Sun, 06 Nov 1994 08:50:37 CET", nil), ("Sun, 06 Foo 1994 08:50:37 GMT", nil),
            ("Sun, 06 Nov 1994 25:50:37 GMT", nil), ("Sun, 06 Nov 1994 08:50 GMT", nil),
            ("Sun, 6e Nov 1994 08:50:37 GMT", nil),
        ] as [(String, Duration?)])
    func `Retry-After is read as seconds or a date`(value: String, expected: Duration?) throws {
        let response = try reply([.retryAfter: value, .date: "Sun, 06 Nov 1994 08:49:37 GMT"])
        #expect(response.retryAfter == expected)
    }

    @Test func `Header dates agree with the calendar`() throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for day in stride(from: 0, to: 50_000, by: 61) {
            let now = Date(timeIntervalSince1970: Double(day) * 86_400)
            let later = now.addingTimeInterval(60 * 86_400 + 3_661)
            let response = try reply([.retryAfter: formatter.string(from: later), .date: formatter.string(from: now)])
            #expect(response.retryAfter == .seconds(60 * 86_400 + 3_661))
        }
    }

    @Test(
        arguments: [
            ("0", "784111837", Duration.seconds(60)), ("0", "784111777", .zero), ("0", "5", .seconds(5)),
            ("1", "784111837", nil),
            ("0", "x", nil), ("", "784111837", nil), ("0", "99999999999999999999", .seconds(365 * 86_400)),
        ] as [(String, String, Duration?)])
    func `The reset of a spent limit is read as seconds or a Unix time`(
        remaining: String, reset: String, expected: Duration?
    ) throws {
        let response = try reply([
            try #require(HTTPField.Name("X-RateLimit-Remaining")): remaining,
            try #require(HTTPField.Name("X-RateLimit-Reset")): reset, .date: "Sun, 06 Nov 1994 08:49:37 GMT",
        ])
        #expect(response.rateLimitReset == expected)
    }

    @Test(
        arguments: [
            ("HTTPS://Example.COM/x", "https://example.com"), ("https://example.com:443", "https://example.com"),
            ("http://example.com:80/", "http://example.com"), ("http://example.com:8080/", "http://example.com:8080"),
            ("http://[::1]:8080/", "http://[::1]:8080"), ("ftp://example.com/", nil), ("/path", nil),
            ("http:///x", nil), ("https://Bücher.example/x", "https://xn--bcher-kva.example"),
            ("https://xn--bcher-kva.example/x", "https://xn--bcher-kva.example"),
        ] as [(String, String?)])
    func `An origin consists of scheme, host and port`(url: String, expected: String?) throws {
        #expect(Origin(try #require(URL(string: url)))?.description == expected)
    }

    @Test(arguments: [
        ("https://example.com", "https", "example.com", "/"),
        ("https://Example.com:8443/a%2Fb/?q=a%20b#f", "https", "example.com:8443", "/a%2Fb/?q=a%20b"),
        ("http://[::1]:80/x?", "http", "[::1]", "/x?"),
    ])
    func `A request has a head with its method, scheme, authority and path`(
        url: String, scheme: String, authority: String, path: String
    ) throws {
        let head = try APIRequest(.put, url, headerFields: [.accept: "*/*"]).head
        #expect(head.method == .put)
        #expect(head.scheme == scheme)
        #expect(head.authority == authority)
        #expect(head.path == path)
        #expect(head.headerFields == [.accept: "*/*"])
    }
}
