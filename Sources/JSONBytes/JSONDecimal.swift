/// `significand` × 10^`exponent`, exactly. The significand has no trailing zeros.
@usableFromInline struct JSONDecimal {
    @usableFromInline var significand: UInt64 = 0
    @usableFromInline var exponent = 0

    /// Nil for a fraction, or above `UInt64.max`.
    @usableFromInline var integer: UInt64? {
        guard significand != 0 else { return 0 }
        guard exponent >= 0, exponent < 20 else { return nil }
        var value = significand
        for _ in 0..<exponent {
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            if overflows { return nil }
            value = product
        }
        return value
    }

    /// Correctly rounded by one floating-point operation on exact operands: a significand up to 2^53 and a power of ten
    /// up to 10^22 (Clinger 1990). Nil otherwise.
    var exactDouble: Double? {
        guard significand <= 1 << 53, abs(exponent) < Self.powersOfTen.count else { return nil }
        let value = Double(significand)
        return exponent < 0 ? value / Self.powersOfTen[-exponent] : value * Self.powersOfTen[exponent]
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

extension JSONNumber {
    /// Nil if the significand exceeds `UInt64.max`, apart from trailing zeros. Linear in the text's length.
    @usableFromInline var decimal: JSONDecimal? {
        var decimal = JSONDecimal()
        var zeros = 0
        var fractionDigits = 0
        var inFraction = false
        var index = 0
        while unsafe index < text.count {
            let byte = unsafe text[index]
            index += 1
            if byte == UInt8(ascii: "-") { continue }
            if byte == UInt8(ascii: ".") {
                inFraction = true
                continue
            }
            if byte | 0x20 == UInt8(ascii: "e") { break }
            if inFraction { fractionDigits += 1 }
            guard decimal.append(digit: byte &- UInt8(ascii: "0"), pendingZeros: &zeros) else { return nil }
        }
        // The rest is the exponent, or empty.
        decimal.exponent = exponent(from: index) - fractionDigits + zeros
        if decimal.significand == 0 { decimal.exponent = 0 }
        return decimal
    }

    /// Limited to ±2^40. Beyond, a number in a text below 2 GiB rounds to zero or is out of range.
    private func exponent(from first: Int) -> Int {
        var value = 0
        var isNegative = false
        for index in unsafe first..<max(first, text.count) {
            let byte = unsafe text[index]
            if byte == UInt8(ascii: "-") { isNegative = true }
            let digit = byte &- UInt8(ascii: "0")
            if digit < 10 { value = min(value * 10 + Int(digit), 1 << 40) }
        }
        return isNegative ? -value : value
    }
}

extension JSONDecimal {
    /// Only counts zeros until another digit follows. Returns false if the significand overflows.
    mutating func append(digit: UInt8, pendingZeros: inout Int) -> Bool {
        if digit == 0 {
            if significand != 0 { pendingZeros += 1 }
            return true
        }
        for _ in 0..<(significand == 0 ? 0 : pendingZeros + 1) {
            let (product, overflows) = significand.multipliedReportingOverflow(by: 10)
            if overflows { return false }
            significand = product
        }
        pendingZeros = 0
        let (sum, overflows) = significand.addingReportingOverflow(UInt64(digit))
        significand = sum
        return !overflows
    }
}
