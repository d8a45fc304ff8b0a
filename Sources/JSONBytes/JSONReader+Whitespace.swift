extension JSONReader {
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

    /// The kind of the value under the cursor, after white space; the value itself is not looked at yet.
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
}
