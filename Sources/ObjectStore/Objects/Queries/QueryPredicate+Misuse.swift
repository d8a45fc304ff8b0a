// For comparisons with values of another type, the compiler would only list candidates.

extension QueryExpression {
    /// Explains the misuse.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func == <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func != <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func < <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func <= <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func > <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func >= <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }
}

// MARK: Lists

extension QueryMembers {
    /// Explains the misuse.
    @available(*, unavailable, message: "a list is asked by contains { }, allSatisfy { }, isEmpty or count")
    @_disfavoredOverload
    public static func == <Other>(list: Self, value: Other) -> QueryPredicate<Root> { list.isEmpty }

    /// Explains the misuse.
    @available(*, unavailable, message: "a list is asked by contains { }, allSatisfy { }, isEmpty or count")
    @_disfavoredOverload
    public static func != <Other>(list: Self, value: Other) -> QueryPredicate<Root> { list.isEmpty }
}

// MARK: Values of other models

// The ambiguity is intended.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension ObjectQuery {
    // A closure with values of other objects than `$0` would select nothing. Two overloads make it ambiguous, so it
    // doesn't compile.

    /// Explains the misuse: select values of `$0`.
    public func select(_ valuesOfAnotherModel: (M.Properties) -> Void) -> ValueQuery<M, Void> {
        ValueQuery(query: self, terms: []) { _ in }
    }

    /// Explains the misuse: select values of `$0`.
    public func select(_ valuesOfAnotherModel: (M.Properties) -> Void) -> ValueQuery<M, Void?> {
        ValueQuery(query: self, terms: []) { _ in nil }
    }
}

// MARK: The other way around

extension QueryExpression {
    /// Explains the misuse.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func == <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func != <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func < <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func <= <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func > <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func >= <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }
}
