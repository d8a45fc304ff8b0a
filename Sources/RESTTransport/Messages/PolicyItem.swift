/// A member of a list of structured fields ([RFC 9651](https://www.rfc-editor.org/rfc/rfc9651)), as far as limits need
/// it: `"default";q=100;w=60`, and `limit=100` of a dictionary.
///
/// The last value of a repeated parameter counts. A malformed list is ignored as a whole (§4.2).
struct PolicyItem {
    /// The item, or the key in a dictionary.
    let name: String
    /// The value in a dictionary, if it is a whole number.
    fileprivate(set) var value: Int?
    /// The quota unit `qu`; nil means `requests`.
    fileprivate(set) var unit: String?
    private var numbers: [String: Int] = [:]

    fileprivate init(name: String) { self.name = name }

    /// A whole number of at least 0.
    subscript(key: String) -> Int? { numbers[key] }

    fileprivate mutating func set(_ key: String, _ value: StructuredValue) {
        numbers[key] = value.number
        if key == "qu" { unit = value.text }
    }

    /// Nil for a malformed list.
    static func list(_ text: String) -> [PolicyItem]? {
        var reader = StructuredReader(text)
        return reader.list()
    }
}

private enum StructuredValue {
    case number(Int)
    case text(String)
    /// A decimal, Boolean, bytes or date, unused by limits.
    case other

    var number: Int? { if case .number(let number) = self, number >= 0 { number } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
}

private struct StructuredReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func list() -> [PolicyItem]? {
        var items: [PolicyItem] = []
        skipBlanks()
        while position < bytes.count {
            guard let item = item() else { return nil }
            items.append(item)
            skipBlanks()
            guard position < bytes.count else { break }
            guard take(",") else { return nil }
            skipBlanks()
            // A comma must not end a list.
            guard position < bytes.count else { return nil }
        }
        return items
    }

    private mutating func item() -> PolicyItem? {
        guard let bare = bareItem() else { return nil }
        var item = PolicyItem(name: bare.text ?? bare.number.map(String.init) ?? "")
        if take("=") {
            guard let value = bareItem() else { return nil }
            item.value = value.number
        }
        while take(";") {
            skipBlanks()
            let key = text { $0.isKey }
            guard !key.isEmpty else { return nil }
            guard take("=") else {
                item.set(key, .other)
                continue
            }
            guard let value = bareItem() else { return nil }
            item.set(key, value)
        }
        return item
    }

    private mutating func bareItem() -> StructuredValue? {
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "\""): return quoted().map { .text($0) }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
        case UInt8(ascii: ":"):
            position += 1
            _ = text { $0 != UInt8(ascii: ":") }
            return take(":") ? .other : nil
        case UInt8(ascii: "?"), UInt8(ascii: "@"):
            position += 1
            return text { $0.isTokenByte }.isEmpty ? nil : .other
        case let first where first.isLetter || first == UInt8(ascii: "*"):
            return .text(text { $0.isTokenByte })
        default: return nil
        }
    }

    private mutating func number() -> StructuredValue? {
        let digits = text { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0.isDigit }
        if digits.contains(".") { return Double(digits) == nil ? nil : .other }
        // More than fifteen digits are malformed, but some servers send them for "unlimited".
        guard let number = Int(digits) else { return digits.hasPrefix("-") ? nil : .number(1 << 53) }
        return .number(min(number, 1 << 53))
    }

    private mutating func quoted() -> String? {
        position += 1
        var value: [UInt8] = []
        while position < bytes.count {
            if take("\"") { return String(decoding: value, as: UTF8.self) }
            if take("\\"), position == bytes.count { return nil }
            value.append(bytes[position])
            position += 1
        }
        return nil
    }

    private mutating func text(while belongs: (UInt8) -> Bool) -> String {
        let start = position
        while position < bytes.count, belongs(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skipBlanks() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
    /// A byte of a token after its first letter (§3.3.4).
    fileprivate var isTokenByte: Bool { isLetter || isDigit || "!#$%&'*+-.^_`|~:/".utf8.contains(self) }
    /// A byte of a key (§3.1.2).
    fileprivate var isKey: Bool { isDigit || (0x61...0x7A).contains(self) || "_-.*".utf8.contains(self) }
}
