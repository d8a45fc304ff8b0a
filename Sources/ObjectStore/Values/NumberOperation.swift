import Foundation

/// What a question does with two numbers: the same in SQLite and in memory.
enum NumberOperation: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"

    /// As SQLite has it (https://sqlite.org/lang_expr.html): whole numbers have 64 bits, and become floating-point ones where the
    /// result has more. NULL where one of them is, where it is divided by zero, and for what is no number.
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

    /// The same of decimals, as `Decimal` has it: with up to 38 digits. NULL for what it has no number for.
    func decimal(_ left: StoredValue, _ right: StoredValue) -> StoredValue {
        guard let left = Self.decimal(left), let right = Self.decimal(right), self != .divide || !right.isZero else {
            return .null
        }
        let isUsual = abs(left.exponent) <= 20 && abs(right.exponent) <= 20
        return isUsual ? Self.stored(decimal(left, right)) : extreme(left, right)
    }

    private func decimal(_ left: Decimal, _ right: Decimal) -> Decimal {
        switch self {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        }
    }

    /// The same of decimals whose exponents `Decimal` may not bear to have added up: it traps then.
    private func extreme(_ left: Decimal, _ right: Decimal) -> StoredValue {
        if self == .add || self == .subtract {
            let total = DecimalTotal()
            total.add(left.stored, isUnsigned: false)
            total.add((self == .add ? right : -right).stored, isUnsigned: false)
            return total.text.map(Self.stored(text:)) ?? .null
        }
        let digits = decimal(left.significand.magnitude, right.significand.magnitude)
        let sign = left.isSignMinus == right.isSignMinus ? "" : "-"
        let exponent = self == .multiply ? left.exponent + right.exponent : left.exponent - right.exponent
        return Self.stored(text: "\(sign)\(digits)e\(exponent)")
    }

    private static func stored(text: String) -> StoredValue {
        guard let number = DecimalText(text), number.isInRange, let decimal = Decimal(stored: .text(text)) else {
            return .null
        }
        return stored(decimal)
    }

    private static func stored(_ number: Decimal) -> StoredValue { number.isNaN ? .null : number.stored }

    private static func decimal(_ value: StoredValue) -> Decimal? {
        if case .integer(let whole) = value { return Decimal(whole) }
        return Decimal(stored: value).flatMap { $0.isNaN ? nil : $0 }
    }
}
