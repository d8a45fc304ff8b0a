import HTTPTypes
import Testing

@testable import RESTTransport

/// The freshness of a response, as servers write it.
@Suite struct ResponseFreshnessTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    /// That date, in seconds since 1970.
    private static let time = 784_111_777

    private func freshness(_ fields: [(String, String)], at time: Int = Self.time) throws -> ResponseFreshness {
        var head = HTTPResponse(status: .ok)
        for (name, value) in fields {
            head.headerFields.append(HTTPField(name: try #require(.init(name)), value: value))
        }
        return ResponseFreshness(head, at: time)
    }

    @Test(arguments: [
        ("\"abc\"", "\"abc\""), ("W/\"abc\"", "W/\"abc\""), (" \"a b\" ", nil), ("\"\"", "\"\""), ("", nil), ("*", nil),
        ("\"a\"b\"", nil), ("\"abc", nil), ("abc\"", nil), ("a,b", nil), ("W/", nil), ("abc", "abc"),
        ("w/\"abc\"", nil),
        ("\"ä\"", "\"ä\""), (String(repeating: "a", count: 1025), nil),
    ])
    func `An entity tag is kept unchanged, or not at all`(_ text: String, _ tag: String?) throws {
        #expect(try freshness([("ETag", text)]).entityTag == tag)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:36 GMT", date, true), (date, date, false),
        ("Sun, 06 Nov 1994 08:49:38 GMT", date, false),
        ("Sunday, 06-Nov-94 08:49:36 GMT", date, true), ("yesterday", date, false),
        ("Sun, 06 Nov 1994 08:49:36 GMT", "", false), ("Sun, 06 Nov 1994 08:48:37 GMT", "", false),
        ("Sun, 06 Nov 1994 08:48:36 GMT", "", true), ("1994-11-06T08:49:36Z", date, false),
    ])
    func `Last-Modified is used only if the reply was made later`(
        _ modified: String, _ date: String, _ isUsed: Bool
    ) throws {
        let freshness = try freshness([("Last-Modified", modified)] + (date.isEmpty ? [] : [("Date", date)]))
        #expect(freshness.lastModified == (isUsed ? modified : nil))
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 09:49:37 GMT", 3600), (date, 0), ("Sun, 06 Nov 1994 07:49:37 GMT", 0), ("0", 0),
        ("never", 0),
        ("Sun, 06 Nov 9999 08:49:37 GMT", 1 << 31),
    ])
    func `A reply's lifetime is counted by the server's clock`(_ expires: String, _ lifetime: Int) throws {
        #expect(try freshness([("Expires", expires), ("Date", Self.date)]).lifetime == lifetime)
        // `max-age` takes precedence.
        let both = try freshness([("Expires", expires), ("Cache-Control", "max-age=7"), ("Date", Self.date)])
        #expect(both.lifetime == 7)
    }

    @Test(
        arguments: [
            ([], 0, 0), ([("Age", "10")], 0, 10), ([("Age", "-1")], 0, 0), ([("Age", "ten")], 0, 0),
            ([("Age", "99999999999999999999")], 0, 1 << 31), ([("Date", date)], 30, 30), ([("Date", date)], -30, 0),
            ([("Date", date), ("Age", "40")], 30, 40), ([("Date", "then")], 30, 0),
        ] as [([(String, String)], Int, Int)])
    func `A reply's age is taken from its Age field and the clocks`(
        _ fields: [(String, String)], _ later: Int, _ age: Int
    ) throws {
        #expect(try freshness(fields, at: Self.time + later).age == age)
    }

    @Test(
        arguments: [
            (["Accept"], ["accept"], false),
            (["Accept, accept-language", "ACCEPT"], ["accept", "accept-language"], false),
            (["*"], ["*"], true), (["Accept, *"], ["*", "accept"], true), ([""], [], false), ([", ,"], [], false),
        ] as [([String], [String], Bool)])
    func `A reply depends on the fields that Vary names`(_ fields: [String], _ names: [String], _ isNotToBeKept: Bool)
        throws
    {
        let freshness = try freshness(fields.map { ("Vary", $0) })
        #expect(freshness.vary == names && freshness.isNotToBeKept == isNotToBeKept)
    }
}
