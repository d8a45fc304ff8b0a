extension JSONReader {
    /// Reads the string whose opening quote is under the cursor. Plain ASCII strings are done here, sixteen bytes at a
    /// time; the others go on out of line.
    @inlinable @inline(__always) mutating func scanString() throws(JSONError) -> JSONString {
        advance()
        let from = unsafe cursor
        unsafe cursor = firstSpecial(from: from)
        guard !isAtEnd, byte == UInt8(ascii: "\"") else { return unsafe try scanRestOfString(from: from) }
        let string = unsafe JSONString(start: offset(of: from), end: offset(of: cursor), kind: .string)
        advance()
        return string
    }

    /// Goes on with a string at its first byte that is not plain ASCII.
    @usableFromInline @inline(never)
    mutating func scanRestOfString(from: UnsafeRawPointer) throws(JSONError) -> JSONString {
        var hasEscapes = false
        while !isAtEnd {
            switch byte {
            case UInt8(ascii: "\""):
                let string = unsafe JSONString(
                    start: offset(of: from), end: offset(of: cursor), kind: .string, flag: hasEscapes)
                advance()
                return string
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try passEscape()
            case 0x80...:
                try passMultibyteCharacter()
            case 0x20...:
                unsafe cursor = firstSpecial(from: cursor)
            default:
                throw failure(.controlCharacterInString)
            }
        }
        throw failure(.unexpectedEnd)
    }

    /// The first quote, backslash, control character or byte above ASCII from `position` on, or the end.
    @inlinable @inline(__always) func firstSpecial(from position: UnsafeRawPointer) -> UnsafeRawPointer {
        var at = unsafe position
        // Sixteen bytes from `at` lie before `end` in the loop; single bytes in the next.
        while unsafe end - at >= 16 {
            let block = unsafe at.loadUnaligned(as: SIMD16<UInt8>.self)
            // As signed numbers, control characters and bytes above ASCII are both those below a space.
            let signed = unsafe unsafeBitCast(block, to: SIMD16<Int8>.self)
            let special =
                (block .== SIMD16<UInt8>(repeating: UInt8(ascii: "\"")))
                .| (block .== SIMD16<UInt8>(repeating: UInt8(ascii: "\\")))
                .| (signed .< SIMD16<Int8>(repeating: 0x20))
            // A mask is sixteen bytes, each zero or all ones; the lowest one set is the first special.
            let halves = unsafe unsafeBitCast(special, to: SIMD2<UInt64>.self)
            let low = UInt64(littleEndian: halves[0])
            if low != 0 { return unsafe at + low.trailingZeroBitCount &>> 3 }
            let high = UInt64(littleEndian: halves[1])
            if high != 0 { return unsafe at + (8 &+ high.trailingZeroBitCount &>> 3) }
            unsafe at += 16
        }
        while unsafe at < end {
            let byte = unsafe at.load(as: UInt8.self)
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte &- 0x20 >= 0x60 { break }
            unsafe at += 1
        }
        return unsafe at
    }
}
