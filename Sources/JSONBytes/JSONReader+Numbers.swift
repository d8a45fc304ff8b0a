extension JSONReader {
    /// Reads the number under the cursor. Integers are done here; a fraction or exponent goes on out of line.
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
