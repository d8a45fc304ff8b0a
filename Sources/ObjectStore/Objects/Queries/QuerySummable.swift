public import Foundation

/// A number that can be added up. Decimals and whole numbers of any size are added up exactly.
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
    /// What SQLite has added up; `nil` where the type has no such number, or a rounded one.
    init?(sum: StoredValue) {
        switch (Self.kind, sum) {
        case (.unsigned, .text(let text)):
            guard let number = UInt64(text) else { return nil }
            self.init(stored: number.stored)
        case (.decimal, .text(let text)):
            self.init(stored: sum)
            guard text == "NaN" || StoredValue.order(stored, sum, as: .decimal) == 0 else { return nil }
        // Some of what was added was beyond 64 bits.
        case (.integer, .real): return nil
        default: self.init(stored: sum)
        }
    }

    static var sumProblem: String { "the sum of the values is beyond what \(Self.self) has a number for" }
}

/// A mean: a number, or as ``ExactNumbers/mean`` has it, the sum, a stroke and how many there are.
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

    /// `nil` where the sum has more digits than decimals have.
    var decimal: Decimal? {
        guard Decimal(sum: sum) != nil else { return nil }
        return Decimal(stored: NumberOperation.divide.decimal(sum, .integer(Int64(count))))
    }
}
