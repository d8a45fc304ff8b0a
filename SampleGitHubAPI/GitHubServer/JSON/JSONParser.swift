struct JSONParser {
    struct Malformed: Error {}

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    /// Protects the stack.
    private static let deepest = 100

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Throws if something follows the value.
    mutating func document() throws(Malformed) -> JSON {
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw Malformed() }
        return value
    }

    private mutating func value() throws(Malformed) -> JSON {
        skipSpace()
        guard position < bytes.count else { throw Malformed() }
        switch bytes[position] {
        case UInt8(ascii: "{"): return .object(try nested { parser throws(Malformed) in try parser.object() })
        case UInt8(ascii: "["): return .array(try nested { parser throws(Malformed) in try parser.array() })
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "t"): return try literal("true", .boolean(true))
        case UInt8(ascii: "f"): return try literal("false", .boolean(false))
        default: return try number()
        }
    }

    private mutating func nested<Value>(
        _ parse: (inout JSONParser) throws(Malformed) -> Value
    ) throws(Malformed) -> Value {
        position += 1
        depth += 1
        guard depth <= JSONParser.deepest else { throw Malformed() }
        let value = try parse(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(Malformed) -> JSONObject {
        var object = JSONObject()
        guard !skip("}") else { return object }
        repeat {
            skipSpace()
            let name = try string()
            guard skip(":") else { throw Malformed() }
            object.put(name, try value())
        } while skip(",")
        guard skip("}") else { throw Malformed() }
        return object
    }

    private mutating func array() throws(Malformed) -> [JSON] {
        var elements: [JSON] = []
        guard !skip("]") else { return elements }
        repeat { elements.append(try value()) } while skip(",")
        guard skip("]") else { throw Malformed() }
        return elements
    }

    private mutating func literal(_ text: StaticString, _ value: JSON) throws(Malformed) -> JSON {
        let expected = Array(text.description.utf8)
        guard bytes[position...].starts(with: expected) else { throw Malformed() }
        position += expected.count
        return value
    }

    private mutating func number() throws(Malformed) -> JSON {
        let start = position
        while position < bytes.count, JSONParser.isNumeric(bytes[position]) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let digits = text.drop { $0 == "-" }
        let hasLeadingZero = digits.hasPrefix("0") && digits.dropFirst().first?.isNumber ?? false
        guard let first = digits.first, first.isNumber, text.last?.isNumber ?? false, !hasLeadingZero else {
            throw Malformed()
        }
        if let integer = Int(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw Malformed() }
        return .number(number)
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): true
        default: false
        }
    }

    private mutating func string() throws(Malformed) -> String {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { throw Malformed() }
        position += 1
        var units: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: units, as: UTF8.self) else { throw Malformed() }
                return string
            case UInt8(ascii: "\\"): units += String(try escape()).utf8
            case 0..<0x20: throw Malformed()
            default: units.append(byte)
            }
        }
        throw Malformed()
    }

    private mutating func escape() throws(Malformed) -> Unicode.Scalar {
        guard position < bytes.count else { throw Malformed() }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw Malformed()
        }
    }

    /// Reads both halves of a surrogate pair.
    private mutating func unicodeEscape() throws(Malformed) -> Unicode.Scalar {
        let unit = try hexadecimalUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard (0xD800..<0xDC00).contains(unit), bytes[position...].starts(with: [0x5C, 0x75]) else { throw Malformed() }
        position += 2
        let second = try hexadecimalUnit()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
        else { throw Malformed() }
        return scalar
    }

    private mutating func hexadecimalUnit() throws(Malformed) -> UInt32 {
        guard position + 4 <= bytes.count else { throw Malformed() }
        let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
        position += 4
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }), let unit = UInt32(digits, radix: 16) else {
            throw Malformed()
        }
        return unit
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private mutating func skipSpace() {
        while position < bytes.count, JSONParser.isSpace(bytes[position]) { position += 1 }
    }

    /// Skips white space, too.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }
}
