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
