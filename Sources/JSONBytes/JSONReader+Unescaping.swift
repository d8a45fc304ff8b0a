extension JSONReader {
    /// The string's value as UTF-8: its bytes in the document where it has no escapes, else a copy in `scratch`.
    ///
    /// Alive until the document goes or `scratch` is emptied. `\u0000` is kept as a zero byte.
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

    /// Writes the string's value to `output`, which has room for the escaped form, and returns the value's length.
    ///
    /// The escapes were validated when the string was read. A value is never longer than its escaped form: six bytes
    /// become three at most, twelve become four. So writing stays behind reading, and `output` suffices.
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
            unsafe unescapeOne(source, &read, target, &written)
        }
        return written
    }

    /// Copies up to the next backslash, sixteen bytes at a time where as many are left on both sides.
    private func copyPlainRun(
        from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
    ) -> Int {
        var at = 0
        while at + 16 <= count {
            // `target` has at least as much room left as `source` has bytes, so both accesses are inside.
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

    /// Turns the escape at `read` into its UTF-8 at `written`, and moves both.
    private func unescapeOne(
        _ source: UnsafeRawPointer, _ read: inout Int, _ target: UnsafeMutableRawPointer, _ written: inout Int
    ) {
        let letter = unsafe source.load(fromByteOffset: read + 1, as: UInt8.self)
        read += 2
        guard letter == UInt8(ascii: "u") else {
            unsafe target.storeBytes(of: Self.character(forEscape: letter), toByteOffset: written, as: UInt8.self)
            written += 1
            return
        }
        var scalar = unsafe Self.hexUnit(source + read)
        read += 4
        if scalar & 0xFC00 == 0xD800 {
            // A low surrogate follows: a lone high one was refused when the string was read.
            let low = unsafe Self.hexUnit(source + read + 2)
            scalar = 0x10000 + (scalar & 0x3FF) &<< 10 + low & 0x3FF
            read += 6
        }
        guard let scalar = Unicode.Scalar(scalar), let encoded = UTF8.encode(scalar) else { return }
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

    /// Four hexadecimal digits, validated when the string was read.
    private static func hexUnit(_ digits: UnsafeRawPointer) -> UInt32 {
        var unit: UInt32 = 0
        for index in 0..<4 {
            let digit = unsafe digits.load(fromByteOffset: index, as: UInt8.self)
            unit = unit &<< 4 | (hexadecimalValue(of: digit) ?? 0)
        }
        return unit
    }
}
