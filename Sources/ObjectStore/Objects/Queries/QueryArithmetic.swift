public import Foundation

/// A number that questions compute with, or one that can be nil. Unsigned numbers of 64 bits, which SQLite has no
/// arithmetic for, are none.
public protocol QueryNumber: Sendable {
    /// The number without the optional.
    associatedtype Number: QuerySummable
}

extension Int: QueryNumber {
    /// Itself.
    public typealias Number = Int
}
extension Int8: QueryNumber {
    /// Itself.
    public typealias Number = Int8
}
extension Int16: QueryNumber {
    /// Itself.
    public typealias Number = Int16
}
extension Int32: QueryNumber {
    /// Itself.
    public typealias Number = Int32
}
extension Int64: QueryNumber {
    /// Itself.
    public typealias Number = Int64
}
extension UInt8: QueryNumber {
    /// Itself.
    public typealias Number = UInt8
}
extension UInt16: QueryNumber {
    /// Itself.
    public typealias Number = UInt16
}
extension UInt32: QueryNumber {
    /// Itself.
    public typealias Number = UInt32
}
extension Double: QueryNumber {
    /// Itself.
    public typealias Number = Double
}
extension Float: QueryNumber {
    /// Itself.
    public typealias Number = Float
}
extension Decimal: QueryNumber {
    /// Itself.
    public typealias Number = Decimal
}
extension Optional: QueryNumber where Wrapped: QueryNumber, Wrapped.Number == Wrapped {
    /// The number without the optional.
    public typealias Number = Wrapped
}

/// Two numbers within a question, and what is done with them.
struct NumberPair: Sendable {
    let operation: NumberOperation
    let left: Term
    let right: Term
    let depth: Int
    /// How many terms it is made of.
    let size: Int
    /// As many as a statement is made of: the same one within itself doubles it each time.
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

// Whole numbers are computed in 64 bits, whatever their type, and beyond them in floating point, so nothing traps and
// every comparison is right. What is read (`select`, `max`, a group's key) is refused where the type has no such
// number.

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

    /// The sum; nil where one of them is.
    public static func + <Other: QueryExpression>(left: Self, right: Other) -> QueryValue<Root, Value.Number?>
    where Other.Root == Root, Other.Value: QueryNumber, Other.Value.Number == Value.Number { left.with(.add, right) }

    /// The difference; nil where one of them is.
    public static func - <Other: QueryExpression>(left: Self, right: Other) -> QueryValue<Root, Value.Number?>
    where Other.Root == Root, Other.Value: QueryNumber, Other.Value.Number == Value.Number {
        left.with(.subtract, right)
    }

    /// The product; nil where one of them is.
    public static func * <Other: QueryExpression>(left: Self, right: Other) -> QueryValue<Root, Value.Number?>
    where Other.Root == Root, Other.Value: QueryNumber, Other.Value.Number == Value.Number {
        left.with(.multiply, right)
    }

    /// The quotient, of whole numbers a whole one; nil where one of them is, and where it is divided by zero.
    public static func / <Other: QueryExpression>(left: Self, right: Other) -> QueryValue<Root, Value.Number?>
    where Other.Root == Root, Other.Value: QueryNumber, Other.Value.Number == Value.Number { left.with(.divide, right) }

    /// The sum with a number; nil for nil.
    public static func + (left: Self, right: Value.Number) -> QueryValue<Root, Value.Number?> {
        left.computed(.numbers(.add, left.term, with: .constant(right.stored)))
    }

    /// The difference from a number; nil for nil.
    public static func - (left: Self, right: Value.Number) -> QueryValue<Root, Value.Number?> {
        left.computed(.numbers(.subtract, left.term, with: .constant(right.stored)))
    }

    /// The product with a number; nil for nil.
    public static func * (left: Self, right: Value.Number) -> QueryValue<Root, Value.Number?> {
        left.computed(.numbers(.multiply, left.term, with: .constant(right.stored)))
    }

    /// The quotient by a number, of whole numbers a whole one; nil for nil, and where the number is zero.
    public static func / (left: Self, right: Value.Number) -> QueryValue<Root, Value.Number?> {
        left.computed(.numbers(.divide, left.term, with: .constant(right.stored)))
    }

    /// The sum with a number; nil for nil.
    public static func + (left: Value.Number, right: Self) -> QueryValue<Root, Value.Number?> {
        right.computed(.numbers(.add, .constant(left.stored), with: right.term))
    }

    /// The difference of a number from it; nil for nil.
    public static func - (left: Value.Number, right: Self) -> QueryValue<Root, Value.Number?> {
        right.computed(.numbers(.subtract, .constant(left.stored), with: right.term))
    }

    /// The product with a number; nil for nil.
    public static func * (left: Value.Number, right: Self) -> QueryValue<Root, Value.Number?> {
        right.computed(.numbers(.multiply, .constant(left.stored), with: right.term))
    }

    /// The quotient of a number by it, of whole numbers a whole one; nil for nil and zero.
    public static func / (left: Value.Number, right: Self) -> QueryValue<Root, Value.Number?> {
        right.computed(.numbers(.divide, .constant(left.stored), with: right.term))
    }
}

extension QueryExpression where Value: QueryNumber, Value.Number: BinaryInteger {
    /// The whole number in floating point, beside others and for quotients with a fraction: `$0.done.double /
    /// $0.total.double`.
    public var double: QueryValue<Root, Double?> {
        computed(.numbers(.multiply, term, with: .constant(.real(1))))
    }

    /// The whole number as a decimal, beside others: `$0.price * $0.quantity.decimal`.
    public var decimal: QueryValue<Root, Decimal?> {
        computed(.numbers(.add, .constant(Decimal.zero.stored), with: term))
    }
}
