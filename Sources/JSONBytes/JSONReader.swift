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

/// A forward-only cursor over the bytes of a JSON document (RFC 8259). It validates every byte and copies none.
///
/// The caller drives it like a recursive descent parser: `enterObject`, `readKey`, one value, `continueObject`, and so
/// on. The reader builds no index, tree or string. Its memory is O(1), and O(depth) in a caller that recurses. Skipped
/// values are validated as strictly as read ones, so a document that was read to `finish()` is valid.
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
/// After a method has thrown, the cursor's position is undefined, and the reader must not be used. Calls in an order
/// that doesn't match the document throw as well; they never read outside it.
///
/// The caller has one obligation: **the bytes must stay alive and unchanged as long as the reader, and everything it
/// returns (`JSONName`, `JSONNumber`, byte ranges), is used.** Given that, the module is safe, since each access is
/// preceded by a comparison with `end`.
// Without `@usableFromInline` on the type, the compiler inlines none of its members into other modules.
@safe @usableFromInline package struct JSONReader {
    /// The first byte; offsets count from here.
    @usableFromInline let start: UnsafeRawPointer
    /// One past the last byte.
    @usableFromInline let end: UnsafeRawPointer
    /// The next byte to read, from `start` to `end`.
    @usableFromInline var cursor: UnsafeRawPointer
    @usableFromInline var depth = 0
    @usableFromInline let maximumDepth: Int
    /// The number of lone surrogates in escapes so far. Each is read as U+FFFD.
    package internal(set) var loneSurrogateCount = 0

    /// Starts at the first byte, after a UTF-8 byte order mark.
    ///
    /// - Throws: `JSONError` for an empty buffer, or one of more than 2 GiB - 1: ranges are 32-bit, like the lengths
    ///   that SQLite accepts.
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

    /// Skips white space, and checks that the document ends here and all containers are closed.
    @inlinable package mutating func finish() throws(JSONError) {
        skipWhitespace()
        guard isAtEnd else { throw failure(.trailingCharacters) }
        guard depth == 0 else { throw failure(.unexpectedEnd) }
    }
}

extension JSONReader {
    @inlinable var isAtEnd: Bool { unsafe cursor >= end }

    /// The byte at the cursor. `isAtEnd` must be false.
    @inlinable var byte: UInt8 { unsafe cursor.load(as: UInt8.self) }

    @inlinable mutating func advance() { unsafe cursor += 1 }

    @inlinable var remaining: Int { unsafe end - cursor }

    @inlinable func offset(of position: UnsafeRawPointer) -> UInt32 {
        // Positions are between `start` and `end`, which are less than 2 GiB apart.
        unsafe UInt32(truncatingIfNeeded: position - start)
    }

    /// Skips spaces, tabs and line breaks. In compact documents this costs one comparison.
    @inlinable @inline(__always) mutating func skipWhitespace() {
        if !isAtEnd, byte <= 0x20 { skipWhitespaceRun() }
    }

    /// Skips a run of white space; indentation is skipped eight spaces at a time.
    @usableFromInline mutating func skipWhitespaceRun() {
        while !isAtEnd {
            // Eight bytes from the cursor are inside the document, as checked.
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
    /// Skips white space and returns the kind of the next value. Only its first byte is checked.
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

    /// Reads `{`. Returns true before the first key, or false after an empty object.
    @inlinable package mutating func enterObject() throws(JSONError) -> Bool {
        try enter(UInt8(ascii: "{"), closing: UInt8(ascii: "}"), otherwise: .expectedObject)
    }

    /// After a member's value, reads `,` and returns true before the next key, or reads `}` and returns false.
    @inlinable package mutating func continueObject() throws(JSONError) -> Bool {
        try `continue`(closing: UInt8(ascii: "}"), otherwise: .expectedCommaOrBrace)
    }

    /// Reads `[`. Returns true before the first element, or false after an empty array.
    @inlinable package mutating func enterArray() throws(JSONError) -> Bool {
        try enter(UInt8(ascii: "["), closing: UInt8(ascii: "]"), otherwise: .expectedArray)
    }

    /// After an element, reads `,` and returns true before the next element, or reads `]` and returns false.
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
    /// The scalar's bytes in the document, valid UTF-8. A string's bytes exclude its quotes and include its escapes.
    ///
    /// Empty if the scalar is from another, longer document. Valid as long as the document.
    @unsafe @inlinable package func bytes(of scalar: JSONScalar) -> UnsafeRawBufferPointer {
        unsafe bytes(from: scalar.start, to: scalar.end)
    }

    /// With brackets or quotes.
    @unsafe @inlinable package func bytes(of fragment: JSONFragment) -> UnsafeRawBufferPointer {
        unsafe bytes(from: fragment.start, to: fragment.end)
    }

    /// The string's value; for other kinds, the bytes as written.
    package func string(_ scalar: JSONScalar) -> String {
        guard scalar.hasEscapes else { return unsafe String(decoding: bytes(of: scalar), as: UTF8.self) }
        return unsafe String(unsafeUninitializedCapacity: scalar.count) { output in
            // A value is never longer than its escaped form, so the capacity suffices.
            unsafe unescape(scalar, to: UnsafeMutableRawBufferPointer(output))
        }
    }

    @inlinable package func number(_ scalar: JSONScalar) -> JSONNumber {
        // The scalar was validated when it was read; its bytes live as long as the document.
        unsafe JSONNumber(unsafe: bytes(of: scalar), isInteger: scalar.isInteger)
    }

    @unsafe @inlinable func bytes(from lower: UInt32, to upper: UInt32) -> UnsafeRawBufferPointer {
        guard lower <= upper, Int(upper) <= (unsafe end - start) else {
            return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return unsafe UnsafeRawBufferPointer(start: start + Int(lower), count: Int(upper &- lower))
    }

    /// The object, array or string that began at offset `start` (the value of `offset` after `peekKind()`) and was read
    /// up to the cursor. Other offsets give an invalid fragment.
    @inlinable package func fragment(from start: UInt32, kind: JSONKind = .object) -> JSONFragment {
        unsafe JSONFragment(start: start, end: offset(of: cursor), kind: kind)
    }
}

// MARK: - Errors and moving back

extension JSONReader {
    /// The error at the cursor. Out of line, because throwing is the cold path.
    @usableFromInline @inline(never) func failure(_ reason: JSONError.Reason) -> JSONError {
        unsafe failure(reason, at: cursor)
    }

    /// The error at `position`. At the end, the reason becomes `unexpectedEnd` or `emptyDocument`.
    @usableFromInline @inline(never) func failure(_ reason: JSONError.Reason, at position: UnsafeRawPointer)
        -> JSONError
    {
        guard unsafe position >= end else { return unsafe JSONError(reason, at: position - start, in: bytes) }
        // The byte order mark counts as white space.
        let blank: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        let isBlank = unsafe bytes.allSatisfy(blank.contains)
        return unsafe JSONError(isBlank ? .emptyDocument : .unexpectedEnd, at: end - start, in: bytes)
    }

    package func duplicateKey(at path: String) -> JSONError {
        var error = failure(.duplicateKey)
        error.path = path
        return error
    }

    /// Moves the cursor to an earlier offset of this reader or a copy of it.
    package mutating func move(to offset: Int) throws(JSONError) {
        guard offset >= 0, offset <= (unsafe end - start) else { throw failure(.unexpectedEnd) }
        unsafe cursor = start + offset
    }
}

package struct JSONLimits: Sendable {
    /// The most objects and arrays open at once, 0...16,384. `[]` needs 1.
    package let maximumDepth: Int

    /// 512 levels: several times more than APIs send, and few enough for a caller that recurses on a 512 KiB stack.
    package static let standard = JSONLimits(maximumDepth: 512)

    package init(maximumDepth: Int) {
        // `skipContainer` uses one stack frame for every 64 levels, so even the highest limit needs few.
        self.maximumDepth = min(max(maximumDepth, 0), 16_384)
    }
}
