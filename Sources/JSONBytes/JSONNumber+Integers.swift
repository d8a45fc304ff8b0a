extension UnsafeRawBufferPointer {
    /// The value of the decimal digits from index `first` on, which are all that is there; nil above `UInt64.max`.
    @unsafe @inlinable func decimalMagnitude(from first: Int) -> UInt64? {
        // JSON knows no leading zeros, so more than twenty digits are too many.
        guard count - first <= 20 else { return nil }
        var value: UInt64 = 0
        var index = first
        // The first nineteen digits can't overflow; eight of them at a time.
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

    /// Eight ASCII digits as a number, by three multiplications: pairs, fours, eight.
    @unsafe @inlinable func eightDigits(at index: Int) -> UInt64 {
        var word = unsafe UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self))
        word = word &- 0x3030_3030_3030_3030
        word = word &* 10 &+ word &>> 8
        let low = (word & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
        let high = ((word &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
        return (low &+ high) &>> 32
    }
}
