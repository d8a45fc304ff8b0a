// What is compared with a value of another type gets a message of its own, rather than a list of candidates. None of these can
// be called.

extension Attribute {
    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func == <Other>(attribute: Attribute, value: Other) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func != <Other>(attribute: Attribute, value: Other) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func < <Other>(attribute: Attribute, value: Other) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func <= <Other>(attribute: Attribute, value: Other) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func > <Other>(attribute: Attribute, value: Other) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an attribute is compared with a value of its own type; convert the value")
    @_disfavoredOverload
    public static func >= <Other>(attribute: Attribute, value: Other) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }
}

// MARK: The other way around

extension Attribute {
    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func == <Other: Equatable>(value: Other, attribute: Attribute) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func != <Other: Equatable>(value: Other, attribute: Attribute) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func < <Other: Equatable>(value: Other, attribute: Attribute) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func <= <Other: Equatable>(value: Other, attribute: Attribute) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func > <Other: Equatable>(value: Other, attribute: Attribute) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "the attribute stands on the left, a value of its own type on the right")
    @_disfavoredOverload
    public static func >= <Other: Equatable>(value: Other, attribute: Attribute) -> QueryPredicate<Owner> {
        attribute.isAmong([])
    }
}
