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

/// A forward-only cursor over the bytes of one JSON document (RFC 8259): every byte is validated, none is copied.
///
/// The caller drives it as a recursive descent would: `enterObject`, then `readKey`, one value, `continueObject`, and
/// so on. No index, tree or string is made; memory is O(1) here, and O(depth) in a caller that recurses. Whatever the
/// caller passes over is checked as strictly as what it reads, so a document that was walked to `finish()` is valid.
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
/// A throwing method leaves the cursor anywhere; the reader must not be used afterwards. Calling the methods in an
/// order that doesn't fit the document throws too, and never reads outside it.
///
/// The one contract: **the bytes stay alive and unchanged as long as the reader, and everything it returns
/// (`JSONName`, `JSONNumber`, byte ranges), is used.** All else in this module is safe under it, since each access is
/// preceded by a comparison with `end`.
// `@usableFromInline` on the type: without it the compiler inlines none of its members into other modules.
@safe @usableFromInline package struct JSONReader {
    /// The first byte; offsets count from here.
    @usableFromInline let start: UnsafeRawPointer
    /// One past the last byte.
    @usableFromInline let end: UnsafeRawPointer
    /// The next byte to look at, from `start` to `end`.
    @usableFromInline var cursor: UnsafeRawPointer
    /// How many objects and arrays are open.
    @usableFromInline var depth = 0
    @usableFromInline let maximumDepth: Int
    /// How many escapes were passed that are one half of a surrogate pair without the other; each reads as U+FFFD.
    package internal(set) var loneSurrogateCount = 0

    /// Stands at the first byte, past a UTF-8 byte order mark.
    ///
    /// - Throws: `JSONError` for an empty buffer and for one of more than 2 GiB - 1: ranges are 32-bit, and so are the
    ///   lengths that SQLite is given.
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

    /// How many bytes lie before the cursor.
    @inlinable package var offset: Int { unsafe cursor - start }

    /// The whole document.
    @inlinable package var bytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: end - start)
    }

    /// Passes white space, and checks that nothing else follows and that no container is left open.
    @inlinable package mutating func finish() throws(JSONError) {
        skipWhitespace()
        guard isAtEnd else { throw failure(.trailingCharacters) }
        guard depth == 0 else { throw failure(.unexpectedEnd) }
    }
}

extension JSONReader {
    @inlinable var isAtEnd: Bool { unsafe cursor >= end }

    /// The byte under the cursor. Only when `isAtEnd` is known to be false.
    @inlinable var byte: UInt8 { unsafe cursor.load(as: UInt8.self) }

    /// Moves past one byte that has been examined.
    @inlinable mutating func advance() { unsafe cursor += 1 }

    /// How many bytes lie between the cursor and the end.
    @inlinable var remaining: Int { unsafe end - cursor }

    @inlinable func offset(of position: UnsafeRawPointer) -> UInt32 {
        // Positions lie between `start` and `end`, which are less than 2 GiB apart.
        unsafe UInt32(truncatingIfNeeded: position - start)
    }

    /// Passes spaces, tabs and line ends. Compact documents pay one comparison.
    @inlinable @inline(__always) mutating func skipWhitespace() {
        if !isAtEnd, byte <= 0x20 { skipWhitespaceRun() }
    }

    /// Passes a run of white space; indentation goes eight spaces at a time.
    @usableFromInline mutating func skipWhitespaceRun() {
        while !isAtEnd {
            // Eight bytes from the cursor lie inside the document where eight remain.
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
    /// The kind of the value under the cursor, after white space; the value itself isn't examined yet.
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

    /// Passes `{`. True: the cursor stands before the first key. False: the object was empty and is passed whole.
    @inlinable package mutating func enterObject() throws(JSONError) -> Bool {
        try enter(UInt8(ascii: "{"), closing: UInt8(ascii: "}"), otherwise: .expectedObject)
    }

    /// After a member's value: passes `,` (true, a key is next) or `}` (false, the object is done).
    @inlinable package mutating func continueObject() throws(JSONError) -> Bool {
        try `continue`(closing: UInt8(ascii: "}"), otherwise: .expectedCommaOrBrace)
    }

    /// Passes `[`. True: the cursor stands before the first element. False: the array was empty and is passed whole.
    @inlinable package mutating func enterArray() throws(JSONError) -> Bool {
        try enter(UInt8(ascii: "["), closing: UInt8(ascii: "]"), otherwise: .expectedArray)
    }

    /// After an element: passes `,` (true, a value is next) or `]` (false, the array is done).
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

// MARK: - The values behind ranges

extension JSONReader {
    /// The scalar's bytes in the document: a string's without quotes and with its escapes, valid UTF-8.
    ///
    /// Empty for a scalar of another, longer document. Alive as long as the document.
    @unsafe @inlinable package func bytes(of scalar: JSONScalar) -> UnsafeRawBufferPointer {
        unsafe bytes(from: scalar.start, to: scalar.end)
    }

    /// The value's bytes in the document, brackets and quotes included.
    @unsafe @inlinable package func bytes(of fragment: JSONFragment) -> UnsafeRawBufferPointer {
        unsafe bytes(from: fragment.start, to: fragment.end)
    }

    /// The string's value; for other kinds, the bytes as written.
    package func string(_ scalar: JSONScalar) -> String {
        guard scalar.hasEscapes else { return unsafe String(decoding: bytes(of: scalar), as: UTF8.self) }
        return unsafe String(unsafeUninitializedCapacity: scalar.count) { output in
            // A value is never longer than its escaped form, so the capacity asked for suffices.
            unsafe unescape(scalar, to: UnsafeMutableRawBufferPointer(output))
        }
    }

    /// The number, ready to be converted.
    @inlinable package func number(_ scalar: JSONScalar) -> JSONNumber {
        // The scalar's grammar was checked when it was read; its bytes live as long as the document.
        unsafe JSONNumber(unsafe: bytes(of: scalar), isInteger: scalar.isInteger)
    }

    @unsafe @inlinable func bytes(from lower: UInt32, to upper: UInt32) -> UnsafeRawBufferPointer {
        guard lower <= upper, Int(upper) <= (unsafe end - start) else {
            return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return unsafe UnsafeRawBufferPointer(start: start + Int(lower), count: Int(upper &- lower))
    }

    /// The object, array or string that began at offset `start` (the value of `offset` after `peekKind()`) and was
    /// read up to the cursor. What lies between two other offsets isn't a fragment.
    @inlinable package func fragment(from start: UInt32, kind: JSONKind = .object) -> JSONFragment {
        unsafe JSONFragment(start: start, end: offset(of: cursor), kind: kind)
    }
}

// MARK: - Errors, and going back

extension JSONReader {
    /// The error for what is wrong under the cursor. Out of line: throwing is the cold path.
    @usableFromInline @inline(never) func failure(_ reason: JSONError.Reason) -> JSONError {
        unsafe failure(reason, at: cursor)
    }

    /// The error for what is wrong at `position`; running out of bytes is distinguished from wrong ones here.
    @usableFromInline @inline(never) func failure(_ reason: JSONError.Reason, at position: UnsafeRawPointer)
        -> JSONError
    {
        guard unsafe position >= end else { return unsafe JSONError(reason, at: position - start, in: bytes) }
        // The byte order mark counts as white space.
        let blank: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        let isBlank = unsafe bytes.allSatisfy(blank.contains)
        return unsafe JSONError(isBlank ? .emptyDocument : .unexpectedEnd, at: end - start, in: bytes)
    }

    /// The error for a second value of one property in one object, at the cursor.
    package func duplicateKey(at path: String) -> JSONError {
        var error = failure(.duplicateKey)
        error.path = path
        return error
    }

    /// Goes back to an offset that this reader, or a copy of it, was at before.
    package mutating func move(to offset: Int) throws(JSONError) {
        guard offset >= 0, offset <= (unsafe end - start) else { throw failure(.unexpectedEnd) }
        unsafe cursor = start + offset
    }
}

/// What a reader accepts of a document.
package struct JSONLimits: Sendable {
    /// How many objects and arrays may be open at once, 0...16,384. `[]` needs 1.
    package let maximumDepth: Int

    /// 512 levels: several times what APIs send, and few enough for a caller that recurses on a 512 KiB stack.
    package static let standard = JSONLimits(maximumDepth: 512)

    package init(maximumDepth: Int) {
        // The reader's own stack grows by one frame for every 64 levels, so even the highest limit needs few.
        self.maximumDepth = min(max(maximumDepth, 0), 16_384)
    }
}
