/// A number in its written form. Valid as long as the document's bytes.
@safe @usableFromInline package struct JSONNumber {
    /// In the grammar of RFC 8259 §6.
    @usableFromInline let text: UnsafeRawBufferPointer
    /// Without fraction and exponent.
    @usableFromInline package let isInteger: Bool

    /// `text` must be a valid JSON number, alive and unchanged while the number is used.
    @unsafe @inlinable init(unsafe text: UnsafeRawBufferPointer, isInteger: Bool) {
        unsafe self.text = text
        self.isInteger = isInteger
    }

    /// Nil unless `text`, such as a string's content, is exactly one JSON number. It must stay alive and unchanged
    /// while the number is used.
    @unsafe package init?(parsing text: UnsafeRawBufferPointer) {
        guard let first = unsafe text.first, first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10,
            var reader = unsafe try? JSONReader(unsafe: text), let scalar = try? reader.readScalar(),
            scalar.count == text.count
        else { return nil }
        unsafe self.init(unsafe: text, isInteger: scalar.isInteger)
    }

    /// Nil for a fraction (`1.5`) and out of range. `1.0`, `1e3` and `-0` are integers.
    @inlinable package var int64: Int64? {
        let isNegative = unsafe text.first == UInt8(ascii: "-")
        guard let magnitude = magnitude(from: isNegative ? 1 : 0) else { return nil }
        if isNegative { return magnitude <= 1 &<< 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
        return Int64(exactly: magnitude)
    }

    /// Nil for a fraction, a negative number and out of range. `-0` is 0.
    @inlinable package var uint64: UInt64? {
        let isNegative = unsafe text.first == UInt8(ascii: "-")
        guard let magnitude = magnitude(from: isNegative ? 1 : 0) else { return nil }
        return isNegative && magnitude != 0 ? nil : magnitude
    }

    @inlinable func magnitude(from first: Int) -> UInt64? {
        isInteger ? unsafe text.decimalMagnitude(from: first) : decimal.flatMap(\.integer)
    }

    /// Nearest, ties to even; nil beyond the largest finite double (`1e400`). Numbers too small become zero with their
    /// sign.
    package var double: Double? {
        if let magnitude = decimal?.exactDouble {
            return unsafe text.first == UInt8(ascii: "-") ? -magnitude : magnitude
        }
        let value = unsafe Double(String(decoding: text, as: UTF8.self))
        return value.flatMap { $0.isFinite ? $0 : nil }
    }

    package var isFinite: Bool { double != nil }
}

extension UnsafeRawBufferPointer {
    /// Decimal digits from index `first` on; nil above `UInt64.max`.
    @unsafe @inlinable func decimalMagnitude(from first: Int) -> UInt64? {
        // Without leading zeros, more than twenty digits exceed the range.
        guard count - first <= 20 else { return nil }
        var value: UInt64 = 0
        var index = first
        // Nineteen digits can't overflow.
        while index &+ 8 <= count, index &- first &+ 8 <= 19 {
            value = unsafe value &* 100_000_000 &+ eightDigits(at: index)
            index &+= 8
        }
        while index < count, index &- first < 19 {
            value = unsafe value &* 10 &+ UInt64(self[index] &- UInt8(ascii: "0"))
            index &+= 1
        }
        guard index < count else { return value }
        let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
        let (sum, carries) = unsafe tens.addingReportingOverflow(UInt64(self[index] &- UInt8(ascii: "0")))
        return overflows || carries ? nil : sum
    }

    /// By three multiplications: pairs, fours, eight.
    @unsafe @inlinable func eightDigits(at index: Int) -> UInt64 {
        var word = unsafe UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
        word = word &- 0x3030_3030_3030_3030
        word = word &* 10 &+ word &>> 8
        let low = (word & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
        let high = ((word &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
        return (low &+ high) &>> 32
    }
}
