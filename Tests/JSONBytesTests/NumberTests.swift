import JSONBytes
import TestSupport
import Testing

@Suite struct NumberTests {
    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("7", 7), ("12345678", 12_345_678), ("123456789", 123_456_789),
            ("-1234567812345678", -1_234_567_812_345_678), ("9007199254740993", 9_007_199_254_740_993),
            ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("99999999999999999999", nil),
            ("100000000000000000000", nil), ("18446744073709551616", nil), ("123456789012345678901234567890", nil),
            ("1.0", 1), ("-1.0", -1), ("1.50", nil), ("1.5", nil), ("1e3", 1000), ("1E+2", 100), ("-2e0", -2),
            ("1.5e1", 15),
            ("1.25e1", nil), ("1e-1", nil), ("10e-1", 1), ("1200e-2", 12), ("1230e-2", nil), ("0.0", 0), ("-0.0", 0),
            ("0e99999999999999999999", 0), ("0.000e-5", 0), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil),
            ("9223372036854775807.0", Int64.max), ("9223372036854775807.5", nil),
            ("-9223372036854775808.000", Int64.min),
            ("922337203685477580700e-2", Int64.max), ("0.00000000000000000000000001e26", 1), ("1e400", nil),
            ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("100000000000000000000000000000e-29", 1), ("0.1e19", 1_000_000_000_000_000_000),
        ] as [(String, Int64?)])
    func `An integer is an exact Int64 or nil`(_ text: String, _ expected: Int64?) throws {
        #expect(try number(text) { $0.int64 } == expected)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("-1", nil), ("9223372036854775808", 9_223_372_036_854_775_808),
            ("18446744073709551615", UInt64.max), ("18446744073709551616", nil), ("18446744073709551620", nil),
            ("28446744073709551615", nil), ("99999999999999999999", nil), ("18446744073709551615.0", UInt64.max),
            ("1.8446744073709551615e19", UInt64.max), ("1e20", nil),
            ("10000000000000000000", 10_000_000_000_000_000_000),
        ] as [(String, UInt64?)])
    func `An integer is an exact UInt64 or nil`(_ text: String, _ expected: UInt64?) throws {
        #expect(try number(text) { $0.uint64 } == expected)
    }

    @Test(arguments: [
        "0", "-0", "0.0", "-0.0", "1", "0.1", "-0.1", "0.3", "1e22", "1e23", "1e-22", "1e-23", "9007199254740992",
        "9007199254740993", "9007199254740993.0", "0.1e-5", "2.2250738585072014e-308", "2.2250738585072011e-308",
        "5e-324",
        "1.7976931348623157e308", "4.35", "0.000001", "123456789012345678", "12345678901234567890123", "1E+2",
        "3.141592653589793238462643383279", "1.00000000000000011102230246251565404", "100000000000000000000000e-23",
        "8.41e21", "9.5367431640625e-07", "72057594037927945e0", "1e-400", "-1e-400", "0e400",
    ])
    func `A number's double is the standard library's`(_ text: String) throws {
        let double = try number(text) { $0.double }
        let expected = try #require(Double(text))
        #expect(double?.bitPattern == expected.bitPattern)
    }

    @Test(arguments: ["1e309", "-1e309", "1e400", "1.8e308", "1e99999999999999999999"])
    func `A number beyond the largest double is nil`(_ text: String) throws {
        #expect(try number(text) { $0.double } == nil)
        #expect(try number(text) { $0.isFinite } == false)
    }

    @Test func `Random doubles are read back from their description`() throws {
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<5_000 {
            let double = Double(bitPattern: generator.next())
            guard double.isFinite else { continue }
            // Swift's shortest description and JSON agree but for the sign of a positive exponent, which is optional.
            #expect(try number("\(double)") { $0.double?.bitPattern } == double.bitPattern)
        }
    }

    @Test func `Random decimals are rounded as by the standard library`() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5_000 {
            let digits = Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<60, using: &generator)
            let text =
                "\(digits).\(UInt16(truncatingIfNeeded: generator.next()))e\(Int.random(in: -40...40, using: &generator))"
            #expect(try number(text) { $0.double } == Double(text))
        }
    }

    @Test func `Random integers are read exactly`() throws {
        var generator = SeededGenerator(seed: 64)
        for _ in 0..<5_000 {
            let value = generator.next() >> UInt64.random(in: 0..<64, using: &generator)
            #expect(try number("\(value)") { $0.uint64 } == value)
            #expect(try number("-\(value)") { $0.int64 } == Int64("-\(value)"))
        }
    }

    @Test func `Numbers of a million digits are read`() throws {
        let digits = String(repeating: "7", count: 1_000_000)
        #expect(try number(digits) { $0.int64 } == nil)
        #expect(try number(digits) { $0.double } == nil)
        #expect(try number("0.\(digits)") { $0.double } == 7.0 / 9)
        #expect(try number("1\(String(repeating: "0", count: 1_000_000))e-1000000") { $0.int64 } == 1)
    }

    @Test(arguments: [
        ("42", true), ("-1.5e3", true), ("", false), (" 42", false), ("42 ", false), ("042", false),
        ("4x", false), ("true", false), ("\"1\"", false), ("[1]", false), ("+1", false), ("1.", false), ("NaN", false),
    ])
    func `Only a text that is one number is parsed as a number`(_ text: String, _ isNumber: Bool) {
        unsafe withExactCopy(Array(text.utf8)) { bytes in
            #expect((unsafe JSONNumber(parsing: bytes) != nil) == isNumber)
        }
    }

    private func number<R>(_ text: String, _ body: (JSONNumber) -> R) throws -> R {
        try withReader(text) { reader in
            let scalar = try reader.readScalar()
            #expect(scalar.kind == .number && scalar.count == text.utf8.count)
            #expect(scalar.isInteger == !text.contains { ".eE".contains($0) })
            return body(reader.number(scalar))
        }
    }
}
