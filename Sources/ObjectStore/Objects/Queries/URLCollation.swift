import Foundation

/// Compares URLs, which are stored as the server spells them, by what they read as: Foundation escapes what RFC 3986
/// does not allow, so that `https://example.com/{b}` in a row is `https://example.com/%7Bb%7D` in Swift.
enum URLCollation {
    static let name = "restful_url"

    /// Makes the collation known to a connection that doesn't know it yet.
    static func register(on connection: Connection) throws {
        try unsafe connection.addCollation(name) { _, leftCount, left, rightCount, right in
            Int32(URLCollation.order(unsafe collated(left, leftCount), unsafe collated(right, rightCount)))
        }
    }

    /// Negative when left comes first.
    static func order(_ left: String, _ right: String) -> Int {
        left.hasBytes(of: right) ? 0 : StoredValue.order(.text(canonical(left)), .text(canonical(right)))
    }

    /// Whether other texts may read as the URL that this one is: those that have unescaped what it has escaped, in the
    /// host by IDNA. All others are compared byte by byte, by an index where there is one.
    static func hasOtherSpellings(_ value: StoredValue) -> Bool {
        guard case .text(let text) = value else { return false }
        return text.utf8.contains(UInt8(ascii: "%")) || text.contains("xn--")
    }

    /// One text for all that read as the same.
    private static func canonical(_ text: String) -> String {
        text.utf8.allSatisfy(isPlain) ? text : URL(string: text)?.absoluteString ?? text
    }

    /// Whether Foundation leaves the character as it is, wherever it stands.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !escaped.contains(byte)
    }

    private static let escaped = Set("[]{}%|\\^`\"<>#".utf8)
}

extension ModelSchema {
    /// How conditions order two values of a term that reads the model alone.
    func comparison(_ left: StoredValue, _ right: StoredValue, by term: Term) -> Int {
        guard case .url? = kind(of: term), case .text(let first) = left, case .text(let second) = right else {
            return order(left, right, by: term)
        }
        return URLCollation.order(first, second)
    }
}
