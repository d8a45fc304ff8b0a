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
/// A throwing method leaves the cursor anywhere; the reader is of no more use then. Calling the methods in an order
/// that does not fit the document throws too, and never reads outside it.
///
/// The one contract: **the bytes stay alive and unchanged as long as the reader, and everything it hands out
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

    /// Stands at the first byte, past a UTF-8 byte order mark.
    ///
    /// - Throws: `JSONError` for an empty buffer and for one above 2 GiB - 1: ranges are 32-bit, and so are the lengths
    ///   that SQLite is given.
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

    /// Passes white space, and demands that nothing else follows and nothing is left open.
    @inlinable package mutating func finish() throws(JSONError) {
        skipWhitespace()
        guard isAtEnd else { throw failure(.trailingCharacters) }
        guard depth == 0 else { throw failure(.unexpectedEnd) }
    }
}

extension JSONReader {
    @inlinable var isAtEnd: Bool { unsafe cursor >= end }

    /// The byte under the cursor. Only where `isAtEnd` is known to be false.
    @inlinable var byte: UInt8 { unsafe cursor.load(as: UInt8.self) }

    /// Moves over one byte that has been looked at.
    @inlinable mutating func advance() { unsafe cursor += 1 }

    /// How many bytes lie between the cursor and the end.
    @inlinable var remaining: Int { unsafe end - cursor }

    @inlinable func offset(of position: UnsafeRawPointer) -> UInt32 {
        // Positions lie between `start` and `end`, which are less than 4 GiB apart.
        unsafe UInt32(truncatingIfNeeded: position - start)
    }
}
