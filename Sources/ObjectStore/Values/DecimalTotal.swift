/// The exact sum of decimal numbers, however many digits it has: the digits of each place are added by themselves, and
/// carried when it is asked for.
final class DecimalTotal {
    /// The powers of ten from ``lowest`` on. `Decimal` has -127 to 165, so what is beyond is no number of ours.
    private var places = [Int](repeating: 0, count: 640)
    private static let lowest = -256
    /// How many numbers were added.
    private(set) var count = 0
    private var isNumber = true

    /// Adds a number; null is none.
    ///
    /// - Parameter isUnsigned: whether a negative integer stands for one over 2^63-1.
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
        // Places hold as many digits as an integer: more than there can be rows.
        var place = number.exponent - Self.lowest
        for digit in number.digits.reversed() {
            let value = Int(digit &- 0x30)
            places[place] += number.isNegative ? -value : value
            place += 1
        }
    }

    /// The sum's digits; "NaN" where something that was added is no number, `nil` where nothing was added.
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

    /// Makes the places single digits, but for the sign, which all of them have or the highest.
    private func carry(_ digits: inout [Int]) {
        for index in digits.indices.dropLast() {
            let (quotient, remainder) = digits[index].quotientAndRemainder(dividingBy: 10)
            let borrow = remainder < 0 ? 1 : 0
            digits[index] = remainder + borrow * 10
            digits[index + 1] += quotient - borrow
        }
    }
}
