extension JSONReader {
    /// Throws for an object or array.
    @inlinable @inline(__always) package mutating func readScalar() throws(JSONError) -> JSONScalar {
        skipWhitespace()
        guard !isAtEnd else { throw failure(.expectedValue) }
        let first = byte
        if first == UInt8(ascii: "\"") { return try scanString() }
        if first &- UInt8(ascii: "0") < 10 || first == UInt8(ascii: "-") { return try scanNumber() }
        return try scanLiteral()
    }

    @inlinable mutating func scanLiteral() throws(JSONError) -> JSONScalar {
        guard remaining >= 4 else { throw truncatedLiteral() }
        // Four bytes from the cursor are inside the document, and five for `false`.
        let word = unsafe UInt32(littleEndian: cursor.loadUnaligned(as: UInt32.self))
        if word == 0x6C6C_756E { return pass(count: 4, as: .null) }
        if word == 0x6575_7274 { return pass(count: 4, as: .true) }
        if word == 0x736C_6166 {
            guard remaining >= 5 else { throw truncatedLiteral() }
            if unsafe cursor.load(fromByteOffset: 4, as: UInt8.self) == UInt8(ascii: "e") {
                return pass(count: 5, as: .false)
            }
        }
        throw failure(byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") ? .expectedScalar : .expectedValue)
    }

    @inlinable mutating func pass(count: Int, as kind: JSONKind) -> JSONScalar {
        let from = unsafe offset(of: cursor)
        unsafe cursor += count
        return unsafe JSONScalar(start: from, end: offset(of: cursor), kind: kind)
    }

    /// For a document that ends inside a literal.
    @usableFromInline @inline(never) func truncatedLiteral() -> JSONError {
        let rest = unsafe UnsafeRawBufferPointer(start: cursor, count: remaining)
        let isPrefix = ["true", "false", "null"].contains { unsafe $0.utf8.starts(with: rest) }
        if isPrefix { return unsafe failure(.unexpectedEnd, at: end) }
        return failure(byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") ? .expectedScalar : .expectedValue)
    }

    /// Fractions and exponents continue out of line.
    @inlinable mutating func scanNumber() throws(JSONError) -> JSONScalar {
        let from = unsafe offset(of: cursor)
        if byte == UInt8(ascii: "-") { advance() }
        guard !isAtEnd, isDigit(byte) else { throw failure(.invalidNumber) }
        if byte == UInt8(ascii: "0") {
            advance()
            if !isAtEnd, isDigit(byte) { throw failure(.leadingZero) }
        } else {
            passDigits()
        }
        if !isAtEnd, byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
            try passFractionAndExponent()
            return unsafe JSONScalar(start: from, end: offset(of: cursor), kind: .number)
        }
        return unsafe JSONScalar(start: from, end: offset(of: cursor), kind: .number, flag: true)
    }

    @usableFromInline @inline(never) mutating func passFractionAndExponent() throws(JSONError) {
        if byte == UInt8(ascii: ".") {
            advance()
            guard !isAtEnd, isDigit(byte) else { throw failure(.invalidNumber) }
            passDigits()
        }
        guard !isAtEnd, byte | 0x20 == UInt8(ascii: "e") else { return }
        advance()
        if !isAtEnd, byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { advance() }
        guard !isAtEnd, isDigit(byte) else { throw failure(.invalidNumber) }
        passDigits()
    }

    @inlinable mutating func passDigits() {
        while !isAtEnd, isDigit(byte) { advance() }
    }

    @inlinable func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
