/// An exact sum. Digits are summed by place, and carried when it is read.
final class DecimalTotal {
    /// From the power of ten ``lowest`` on. `Decimal` has powers from -127 to 165, so the places suffice.
    private var places = [Int](repeating: 0, count: 640)
    private static let lowest = -256
    private(set) var count = 0
    private var isNumber = true

    /// - Parameter isUnsigned: whether negative integers stand for integers over 2^63-1.
    func add(_ value: StoredValue, isUnsigned: Bool) {
        switch value {
        case .integer(let bits): add(isUnsigned ? String(UInt64(bitPattern: bits)) : String(bits))
        case .text(let text): add(text)
        case .real(let number): add("\(number)")
        case .null, .blob: break
        }
    }

    private func add(_ text: String) {
        count += 1
        guard let number = DecimalText(text), number.exponent >= Self.lowest,
            number.digits.count + number.exponent <= 256
        else {
            isNumber = false
            return
        }
        // A place overflows only after more numbers than there can be rows.
        var place = number.exponent - Self.lowest
        for digit in number.digits.reversed() {
            let value = Int(digit &- 0x30)
            places[place] += number.isNegative ? -value : value
            place += 1
        }
    }

    /// "NaN" if a summand is invalid, `nil` for an empty sum.
    var text: String? {
        guard count > 0 else { return nil }
        guard isNumber else { return "NaN" }
        var digits = places
        carry(&digits)
        let isNegative = (digits.last { $0 != 0 } ?? 0) < 0
        if isNegative {
            for index in digits.indices { digits[index] = -digits[index] }
            carry(&digits)
        }
        let text = digits.reversed().map { Character(UnicodeScalar(UInt8(0x30 + $0))) }
        let whole = text.dropLast(-Self.lowest).drop { $0 == "0" }
        var fraction = text.suffix(-Self.lowest)
        while fraction.last == "0" { fraction.removeLast() }
        return (isNegative ? "-" : "") + (whole.isEmpty ? "0" : String(whole))
            + (fraction.isEmpty ? "" : "." + String(fraction))
    }

    /// Leaves one digit in each place. The highest place keeps the sign.
    private func carry(_ digits: inout [Int]) {
        for index in digits.indices.dropLast() {
            let (quotient, remainder) = digits[index].quotientAndRemainder(dividingBy: 10)
            let borrow = remainder < 0 ? 1 : 0
            digits[index] = remainder + borrow * 10
            digits[index + 1] += quotient - borrow
        }
    }
}
