/// Percent-encoding by RFC 3986 §2.1, of the UTF-8 bytes of a text.
enum PercentEncoding {
    /// The part of a URL that a text belongs to.
    enum Component {
        /// In a path: slashes and what RFC 3986 §3.3 allows in a segment are kept.
        case path
        /// A value in a query: only the unreserved characters of RFC 3986 §2.3 are kept.
        case queryValue
        /// The names and separators of a query: what RFC 3986 §3.4 allows is kept.
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

    /// The text with every byte that the component doesn't allow as `%XX`.
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

/// What makes a segment of a path point elsewhere than to a resource of its own.
enum PathSegment {
    /// A segment's text, escaped as in a URL, with a semicolon at its beginning escaped too. Servers that know path
    /// parameters (RFC 3986 §3.3) would read `;x` as an empty segment with a parameter, and so as the collection.
    static func nameless(_ segment: Substring) -> String {
        segment.utf8.first == UInt8(ascii: ";") ? "%3B" + segment.dropFirst() : String(segment)
    }

    /// Whether a segment, escaped as in a URL, is empty, `.` or `..`.
    ///
    /// Servers that know path parameters (RFC 3986 §3.3) read `..;x` as `..`, so what follows a semicolon does not
    /// count; and `%2E` is a dot.
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
