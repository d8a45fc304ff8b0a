/// What may stand for a condition on the objects of a model: a ``QueryPredicate``, or a Boolean attribute by itself.
public protocol QueryCondition<Root>: Sendable {
    /// The model whose objects are asked about.
    associatedtype Root: Model
    /// The same without regard to what it was made of.
    var queryPredicate: QueryPredicate<Root> { get }
}

/// A condition on the objects of a model, made of its properties' tokens with `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`,
/// `||` and `!`.
///
/// ```swift
/// context.query(Issue.self).where {
///     $0.state == .open && $0.user.login == "octocat" && $0.labels.contains { $0.name == "bug" }
/// }
/// ```
///
/// As in Swift, `!=` holds for a nil value, and `<` never does. What is beyond a link that leads nowhere is nil.
public struct QueryPredicate<Root: Model>: QueryCondition {
    let condition: Condition

    /// Itself.
    public var queryPredicate: QueryPredicate { self }
}

/// `Bool` and `Bool?`: what holds where it is true.
public protocol QueryTruth {}
extension Bool: QueryTruth {}
extension Optional: QueryTruth where Wrapped == Bool {}

extension QueryExpression where Value: QueryTruth {
    /// The value is true; never for nil.
    public var queryPredicate: QueryPredicate<Root> {
        QueryPredicate(condition: .compare(term, .equal, .integer(1)))
    }
}

extension Attribute: QueryCondition where Value: QueryTruth {}
extension QueryValue: QueryCondition where Value: QueryTruth {}

extension QueryCondition {
    /// Both hold.
    public static func && <Other: QueryCondition>(left: Self, right: Other) -> QueryPredicate<Root>
    where Other.Root == Root {
        QueryPredicate(condition: .and(left.queryPredicate.condition, right.queryPredicate.condition))
    }

    /// At least one holds.
    public static func || <Other: QueryCondition>(left: Self, right: Other) -> QueryPredicate<Root>
    where Other.Root == Root {
        QueryPredicate(condition: .or(left.queryPredicate.condition, right.queryPredicate.condition))
    }

    /// It does not hold.
    public static prefix func ! (condition: Self) -> QueryPredicate<Root> {
        QueryPredicate(condition: .not(condition.queryPredicate.condition))
    }
}

// MARK: - Comparing with values

extension QueryExpression {
    private func compare(_ comparison: Condition.Comparison, _ value: Value) -> QueryPredicate<Root> {
        QueryPredicate(condition: .compare(term, comparison, stored(value)))
    }

    /// The value is this one; nil is equal to nil only.
    public static func == (left: Self, value: Value) -> QueryPredicate<Root> { left.compare(.equal, value) }

    /// The value is another one; nil is another one than any value.
    public static func != (left: Self, value: Value) -> QueryPredicate<Root> { left.compare(.unequal, value) }

    /// The value is less; never for nil.
    public static func < (left: Self, value: Value) -> QueryPredicate<Root> { left.compare(.less, value) }

    /// The value is less or equal; never for nil.
    public static func <= (left: Self, value: Value) -> QueryPredicate<Root> { left.compare(.lessOrEqual, value) }

    /// The value is greater; never for nil.
    public static func > (left: Self, value: Value) -> QueryPredicate<Root> { left.compare(.greater, value) }

    /// The value is greater or equal; never for nil.
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
        // A folded text is compared with folded ones, whatever side it is on.
        guard left.isFolded != right.isFolded else {
            return QueryPredicate(condition: .compareTerms(left, comparison, right))
        }
        return QueryPredicate(condition: .compareTerms(left.folded, comparison, right.folded))
    }

    /// Both values are the same, which two nils are.
    public static func == <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.equal, to: right)
    }

    /// The values differ.
    public static func != <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.unequal, to: right)
    }

    /// The left value is less; never where one is nil.
    public static func < <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.less, to: right)
    }

    /// The left value is less or equal; never where one is nil.
    public static func <= <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.lessOrEqual, to: right)
    }

    /// The left value is greater; never where one is nil.
    public static func > <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.greater, to: right)
    }

    /// The left value is greater or equal; never where one is nil.
    public static func >= <Other: QueryExpression<Root, Value>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.greaterOrEqual, to: right)
    }

    // One that can be nil beside one that can't: `$0.title == $0.milestone.title`.

    /// Both values are the same, which two nils are.
    public static func == <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.equal, to: right)
    }

    /// Both values are the same, which two nils are.
    public static func == <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.equal, to: right) }

    /// The values differ.
    public static func != <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.unequal, to: right)
    }

    /// The values differ.
    public static func != <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.unequal, to: right) }

    /// The left value is less; never where one is nil.
    public static func < <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.less, to: right)
    }

    /// The left value is less; never where one is nil.
    public static func < <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.less, to: right) }

    /// The left value is less or equal; never where one is nil.
    public static func <= <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.lessOrEqual, to: right)
    }

    /// The left value is less or equal; never where one is nil.
    public static func <= <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.lessOrEqual, to: right) }

    /// The left value is greater; never where one is nil.
    public static func > <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.greater, to: right)
    }

    /// The left value is greater; never where one is nil.
    public static func > <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.greater, to: right) }

    /// The left value is greater or equal; never where one is nil.
    public static func >= <Other: QueryExpression<Root, Value?>>(left: Self, right: Other) -> QueryPredicate<Root> {
        left.compare(.greaterOrEqual, to: right)
    }

    /// The left value is greater or equal; never where one is nil.
    public static func >= <Known, Other: QueryExpression<Root, Known>>(left: Self, right: Other) -> QueryPredicate<Root>
    where Value == Known? { left.compare(.greaterOrEqual, to: right) }

    /// The same value as one that can be nil.
    public var optional: QueryValue<Root, Value?> {
        let value = queryValue
        return QueryValue(
            term: value.term, decode: { $0.isNull ? nil : value.decode($0) },
            encode: { $0.map(value.encode) ?? .null })
    }
}

// MARK: - Sequences and ranges

extension Sequence where Element: Sendable {
    /// The attribute's value is one of these, as ``QueryExpression/isAmong(_:)`` says it: `[1, 2].contains($0.number)`.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Element {
        attribute.isAmong(self)
    }

    /// The attribute's value is one of these, and not nil.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Element? {
        attribute.isAmong(map { $0 })
    }
}

// A range is a sequence as well, which may have no end, so it has functions of its own.

extension ClosedRange where Bound: Sendable {
    /// The attribute's value is in the range: `(1...5).contains($0.number)`.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound {
        attribute >= lowerBound && attribute <= upperBound
    }

    /// The attribute's value is in the range, and not nil.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound? {
        attribute >= lowerBound && attribute <= upperBound
    }
}

extension Range where Bound: Sendable {
    /// The attribute's value is in the range: `(1..<5).contains($0.number)`.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound {
        attribute >= lowerBound && attribute < upperBound
    }

    /// The attribute's value is in the range, and not nil.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound? {
        attribute >= lowerBound && attribute < upperBound
    }
}

extension PartialRangeFrom where Bound: Sendable {
    /// The attribute's value is in the range: `(5...).contains($0.number)`.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound {
        attribute >= lowerBound
    }

    /// The attribute's value is in the range, and not nil.
    public func contains<E: QueryExpression>(_ attribute: E) -> QueryPredicate<E.Root> where E.Value == Bound? {
        attribute >= lowerBound
    }
}

// MARK: - Texts

/// `String` and `String?`: what texts are looked for in.
public protocol QueryText {}
extension String: QueryText {}
extension Optional: QueryText where Wrapped == String {}

extension QueryExpression where Value: QueryText {
    /// The text occurs in the value, letter case aside for ASCII letters. No character of it is a pattern.
    public func contains(_ text: String) -> QueryPredicate<Root> { match(.contains, text) }

    /// The value begins with the text, in just these characters; an index of the attribute is used.
    public func hasPrefix(_ text: String) -> QueryPredicate<Root> { match(.hasPrefix, text) }

    /// The value ends with the text, in just these characters.
    public func hasSuffix(_ text: String) -> QueryPredicate<Root> { match(.hasSuffix, text) }

    /// The text occurs in the value, case and diacritics aside: "elan" is found in "Élan". The foldings are Unicode's,
    /// and the same in every locale.
    public func localizedStandardContains(_ text: String) -> QueryPredicate<Root> {
        QueryPredicate(condition: .text(term.folded, .containsExactly, TextFolding.folded(text)))
    }

    /// The value without regard to case and diacritics, for all that is asked of it, its order included:
    /// `$0.title.insensitive == "élan"`, `$0.title.insensitive.hasPrefix("é")`.
    public var insensitive: QueryInsensitiveText<Root> { QueryInsensitiveText(term: term) }

    private func match(_ match: Condition.TextMatch, _ text: String) -> QueryPredicate<Root> {
        QueryPredicate(condition: .text(term, match, text))
    }
}

/// A text without regard to case and diacritics; see ``QueryExpression/insensitive``.
public struct QueryInsensitiveText<Root: Model>: QueryExpression {
    /// Of the text itself.
    let term: Term

    /// Reads as the folded text, and what it is compared with is folded.
    public var queryValue: QueryValue<Root, String?> {
        QueryValue(
            term: term.folded, decode: { String(stored: $0) },
            encode: { $0.map { .text(TextFolding.folded($0)) } ?? .null })
    }

    /// The text occurs in the value.
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
    /// The link references this object; `nil`: none. One of another context is refused when the query is asked.
    public static func == (link: Self, object: Destination?) -> QueryPredicate<Root> {
        QueryPredicate(condition: condition(link, object, isEqual: true))
    }

    /// The link doesn't reference this object; `nil`: it references one.
    public static func != (link: Self, object: Destination?) -> QueryPredicate<Root> {
        QueryPredicate(condition: condition(link, object, isEqual: false))
    }

    /// Both links lead to the same object, or neither leads anywhere.
    public static func == <Other: QueryReference<Root, Destination>>(
        left: Self, right: Other
    ) -> QueryPredicate<Root> {
        QueryPredicate(condition: .compareTerms(left.target, .equal, right.target))
    }

    /// The links lead to different objects, or one of them nowhere.
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
