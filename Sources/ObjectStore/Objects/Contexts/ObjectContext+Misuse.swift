// Methods that other libraries have.

extension ObjectContext {
    /// Unavailable: use the model's initializer.
    @available(*, unavailable, message: "an object is inserted by its initializer, as in User(in: context)")
    public func insert<T>(_ object: T) {}

    /// Unavailable: use the model's initializer.
    @available(*, unavailable, message: "an object is inserted by its initializer, as in User(in: context)")
    public func add<T>(_ object: T) {}

    /// Unavailable: use a query.
    @available(*, unavailable, message: "objects are read by a query: context.query(User.self).where { … }.fetch()")
    public func fetch<T>(_ request: T) -> [any Model] { [] }
}
