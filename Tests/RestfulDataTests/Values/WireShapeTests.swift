import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A value is sent in the format in which the last import found the attribute.
@MainActor @Suite struct WireShapeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let key: String
        let json: String
        var testDescription: String { "\(key): \(json)" }
    }

    private nonisolated static func rows(_ key: String, _ values: String...) -> [Row] {
        values.map { Row(key: key, json: $0) }
    }

    nonisolated static let rows: [Row] =
        rows(
            "date", #""2011-01-26T19:06:43Z""#, #""2014-01-02""#, #""2009-10-09 12:40:08""#, #""2016-01-09T12:40:08""#,
            #""2016-01-09T12:40:08.12""#, #""2016-01-09T12:40:52.2Z""#, #""2016-01-09T12:40:14.070""#,
            #""2016-01-09T12:40:08.123456Z""#, #""2016-01-09T12:40:08.123000+00:00""#,
            #""2016-01-09T12:40:08.123+0000""#,
            #""2016-01-09T12:40:08.123+02:00""#, #""2016-01-09T12:40:08,5-0330""#, #""2016-01-09t12:40:08z""#,
            #""2016-01-09T23:40-11""#, #""0001-01-01T00:00:00Z""#, #""9999-12-31T23:59:59Z""#,
            #""1969-12-31T23:59:59.5Z""#, #""2000-02-29""#, "1441888808", #""1441888808""#, "1441888808123",
            #""1441888808123""#, "1441888808123456", #""1441888808000000""#, "1441888808.25", "-86400", "0")
        // Values that neither a Double nor a format can express: their text is kept.
        + rows(
            "date", #""2024-05-01T10:00:00.123456789Z""#, #""1999-12-31T23:59:59.999999999Z""#,
            #""2024-05-01T10:00:00.1234567Z""#, #""2024-05-01T10:00:00.0000000Z""#,
            #""2024-05-01T10:00:00.1234567890123456789+02:00""#, #""2024-05-01 10:00:00,999999999""#,
            #""2016-12-31T23:59:60Z""#, #""2016-12-31T18:59:60.500-05:00""#, #""9999-12-31T23:59:60Z""#,
            #""2024-05-01T10:00:00-00:00""#, #""1600-02-29T12:00:00.123456Z""#, #""0001-01-01T00:00:00.000001Z""#,
            #""9999-12-31T23:59:59.9999999Z""#, #""9999-12-31T23:59:59.999999Z""#, #""0000-01-01T00:00:00+05:00""#,
            "1441888808.1234567", "1441888808.123456789", #""1441888808.000200""#, #""1441888808.0""#, #""0086400""#,
            "1.4418888081234567e9", "-0.0000001")
        + rows("ratio", "12345678901234567890", "0.1000000000000000055", #""1.10""#, #""1e3""#, "3.141592653589793238")
        + rows("share", "0.123456789", "16777217", #""0.50""#) + rows("count", #""42.0""#, #""1e3""#, #""-0""#)
        + rows("size", #""18446744073709551615.0""#) + rows("wide", #""1e20""#)
        + rows("count", "42", #""42""#, #""-9223372036854775808""#, "9223372036854775807", "9007199254740993")
        + rows("size", "18446744073709551615", #""18446744073709551615""#, "9223372036854775808")
        + rows(
            "wide", "-170141183460469231731687303715884105728", #""170141183460469231731687303715884105727""#,
            "18446744073709551616")
        + rows(
            "wide_unsigned", "340282366920938463463374607431768211455", #""340282366920938463463374607431768211455""#)
        + rows(
            "price", "1.10", #""1.10""#, "12345678901234567890123456789012345678901234567890.123456789000", #""-0.00""#)
        + rows("ratio", "1.5", #""1.5""#, "0.1", "1e+300")
        + rows("share", "0.1", #""0.1""#, "16777216", "1e+30")
        + rows("is_on", "true", "false", "1", "0", #""true""#, #""0""#)
        + rows(
            "text", #""a""#, "42", "true", #""42""#, "123456789012345678901234567890123456789012345678901234567890",
            "1.50")
        + rows("token", #""e621e1f8-c36c-495a-93fc-0c247a3e6e5f""#, #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#)
        + rows("blob", #""/+8=""#, #""_-8=""#, #""_-8""#, #""/+8""#)
        + rows("link", #""https://api.example.com/users{/login}""#, #""https://example.com/a b""#)
        + rows("mood", #""calm""#, #""furious""#) + rows("level", "2", #""2""#, "9", #""9""#)
        + rows("moods", #"["calm", "furious"]"#, #"[]"#) + rows("levels", "[2,9,1]", #"["2","9"]"#, #"[1, 2.0, "3"]"#)
        + rows("mood_by_name", #"{"b":"furious","a":"calm"}"#)
        + rows(
            "times", #"["2014-01-02"]"#, "[1441888808123,1441888808124]", #"["2016-01-09T12:40:08.12+02:00"]"#,
            #"["2016-01-09T12:40:08Z","2016-01-09T12:40:08.5+02:00"]"#, #"["2014-01-02",1441888808123]"#)
        + rows("matrix", "[[1, 2], [], [3]]", #"[[1],["2"]]"#) + rows("names", #"["b","a"]"#)
        + rows("limits", #"{"a":"1.10"}"#, #"{"a":1.10}"#, #"{"a":1,"b":"2"}"#)

    private func service(_ location: Store.Location = .temporary) throws -> Service {
        try Service(Things.models, saveMethod: .put, location: location, stub: StubTransport { _ in .status(204) })
    }

    private func sent(_ service: Service) -> String { service.stub.log.last ?? "" }

    @Test(arguments: rows)
    func `An unedited value is sent as it came`(_ row: Row) async throws {
        let service = try service()
        let thing = try await service.imported(Thing.self, #"{"id":1,"\#(row.key)":\#(row.json)}"#)
        thing.note = "x"
        try await thing.save()
        #expect(sent(service).contains(#""\#(row.key)":\#(row.json)"#), "\(sent(service))")
    }

    @Test(arguments: rows)
    func `The form of a value survives a restart`(_ row: Row) async throws {
        let file = try TemporaryFile()
        do {
            let service = try service(.file(file.path))
            _ = try await service.imported(Thing.self, #"{"id":1,"\#(row.key)":\#(row.json)}"#)
        }
        let service = try service(.file(file.path))
        let thing = try #require(try service.main.find(Thing.self, 1))
        thing.note = "x"
        try await thing.save()
        #expect(sent(service).contains(#""\#(row.key)":\#(row.json)"#), "\(sent(service))")
    }

    @Test(arguments: ["https://{tenant}.example.com/x", "https://a}", "https://{"])
    func `A text that isn't a URL is reported`(_ text: String) async throws {
        let service = try Service(Things.models, stub: StubTransport { _ in .status(204) })
        let imported = try await service.main.import(Thing.self, from: Array(#"{"id":1,"link":"\#(text)"}"#.utf8))
        #expect(imported.objects[0].link == nil)
        #expect(imported.report.mismatched.map(\.path) == ["link"])
    }
}
