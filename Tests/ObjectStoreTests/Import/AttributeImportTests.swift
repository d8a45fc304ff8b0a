import Foundation
import ObjectStore
import RestfulData
import Testing

/// Attributes on import: the value read from each JSON value, by kind.
@MainActor
@Suite struct AttributeImportTests {
    /// A JSON value, and the property's value afterwards. It is nil for JSON of another kind: then the property is
    /// unchanged, and the report has a mismatch.
    struct Row: Sendable, CustomTestStringConvertible {
        let kind: SampleKind
        let json: String
        let text: String?
        /// The value of an attribute with a default, where it isn't `text`.
        let defaulted: String?

        init(_ kind: SampleKind, _ json: String, _ text: String?, defaulted: String? = nil) {
            self.kind = kind
            self.json = json
            self.text = text
            self.defaulted = defaulted ?? text
        }

        var testDescription: String { "\(kind.key): \(json)" }
    }

    private nonisolated static func stored(_ kind: SampleKind, _ rows: [String: String]) -> [Row] {
        rows.sorted { $0.key < $1.key }.map { Row(kind, $0.key, $0.value) }
    }

    private nonisolated static func refused(_ kind: SampleKind, _ values: String...) -> [Row] {
        (values + ["[]", "{}"]).map { Row(kind, $0, nil) }
    }

    private nonisolated static let integers: [Row] =
        [
            (SampleKind.int8, "-128", "127"), (.int16, "-32768", "32767"), (.int32, "-2147483648", "2147483647"),
            (.int64, "-9223372036854775808", "9223372036854775807"),
            (.int, "-9223372036854775808", "9223372036854775807"),
            (.uint8, "0", "255"), (.uint16, "0", "65535"), (.uint32, "0", "4294967295"),
            (.uint64, "0", "18446744073709551615"), (.uint, "0", "18446744073709551615"),
            (.int128, "-170141183460469231731687303715884105728", "170141183460469231731687303715884105727"),
            (.uint128, "0", "340282366920938463463374607431768211455"),
        ].flatMap { kind, low, high in
            stored(
                kind,
                [
                    low: low, high: high, "\"\(low)\"": low, "\"\(high)\"": high, "42": "42", "42.0": "42",
                    "4.2e1": "42",
                    "420e-1": "42", "\"42\"": "42", "-0": "0",
                ])
                + refused(
                    kind, outside(low), outside(high), "\"\(outside(high))\"", "1.5", "\"1.5\"", "true", "\"\"",
                    "\"x\"",
                    "\"4 2\"", "1e40", "\"0x10\"")
        }

    /// The number beyond a limit.
    private nonisolated static func outside(_ limit: String) -> String {
        if limit == "0" { return "-1" }
        let digits = limit.drop { $0 == "-" }
        return limit.prefix { $0 == "-" } + digits.dropLast() + "\((digits.last?.wholeNumberValue ?? 0) + 1)"
    }

    private nonisolated static let numbers: [Row] =
        stored(
            .double,
            ["1": "1.0", "-1.5": "-1.5", "\"1.5\"": "1.5", "1e300": "1e+300", "0.1": "0.1", "\"1e3\"": "1000.0"])
        + refused(.double, "1e400", "\"1e400\"", "true", "\"x\"", "\"\"", "\"NaN\"", "\"inf\"", "\"0x10\"")
        + stored(.float, ["1": "1.0", "-1.5": "-1.5", "\"1.5\"": "1.5", "0.1": "0.1", "1e38": "1e+38"])
        + refused(.float, "1e400", "1e39", "-3.5e38", "\"1e39\"", "true", "\"x\"")
        + stored(
            .decimal,
            [
                "1": "1", "1.10": "1.1", "\"1.10\"": "1.1", "-0.05": "-0.05",
                "12345678901234567890.12345": "12345678901234567890.12345",
                "1e3": "1000", "2.5e-3": "0.0025",
            ])
        + refused(
            .decimal, "true", "\"x\"", "\"\"", "\"NaN\"", "\"1,5\"", "1e400", "\"1e400\"", "1e-400",
            "1e9223372036854775807",
            "1e-9223372036854775808", "\"1e-9223372036854775808\"")
        + stored(
            .bool,
            [
                "true": "true", "false": "false", "1": "true", "0": "false", "\"true\"": "true", "\"false\"": "false",
                "\"1\"": "true", "\"0\"": "false",
            ])
        + refused(.bool, "2", "-1", "0.5", "\"yes\"", "\"\"", "\"TRUE\"")

    private nonisolated static let texts: [Row] =
        stored(
            .text,
            [
                "\"a\"": "a", "\"\"": "", "42": "42", "1.50": "1.50", "true": "true", "false": "false",
                #""é\n\"\ud83d\ude00\/""#: "é\n\"😀/", #""\u00e9""#: "é",
            ])
        + refused(.text)
        + stored(
            .data,
            [
                "\"aGk=\"": "aGk=", "\"\"": "", "\"\\/+8=\"": "/+8=", "\"aGk\"": "aGk=", "\"_-8\"": "/+8=",
                "\"_-8=\"": "/+8=", "\"aG\\r\\nk=\\n\"": "aGk=", "\"aGkh\"": "aGkh",
            ])
        + refused(
            .data, "5", "\"%%%\"", "\"a\"", "\"aGk==\"", "\"=\"", "\"aG=k\"", "\"a===\"", "\"é\"", "true")
        + stored(
            .link,
            [
                "\"https://example.com/a?b=c#d\"": "https://example.com/a?b=c#d",
                "\"https:\\/\\/example.com\\/\"": "https://example.com/", "\"/relative/path\"": "/relative/path",
                "\"mailto:a@example.com\"": "mailto:a@example.com",
                "\"https://api.example.com/users{/login}\"": "https://api.example.com/users%7B/login%7D",
                "\"https://example.com/a b\"": "https://example.com/a%20b",
            ])
        + refused(.link, "5", "true", "\"http://[broken\"")
        // Many servers write "" for a missing URL.
        + [Row(.link, "\"\"", "nil", defaulted: "file:///default")]
        + stored(
            .uuid,
            [
                "\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
                "\"e621e1f8-c36c-495a-93fc-0c247a3e6e5f\"": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
            ])
        + refused(.uuid, "5", "\"\"", "\"E621E1F8\"", "true")

    /// A value outside an enum's cases is kept: it reads as none, or as the default.
    private nonisolated static let enums: [Row] =
        stored(.mood, ["\"calm\"": "calm", "\"wild\"": "wild"])
        + [Row(.mood, "\"furious\"", "nil", defaulted: "wild"), Row(.mood, "5", "nil", defaulted: "wild")]
        + refused(.mood)
        + stored(.level, ["1": "low", "\"2\"": "high", "1.0": "low"])
        + [Row(.level, "9", "nil", defaulted: "high"), Row(.level, "-9", "nil", defaulted: "high")]
        + refused(.level, "\"x\"", "1.5", "true")

    private nonisolated static let codables: [Row] =
        stored(
            .plan,
            [
                #"{"name": "x"}"#: "x/nil", #"{"seats": 3, "name": "x", "more": []}"#: "x/3",
                #"{"name":"x","seats":null}"#: "x/nil",
            ])
        + refused(.plan, #"{"seats": 3}"#, #"{"name": 5}"#, "5", "\"x\"")
        + stored(.tags, ["[]": "", #"["b", "a"]"#: "b,a", #"["\u00e9"]"#: "é", "[1]": "1"])
        + [
            Row(.tags, "{}", nil), Row(.tags, "[[]]", nil), Row(.tags, "[{}]", nil), Row(.tags, "\"a\"", nil),
            Row(.tags, "[null]", nil),
        ]
        + stored(.counts, ["{}": "", #"{"b": 2, "a": 1}"#: "a=1,b=2"])
        + [Row(.counts, "[]", nil), Row(.counts, #"{"a": "x"}"#, nil), Row(.counts, "5", nil)]

    /// Elements outside the enum are stored and left out. Any other invalid element rejects the whole list.
    private nonisolated static let collections: [Row] =
        stored(
            .moods,
            [
                "[]": "", #"["wild", "calm"]"#: "wild,calm", #"["furious", "calm"]"#: "calm", "[5, true]": "",
            ])
        + [Row(.moods, "{}", nil), Row(.moods, "[null]", nil), Row(.moods, "[[]]", nil), Row(.moods, "\"calm\"", nil)]
        + stored(.levels, ["[]": "", #"["2", 1.0, 9]"#: "1,2"])
        + [Row(.levels, "{}", nil), Row(.levels, "[1.5]", nil), Row(.levels, #"["x"]"#, nil), Row(.levels, "1", nil)]
        + stored(.moodByName, ["{}": "", #"{"a": "wild", "b": "furious"}"#: "a=wild"])
        + [Row(.moodByName, "[]", nil), Row(.moodByName, #"{"a": {}}"#, nil), Row(.moodByName, "5", nil)]
        + stored(.times, ["[]": "", #"["2014-01-02", 5, "1441888808000"]"#: "1388620800.0,5.0,1441888808.0"])
        + [Row(.times, "{}", nil), Row(.times, #"["yesterday"]"#, nil), Row(.times, "[true]", nil)]

    @Test(arguments: collections)
    func `Elements are converted as attributes are`(_ row: Row) async throws { try await check(row) }

    @Test(arguments: integers + numbers)
    func `Numbers are converted without loss`(_ row: Row) async throws { try await check(row) }

    @Test(arguments: texts)
    func `Texts are converted without loss`(_ row: Row) async throws { try await check(row) }

    @Test(arguments: enums)
    func `Unknown cases are kept`(_ row: Row) async throws { try await check(row) }

    @Test(arguments: codables)
    func `Codable values are checked by their type`(_ row: Row) async throws { try await check(row) }

    private func check(_ row: Row) async throws {
        let kind = row.kind
        let store = try Store(of: [Sample.self, DefaultedSample.self])
        let sample = try await store.main.take(Sample.self, #"{"id": 1, "\#(kind.key)": \#(kind.known.json)}"#).objects[
            0]
        let defaulted = try await store.main.take(
            DefaultedSample.self, #"{"id": 1, "\#(kind.key)": \#(kind.known.json)}"#
        ).objects[0]
        #expect(kind.read(sample) == kind.known.text)
        #expect(kind.readDefaulted(defaulted) == kind.known.text)
        let body = #"{"id": 1, "\#(kind.key)": \#(row.json)}"#
        let report = try await store.main.take(Sample.self, body).report
        let defaultedReport = try await store.main.take(DefaultedSample.self, body).report
        #expect(kind.read(sample) == row.text ?? kind.known.text)
        #expect(kind.readDefaulted(defaulted) == row.defaulted ?? kind.known.text)
        for report in [report, defaultedReport] {
            #expect(report.mismatched.map(\.path) == (row.text == nil ? [kind.key] : []))
            #expect(report.inserted == 0 && report.rejectedCount == 0)
            #expect(report.updated + report.unchanged == 1)
            if row.text == nil { #expect(report.unchanged == 1) }
        }
        // A second import of the body leaves all as it is, and another store reads the same values from the file.
        let again = try await store.main.take(Sample.self, body).report
        #expect(again.updated == 0 && again.unchanged == 1)
    }

    @Test(arguments: SampleKind.all)
    func `A missing key keeps a value and a null clears it`(_ kind: SampleKind) async throws {
        let store = try Store(of: [Sample.self, DefaultedSample.self])
        let body = #"{"id": 1, "\#(kind.key)": \#(kind.known.json)}"#
        let sample = try await store.main.take(Sample.self, body).objects[0]
        let defaulted = try await store.main.take(DefaultedSample.self, body).objects[0]
        for silent in [#"{"id": 1}"#, #"{"id": 1, "unknown": 5}"#] {
            try await store.main.take(Sample.self, silent)
            try await store.main.take(DefaultedSample.self, silent)
            #expect(kind.read(sample) == kind.known.text)
            #expect(kind.readDefaulted(defaulted) == kind.known.text)
        }
        let null = #"{"id": 1, "\#(kind.key)": null}"#
        #expect(try await store.main.take(Sample.self, null).report.updated == 1)
        #expect(try await store.main.take(DefaultedSample.self, null).report.updated == 1)
        #expect(kind.read(sample) == "nil")
        #expect(kind.readDefaulted(defaulted) == kind.defaultText)
        // A new row has nil, or the default, for missing and null values.
        let new = try await store.main.take(Sample.self, #"{"id": 2}"#).objects[0]
        let newDefaulted = try await store.main.take(
            DefaultedSample.self, #"[{"id": 2}, {"id": 3, "\#(kind.key)": null}]"#)
        #expect(kind.read(new) == "nil")
        #expect(newDefaulted.objects.map(kind.readDefaulted) == [kind.defaultText, kind.defaultText])
        #expect(newDefaulted.report.mismatchedCount == 0)
    }

    @Test(arguments: SampleKind.all)
    func `A default value is present before and after a save`(_ kind: SampleKind) async throws {
        let store = try Store(of: [Sample.self, DefaultedSample.self])
        let (sample, defaulted) = (Sample(in: store.main), DefaultedSample(in: store.main))
        #expect(kind.read(sample) == "nil")
        #expect(kind.readDefaulted(defaulted) == kind.defaultText)
        try await store.main.save()
        #expect(kind.read(sample) == "nil")
        #expect(kind.readDefaulted(defaulted) == kind.defaultText)
    }
}
