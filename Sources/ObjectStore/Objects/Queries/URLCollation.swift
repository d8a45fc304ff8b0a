import Foundation

/// Compares URLs, stored in the server's spelling, by their values in Swift. Foundation escapes characters that RFC
/// 3986 doesn't allow: `{b}` becomes `%7Bb%7D`.
enum URLCollation {
    static let name = "restful_url"

    static func register(on connection: Connection) throws {
        try unsafe connection.addCollation(name) { _, leftCount, left, rightCount, right in
            Int32(URLCollation.order(unsafe collated(left, leftCount), unsafe collated(right, rightCount)))
        }
    }

    /// Negative if left comes first.
    static func order(_ left: String, _ right: String) -> Int {
        left.hasBytes(of: right) ? 0 : StoredValue.order(.text(canonical(left)), .text(canonical(right)))
    }

    /// Whether other texts may read as this URL, because it has escapes or IDNA. Other URLs are compared byte by byte,
    /// by an index if there is one.
    static func hasOtherSpellings(_ value: StoredValue) -> Bool {
        guard case .text(let text) = value else { return false }
        return text.utf8.contains(UInt8(ascii: "%")) || text.contains("xn--")
    }

    private static func canonical(_ text: String) -> String {
        text.utf8.allSatisfy(isPlain) ? text : URL(string: text)?.absoluteString ?? text
    }

    /// Whether Foundation never escapes the character.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !escaped.contains(byte)
    }

    private static let escaped = Set("[]{}%|\\^`\"<>#".utf8)
}

extension ModelSchema {
    /// Compares as conditions do. Negative if left comes first.
    func comparison(_ left: StoredValue, _ right: StoredValue, by term: Term) -> Int {
        guard case .url? = kind(of: term), case .text(let first) = left, case .text(let second) = right else {
            return order(left, right, by: term)
        }
        return URLCollation.order(first, second)
    }
}
