import Foundation

/// A decimal number of any size: digits × 10^exponent, without leading and trailing zeros.
struct DecimalText: Equatable {
    private(set) var isNegative = false
    private(set) var digits: [UInt8] = []
    private(set) var exponent = 0

    /// Takes numbers of JSON, also with leading zeros or a plus sign.
    init?(_ text: String) {
        var rest = text.utf8[...]
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            rest = rest.dropFirst()
        }
        guard let first = rest.first, first &- 0x30 < 10 else { return nil }
        var hasPoint = false
        while let byte = rest.first, byte &- 0x30 < 10 || (byte == UInt8(ascii: ".") && !hasPoint) {
            rest = rest.dropFirst()
            if byte == UInt8(ascii: ".") {
                hasPoint = true
            } else {
                digits.append(byte)
                if hasPoint { exponent -= 1 }
            }
        }
        if let mark = rest.first {
            guard mark | 0x20 == UInt8(ascii: "e"), let power = Int(String(decoding: rest.dropFirst(), as: UTF8.self)),
                power.magnitude < 1 << 40
            else { return nil }
            exponent += power
        }
        trim()
    }

    /// Whether `Decimal` can represent the number. Digits after the 38th may be lost.
    ///
    /// `Decimal` has exponents from -128 to 127, but reads `1.0e128` and rejects `1e128`. So Foundation decides, except
    /// for short texts that lack an exponent.
    static func isInRange(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.count <= 100, unsafe !bytes.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) { return true }
        return Decimal(stored: .text(unsafe String(decoding: bytes, as: UTF8.self))) != nil
    }

    private mutating func trim() {
        let zeros = digits.prefix { $0 == 0x30 }.count
        digits.removeFirst(zeros)
        while digits.last == 0x30 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { (isNegative, exponent) = (false, 0) }
    }

    /// `nil` for a number with a fraction or more than 40 digits.
    var integerText: String? {
        guard exponent >= 0, digits.count + exponent <= 40 else { return nil }
        if digits.isEmpty { return "0" }
        return (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
            + String(repeating: "0", count: exponent)
    }

    /// Negative if left is less.
    static func order(_ left: DecimalText, _ right: DecimalText) -> Int {
        if left == right { return 0 }
        if left.isNegative != right.isNegative { return left.isNegative ? -1 : 1 }
        let size = sizeOrder(left, right)
        return left.isNegative ? -size : size
    }

    private static func sizeOrder(_ left: DecimalText, _ right: DecimalText) -> Int {
        if left.digits.isEmpty != right.digits.isEmpty { return left.digits.isEmpty ? -1 : 1 }
        let (leftTop, rightTop) = (left.digits.count + left.exponent, right.digits.count + right.exponent)
        if leftTop != rightTop { return leftTop < rightTop ? -1 : 1 }
        return left.digits.lexicographicallyPrecedes(right.digits) ? -1 : 1
    }
}
