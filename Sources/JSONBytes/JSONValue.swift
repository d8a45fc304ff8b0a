/// A JSON value (RFC 8259). Attribute transformers read and write it. An attribute can have this type if only the
/// server knows its structure.
///
/// ```swift
/// let json: JSONValue = ["amount": 1250, "currency": "EUR"]
/// ```
///
/// As an attribute, `JSONValue?`, `[JSONValue]` or `[String: JSONValue]` keeps the server's value with nulls inside,
/// and sends it unchanged until you edit it. `null` itself becomes nil, or the default. More than 500 levels, and
/// numbers that are invalid in JSON, are an error that names the attribute.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number in its written form, which preserves all digits.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The text of a string; `nil` for other values.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// A number as an integer, also from `1.0` or `1e3`; `nil` for fractions, numbers out of range, and other values.
    public var integer: Int? { number { $0.int64.flatMap { Int(exactly: $0) } } }
    /// A number's nearest double; `nil` for numbers beyond all doubles, such as `1e400`, and other values.
    public var double: Double? { number { $0.double } }
    /// `true` or `false`; `nil` for other values.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array; `nil` for other values.
    public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    private func number<Number>(_ convert: (JSONNumber) -> Number?) -> Number? {
        guard case .number(let text) = self else { return nil }
        // The converted value outlives the bytes.
        return unsafe Array(text.utf8).withUnsafeBytes { bytes in unsafe JSONNumber(parsing: bytes).flatMap(convert) }
    }

    /// The member of an object; `nil` if it is missing, and for other values.
    public subscript(_ key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The element of an array, counted from 0; `nil` if the index is out of range, and for other values.
    public subscript(_ index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .number(String(value)) }
    /// A number; null for infinity and NaN.
    public init(floatLiteral value: Double) { self = value.isFinite ? .number("\(value)") : .null }
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

// MARK: Reading

extension JSONValue {
    package init?(_ text: some Collection<UInt8>) {
        let read = unsafe Array(text).withUnsafeBytes { bytes -> JSONValue? in
            // The value copies what it keeps.
            guard var reader = unsafe try? JSONReader(unsafe: bytes), let value = try? JSONValue(&reader),
                (try? reader.finish()) != nil
            else { return nil }
            return value
        }
        guard let read else { return nil }
        self = read
    }

    package init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peekKind() {
        case .object: self = .object(try Self.members(&reader))
        case .array: self = .array(try Self.elements(&reader))
        default:
            let scalar = try reader.readScalar()
            switch scalar.kind {
            case .string: self = .string(reader.string(scalar))
            case .number: self = .number(reader.string(scalar))
            case .true: self = .bool(true)
            case .false: self = .bool(false)
            default: self = .null
            }
        }
    }

    private static func members(_ reader: inout JSONReader) throws(JSONError) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        guard try reader.enterObject() else { return members }
        repeat {
            let key = reader.string(try reader.readKey())
            members[key] = try JSONValue(&reader)
        } while try reader.continueObject()
        return members
    }

    private static func elements(_ reader: inout JSONReader) throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        guard try reader.enterArray() else { return elements }
        repeat { elements.append(try JSONValue(&reader)) } while try reader.continueArray()
        return elements
    }
}

// MARK: Writing

extension JSONValue {
    /// The reader would refuse deeper ones.
    private static let maximumDepth = 500

    /// With sorted keys; `nil` for an invalid number, or nested too deep.
    package var text: String? {
        var bytes: [UInt8] = []
        guard write(to: &bytes, depth: 0) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(to bytes: inout [UInt8], depth: Int) -> Bool {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let text):
            guard JSONText.isNumber(text) else { return false }
            bytes += text.utf8
        case .string(let text): JSONText.write(text, to: &bytes)
        case .array where depth == Self.maximumDepth, .object where depth == Self.maximumDepth: return false
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                guard element.write(to: &bytes, depth: depth + 1) else { return false }
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (place, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                guard member.value.write(to: &bytes, depth: depth + 1) else { return false }
            }
            bytes.append(UInt8(ascii: "}"))
        }
        return true
    }
}

package enum JSONText {
    /// With only the escapes that RFC 8259 §7 requires.
    package static func write(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { unescaped in
            if unsafe unescaped.allSatisfy({ !needsEscape($0) }) { return unsafe bytes.append(contentsOf: unescaped) }
            for index in unescaped.indices { unsafe append(unescaped[index], to: &bytes) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case UInt8(ascii: "\n"): bytes += "\\n".utf8
        case UInt8(ascii: "\r"): bytes += "\\r".utf8
        case UInt8(ascii: "\t"): bytes += "\\t".utf8
        case ..<0x20: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
        default: bytes.append(byte)
        }
    }

    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        write(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Exactly one, without white space.
    package static func isNumber(_ text: String) -> Bool {
        unsafe Array(text.utf8).withUnsafeBytes { unsafe JSONNumber(parsing: $0) != nil }
    }
}
