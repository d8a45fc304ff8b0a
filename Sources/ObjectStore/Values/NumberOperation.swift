import Foundation

/// An operation with the same results in SQLite and in memory.
enum NumberOperation: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"

    /// As in SQLite (https://sqlite.org/lang_expr.html): integers have 64 bits, and a larger result is a floating-point
    /// number. NULL for operands that aren't numbers, and for a division by zero.
    func result(_ left: StoredValue, _ right: StoredValue) -> StoredValue {
        if case .integer(let left) = left, case .integer(let right) = right {
            if self == .divide, right == 0 { return .null }
            let (whole, isOver) = whole(left, right)
            if !isOver { return .integer(whole) }
        }
        guard let left = Double(stored: left), let right = Double(stored: right), self != .divide || right != 0 else {
            return .null
        }
        let number = real(left, right)
        return number.isNaN ? .null : .real(number)
    }

    private func whole(_ left: Int64, _ right: Int64) -> (Int64, Bool) {
        switch self {
        case .add: left.addingReportingOverflow(right)
        case .subtract: left.subtractingReportingOverflow(right)
        case .multiply: left.multipliedReportingOverflow(by: right)
        case .divide: left.dividedReportingOverflow(by: right)
        }
    }

    private func real(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        }
    }

    /// The result with up to 38 digits. NULL if `Decimal` can't represent the result.
    func decimal(_ left: StoredValue, _ right: StoredValue) -> StoredValue {
        guard let left = Self.decimal(left), let right = Self.decimal(right) else { return .null }
        // Foundation traps at exponents beyond its range.
        let isUsual = abs(left.exponent) <= 20 && abs(right.exponent) <= 20
        switch self {
        case .add: return isUsual ? Self.stored(left + right) : Self.sum(left, right)
        case .subtract: return isUsual ? Self.stored(left - right) : Self.sum(left, -right)
        case .multiply: return isUsual ? Self.stored(left * right) : Self.product(left, right)
        case .divide: return Self.quotient(left, right)
        }
    }

    private static func sum(_ left: Decimal, _ right: Decimal) -> StoredValue {
        let total = DecimalTotal()
        for number in [left, right] { total.add(number.stored, isUnsigned: false) }
        return total.text.map(stored(text:)) ?? .null
    }

    private static func product(_ left: Decimal, _ right: Decimal) -> StoredValue {
        let digits = left.significand.magnitude * right.significand.magnitude
        return stored(text: "\(sign(left, right))\(digits)e\(left.exponent + right.exponent)")
    }

    /// Foundation's division loses as many digits as the divisor has, and errs for some numbers (-8e20 by -105089e-18).
    private static func quotient(_ left: Decimal, _ right: Decimal) -> StoredValue {
        guard let dividend = UInt128(left.significand.magnitude.description),
            let divisor = UInt128(right.significand.magnitude.description), divisor > 0
        else { return .null }
        let (digits, exponent) = quotient(dividend, divisor)
        return stored(text: "\(sign(left, right))\(digits)e\(exponent + left.exponent - right.exponent)")
    }

    private static func sign(_ left: Decimal, _ right: Decimal) -> String {
        left.isSignMinus == right.isSignMinus ? "" : "-"
    }

    /// Up to 38 digits.
    private static func quotient(_ dividend: UInt128, _ divisor: UInt128) -> (digits: String, exponent: Int) {
        var (whole, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
        var (digits, exponent) = (whole == 0 ? "" : "\(whole)", 0)
        while rest > 0, digits.utf8.count < 38 {
            // Safe: the rest is less than the divisor, so the quotient is one digit.
            (whole, rest) = divisor.dividingFullWidth(rest.multipliedFullWidth(by: 10))
            if whole > 0 || !digits.isEmpty { digits += "\(whole)" }
            exponent -= 1
        }
        return (digits.isEmpty ? "0" : digits, exponent)
    }

    private static func stored(text: String) -> StoredValue {
        Decimal(stored: .text(text)).map { stored($0) } ?? .null
    }

    private static func stored(_ number: Decimal) -> StoredValue { number.isNaN ? .null : number.stored }

    private static func decimal(_ value: StoredValue) -> Decimal? {
        if case .integer(let whole) = value { return Decimal(whole) }
        return Decimal(stored: value).flatMap { $0.isNaN ? nil : $0 }
    }
}
