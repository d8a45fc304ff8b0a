public import Foundation

// Names from other libraries, so that the compiler can explain the misuse.

extension ObjectQuery {
    /// Explains the misuse.
    @available(*, unavailable, message: "a condition is a closure of the properties: where { $0.title == \"x\" }")
    @_disfavoredOverload
    public func `where`(_ predicate: Predicate<M>) -> ObjectQuery { self }

    /// Explains the misuse.
    @available(*, unavailable, message: "a condition is a closure of the properties: where { $0.title == \"x\" }")
    @_disfavoredOverload
    public func `where`(_ predicate: NSPredicate) -> ObjectQuery { self }

    /// Explains the misuse.
    @available(
        *, unavailable,
        message: """
            a condition is a closure of the properties: where { $0.title == title }; or SQL with values in it, which are \
            bound: where(sql: "\\(Issue.properties.title) = \\(title)")
            """
    )
    @_disfavoredOverload
    public func `where`(_ sql: String, _ values: Any...) -> ObjectQuery { self }

    /// Explains the misuse.
    @available(
        *, unavailable,
        message: "values are put into the SQL, and bound: where(sql: \"\\(Issue.properties.title) = \\(title)\")"
    )
    @_disfavoredOverload
    public func `where`(sql: String, arguments values: Any) -> ObjectQuery { self }

    /// Explains the misuse.
    @available(*, unavailable, message: "objects are chosen by where { … }")
    public func filter<C: QueryCondition>(_ condition: (M.Properties) -> C) -> ObjectQuery where C.Root == M { self }

    /// Explains the misuse.
    @available(*, unavailable, message: "objects are chosen by where { $0.title == \"x\" }")
    @_disfavoredOverload
    public func filter(_ predicate: Predicate<M>) -> ObjectQuery { self }
}

extension QueryExpression where Value: QueryText {
    /// Explains the misuse.
    @available(*, unavailable, message: "write $0.title.insensitive == \"x\", which ignores letter case and diacritics")
    public func lowercased() -> QueryInsensitiveText<Root> { insensitive }

    /// Explains the misuse.
    @available(*, unavailable, message: "write $0.title.insensitive == \"x\", which ignores letter case and diacritics")
    public func uppercased() -> QueryInsensitiveText<Root> { insensitive }

    /// Explains the misuse.
    @available(*, unavailable, renamed: "localizedStandardContains(_:)")
    public func localizedCaseInsensitiveContains(_ text: String) -> QueryPredicate<Root> { contains(text) }

    /// Explains the misuse.
    @available(*, unavailable, renamed: "hasPrefix(_:)")
    public func starts(with text: String) -> QueryPredicate<Root> { hasPrefix(text) }

    /// Explains the misuse.
    @available(*, unavailable, message: "compare the text: $0.title == \"\"")
    public var isEmpty: QueryPredicate<Root> { contains("") }
}

extension QueryMembers {
    /// Explains the misuse.
    @available(
        *, unavailable,
        message:
            "a list is asked by contains { }, allSatisfy { } or count(where:): $0.tags.contains { $0.name == \"x\" }"
    )
    public func filter<C: QueryCondition>(_ condition: (Member.Properties) -> C) -> Self where C.Root == Member {
        self
    }

    /// Explains the misuse.
    @available(*, unavailable, renamed: "contains(_:)")
    public func contains<C: QueryCondition>(where condition: (Member.Properties) -> C) -> QueryPredicate<Root>
    where C.Root == Member { contains(condition) }
}
