/// Reads SQL part by part, and tells code from quoted text and comments.
struct SQLScanner {
    private enum Place: Equatable {
        case code
        case quotes(end: UInt8)
        case lineComment
        case blockComment
    }

    private var place = Place.code
    /// The previous byte in the same place, or 0.
    private var last: UInt8 = 0
    /// Whether the code has a parameter, such as `?` or `:name`.
    private(set) var hasParameter = false
    /// The first ASCII word of the code in lower case.
    private(set) var firstWord = ""
    private var isAfterFirstWord = false

    var isInCode: Bool { place == .code }

    mutating func read(_ text: String) {
        for byte in text.utf8 {
            switch place {
            case .code: readCode(byte)
            case .quotes(let end): if byte == end { enter(.code) }
            case .lineComment: if byte == UInt8(ascii: "\n") { enter(.code) }
            case .blockComment:
                let isEnd = last == UInt8(ascii: "*") && byte == UInt8(ascii: "/")
                if isEnd { enter(.code) } else { last = byte }
            }
        }
    }

    /// Forgets the previous byte, since the library's own parameter follows. Call it in code only.
    mutating func skipValue() { last = 0 }

    // A doubled quote within quotes ends them and begins others.
    private mutating func readCode(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): enter(.quotes(end: byte))
        case UInt8(ascii: "["): enter(.quotes(end: UInt8(ascii: "]")))
        case UInt8(ascii: "-") where last == UInt8(ascii: "-"): enter(.lineComment)
        case UInt8(ascii: "*") where last == UInt8(ascii: "/"): enter(.blockComment)
        default:
            if isParameter(byte) { hasParameter = true }
            readWord(byte)
            last = byte
        }
    }

    /// Whether a parameter begins here (https://sqlite.org/lang_expr.html#parameters). Names may contain `$`.
    private func isParameter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"): true
        case UInt8(ascii: "$"): !Self.isOfName(last)
        default: false
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || (0x30...0x39).contains(byte)
            || (0x61...0x7A).contains(byte | 0x20)
    }

    private mutating func readWord(_ byte: UInt8) {
        if !Self.isOfName(byte) {
            isAfterFirstWord = !firstWord.isEmpty
        } else if !isAfterFirstWord, byte < 0x80 {
            firstWord.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
        }
    }

    private mutating func enter(_ place: Place) {
        (self.place, last) = (place, 0)
        isAfterFirstWord = !firstWord.isEmpty
    }
}
