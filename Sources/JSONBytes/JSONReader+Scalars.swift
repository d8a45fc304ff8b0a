extension JSONReader {
    /// Reads a string, number, `true`, `false` or `null`; an object or array is an error.
    @inlinable @inline(__always) package mutating func readScalar() throws(JSONError) -> JSONScalar {
        skipWhitespace()
        guard !isAtEnd else { throw failure(.expectedValue) }
        let first = byte
        if first == UInt8(ascii: "\"") { return try scanString() }
        if first &- UInt8(ascii: "0") < 10 || first == UInt8(ascii: "-") { return try scanNumber() }
        return try scanLiteral()
    }

    /// Reads the word under the cursor: `true`, `false` or `null`.
    @inlinable mutating func scanLiteral() throws(JSONError) -> JSONScalar {
        guard remaining >= 4 else { throw truncatedLiteral() }
        // Four bytes from the cursor lie inside the document here, five where `false` asks for them.
        let word = unsafe UInt32(littleEndian: cursor.loadUnaligned(as: UInt32.self))
        if word == 0x6C6C_756E { return pass(4, .null) }
        if word == 0x6575_7274 { return pass(4, .true) }
        if word == 0x736C_6166 {
            guard remaining >= 5 else { throw truncatedLiteral() }
            if unsafe cursor.load(fromByteOffset: 4, as: UInt8.self) == UInt8(ascii: "e") { return pass(5, .false) }
        }
        throw failure(byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") ? .expectedScalar : .expectedValue)
    }

    @inlinable mutating func pass(_ count: Int, _ kind: JSONKind) -> JSONScalar {
        let from = unsafe offset(of: cursor)
        unsafe cursor += count
        return unsafe JSONScalar(start: from, end: offset(of: cursor), kind: kind)
    }

    /// Fewer bytes are left than the word needs: the document ends inside it, or it is another word.
    @usableFromInline @inline(never) func truncatedLiteral() -> JSONError {
        let rest = unsafe UnsafeRawBufferPointer(start: cursor, count: remaining)
        let isPrefix = ["true", "false", "null"].contains { unsafe $0.utf8.starts(with: rest) }
        if isPrefix { return unsafe failure(.unexpectedEnd, at: end) }
        return failure(byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") ? .expectedScalar : .expectedValue)
    }
}
