/// Describes why a body is invalid JSON (RFC 8259), and where.
///
/// Only `excerpt` and the debug description show characters of the body, which may be private.
public struct JSONError: Error, Sendable, Hashable {
    /// The reason of the error.
    public enum Reason: Sendable, Hashable {
        /// The document is empty, apart from white space.
        case emptyDocument
        /// The document has more than 2 GiB - 1 bytes.
        case tooLarge(bytes: Int)
        /// Objects and arrays are nested deeper than allowed.
        case tooDeep(limit: Int)
        /// The document ends inside a value.
        case unexpectedEnd
        /// Other characters follow the document's value.
        case trailingCharacters
        /// A value is missing here.
        case expectedValue
        /// An object was expected.
        case expectedObject
        /// An array was expected.
        case expectedArray
        /// A string, number, `true`, `false` or `null` was expected.
        case expectedScalar
        /// A member's name in double quotes is missing.
        case expectedKey
        /// The colon after a member's name is missing.
        case expectedColon
        /// A `,` or `}` is missing after a member.
        case expectedCommaOrBrace
        /// A `,` or `]` is missing after an element.
        case expectedCommaOrBracket
        /// A number lacks a digit.
        case invalidNumber
        /// A number begins with a superfluous zero.
        case leadingZero
        /// A string contains an unescaped control character.
        case controlCharacterInString
        /// An unknown escape follows a backslash.
        case invalidEscape
        /// Bytes are invalid UTF-8.
        case invalidUTF8
        /// An object has two values for one property (RFC 7493 §2.3).
        case duplicateKey
    }

    /// The reason of the error.
    public let reason: Reason
    /// The offset of the error in bytes, from 0.
    public let offset: Int
    /// The line of that offset, from 1.
    public let line: Int
    /// The column of that offset, in Unicode scalars, from 1.
    public let column: Int
    /// At most 40 characters of the body around the offset. Unprintable ones are shown as `·`.
    public let excerpt: String
    /// A guess at the cause, such as "this looks like an HTML page"; nil if there is none.
    public package(set) var hint: String?
    /// The path from the document's root, such as `[3].user.login`; nil if unknown.
    public package(set) var path: String?

    /// Linear in `offset`, for refused documents only.
    @unsafe init(_ reason: Reason, at offset: Int, in bytes: UnsafeRawBufferPointer) {
        self.reason = reason
        self.offset = offset
        (line, column) = unsafe Self.lineAndColumn(of: offset, in: bytes)
        excerpt = unsafe Self.excerpt(around: offset, in: bytes)
        hint = unsafe Self.hint(for: reason, at: offset, in: bytes)
    }
}

extension JSONError: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line: "invalid JSON at line 3, column 7 (byte 120): …".
    public var description: String {
        let description =
            "invalid JSON at line \(line), column \(column) (byte \(offset)): \(reason)"
            + (path.map { ": \($0)" } ?? "")
        return hint.map { "\(description) (\($0))" } ?? description
    }

    /// The description and the excerpt.
    public var debugDescription: String {
        excerpt.isEmpty ? description : "\(description), near `\(excerpt)`"
    }
}

extension JSONError.Reason: CustomStringConvertible {
    /// A clause in lower case, unpunctuated.
    public var description: String {
        switch self {
        case .emptyDocument: "the body is empty"
        case .tooLarge(let bytes): "the body has \(bytes) bytes; 2 GiB - 1 are the most that can be read"
        case .tooDeep(let limit): "more than \(limit) objects and arrays inside each other"
        case .unexpectedEnd: "the body ends in the middle"
        case .trailingCharacters: "something follows the end of the document"
        case .expectedValue: "a value is missing"
        case .expectedObject: "an object was expected"
        case .expectedArray: "an array was expected"
        case .expectedScalar: "a string, number, true, false or null was expected"
        case .expectedKey: "a key in double quotes is missing"
        case .expectedColon: "the colon after a key is missing"
        case .expectedCommaOrBrace: "neither , nor } follows a member"
        case .expectedCommaOrBracket: "neither , nor ] follows an element"
        case .invalidNumber: "a number lacks a digit"
        case .leadingZero: "a number begins with a superfluous zero"
        case .controlCharacterInString: "a string holds an unescaped control character"
        case .invalidEscape: "a backslash is followed by no escape that JSON knows"
        case .invalidUTF8: "the bytes are not UTF-8"
        case .duplicateKey: "an object has two values for one property; the second one ends here"
        }
    }
}

extension JSONError {
    /// Both from 1. Lines end with LF, CR LF or CR.
    @unsafe
    private static func lineAndColumn(of offset: Int, in bytes: UnsafeRawBufferPointer) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for index in 0..<min(offset, bytes.count) {
            switch unsafe bytes[index] {
            case 0x0A:
                line += 1
                column = 1
            case 0x0D where unsafe index + 1 >= bytes.count || bytes[index + 1] != 0x0A:
                line += 1
                column = 1
            case 0x80...0xBF:
                // Its character was counted at the first byte.
                continue
            default:
                column += 1
            }
        }
        return (line, column)
    }

    /// Up to 16 characters before the offset; 40 in all.
    @unsafe private static func excerpt(around offset: Int, in bytes: UnsafeRawBufferPointer) -> String {
        let offset = min(offset, bytes.count)
        // A character has at most four bytes.
        let before = unsafe printable(bytes[max(0, offset - 64)..<offset])
        let after = unsafe printable(bytes[offset..<min(bytes.count, offset + 160)])
        let lead = before.suffix(16)
        return String(String.UnicodeScalarView(lead + after.prefix(40 - lead.count)))
    }

    /// `·` stands for scalars that are invisible or change how others are shown.
    private static func printable(_ bytes: Slice<UnsafeRawBufferPointer>) -> [Unicode.Scalar] {
        unsafe String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: "·"
            default: scalar
            }
        }
    }
}

extension JSONError {
    /// Nil if the bytes are one valid JSON document.
    package init?(readingFrom bytes: [UInt8]) {
        // The bytes outlive the reader.
        let error = unsafe bytes.withUnsafeBytes { bytes -> JSONError? in
            do throws(JSONError) {
                var reader = unsafe try JSONReader(unsafe: bytes)
                _ = try reader.skipValue()
                try reader.finish()
                return nil
            } catch {
                return error
            }
        }
        guard let error else { return nil }
        self = error
    }

    /// By the beginning of the body, then by the bytes at the offset.
    @unsafe private static func hint(for reason: Reason, at offset: Int, in bytes: UnsafeRawBufferPointer) -> String? {
        switch reason {
        case .tooDeep, .tooLarge, .emptyDocument, .expectedObject, .expectedArray, .expectedScalar: nil
        default: unsafe hint(fromBeginningOf: bytes) ?? hint(at: offset, in: bytes)
        }
    }

    private static func hint(fromBeginningOf bytes: UnsafeRawBufferPointer) -> String? {
        for (signature, hint) in signatures where unsafe bytes.starts(with: signature) { return hint }
        let first = unsafe bytes.first { !isSpace($0) && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
        return first == UInt8(ascii: "<") ? "this looks like an HTML or XML page" : nil
    }

    private static let signatures: [([UInt8], String)] = [
        ([0x1F, 0x8B], "this is compressed with gzip"),
        ([0x50, 0x4B, 0x03, 0x04], "this is a zip archive"),
        ([0xFF, 0xFE], "this is UTF-16; JSON is UTF-8"),
        ([0xFE, 0xFF], "this is UTF-16; JSON is UTF-8"),
        (Array(")]}'".utf8), "the body has a prefix against script inclusion"),
        (Array("data:".utf8), "this looks like a stream of server-sent events"),
    ]

    private static func hint(at offset: Int, in bytes: UnsafeRawBufferPointer) -> String? {
        guard offset < bytes.count else { return nil }
        let found = unsafe bytes[offset]
        let rest = unsafe bytes[offset...]
        let before = unsafe bytes[..<offset].last { !isSpace($0) }
        if unsafe rest.starts(with: "//".utf8) || rest.starts(with: "/*".utf8) { return "JSON has no comments" }
        if found == UInt8(ascii: "'") { return "JSON's quotes are double" }
        for word in ["NaN", "-Infinity", "Infinity", "undefined", "None", "True", "False"]
        where unsafe rest.starts(with: word.utf8) || (offset > 0 && bytes[(offset - 1)...].starts(with: word.utf8)) {
            return "JSON has no \(word)"
        }
        if before == UInt8(ascii: ","), found == UInt8(ascii: "}") || found == UInt8(ascii: "]") {
            return "JSON has no trailing comma"
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
