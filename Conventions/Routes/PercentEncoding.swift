/// Percent-encodes the UTF-8 bytes of a text (RFC 3986 §2.1).
enum PercentEncoding {
    enum Component {
        /// A path: keeps slashes and the characters that RFC 3986 §3.3 allows in a segment.
        case path
        /// A value in a query: keeps only the unreserved characters of RFC 3986 §2.3.
        case queryValue
        /// Names and separators of a query: keeps the characters that RFC 3986 §3.4 allows.
        case queryLiteral

        func allows(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                true
            case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
                UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
                UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "/"):
                self != .queryValue
            case UInt8(ascii: "?"):
                self == .queryLiteral
            default:
                false
            }
        }
    }

    static func encode(_ text: String, as component: Component) -> String {
        var encoded = ""
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if component.allows(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%"
                encoded.unicodeScalars.append(hexDigits[Int(byte >> 4)])
                encoded.unicodeScalars.append(hexDigits[Int(byte & 15)])
            }
        }
        return encoded
    }

    private static let hexDigits = Array("0123456789ABCDEF".unicodeScalars)
}

/// Rules for path segments that point to another resource than intended.
enum PathSegment {
    /// Escapes a leading semicolon of a percent-encoded segment.
    ///
    /// Servers that support path parameters (RFC 3986 §3.3) would read `;x` as an empty segment with a parameter, and
    /// so as the collection.
    static func nameless(_ segment: Substring) -> String {
        segment.utf8.first == UInt8(ascii: ";") ? "%3B" + segment.dropFirst() : String(segment)
    }

    /// Whether a percent-encoded segment is empty, `.` or `..`.
    ///
    /// Servers that support path parameters (RFC 3986 §3.3) read `..;x` as `..`, so text after a semicolon is ignored.
    /// `%2E` is a dot.
    static func isUnsafe(_ segment: some StringProtocol) -> Bool {
        var dots = 0
        var rest = segment.utf8.prefix { $0 != UInt8(ascii: ";") }[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if rest.starts(with: "%2E".utf8) || rest.starts(with: "%2e".utf8) {
                rest = rest.dropFirst(3)
            } else {
                return false
            }
            dots += 1
            if dots > 2 { return false }
        }
        return true
    }
}
