// What other libraries call otherwise gets a message of its own. None of these can be called.

extension ObjectContext {
    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an object is inserted by its initializer, as in User(in: context)")
    public func insert<T>(_ object: T) {}

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "an object is inserted by its initializer, as in User(in: context)")
    public func add<T>(_ object: T) {}

    /// Explains the misuse; it can't be called.
    @available(*, unavailable, message: "objects are read by a query: context.query(User.self).where { … }.fetch()")
    public func fetch<T>(_ request: T) -> [any Model] { [] }
}
