public import Foundation

/// A number that queries can calculate with, or an optional of one. SQLite has no arithmetic for unsigned 64-bit
/// integers.
public protocol QueryNumber: Sendable {
    /// The number type without the optional.
    associatedtype Number: QuerySummable
}

extension Int: QueryNumber {
    /// The type itself.
    public typealias Number = Int
}
extension Int8: QueryNumber {
    /// The type itself.
    public typealias Number = Int8
}
extension Int16: QueryNumber {
    /// The type itself.
    public typealias Number = Int16
}
extension Int32: QueryNumber {
    /// The type itself.
    public typealias Number = Int32
}
extension Int64: QueryNumber {
    /// The type itself.
    public typealias Number = Int64
}
extension UInt8: QueryNumber {
    /// The type itself.
    public typealias Number = UInt8
}
extension UInt16: QueryNumber {
    /// The type itself.
    public typealias Number = UInt16
}
extension UInt32: QueryNumber {
    /// The type itself.
    public typealias Number = UInt32
}
extension Double: QueryNumber {
    /// The type itself.
    public typealias Number = Double
}
extension Float: QueryNumber {
    /// The type itself.
    public typealias Number = Float
}
extension Decimal: QueryNumber {
    /// The type itself.
    public typealias Number = Decimal
}
extension Optional: QueryNumber where Wrapped: QueryNumber, Wrapped.Number == Wrapped {
    /// The number type without the optional.
    public typealias Number = Wrapped
}

struct NumberPair: Sendable {
    let operation: NumberOperation
    let left: Term
    let right: Term
    let depth: Int
    let size: Int
    /// Limits the length of statements: combining a term with itself doubles its size.
    private static let maximumSize = 1000

    fileprivate init(_ operation: NumberOperation, left: Term, right: Term) {
        (self.operation, self.left, self.right) = (operation, left, right)
        depth = 3 + max(left.depth, right.depth)
        size = left.size + right.size
    }

    fileprivate var term: Term {
        depth > Condition.maximumDepth || size > Self.maximumSize ? .tooDeep : .numbers(self)
    }
}

extension Term {
    static func numbers(_ operation: NumberOperation, _ left: Term, with right: Term) -> Term {
        NumberPair(operation, left: left, right: right).term
    }

    fileprivate var size: Int {
        switch self {
        case .numbers(let pair): pair.size
        case .linked(_, let term), .folded(let term), .aggregate(_, let term): term.size
        case .row, .property, .constant, .count, .tooDeep: 1
        }
    }
}

// MARK: - Operators

// Integers are calculated in 64 bits, or in floating point if the result is larger, so nothing traps. Reading a value
// that its type can't represent throws an error.

extension QueryExpression where Value: QueryNumber {
    private func with<Other: QueryExpression>(
        _ operation: NumberOperation, _ other: Other
    ) -> QueryValue<Root, Value.Number?> { computed(.numbers(operation, term, with: other.term)) }

    private func computed<Number: QuerySummable>(_ term: Term) -> QueryValue<Root, Number?> {
        QueryValue(
            term: term, decode: { Number(stored: $0) }, encode: { $0?.stored ?? .null },
            refusal: {
                $0.isNull || Number(stored: $0) != nil ? nil : "a value is beyond what \(Number.self) has a number for"
            }
        )
    }

    /// The sum; nil if an operand is nil.
    public static func + <Other: QueryExpression>(left: Self, right: Other) -> QueryValue<Root, Value.Number?>
    where Other.Root == Root, Other.Value: QueryNumber, Other.Value.Number == Value.Number { left.with(.add, right) }

    /// The difference; nil if an operand is nil.
    public static func - <Other: QueryExpression>(left: Self, right: Other) -> QueryValue<Root, Value.Number?>
    where Other.Root == Root, Other.Value: QueryNumber, Other.Value.Number == Value.Number {
        left.with(.subtract, right)
    }

    /// The product; nil if an operand is nil.
    public static func * <Other: QueryExpression>(left: Self, right: Other) -> QueryValue<Root, Value.Number?>
    where Other.Root == Root, Other.Value: QueryNumber, Other.Value.Number == Value.Number {
        left.with(.multiply, right)
    }

    /// The quotient, an integer for integers; nil if an operand is nil or the divisor 0.
    public static func / <Other: QueryExpression>(left: Self, right: Other) -> QueryValue<Root, Value.Number?>
    where Other.Root == Root, Other.Value: QueryNumber, Other.Value.Number == Value.Number { left.with(.divide, right) }

    /// The sum; nil for nil.
    public static func + (left: Self, right: Value.Number) -> QueryValue<Root, Value.Number?> {
        left.computed(.numbers(.add, left.term, with: .constant(right.stored)))
    }

    /// The difference; nil for nil.
    public static func - (left: Self, right: Value.Number) -> QueryValue<Root, Value.Number?> {
        left.computed(.numbers(.subtract, left.term, with: .constant(right.stored)))
    }

    /// The product; nil for nil.
    public static func * (left: Self, right: Value.Number) -> QueryValue<Root, Value.Number?> {
        left.computed(.numbers(.multiply, left.term, with: .constant(right.stored)))
    }

    /// The quotient, an integer for integers; nil for nil, or if the divisor is 0.
    public static func / (left: Self, right: Value.Number) -> QueryValue<Root, Value.Number?> {
        left.computed(.numbers(.divide, left.term, with: .constant(right.stored)))
    }

    /// The sum; nil for nil.
    public static func + (left: Value.Number, right: Self) -> QueryValue<Root, Value.Number?> {
        right.computed(.numbers(.add, .constant(left.stored), with: right.term))
    }

    /// The difference; nil for nil.
    public static func - (left: Value.Number, right: Self) -> QueryValue<Root, Value.Number?> {
        right.computed(.numbers(.subtract, .constant(left.stored), with: right.term))
    }

    /// The product; nil for nil.
    public static func * (left: Value.Number, right: Self) -> QueryValue<Root, Value.Number?> {
        right.computed(.numbers(.multiply, .constant(left.stored), with: right.term))
    }

    /// The quotient, an integer for integers; nil for nil and 0.
    public static func / (left: Value.Number, right: Self) -> QueryValue<Root, Value.Number?> {
        right.computed(.numbers(.divide, .constant(left.stored), with: right.term))
    }
}

extension QueryExpression where Value: QueryNumber, Value.Number: BinaryInteger {
    /// The integer as a floating-point number: `$0.done.double / $0.total.double`.
    public var double: QueryValue<Root, Double?> {
        computed(.numbers(.multiply, term, with: .constant(.real(1))))
    }

    /// The integer as a decimal: `$0.price * $0.quantity.decimal`.
    public var decimal: QueryValue<Root, Decimal?> {
        computed(.numbers(.add, .constant(Decimal.zero.stored), with: term))
    }
}
