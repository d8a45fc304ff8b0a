/// A request for the objects of a model in a context, in the file and among the context's unsaved ones.
///
/// ```swift
/// let open = try context.query(Issue.self).where { $0.state == .open }.order(by: { $0.number }, .descending).fetch()
/// ```
///
/// A query is a value: it does nothing until it is asked. It reads what the context sees: unsaved edits and inserted
/// objects count, deleted ones do not.
public struct Query<M: Model> {
    /// Which way an order goes.
    public enum Direction: Sendable {
        case ascending, descending
    }

    let context: Context
    var condition: Condition?
    var orders: [(property: Int, direction: Direction)] = []
    var limit: Int?
    var offset = 0

    /// Those for which the predicate holds; several predicates all have to.
    public func `where`(_ predicate: (M.Properties) -> Predicate<M>) -> Query {
        var query = self
        let new = predicate(M.properties).condition
        query.condition = condition.map { .and($0, new) } ?? new
        return query
    }

    /// In the order of an attribute; a second call orders those that are equal. Of objects that are equal in all, those that
    /// were made here come first, in the order in which they were made, then those that were imported, in the order in
    /// which they first came.
    public func order<V>(
        by attribute: (M.Properties) -> Attribute<M, V>, _ direction: Direction = .ascending
    ) -> Query {
        var query = self
        query.orders.append((attribute(M.properties).index, direction))
        return query
    }

    /// At most `count` objects, after the first `offset`. Negative numbers count as 0.
    public func limit(_ count: Int, offset: Int = 0) -> Query {
        var query = self
        query.limit = max(count, 0)
        query.offset = max(offset, 0)
        return query
    }
}

extension Context {
    /// All objects of a model; narrow it with `where`, `order` and `limit`.
    public func query<M: Model>(_ type: M.Type) -> Query<M> { Query(context: self) }

    /// The object of an identity, live in this context; `nil` where the file has none.
    ///
    /// One lookup in the unique index, without a round trip to another thread.
    ///
    /// - Parameter identity: the values of the identity, in the order of its declaration; one for most models.
    /// - Throws: ``StoreError`` when the file can't be read.
    public func find<M: Model, each Value: AttributeValue>(
        _ type: M.Type, _ identity: repeat each Value
    ) throws(StoreError) -> M? {
        let table = try table(of: type)
        var values: [StoredValue] = []
        for value in repeat each identity { values.append(value.stored) }
        return try find(type, table, values)
    }

    package func find<M: Model>(_ type: M.Type, _ table: Table, _ identity: [StoredValue]) throws(StoreError) -> M? {
        guard identity.count == table.identity.count else { return nil }
        return try reading { (reader) throws in
            let statement = try reader.findStatement(table)
            for (n, value) in identity.enumerated() { statement.bind(value, at: Int32(n + 1)) }
            guard try statement.step() else { return nil }
            defer { statement.reset() }
            let object = object(type, table, of: statement)
            return object.isDeleted ? nil : object
        }
    }
}
