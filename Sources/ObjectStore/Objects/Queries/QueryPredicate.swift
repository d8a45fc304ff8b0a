/// A condition on the objects of a model: a ``QueryPredicate``, or a Boolean attribute.
public protocol QueryCondition<Root>: Sendable {
    /// The model that the query is about.
    associatedtype Root: Model
    /// The condition in its general form.
    var queryPredicate: QueryPredicate<Root> { get }
}

/// A condition on the objects of a model, of its properties and `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||` and `!`.
///
/// ```swift
/// context.query(Issue.self).where {
///     $0.state == .open && $0.user.login == "octocat" && $0.labels.contains { $0.name == "bug" }
/// }
/// ```
///
/// As in Swift, a nil value meets `!=` and never meets `<`. Properties of a missing linked object are nil.
public struct QueryPredicate<Root: Model>: QueryCondition {
    let condition: Condition

    /// This condition.
    public var queryPredicate: QueryPredicate { self }
}

/// `Bool` and `Bool?`, which are conditions by themselves.
public protocol QueryTruth {}
extension Bool: QueryTruth {}
extension Optional: QueryTruth where Wrapped == Bool {}

extension QueryExpression where Value: QueryTruth {
    /// The value is true; false for nil.
    public var queryPredicate: QueryPredicate<Root> {
        QueryPredicate(condition: .compare(term, .equal, .integer(1)))
    }
}

extension Attribute: QueryCondition where Value: QueryTruth {}
extension QueryValue: QueryCondition where Value: QueryTruth {}

extension QueryCondition {
    /// Both conditions hold.
    public static func && <Other: QueryCondition>(left: Self, right: Other) -> QueryPredicate<Root>
    where Other.Root == Root {
        QueryPredicate(condition: .and(left.queryPredicate.condition, right.queryPredicate.condition))
    }

    /// At least one condition holds.
    public static func || <Other: QueryCondition>(left: Self, right: Other) -> QueryPredicate<Root>
    where Other.Root == Root {
        QueryPredicate(condition: .or(left.queryPredicate.condition, right.queryPredicate.condition))
    }

    /// The condition is false.
    public static prefix func ! (condition: Self) -> QueryPredicate<Root> {
        QueryPredicate(condition: .not(condition.queryPredicate.condition))
    }
}

// MARK: - Comparing with values

extension QueryExpression {
    private func compare(_ comparison: Condition.Comparison, _ value: Value) -> QueryPredicate<Root> {
        QueryPredicate(condition: .compare(term, comparison, stored(value)))
    }

    /// The values are equal; nil equals nil only.
    public static func == (left: Self, value: Value) -> QueryPredicate<Root> { left.compare(.equal, value) }

    /// The values differ; nil differs from all others.
    public static func != (left: Self, value: Value) -> QueryPredicate<Root> { left.compare(.unequal, value) }

    /// The value is less; false for nil.
    public static func < (left: Self, value: Value) -> QueryPredicate<Root> { left.compare(.less, value) }

    /// The value is less or equal; false for nil.
    public static func <= (left: Self, value: Value) -> QueryPredicate<Root> { left.compare(.lessOrEqual, value) }

    /// The value is greater; false for nil.
    public static func > (left: Self, value: Value) -> QueryPredicate<Root> { left.compare(.greater, value) }

    /// The value is greater or equal; false for nil.
    public static func >= (left: Self, value: Value) -> QueryPredicate<Root> {
        left.compare(.greaterOrEqual, value)
    }

    /// The value is one of these.
    public func isAmong(_ values: some Sequence<Value>) -> QueryPredicate<Root> {
        QueryPredicate(condition: .isAmong(term, values.map(stored)))
    }
}

// MARK: - Comparing with each other

extension QueryExpression {
    private func compare<Other: QueryExpression>(
        _ comparison: Condition.Comparison, to other: Other
    ) -> QueryPredicate<Root> {
        let (left, right) = (term, other.term)
        // If one text ignores case and diacritics, both do.
        guard left.isFolded != right.isFolded else {
            return QueryPredicate(condition: .compareTerms(left, comparison, right))
        }
        return QueryPredicate(condition: .compareTerms(left.folded, comparison, right.folded))
    }

    /// The values are equal, or both are nil.
    public static func == <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.equal, to: right)
    }

    /// The values differ.
    public static func != <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.unequal, to: right)
    }

    /// The left value is less; false if one is nil.
    public static func < <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.less, to: right)
    }

    /// The left value is less or equal; false if one is nil.
    public static func <= <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.lessOrEqual, to: right)
    }

    /// The left value is greater; false if one is nil.
    public static func > <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.greater, to: right)
    }

    /// The left value is greater or equal; false if one is nil.
    public static func >= <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.greaterOrEqual, to: right)
    }

    // One value is optional and the other isn't: `$0.title == $0.milestone.title`.

    /// The values are equal, or both are nil.
    public static func == <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.equal, to: right)
    }

    /// The values are equal, or both are nil.
    public static func == <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.equal, to: right) }

    /// The values differ.
    public static func != <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.unequal, to: right)
    }

    /// The values differ.
    public static func != <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.unequal, to: right) }

    /// The left value is less; false if one is nil.
    public static func < <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.less, to: right)
    }

    /// The left value is less; false if one is nil.
    public static func < <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.less, to: right) }

    /// The left value is less or equal; false if one is nil.
    public static func <= <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.lessOrEqual, to: right)
    }

    /// The left value is less or equal; false if one is nil.
    public static func <= <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.lessOrEqual, to: right) }

    /// The left value is greater; false if one is nil.
    public static func > <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.greater, to: right)
    }

    /// The left value is greater; false if one is nil.
    public static func > <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.greater, to: right) }

    /// The left value is greater or equal; false if one is nil.
    public static func >= <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.greaterOrEqual, to: right)
    }

    /// The left value is greater or equal; false if one is nil.
    public static func >= <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.greaterOrEqual, to: right) }

    /// The value as an optional.
    public var optional: QueryValue<Root, Value?> {
        let value = queryValue
        return QueryValue(
            term: value.term, decode: { $0.isNull ? nil : value.decode($0) },
            encode: { $0.map(value.encode) ?? .null })
    }
}

// MARK: - Sequences and ranges

extension Sequence where Element: Sendable {
    /// The attribute's value is one of these: `[1, 2].contains($0.number)`.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Element {
        attribute.isAmong(self)
    }

    /// The value is one of these; false for nil.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Element? {
        attribute.isAmong(map { $0 })
    }
}

// A range is a sequence as well, perhaps an infinite one.

extension ClosedRange where Bound: Sendable {
    /// The attribute's value is in the range: `(1...5).contains($0.number)`.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound {
        attribute >= lowerBound && attribute <= upperBound
    }

    /// The value is in the range; false for nil.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound? {
        attribute >= lowerBound && attribute <= upperBound
    }
}

extension Range where Bound: Sendable {
    /// The attribute's value is in the range: `(1..<5).contains($0.number)`.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound {
        attribute >= lowerBound && attribute < upperBound
    }

    /// The value is in the range; false for nil.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound? {
        attribute >= lowerBound && attribute < upperBound
    }
}

extension PartialRangeFrom where Bound: Sendable {
    /// The attribute's value is in the range: `(5...).contains($0.number)`.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound {
        attribute >= lowerBound
    }

    /// The value is in the range; false for nil.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound? {
        attribute >= lowerBound
    }
}

// MARK: - Texts

/// `String` and `String?`, which have text conditions.
public protocol QueryText {}
extension String: QueryText {}
extension Optional: QueryText where Wrapped == String {}

extension QueryExpression where Value: QueryText {
    /// The value contains the text, which isn't a pattern, ignoring the case of ASCII letters.
    public func contains(_ text: String) -> QueryPredicate<Root> { match(.contains, text) }

    /// The value begins with exactly this text. SQLite uses an index of the attribute.
    public func hasPrefix(_ text: String) -> QueryPredicate<Root> { match(.hasPrefix, text) }

    /// The value ends with exactly this text.
    public func hasSuffix(_ text: String) -> QueryPredicate<Root> { match(.hasSuffix, text) }

    /// The value contains the text, ignoring case and diacritics by Unicode's rules, in any locale: "elan" is found in
    /// "Élan".
    public func localizedStandardContains(_ text: String) -> QueryPredicate<Root> {
        QueryPredicate(condition: .text(term.folded, .containsExactly, TextFolding.folded(text)))
    }

    /// The value with case and diacritics folded, for comparisons and orders: `$0.title.insensitive == "élan"`.
    public var insensitive: QueryInsensitiveText<Root> { QueryInsensitiveText(term: term) }

    private func match(_ match: Condition.TextMatch, _ text: String) -> QueryPredicate<Root> {
        QueryPredicate(condition: .text(term, match, text))
    }
}

/// A text with case and diacritics folded; see ``QueryExpression/insensitive``.
public struct QueryInsensitiveText<Root: Model>: QueryExpression {
    /// The text before it is folded.
    let term: Term

    /// The folded text, which is compared with folded values.
    public var queryValue: QueryValue<Root, String?> {
        QueryValue(
            term: term.folded, decode: { String(stored: $0) },
            encode: { $0.map { .text(TextFolding.folded($0)) } ?? .null })
    }

    /// The value contains the text.
    public func contains(_ text: String) -> QueryPredicate<Root> { match(.containsExactly, text) }

    /// The value begins with the text.
    public func hasPrefix(_ text: String) -> QueryPredicate<Root> { match(.hasPrefix, text) }

    /// The value ends with the text.
    public func hasSuffix(_ text: String) -> QueryPredicate<Root> { match(.hasSuffix, text) }

    private func match(_ match: Condition.TextMatch, _ text: String) -> QueryPredicate<Root> {
        QueryPredicate(condition: .text(term.folded, match, TextFolding.folded(text)))
    }
}

// MARK: - Comparing links

extension QueryReference {
    /// The link references this object, or none for `nil`. The query throws for an object of another context.
    public static func == (link: Self, object: Destination?) -> QueryPredicate<Root> {
        QueryPredicate(condition: condition(link, object, isEqual: true))
    }

    /// The link doesn't reference this object; for `nil`: it references one.
    public static func != (link: Self, object: Destination?) -> QueryPredicate<Root> {
        QueryPredicate(condition: condition(link, object, isEqual: false))
    }

    /// Both links reference the same object, or none.
    public static func == <Other: QueryReference<Root, Destination>>(
        left: Self, right: Other
    ) -> QueryPredicate<Root> {
        QueryPredicate(condition: .compareTerms(left.target, .equal, right.target))
    }

    /// The links reference different objects, or only one is nil.
    public static func != <Other: QueryReference<Root, Destination>>(
        left: Self, right: Other
    ) -> QueryPredicate<Root> {
        QueryPredicate(condition: .compareTerms(left.target, .unequal, right.target))
    }

    /// The link references one of these objects.
    public func isAmong(_ objects: some Sequence<Destination>) -> QueryPredicate<Root> {
        let conditions = objects.map { Condition.object(term, isEqual: true, ObjectReference($0)) }
        let none = Condition.isAmong(term, [])
        return QueryPredicate(
            condition: conditions.first.map { conditions.dropFirst().reduce($0, Condition.or) } ?? none)
    }

    private static func condition(_ link: Self, _ object: Destination?, isEqual: Bool) -> Condition {
        guard let object else { return .compare(link.term, isEqual ? .equal : .unequal, .null) }
        return .object(link.term, isEqual: isEqual, ObjectReference(object))
    }
}
