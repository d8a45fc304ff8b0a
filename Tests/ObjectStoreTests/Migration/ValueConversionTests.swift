import Foundation
import Testing

@testable import ObjectStore

/// The stored value of an attribute that has changed its kind.
@Suite struct ValueConversionTests {
    private func conversion(_ from: String, _ kind: AttributeKind, range: [Int64]? = nil) -> ValueConversion? {
        var old = DescribedProperty(name: "value")
        old.kind = from
        old.range = range
        let new = Property(
            index: PropertyIndex(0), name: "value", jsonPath: ["value"],
            kind: .attribute(kind, default: { .null }, options: AttributeOptions()), column: ColumnIndex(0))
        return ValueConversion(from: old, to: new)
    }

    static let all = Int64.min...Int64.max
    static let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    static let table: [(String, StoredValue, AttributeKind, StoredValue?)] = [
        ("text", .text("42"), .integer(all), .integer(42)),
        ("text", .text("42.0"), .integer(all), .integer(42)),
        ("text", .text("x"), .integer(all), nil),
        ("text", .text("300"), .integer(-128...127), nil),
        ("text", .text("true"), .boolean, .integer(1)),
        ("text", .text("2"), .boolean, nil),
        ("text", .text("1.5"), .real, .real(1.5)),
        ("text", .text("2020-01-01T00:00:00Z"), .date, .real(1_577_836_800)),
        ("text", .text("yesterday"), .date, nil),
        ("text", .text(uuid.lowercased()), .uuid, .text(uuid)),
        ("text", .text("https://a.example/c"), .url, .text("https://a.example/c")),
        ("text", .text("aGk="), .data, .blob([0x68, 0x69])),
        ("text", .text("12.50"), .decimal, .text("12.50")),
        ("text", .text("a\"b"), .json { _ in true }, .text(#""a\"b""#)),
        ("text", .text("a"), .json { _ in false }, nil),
        ("integer", .integer(42), .text, .text("42")),
        ("integer", .integer(1), .boolean, .integer(1)),
        ("integer", .integer(2), .boolean, nil),
        ("integer", .integer(3), .real, .real(3)),
        ("integer", .integer(9_007_199_254_740_993), .real, nil),
        ("integer", .integer(16_777_216), .float, .real(16_777_216)),
        ("integer", .integer(16_777_217), .float, nil),
        ("integer", .integer(-1), .unsigned, nil),
        ("integer", .integer(300), .integer(0...255), nil),
        ("integer", .integer(1_577_836_800), .date, .real(1_577_836_800)),
        ("integer", .integer(7), .decimal, .text("7")),
        ("unsigned", .integer(-1), .text, .text("18446744073709551615")),
        ("unsigned", .integer(-1), .integer(all), nil),
        ("unsigned", .integer(9_007_199_254_740_992), .real, .real(9_007_199_254_740_992)),
        ("unsigned", .integer(9_007_199_254_740_993), .real, nil),
        ("unsigned", .integer(-1), .real, nil),
        ("integer128", .text("9007199254740993"), .real, nil),
        ("unsigned128", .text("18446744073709551616"), .real, .real(1.8446744073709552e19)),
        ("boolean", .integer(1), .text, .text("true")),
        ("boolean", .integer(1), .real, .real(1)),
        ("boolean", .integer(1), .json { _ in true }, .text("true")),
        ("decimal", .text("12.50"), .json { _ in true }, .text("12.50")),
        ("decimal", .text("12.50"), .real, .real(12.5)),
        ("decimal", .text("12.00"), .integer(all), .integer(12)),
        ("decimal", .text("NaN"), .json { _ in true }, nil),
        ("integer128", .text("-7"), .json { _ in true }, .text("-7")),
        ("integer128", .text("7"), .text, .text("7")),
        ("float", .real(Double(Float(0.1))), .real, .real(0.1)),
        ("float", .real(Double(Float(0.1))), .decimal, .text("0.1")),
        ("real", .real(0.1), .float, .real(Double(Float(0.1)))),
        ("real", .real(1), .integer(all), .integer(1)),
        ("real", .real(1.5), .integer(all), nil),
        ("real", .real(1.5), .text, .text("1.5")),
        ("real", .real(1.577e12), .date, .real(1.577e12)),
        ("date", .real(1_577_836_800.25), .text, .text("2020-01-01T00:00:00.25Z")),
        ("date", .real(-0.000001), .text, .text("1969-12-31T23:59:59.999999Z")),
        // The proleptic Gregorian calendar, as ISO 8601 has it: 1582-10-04 of the Julian one.
        ("date", .real(-12_219_379_200), .text, .text("1582-10-14T00:00:00Z")),
        ("date", .real(0), .integer(all), .integer(0)),
        ("date", .real(0.5), .real, .real(0.5)),
        ("data", .blob([0x68, 0x69]), .text, .text("aGk=")),
        ("json", .text(#""a""#), .text, .text("a")),
        ("json", .text("[1]"), .text, nil),
        ("json", .text("3"), .integer(all), .integer(3)),
        ("unknown real", .real(2.5), .text, nil),
        ("unknown real", .real(2), .integer(all), .integer(2)),
    ]

    @Test(arguments: table)
    func `Values convert without loss or not at all`(
        from: String, value: StoredValue, kind: AttributeKind, expected: StoredValue?
    ) throws {
        let made = self.conversion(from, kind, range: from == "integer" ? [Int64.min, Int64.max] : nil)
        let conversion = try #require(made)
        #expect(conversion(value) == expected)
        #expect(conversion(.null) == .null)
    }

    @Test func `Types that contain the stored values need no conversion`() {
        #expect(conversion("integer", .integer(Self.all), range: [-128, 127]) == nil)
        #expect(conversion("integer", .unsigned, range: [0, 255]) == nil)
        #expect(conversion("boolean", .integer(0...1)) == nil)
        for kind in ["decimal", "url", "uuid", "text"] { #expect(conversion(kind, .text) == nil) }
        #expect(conversion("text", .url) != nil)
    }
}
