import Foundation
import Testing

@testable import GitHubServer

@Suite struct JSONTests {
    @Test func `Every character is written as JSON that can be parsed`() throws {
        let string = String(String.UnicodeScalarView((0..<0x300).compactMap(Unicode.Scalar.init))) + "\u{2028}🐙"
        let json = JSON.object { $0.put(string, [JSON.string(string), .null, .number(1.5), .integer(.min), true]) }
        #expect(JSON(parsing: Data(json.text.utf8)) == json)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any])
        #expect((read[string] as? [Any])?.first as? String == string)
    }

    @Test(arguments: [
        ("null", JSON.null), (" [1 , -2.5e1,\t\"\"]\n", .array([1, .number(-25), ""])), ("{}", .object { _ in }),
        (#"{"a":{"b":[{}]}}"#, .object { $0.put("a", JSON.object { $0.put("b", [JSON.object { _ in }]) }) }),
        (#""\u00e9\ud83d\ude00\/\b""#, "é😀/\u{8}"), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
        ("0", 0), ("-0.0", .number(-0.0)), ("[true,false]", .array([true, false])),
    ])
    func `JSON texts of all kinds are parsed`(_ text: String, _ json: JSON) {
        #expect(JSON(parsing: Data(text.utf8)) == json)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "[", "[1", "[1,", "[1,]", "[,]", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}",
        "01", "-",
        "1.", ".5", "+1", "1e", "1e999", "--1", "1 2", "\"", "\"\n\"", #""\x""#, #""\u12""#, #""\ud800""#,
        #""\ud800\u0041""#,
        #""\udc00""#, "'a'", "NaN", "Infinity", "0x10", "]", "}", "\u{feff}1",
    ])
    func `Malformed JSON is rejected by the parser`(_ text: String) {
        #expect(JSON(parsing: Data(text.utf8)) == nil)
        #expect(JSON(parsing: Data(text.utf8) + [0]) == nil)
    }

    @Test func `Invalid UTF-8 and deep nesting are rejected by the parser`() {
        #expect(JSON(parsing: Data([0x22, 0xFF, 0x22])) == nil)
        #expect(JSON(parsing: Data(String(repeating: "[", count: 1_000_000).utf8)) == nil)
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(JSON(parsing: Data(deep.utf8)) != nil)
        #expect(JSON(parsing: Data("[\(deep)]".utf8)) == nil)
    }
}
