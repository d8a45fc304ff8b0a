import Foundation
import HTTPTypes
import RESTTransport
import Testing

/// Limits in replies, in all the formats of servers.
@Suite struct LimitStatementTests {
    private typealias Quota = LimitStatement.Quota

    /// The local clock in these tests.
    private static let now = 1_700_000_000

    private func statement(_ fields: [(String, String)]) throws -> LimitStatement {
        var all = HTTPFields()
        for (name, value) in fields { all.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return LimitStatement(all, localTime: Self.now)
    }

    @Test(
        arguments: [
            // GitHub: seconds since 1970, with a resource.
            (
                [
                    ("X-RateLimit-Limit", "5000"), ("X-RateLimit-Remaining", "4987"), ("X-RateLimit-Used", "13"),
                    ("X-RateLimit-Reset", "1700000300"), ("X-RateLimit-Resource", "core"),
                ], "core 4987/5000 300s"
            ),
            // Milliseconds since 1970, and seconds from now.
            (
                [("X-RateLimit-Limit", "9"), ("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "1700000030500")],
                " 1/9 31s"
            ),
            ([("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "30")], " 1/- 30s"),
            ([("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "1.25")], " 1/- 2s"),
            ([("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "0")], " 1/- 0s"),
            ([("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "1699999000")], " 1/- 0s"),
            (
                [("x-rate-limit-remaining", "7"), ("x-rate-limit-reset", "1700000007"), ("x-rate-limit-limit", "15")],
                " 7/15 7s"
            ),
            (
                [("RateLimit-Limit", "100, 100;w=60"), ("RateLimit-Remaining", "3"), ("RateLimit-Reset", "12")],
                " 3/100 12s"
            ),
            ([("X-RateLimit-Limit", "60"), ("X-RateLimit-Used", "59")], " 1/60 -"),
            ([("X-RateLimit-Limit", "60"), ("X-RateLimit-Used", "61")], " 0/60 -"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "Tue, 14 Nov 2023 22:13:30 GMT")], " 5/- 10s"),
            // Reddit.
            (
                [("x-ratelimit-used", "5"), ("x-ratelimit-remaining", "995.0"), ("x-ratelimit-reset", "447")],
                " 995/- 447s"
            ),
            ([("X-RateLimit-Remaining", "0.5"), ("X-RateLimit-Reset", "3")], " 0/- 3s"),
            // Mastodon.
            (
                [
                    ("X-RateLimit-Limit", "300"), ("X-RateLimit-Remaining", "0"),
                    ("X-RateLimit-Reset", "2023-11-14T22:15:00.000000Z"),
                ], " 0/300 100s"
            ),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-11-14T22:13:30.25Z")], " 5/- 11s"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-11-15T00:13:30+02:00")], " 5/- 10s"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-11-14t17:13:30-0500")], " 5/- 10s"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-11-14 22:13:20z")], " 5/- 0s"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-11-14T20:13:20Z")], " 5/- 0s"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-11-14T22:13:30")], " 5/- -"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-02-30T22:13:30Z")], " 5/- -"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-11-14T24:13:30Z")], " 5/- -"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-11-14T22:13:30.Z")], " 5/- -"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-11-14T22:13:30Zx")], " 5/- -"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-11-14T22:13:30+2")], " 5/- -"),
            ([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "2023-11-14")], " 5/- -"),
            // The server's own clock.
            (
                [
                    ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "784111837"),
                    ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
                ], " 0/- 60s"
            ),
            // The draft.
            ([("RateLimit", #""default";r=50;t=30"#)], "default 50/- 30s"),
            (
                [("RateLimit", #""default";t=30;r=50"#), ("RateLimit-Policy", #""default";q=100;w=60"#)],
                "default 50/100 30s w60"
            ),
            (
                [
                    ("RateLimit", #""burst";r=1;t=2, "day";r=900;t=4000"#),
                    ("RateLimit-Policy", #""day";w=86400;q=1000;pk=:cHNzdC0xMjM=:,"burst";q=5;w=10"#),
                ], "burst 1/5 2s w10|day 900/1000 4000s w86400"
            ),
            (
                [
                    ("RateLimit", #""a";r=1;t=2"#), ("RateLimit", #""b";r=3"#),
                    ("RateLimit-Policy", #""a";q=5, "b";q=6"#),
                ],
                "a 1/5 2s|b 3/6 -"
            ),
            ([("RateLimit", #""a\"b\\c";r=1;foo;bar=?1;baz="x";t=2;pk=:YQ==:;now=@17;half=0.5"#)], #"a"b\c 1/- 2s"#),
            ([("RateLimit", "default;r=4;t=9")], "default 4/- 9s"),
            (
                [("RateLimit", #""bytes";r=0;t=9"#), ("RateLimit-Policy", #""bytes";q=1024;qu="content-bytes""#)],
                "bytes 0/1024 9s units"
            ),
            ([("RateLimit", "limit=100, remaining=50, reset=30")], " 50/100 30s"),
            // The draft's field takes precedence over those for older clients.
            ([("RateLimit", #""d";r=1;t=2"#), ("X-RateLimit-Remaining", "7"), ("X-RateLimit-Reset", "3")], "d 1/- 2s"),
            // Beyond 32 and 64 bits, and years.
            (
                [("X-RateLimit-Remaining", "99999999999999999999"), ("X-RateLimit-Reset", "4294967296000")],
                " 9007199254740992/- 31536000s"
            ),
            ([("RateLimit", #""d";r=4294967296;t=4294967296"#)], "d 4294967296/- 31536000s"),
            ([("RateLimit", #""d";r=99999999999999999999;t=1"#)], "d 9007199254740992/- 1s"),
            // Malformed.
            ([("X-RateLimit-Remaining", "-1"), ("X-RateLimit-Reset", "30")], ""),
            ([("X-RateLimit-Remaining", "many")], ""), ([("X-RateLimit-Remaining", "")], ""),
            ([("X-RateLimit-Remaining", "٣")], ""), ([("X-RateLimit-Remaining", "1.2.3")], ""),
            ([("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "soon")], " 1/- -"),
            ([("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "1.2.3")], " 1/- -"),
            ([("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "-5")], " 1/- -"),
            ([("X-RateLimit-Limit", "60")], ""), ([("RateLimit", "")], ""), ([("RateLimit", #""d";r=-1;t=2"#)], ""),
            ([("RateLimit", #""d";t=2"#)], ""), ([("RateLimit", #""d;r=1;t=2"#)], ""),
            ([("RateLimit", #""d";r=1;t=2,"#)], ""), ([("RateLimit", #""d";r=;t=2"#)], ""),
            ([("RateLimit", #""d";r=1;=2"#)], ""), ([("RateLimit", #"("d");r=1"#)], ""),
            ([("RateLimit", #""d" "e";r=1"#)], ""), ([("RateLimit", #""d";r=1.5;t=2"#)], ""),
            ([("RateLimit", #""d";r=1;pk=:YQ"#)], ""),
            ([("RateLimit", #""d";r=1;t=2"#), ("RateLimit-Policy", #""d";q=;"#)], "d 1/- 2s"),
        ] as [([(String, String)], String)])
    func `Limits are read in each header format`(fields: [(String, String)], expected: String) throws {
        #expect(try statement(fields).quotas.map(\.text).joined(separator: "|") == expected)
    }

    @Test(
        arguments: [
            ([("Retry-After", "7")], .seconds(7), nil),
            ([("Retry-After", "2.0")], .seconds(2), nil),
            ([("Retry-After", "31536000000")], .seconds(365 * 86_400), nil),
            ([("Retry-After", "Tue, 14 Nov 2023 22:13:30 GMT")], .seconds(10), nil),
            ([("Retry-After", "soon"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "4")], nil, .seconds(4)),
            ([("RateLimit", #""a";r=0;t=3, "b";r=0;t=8, "c";r=1;t=90"#)], nil, .seconds(8)),
            ([("X-RateLimit-Remaining", "0")], nil, nil), ([], nil, nil),
        ] as [([(String, String)], Duration?, Duration?)])
    func `The wait of a refusal is read from its header fields`(
        fields: [(String, String)], retryAfter: Duration?, spentFor: Duration?
    ) throws {
        let said = try statement(fields)
        #expect(said.retryAfter == retryAfter)
        #expect(said.spentFor == spentFor)
    }
}

extension LimitStatement.Quota {
    fileprivate var text: String {
        func seconds(_ duration: Duration?) -> String { duration.map { "\($0.components.seconds)s" } ?? "-" }
        return "\(name) \(remaining.map(String.init) ?? "-")/\(limit.map(String.init) ?? "-") \(seconds(reset))"
            + (window.map { " w\($0.components.seconds)" } ?? "") + (countsRequests ? "" : " units")
    }
}
