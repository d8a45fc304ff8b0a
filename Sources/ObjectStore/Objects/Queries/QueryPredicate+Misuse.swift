// What is compared with a value of another type gets a message of its own, rather than a list of candidates. None of
// these can be called.

extension QueryExpression {
    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func == <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func != <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func < <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func <= <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func > <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func >= <Other>(attribute: Self, value: Other) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }
}

// MARK: Lists

extension QueryMembers {
    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "a list is asked by contains { }, allSatisfy { }, isEmpty or count")
    @_disfavoredOverload
    public static func == <Other>(list: Self, value: Other) -> QueryPredicate<Root> { list.isEmpty }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "a list is asked by contains { }, allSatisfy { }, isEmpty or count")
    @_disfavoredOverload
    public static func != <Other>(list: Self, value: Other) -> QueryPredicate<Root> { list.isEmpty }
}

// MARK: Values of other models

// They are to be ambiguous.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension ObjectQuery {
    // What is selected are values of `$0`: of the query's own objects, and of what their links lead to. With other
    // values the closure would select nothing, which these two make ambiguous.

    /// Explains the misuse: a value of another model is selected; use those of `$0`.
    public func select(_ valuesOfAnotherModel: (M.Properties) -> Void) -> ValueQuery<M, Void> {
        ValueQuery(query: self, terms: []) { _ in }
    }

    /// Explains the misuse: a value of another model is selected; use those of `$0`.
    public func select(_ valuesOfAnotherModel: (M.Properties) -> Void) -> ValueQuery<M, Void?> {
        ValueQuery(query: self, terms: []) { _ in nil }
    }
}

// MARK: The other way around

extension QueryExpression {
    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func == <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func != <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func < <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func <= <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func > <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func >= <Other: Equatable>(value: Other, attribute: Self) -> QueryPredicate<Root> {
        attribute.isAmong([])
    }
}
