extension JSONReader {
    /// Reads a key and passes its `:`.
    @inlinable package mutating func readKey() throws(JSONError) -> JSONString {
        skipWhitespace()
        guard !isAtEnd, byte == UInt8(ascii: "\"") else { throw failure(.expectedKey) }
        let key = try scanString()
        skipWhitespace()
        guard !isAtEnd, byte == UInt8(ascii: ":") else { throw failure(.expectedColon) }
        advance()
        return key
    }

    /// Passes the key and its `:` if they are written exactly as `name` is: a guess at the next key, at the cost of two
    /// or three loads.
    ///
    /// False says only that the guess did not hold (another key, other escapes, white space before the colon); nothing
    /// but white space has been passed then, and `readKey()` tells.
    @inlinable @inline(__always) package mutating func readKey(expecting name: JSONName) -> Bool {
        skipWhitespace()
        guard unsafe name.begins(at: cursor, before: end) else { return false }
        unsafe cursor += name.count
        return true
    }

    /// The key as a guess for the next object; nil where it can't be guessed (white space before its colon).
    ///
    /// The name points into the document and is valid as long as its bytes.
    @inlinable package func name(of key: JSONString) -> JSONName? {
        guard key.kind == .string, key.start > 0, Int(key.end) + 1 < (unsafe end - start) else { return nil }
        // In bounds: the range, widened by a byte before and two after, was just compared with the document's.
        let quoted = unsafe UnsafeRawBufferPointer(start: start + Int(key.start) - 1, count: key.count + 3)
        guard unsafe quoted[key.count + 2] == UInt8(ascii: ":") else { return nil }
        return unsafe JSONName(unsafe: quoted)
    }
}
