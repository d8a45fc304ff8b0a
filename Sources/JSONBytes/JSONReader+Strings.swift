// MARK: - Reading keys and strings

extension JSONReader {
    @inlinable package mutating func readKey() throws(JSONError) -> JSONString {
        skipWhitespace()
        guard !isAtEnd, byte == UInt8(ascii: "\"") else { throw failure(.expectedKey) }
        let key = try scanString()
        skipWhitespace()
        guard !isAtEnd, byte == UInt8(ascii: ":") else { throw failure(.expectedColon) }
        advance()
        return key
    }

    /// Skips the next key and its `:` if they are exactly `name`'s bytes, at the cost of two or three loads.
    ///
    /// If false, only white space was skipped, and `readKey()` reads the key, which may still be equal apart from
    /// escapes and white space.
    @inlinable @inline(__always) package mutating func readKey(expecting name: JSONName) -> Bool {
        skipWhitespace()
        guard unsafe name.begins(at: cursor, before: end) else { return false }
        unsafe cursor += name.count
        return true
    }

    /// A guess for the next object, valid as long as the document's bytes. Nil if white space precedes the colon.
    @inlinable package func name(of key: JSONString) -> JSONName? {
        guard key.kind == .string, key.start > 0, Int(key.end) + 1 < (unsafe end - start) else { return nil }
        // In bounds: the range with one byte more before and two after was just compared.
        let quoted = unsafe UnsafeRawBufferPointer(start: start + Int(key.start) - 1, count: key.count + 3)
        guard unsafe quoted[key.count + 2] == UInt8(ascii: ":") else { return nil }
        return unsafe JSONName(unsafe: quoted)
    }
}

extension JSONReader {
    /// At the opening quote. Plain ASCII is read here, sixteen bytes at a time, the rest out of line.
    @inlinable @inline(__always) mutating func scanString() throws(JSONError) -> JSONString {
        advance()
        let from = unsafe cursor
        unsafe cursor = firstSpecial(from: from)
        guard !isAtEnd, byte == UInt8(ascii: "\"") else { return unsafe try scanRestOfString(from: from) }
        let string = unsafe JSONString(start: offset(of: from), end: offset(of: cursor), kind: .string)
        advance()
        return string
    }

    /// At the first byte other than plain ASCII.
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

    /// A quote, backslash, control character or non-ASCII byte, or the end.
    @inlinable @inline(__always) func firstSpecial(from position: UnsafeRawPointer) -> UnsafeRawPointer {
        var at = unsafe position
        // Sixteen bytes are before `end`.
        while unsafe end - at >= 16 {
            let block = unsafe at.loadUnaligned(as: SIMD16<UInt8>.self)
            // As signed numbers, control characters and non-ASCII bytes are below a space.
            let signed = unsafe unsafeBitCast(block, to: SIMD16<Int8>.self)
            let special =
                (block .== SIMD16<UInt8>(repeating: UInt8(ascii: "\"")))
                .| (block .== SIMD16<UInt8>(repeating: UInt8(ascii: "\\")))
                .| (signed .< SIMD16<Int8>(repeating: 0x20))
            // Each byte is zero or all ones. The lowest set one is the first special byte.
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

    /// The cursor is at the backslash. Skips both halves of a surrogate pair.
    private mutating func passEscape() throws(JSONError) {
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
            // JavaScript's `JSON.stringify` writes it for an emoji cut in half.
            guard unit < 0xDC00, try passLowSurrogate() else {
                loneSurrogateCount += 1
                return
            }
        default:
            throw unsafe failure(.invalidEscape, at: escape)
        }
    }

    /// Returns false, and keeps the cursor, for anything else.
    private mutating func passLowSurrogate() throws(JSONError) -> Bool {
        let before = unsafe cursor
        for expected in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
            guard !isAtEnd else { throw failure(.unexpectedEnd) }
            guard byte == expected else {
                unsafe cursor = before
                return false
            }
            advance()
        }
        let unit = unsafe try passHexUnit(of: before)
        if unit & 0xFC00 == 0xDC00 { return true }
        unsafe cursor = before
        return false
    }

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

    /// Of two to four bytes, by Unicode 16, table 3-7. Overlong forms, surrogates, and characters above U+10FFFF are
    /// invalid.
    @inline(__always) private mutating func passMultibyteCharacter() throws(JSONError) {
        let lead = byte
        let length: Int
        // Only the second byte has exceptions; later bytes are 80...BF.
        var lowest: UInt8 = 0x80
        var highest: UInt8 = 0xBF
        switch lead {
        case 0xC2...0xDF:
            length = 2
        case 0xE0...0xEF:
            length = 3
            if lead == 0xE0 { lowest = 0xA0 }
            if lead == 0xED { highest = 0x9F }
        case 0xF0...0xF4:
            length = 4
            if lead == 0xF0 { lowest = 0x90 }
            if lead == 0xF4 { highest = 0x8F }
        default:
            throw failure(.invalidUTF8)
        }
        var index = 1
        while index < length {
            guard remaining > index else { throw unsafe failure(.unexpectedEnd, at: end) }
            // In bounds, as just checked.
            let next = unsafe cursor.load(fromByteOffset: index, as: UInt8.self)
            guard next >= lowest, next <= highest else { throw failure(.invalidUTF8) }
            lowest = 0x80
            highest = 0xBF
            index &+= 1
        }
        unsafe cursor += length
    }
}

// MARK: - Unescaping strings

extension JSONReader {
    /// UTF-8, in the document or, with escapes, in `scratch`. Valid until either is freed or emptied. `\u0000` becomes
    /// a zero byte.
    @unsafe @inlinable
    package func unescaped(_ string: JSONString, into scratch: inout JSONScratch) -> UnsafeRawBufferPointer {
        guard string.hasEscapes else { return unsafe bytes(of: string) }
        return unsafe unescapedCopy(string, into: &scratch)
    }

    @unsafe @usableFromInline @inline(never)
    func unescapedCopy(_ string: JSONString, into scratch: inout JSONScratch) -> UnsafeRawBufferPointer {
        let room = unsafe scratch.reserve(string.count)
        let count = unsafe unescape(string, to: room)
        scratch.keep(count)
        return unsafe UnsafeRawBufferPointer(rebasing: room[..<count])
    }

    /// `output` must have room for the escaped form. Returns the length.
    ///
    /// The escapes are valid. A value is never longer than its escaped form: six bytes become at most three, twelve
    /// become four. So writing never overtakes reading.
    @unsafe func unescape(_ string: JSONString, to output: UnsafeMutableRawBufferPointer) -> Int {
        let input = unsafe bytes(of: string)
        guard let source = input.baseAddress, let target = output.baseAddress, output.count >= input.count else {
            return 0
        }
        var read = 0
        var written = 0
        while read < input.count {
            let run = unsafe copyPlainRun(from: source + read, to: target + written, count: input.count - read)
            read += run
            written += run
            guard read + 1 < input.count else { break }
            unsafe unescapeOne(at: &read, of: input, to: &written, of: target)
        }
        return written
    }

    /// Up to the next backslash, sixteen bytes at a time.
    private func copyPlainRun(
        from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
    ) -> Int {
        var at = 0
        while at + 16 <= count {
            // `target` has as much room as `source` has bytes.
            let block = unsafe (source + at).loadUnaligned(as: SIMD16<UInt8>.self)
            unsafe (target + at).storeBytes(of: block, as: SIMD16<UInt8>.self)
            let backslashes = block .== SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
            let halves = unsafe unsafeBitCast(backslashes, to: SIMD2<UInt64>.self)
            let low = UInt64(littleEndian: halves[0])
            if low != 0 { return at + low.trailingZeroBitCount &>> 3 }
            let high = UInt64(littleEndian: halves[1])
            if high != 0 { return at + 8 + high.trailingZeroBitCount &>> 3 }
            at += 16
        }
        while at < count {
            let byte = unsafe (source + at).load(as: UInt8.self)
            if byte == UInt8(ascii: "\\") { break }
            unsafe (target + at).storeBytes(of: byte, as: UInt8.self)
            at += 1
        }
        return at
    }

    /// Advances both offsets.
    private func unescapeOne(
        at read: inout Int, of source: UnsafeRawBufferPointer, to written: inout Int, of target: UnsafeMutableRawPointer
    ) {
        let letter = unsafe source[read + 1]
        read += 2
        guard letter == UInt8(ascii: "u") else {
            unsafe target.storeBytes(of: Self.character(forEscape: letter), toByteOffset: written, as: UInt8.self)
            written += 1
            return
        }
        var unit = unsafe Self.hexUnit(source[read...])
        read += 4
        if unit & 0xFC00 == 0xD800, source.count - read >= 6, unsafe source[read] == UInt8(ascii: "\\"),
            unsafe source[read + 1] == UInt8(ascii: "u")
        {
            let low = unsafe Self.hexUnit(source[(read + 2)...])
            if low & 0xFC00 == 0xDC00 {
                unit = 0x10000 + (unit & 0x3FF) &<< 10 + low & 0x3FF
                read += 6
            }
        }
        // A lone surrogate is replaced.
        guard let encoded = UTF8.encode(Unicode.Scalar(unit) ?? "\u{FFFD}") else { return }
        for byte in encoded {
            unsafe target.storeBytes(of: byte, toByteOffset: written, as: UInt8.self)
            written += 1
        }
    }

    private static func character(forEscape letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// The digits are valid.
    private static func hexUnit(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt32 {
        var unit: UInt32 = 0
        for index in unsafe digits.startIndex..<digits.startIndex + 4 {
            unit = unsafe unit &<< 4 | (hexadecimalValue(of: digits[index]) ?? 0)
        }
        return unit
    }

    package func isEqual(_ string: JSONString, to name: UnsafeRawBufferPointer) -> Bool {
        guard string.hasEscapes else { return unsafe equal(bytes(of: string), name) }
        var value = self.string(string)
        return value.withUTF8 { unsafe equal(UnsafeRawBufferPointer($0), name) }
    }

    /// By UTF-8; canonically equivalent texts differ.
    package func isEqual(_ string: JSONString, to name: String) -> Bool {
        var name = name
        return name.withUTF8 { unsafe isEqual(string, to: UnsafeRawBufferPointer($0)) }
    }
}

/// In either case; nil for another byte.
private func hexadecimalValue(of byte: UInt8) -> UInt32? {
    let digit = byte &- UInt8(ascii: "0")
    if digit < 10 { return UInt32(digit) }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? UInt32(letter) + 10 : nil
}
