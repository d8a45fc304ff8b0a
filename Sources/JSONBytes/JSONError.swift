/// Why a body is not JSON (RFC 8259), and where.
///
/// The description names reason, place and hint, but nothing of the body, which may be private; `excerpt` and the
/// debug description show a few characters of it.
public struct JSONError: Error, Sendable, Hashable {
    /// What is wrong at the place.
    public enum Reason: Sendable, Hashable {
        /// Nothing but white space.
        case emptyDocument
        /// More than 2 GiB - 1.
        case tooLarge(bytes: Int)
        /// More objects and arrays inside each other than allowed.
        case tooDeep(limit: Int)
        /// The document ends inside a value.
        case unexpectedEnd
        /// Something follows the document's one value.
        case trailingCharacters
        /// No value begins here.
        case expectedValue
        /// An object was called for.
        case expectedObject
        /// An array was called for.
        case expectedArray
        /// A string, number, `true`, `false` or `null` was called for.
        case expectedScalar
        /// A member's name in double quotes is missing.
        case expectedKey
        /// The colon after a member's name is missing.
        case expectedColon
        /// Neither `,` nor `}` follows a member.
        case expectedCommaOrBrace
        /// Neither `,` nor `]` follows an element.
        case expectedCommaOrBracket
        /// A number lacks a digit.
        case invalidNumber
        /// A number begins with a superfluous zero.
        case leadingZero
        /// A control character stands unescaped in a string.
        case controlCharacterInString
        /// A backslash is followed by nothing that JSON knows.
        case invalidEscape
        /// A `\u` escape is one half of a surrogate pair without the other.
        case loneSurrogate
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// An object has two values for one property (RFC 7493 §2.3).
        case duplicateKey
    }

    /// What is wrong.
    public let reason: Reason
    /// How many bytes lie before the place.
    public let offset: Int
    /// The place's line, from 1.
    public let line: Int
    /// The place's column in its line, in Unicode scalars, from 1.
    public let column: Int
    /// At most 40 characters of the body around the place, unprintable ones as `·`.
    public let excerpt: String
    /// What the sender probably did, where it shows: "this looks like an HTML page".
    public let hint: String?
    /// The place's keys and list places from the document's root, `[3].user.login`, where a reader that knows them refused it.
    public package(set) var path: String?

    /// Looks at `bytes` up to `offset` once, to count lines: linear, and only when a document is refused.
    @unsafe init(_ reason: Reason, at offset: Int, in bytes: UnsafeRawBufferPointer) {
        self.reason = reason
        self.offset = offset
        (line, column) = unsafe Self.place(of: offset, in: bytes)
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
    /// A clause without a capital or a full stop.
    public var description: String {
        switch self {
        case .emptyDocument: "the body is empty"
        case .tooLarge(let bytes): "the body has \(bytes) bytes; 4 GiB - 1 are the most that can be read"
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
        case .loneSurrogate: "an escape is one half of a surrogate pair"
        case .invalidUTF8: "the bytes are not UTF-8"
        case .duplicateKey: "an object has two values for one property; the second one ends here"
        }
    }
}
