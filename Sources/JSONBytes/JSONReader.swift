// JSONReader            the cursor; this file has its moves, containers and errors
//  │                    +Scalars: literals and numbers; +Strings: keys and strings; +Skip: skipped values
//  ├─ JSONLimits        the deepest nesting
//  │
//  │  The results, which refer to the document without copying it:
//  ├─▶ JSONScalar       the range of a string, number or literal
//  │    ├─▶ JSONNumber  converts exactly; JSONDecimal converts fractions and exponents
//  │    └─▶ JSONScratch memory for the values of strings with escapes
//  ├─▶ JSONFragment     the range of a whole value, to recognize repetitions
//  ├─▶ JSONName         a key as a guess at the next one; a JSONNameTable has a model's names and their indices
//  └─▶ JSONError        why the document is invalid, and where

/// A forward-only cursor over the bytes of a JSON document (RFC 8259). It validates every byte, also of skipped values,
/// and copies none. Its memory is O(1), and O(depth) in a caller that recurses.
///
/// The caller drives it like a recursive descent parser:
///
/// ```swift
/// var reader = try unsafe JSONReader(unsafe: bytes)
/// if try reader.enterObject() {
///     repeat {
///         let key = try reader.readKey()
///         let value = try reader.readScalar()
///     } while try reader.continueObject()
/// }
/// try reader.finish()
/// ```
///
/// After an error, the reader must not be used. Calls in an order that doesn't match the document throw, and never read
/// outside it.
///
/// **The caller keeps the bytes alive and unchanged as long as the reader, and everything it returns (`JSONName`,
/// `JSONNumber`, byte ranges), is used.** Given that, the module is safe: each access follows a comparison with `end`.
// `@usableFromInline` lets the compiler inline the members into other modules.
@safe @usableFromInline package struct JSONReader {
    /// Offsets count from here.
    @usableFromInline let start: UnsafeRawPointer
    /// One past the last byte.
    @usableFromInline let end: UnsafeRawPointer
    /// The next byte to read, from `start` to `end`.
    @usableFromInline var cursor: UnsafeRawPointer
    @usableFromInline var depth = 0
    @usableFromInline let maximumDepth: Int
    /// In escapes so far. Each is read as U+FFFD.
    package internal(set) var loneSurrogateCount = 0

    /// Starts after a UTF-8 byte order mark, if there is one.
    ///
    /// - Throws: `JSONError` without bytes, or above 2 GiB - 1: ranges are 32-bit, like SQLite's lengths.
    @unsafe package init(unsafe bytes: UnsafeRawBufferPointer, limits: JSONLimits = .standard) throws(JSONError) {
        guard let start = bytes.baseAddress, bytes.count > 0 else {
            throw unsafe JSONError(.emptyDocument, at: 0, in: bytes)
        }
        guard bytes.count <= Int(Int32.max) else {
            throw unsafe JSONError(.tooLarge(bytes: bytes.count), at: 0, in: bytes)
        }
        unsafe self.start = start
        unsafe end = start + bytes.count
        let hasByteOrderMark = unsafe bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        unsafe cursor = start + (hasByteOrderMark ? 3 : 0)
        maximumDepth = limits.maximumDepth
    }

    @inlinable package var offset: Int { unsafe cursor - start }

    @inlinable package var bytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: end - start)
    }

    /// Checks that the document ends, and all containers are closed.
    @inlinable package mutating func finish() throws(JSONError) {
        skipWhitespace()
        guard isAtEnd else { throw failure(.trailingCharacters) }
        guard depth == 0 else { throw failure(.unexpectedEnd) }
    }
}

extension JSONReader {
    @inlinable var isAtEnd: Bool { unsafe cursor >= end }

    /// `isAtEnd` must be false.
    @inlinable var byte: UInt8 { unsafe cursor.load(as: UInt8.self) }

    @inlinable mutating func advance() { unsafe cursor += 1 }

    @inlinable var remaining: Int { unsafe end - cursor }

    @inlinable func offset(of position: UnsafeRawPointer) -> UInt32 {
        // Positions are less than 2 GiB after `start`.
        unsafe UInt32(truncatingIfNeeded: position - start)
    }

    /// One comparison in compact documents.
    @inlinable @inline(__always) mutating func skipWhitespace() {
        if !isAtEnd, byte <= 0x20 { skipWhitespaceRun() }
    }

    /// Indentation is skipped eight spaces at a time.
    @usableFromInline mutating func skipWhitespaceRun() {
        while !isAtEnd {
            // Eight bytes from the cursor are inside the document.
            while remaining >= 8, unsafe cursor.loadUnaligned(as: UInt64.self) == 0x2020_2020_2020_2020 {
                unsafe cursor += 8
            }
            guard !isAtEnd, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            advance()
        }
    }
}

// MARK: - Values and containers

extension JSONReader {
    /// Of the next value, by its first byte.
    @inlinable @inline(__always) package mutating func peekKind() throws(JSONError) -> JSONKind {
        skipWhitespace()
        guard !isAtEnd else { throw failure(.expectedValue) }
        switch byte {
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return .number
        case UInt8(ascii: "t"): return .true
        case UInt8(ascii: "f"): return .false
        case UInt8(ascii: "n"): return .null
        default: throw failure(.expectedValue)
        }
    }

    /// Returns false after an empty object.
    @inlinable package mutating func enterObject() throws(JSONError) -> Bool {
        try enter(UInt8(ascii: "{"), closing: UInt8(ascii: "}"), otherwise: .expectedObject)
    }

    /// Returns true before the next key, false after `}`.
    @inlinable package mutating func continueObject() throws(JSONError) -> Bool {
        try `continue`(closing: UInt8(ascii: "}"), otherwise: .expectedCommaOrBrace)
    }

    /// Returns false after an empty array.
    @inlinable package mutating func enterArray() throws(JSONError) -> Bool {
        try enter(UInt8(ascii: "["), closing: UInt8(ascii: "]"), otherwise: .expectedArray)
    }

    /// Returns true before the next element, false after `]`.
    @inlinable package mutating func continueArray() throws(JSONError) -> Bool {
        try `continue`(closing: UInt8(ascii: "]"), otherwise: .expectedCommaOrBracket)
    }

    @inlinable @inline(__always) mutating func enter(
        _ opening: UInt8, closing: UInt8, otherwise reason: JSONError.Reason
    ) throws(JSONError) -> Bool {
        skipWhitespace()
        guard !isAtEnd, byte == opening else { throw failure(reason) }
        guard depth < maximumDepth else { throw failure(.tooDeep(limit: maximumDepth)) }
        advance()
        skipWhitespace()
        if !isAtEnd, byte == closing {
            advance()
            return false
        }
        depth &+= 1
        return true
    }

    @inlinable @inline(__always) mutating func `continue`(
        closing: UInt8, otherwise reason: JSONError.Reason
    ) throws(JSONError) -> Bool {
        skipWhitespace()
        guard !isAtEnd else { throw failure(reason) }
        if byte == UInt8(ascii: ",") {
            advance()
            return true
        }
        guard byte == closing else { throw failure(reason) }
        advance()
        depth &-= 1
        return false
    }
}

// MARK: - Converting ranges

extension JSONReader {
    /// Valid UTF-8. A string's bytes exclude its quotes and include its escapes.
    ///
    /// Empty for a scalar of another, longer document. Valid as long as the document.
    @unsafe @inlinable package func bytes(of scalar: JSONScalar) -> UnsafeRawBufferPointer {
        unsafe bytes(from: scalar.start, to: scalar.end)
    }

    /// With brackets or quotes.
    @unsafe @inlinable package func bytes(of fragment: JSONFragment) -> UnsafeRawBufferPointer {
        unsafe bytes(from: fragment.start, to: fragment.end)
    }

    /// Unescaped, for strings.
    package func string(_ scalar: JSONScalar) -> String {
        guard scalar.hasEscapes else { return unsafe String(decoding: bytes(of: scalar), as: UTF8.self) }
        return unsafe String(unsafeUninitializedCapacity: scalar.count) { output in
            // A value is never longer than its escaped form.
            unsafe unescape(scalar, to: UnsafeMutableRawBufferPointer(output))
        }
    }

    @inlinable package func number(_ scalar: JSONScalar) -> JSONNumber {
        // The scalar was validated when it was read.
        unsafe JSONNumber(unsafe: bytes(of: scalar), isInteger: scalar.isInteger)
    }

    @unsafe @inlinable func bytes(from lower: UInt32, to upper: UInt32) -> UnsafeRawBufferPointer {
        guard lower <= upper, Int(upper) <= (unsafe end - start) else {
            return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return unsafe UnsafeRawBufferPointer(start: start + Int(lower), count: Int(upper &- lower))
    }

    /// The value that began at `start` (`offset` after `peekKind()`) and was read up to the cursor. Other offsets give
    /// an invalid fragment.
    @inlinable package func fragment(from start: UInt32, kind: JSONKind = .object) -> JSONFragment {
        unsafe JSONFragment(start: start, end: offset(of: cursor), kind: kind)
    }
}

// MARK: - Errors and moving back

extension JSONReader {
    /// Out of line, because throwing is the cold path.
    @usableFromInline @inline(never) func failure(_ reason: JSONError.Reason) -> JSONError {
        unsafe failure(reason, at: cursor)
    }

    /// At the end, the reason becomes `unexpectedEnd` or `emptyDocument`.
    @usableFromInline @inline(never) func failure(_ reason: JSONError.Reason, at position: UnsafeRawPointer)
        -> JSONError
    {
        guard unsafe position >= end else { return unsafe JSONError(reason, at: position - start, in: bytes) }
        // With the byte order mark.
        let blank: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        let isBlank = unsafe bytes.allSatisfy(blank.contains)
        return unsafe JSONError(isBlank ? .emptyDocument : .unexpectedEnd, at: end - start, in: bytes)
    }

    package func duplicateKey(at path: String) -> JSONError {
        var error = failure(.duplicateKey)
        error.path = path
        return error
    }

    /// To an offset of this reader or a copy of it.
    package mutating func move(to offset: Int) throws(JSONError) {
        guard offset >= 0, offset <= (unsafe end - start) else { throw failure(.unexpectedEnd) }
        unsafe cursor = start + offset
    }
}

package struct JSONLimits: Sendable {
    /// Open at once, 0...16,384. `[]` needs 1.
    package let maximumDepth: Int

    /// Several times more than APIs send, and few enough for a caller that recurses on a 512 KiB stack.
    package static let standard = JSONLimits(maximumDepth: 512)

    package init(maximumDepth: Int) {
        // `skipContainer` uses one stack frame for every 64 levels.
        self.maximumDepth = min(max(maximumDepth, 0), 16_384)
    }
}
