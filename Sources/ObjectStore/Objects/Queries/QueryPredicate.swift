/// A condition on the objects of a model, made of its properties' tokens with `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||`
/// and `!`.
///
/// ```swift
/// context.query(Issue.self).where { $0.state == .open && $0.number > 100 }
/// ```
///
/// As in Swift, `!=` holds for a nil value, and `<` never does.
public struct QueryPredicate<M: Model>: Sendable {
    let condition: Condition

    /// Both hold.
    public static func && (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
        QueryPredicate(condition: .and(left.condition, right.condition))
    }

    /// At least one holds.
    public static func || (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
        QueryPredicate(condition: .or(left.condition, right.condition))
    }

    /// It does not hold.
    public static prefix func ! (predicate: QueryPredicate) -> QueryPredicate {
        QueryPredicate(condition: .not(predicate.condition))
    }
}

// MARK: Comparing attributes

extension Attribute {
    private func compare(_ comparison: Condition.Comparison, _ value: Value) -> QueryPredicate<Owner> {
        QueryPredicate(condition: .compare(property: index, comparison, encode(value)))
    }

    /// The value is this one; nil is equal to nil only.
    public static func == (attribute: Attribute, value: Value) -> QueryPredicate<Owner> {
        attribute.compare(.equal, value)
    }

    /// The value is another one; nil is another one than any value.
    public static func != (attribute: Attribute, value: Value) -> QueryPredicate<Owner> {
        attribute.compare(.unequal, value)
    }

    /// The value is less; never for nil.
    public static func < (attribute: Attribute, value: Value) -> QueryPredicate<Owner> {
        attribute.compare(.less, value)
    }

    /// The value is less or equal; never for nil.
    public static func <= (attribute: Attribute, value: Value) -> QueryPredicate<Owner> {
        attribute.compare(.lessOrEqual, value)
    }

    /// The value is greater; never for nil.
    public static func > (attribute: Attribute, value: Value) -> QueryPredicate<Owner> {
        attribute.compare(.greater, value)
    }

    /// The value is greater or equal; never for nil.
    public static func >= (attribute: Attribute, value: Value) -> QueryPredicate<Owner> {
        attribute.compare(.greaterOrEqual, value)
    }

    /// The value is one of these.
    public func isAmong(_ values: some Sequence<Value>) -> QueryPredicate<Owner> {
        QueryPredicate(condition: .isAmong(property: index, values.map(encode)))
    }
}

extension Sequence where Element: Sendable {
    /// The attribute's value is one of these, as ``Attribute/isAmong(_:)`` says it: `[1, 2].contains($0.number)`.
    public func contains<M>(_ attribute: Attribute<M, Element>) -> QueryPredicate<M> { attribute.isAmong(self) }

    /// The attribute's value is one of these, and not nil.
    public func contains<M>(_ attribute: Attribute<M, Element?>) -> QueryPredicate<M> {
        attribute.isAmong(map { $0 })
    }
}

// A range is a sequence as well, which may have no end, so it has functions of its own.

extension ClosedRange where Bound: Sendable {
    /// The attribute's value is in the range: `(1...5).contains($0.number)`.
    public func contains<M>(_ attribute: Attribute<M, Bound>) -> QueryPredicate<M> {
        attribute >= lowerBound && attribute <= upperBound
    }

    /// The attribute's value is in the range, and not nil.
    public func contains<M>(_ attribute: Attribute<M, Bound?>) -> QueryPredicate<M> {
        attribute >= lowerBound && attribute <= upperBound
    }
}

extension Range where Bound: Sendable {
    /// The attribute's value is in the range: `(1..<5).contains($0.number)`.
    public func contains<M>(_ attribute: Attribute<M, Bound>) -> QueryPredicate<M> {
        attribute >= lowerBound && attribute < upperBound
    }

    /// The attribute's value is in the range, and not nil.
    public func contains<M>(_ attribute: Attribute<M, Bound?>) -> QueryPredicate<M> {
        attribute >= lowerBound && attribute < upperBound
    }
}

extension PartialRangeFrom where Bound: Sendable {
    /// The attribute's value is in the range: `(5...).contains($0.number)`.
    public func contains<M>(_ attribute: Attribute<M, Bound>) -> QueryPredicate<M> { attribute >= lowerBound }

    /// The attribute's value is in the range, and not nil.
    public func contains<M>(_ attribute: Attribute<M, Bound?>) -> QueryPredicate<M> { attribute >= lowerBound }
}

extension Attribute where Value == String {
    /// The text occurs in the value, letter case aside for ASCII letters.
    public func contains(_ text: String) -> QueryPredicate<Owner> {
        QueryPredicate(condition: .contains(property: index, text))
    }
}

extension Attribute where Value == String? {
    /// The text occurs in the value, letter case aside for ASCII letters.
    public func contains(_ text: String) -> QueryPredicate<Owner> {
        QueryPredicate(condition: .contains(property: index, text))
    }
}

// MARK: Comparing links

extension ToOne {
    /// The link references this object; `nil`: none.
    public static func == (link: ToOne, object: Destination?) -> QueryPredicate<Owner> {
        QueryPredicate(condition: .compare(property: link.index, .equal, Self.stored(object)))
    }

    /// The link doesn't reference this object; `nil`: it references one.
    public static func != (link: ToOne, object: Destination?) -> QueryPredicate<Owner> {
        QueryPredicate(condition: .compare(property: link.index, .unequal, Self.stored(object)))
    }

    private static func stored(_ object: Destination?) -> StoredValue {
        // No row references one that is deleted, though the file may not know it yet: 0 is no row's key.
        StoredValue(object.map { $0.isDeleted ? RowID(0) : $0._object.localID })
    }
}
