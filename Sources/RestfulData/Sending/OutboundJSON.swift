import Foundation
import ObjectStore

/// A value on its way out, as JSON writes it.
enum OutboundJSON: Sendable {
    case null
    /// JSON text that is a value already: a number, `true`, or an attribute that is kept as JSON.
    case raw(String)
    case string(String)
    case array([OutboundJSON])
    case object([(key: String, value: OutboundJSON)])

    /// A stored value, as its attribute's kind is written in JSON.
    init(_ value: StoredValue, _ kind: AttributeKind) {
        switch (value, kind) {
        case (.null, _): self = .null
        case (.integer(let value), .boolean): self = .raw(value == 0 ? "false" : "true")
        case (.integer(let value), .unsigned): self = .raw(String(UInt64(bitPattern: value)))
        case (.integer(let value), _): self = .raw(String(value))
        case (.real(let value), .date): self = Self.date(value)
        case (.real(let value), _): self = Self.number(value)
        case (.text(let text), .json), (.text(let text), .decimal): self = .raw(text)
        case (.text(let text), _): self = .string(text)
        case (.blob(let bytes), _): self = .string(Data(bytes).base64EncodedString())
        }
    }

    /// JSON has no infinity.
    private static func number(_ value: Double) -> OutboundJSON {
        guard value.isFinite else { return .null }
        if value == value.rounded(), abs(value) < 9_007_199_254_740_992 { return .raw(String(Int64(value))) }
        return .raw("\(value)")
    }

    /// RFC 3339 in UTC, with a fraction only where there is one; seconds since 1970 for years that it can't express.
    private static func date(_ seconds: Double) -> OutboundJSON {
        guard years0to9999.contains(seconds) else { return number(seconds) }
        return .string(dateText(seconds))
    }

    /// In seconds since 1970.
    private static let years0to9999 = -62_167_219_200.0..<253_402_300_800.0

    private static func dateText(_ seconds: Double) -> String {
        let date = Date(timeIntervalSince1970: seconds)
        let hasFraction = seconds != seconds.rounded()
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
    }

    /// What stands for the value in a URL; `nil` for none.
    var routeText: String? {
        switch self {
        case .raw(let text), .string(let text): text
        case .null, .array, .object: nil
        }
    }
}

extension OutboundJSON {
    /// Puts a value at a key path, beside what is there already.
    mutating func set(_ value: OutboundJSON, at path: ArraySlice<String>) {
        guard let key = path.first else {
            self = value
            return
        }
        var members: [(key: String, value: OutboundJSON)] = if case .object(let members) = self { members } else { [] }
        let place = members.firstIndex { $0.key == key }
        var child = place.map { members[$0].value } ?? .object([])
        child.set(value, at: path.dropFirst())
        if let place {
            members[place].value = child
        } else {
            members.append((key, child))
        }
        self = .object(members)
    }

    /// The JSON in UTF-8.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .raw(let text): bytes += text.utf8
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Escapes what RFC 8259 §7 demands, and nothing else.
    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case UInt8(ascii: "\r"): bytes += "\\r".utf8
            case UInt8(ascii: "\t"): bytes += "\\t".utf8
            case ..<0x20: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
