public import Foundation

/// A number that queries can sum. Sums of decimals and integers are exact.
public protocol QuerySummable: AttributeValue, Numeric {}
extension Int: QuerySummable {}
extension Int8: QuerySummable {}
extension Int16: QuerySummable {}
extension Int32: QuerySummable {}
extension Int64: QuerySummable {}
extension Int128: QuerySummable {}
extension UInt: QuerySummable {}
extension UInt8: QuerySummable {}
extension UInt16: QuerySummable {}
extension UInt32: QuerySummable {}
extension UInt64: QuerySummable {}
extension UInt128: QuerySummable {}
extension Double: QuerySummable {}
extension Float: QuerySummable {}
extension Decimal: QuerySummable {}

extension QuerySummable {
    /// `nil` if the sum is outside the type's range or precision.
    init?(sum: StoredValue) {
        switch (Self.kind, sum) {
        case (.unsigned, .text(let text)):
            guard let number = UInt64(text) else { return nil }
            self.init(stored: number.stored)
        case (.decimal, .text(let text)):
            self.init(stored: sum)
            guard text == "NaN" || StoredValue.order(stored, sum, as: .decimal) == 0 else { return nil }
        // The sum was beyond 64 bits.
        case (.integer, .real): return nil
        default: self.init(stored: sum)
        }
    }

    static var sumProblem: String { "the sum of the values is beyond what \(Self.self) has a number for" }
}

/// A number, or the result of ``ExactNumbers/mean``: the sum, a slash and the count.
struct Mean {
    private let sum: StoredValue
    private let count: Int

    init?(_ value: StoredValue) {
        guard case .text(let text) = value else {
            (sum, count) = (value, 1)
            return
        }
        let parts = text.split(separator: "/")
        guard parts.count == 2, let count = Int(parts[1]) else { return nil }
        (sum, self.count) = (.text(String(parts[0])), count)
    }

    var double: Double? {
        guard case .text(let text) = sum else { return Double(stored: sum) }
        return Double(text).map { $0 / Double(count) }
    }

    /// `nil` if a decimal can't represent the sum.
    var decimal: Decimal? {
        guard Decimal(sum: sum) != nil else { return nil }
        return Decimal(stored: NumberOperation.divide.decimal(sum, .integer(Int64(count))))
    }
}
