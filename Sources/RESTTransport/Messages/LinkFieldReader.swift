/// Reads the links of a `Link` field one after the other, in time linear in its length.
///
/// Follows the parsing algorithm of [RFC 8288, appendix B](https://www.rfc-editor.org/rfc/rfc8288#appendix-B): lenient
/// where it may be, and it stops where a target's `<` is missing.
struct LinkFieldReader {
    /// One link: the target between `<` and `>`, and the first value of each parameter.
    struct Link {
        var target: String
        var parameters: [String: String] = [:]
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ field: String) { bytes = Array(field.utf8) }

    mutating func next() -> Link? {
        skip { $0 == .comma || $0.isBlank }
        guard take(.less) else { return nil }
        var link = Link(target: text { $0 != .greater }.trimmingSpaces)
        guard take(.greater) else { return nil }
        skip { $0.isBlank }
        while take(.semicolon) {
            readParameter(into: &link)
            skip { $0.isBlank }
        }
        skip { $0 != .comma }
        return link
    }

    private mutating func readParameter(into link: inout Link) {
        skip { $0.isBlank }
        let name = text { $0 != .equals && $0 != .semicolon && $0 != .comma && !$0.isBlank }.lowercased()
        skip { $0.isBlank }
        var value = ""
        if take(.equals) {
            skip { $0.isBlank }
            value = take(.quote) ? quoted() : text { $0 != .semicolon && $0 != .comma }.trimmingSpaces
        }
        if !name.isEmpty, link.parameters[name] == nil { link.parameters[name] = value }
    }

    private mutating func quoted() -> String {
        var value: [UInt8] = []
        while position < bytes.count, !take(.quote) {
            if take(.backslash), position == bytes.count { break }
            value.append(bytes[position])
            position += 1
        }
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func text(while belongs: (UInt8) -> Bool) -> String {
        let start = position
        skip(while: belongs)
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skip(while belongs: (UInt8) -> Bool) {
        while position < bytes.count, belongs(bytes[position]) { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }
}

extension UInt8 {
    fileprivate static let comma = UInt8(ascii: ",")
    fileprivate static let semicolon = UInt8(ascii: ";")
    fileprivate static let equals = UInt8(ascii: "=")
    fileprivate static let less = UInt8(ascii: "<")
    fileprivate static let greater = UInt8(ascii: ">")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let backslash = UInt8(ascii: "\\")
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}
