extension JSONReader {
    /// Passes the escape whose backslash is under the cursor; a high surrogate takes its low one with it.
    mutating func passEscape() throws(JSONError) {
        let escape = unsafe cursor
        advance()
        guard !isAtEnd else { throw failure(.unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            advance()
        case UInt8(ascii: "u"):
            advance()
            let unit = unsafe try passHexUnit(of: escape)
            guard unit & 0xF800 == 0xD800 else { return }
            guard unit < 0xDC00 else { throw unsafe failure(.loneSurrogate, at: escape) }
            unsafe try passLowSurrogate(of: escape)
        default:
            throw unsafe failure(.invalidEscape, at: escape)
        }
    }

    private mutating func passLowSurrogate(of escape: UnsafeRawPointer) throws(JSONError) {
        for expected in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
            guard !isAtEnd else { throw failure(.unexpectedEnd) }
            guard byte == expected else { throw unsafe failure(.loneSurrogate, at: escape) }
            advance()
        }
        let unit = unsafe try passHexUnit(of: escape)
        guard unit & 0xFC00 == 0xDC00 else { throw unsafe failure(.loneSurrogate, at: escape) }
    }

    /// Passes four hexadecimal digits.
    private mutating func passHexUnit(of escape: UnsafeRawPointer) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard !isAtEnd else { throw failure(.unexpectedEnd) }
            guard let digit = hexadecimalValue(of: byte) else { throw unsafe failure(.invalidEscape, at: escape) }
            unit = unit &<< 4 | digit
            advance()
        }
        return unit
    }
}

/// The value of an ASCII hexadecimal digit in either case.
func hexadecimalValue(of byte: UInt8) -> UInt32? {
    let digit = byte &- UInt8(ascii: "0")
    if digit < 10 { return UInt32(digit) }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? UInt32(letter) + 10 : nil
}
