/// A request for the objects of a model in a context, in the file and among the context's unsaved ones.
///
/// ```swift
/// let open = try context.query(Issue.self).where { $0.state == .open }.order(by: { $0.number }, .descending).fetch()
/// ```
///
/// A query is a value: it does nothing until it is asked. It reads what the context sees: unsaved edits and inserted
/// objects count, deleted ones do not.
public struct ObjectQuery<M: Model> {
    /// Which way an order goes.
    public enum Direction: Sendable {
        case ascending, descending
    }

    let context: ObjectContext
    var condition: Condition?
    var orders: [(property: Int, direction: Direction)] = []
    var limit: Int?
    var offset = 0

    /// Those for which the predicate holds; several predicates all have to.
    public func `where`(_ predicate: (M.Properties) -> QueryPredicate<M>) -> ObjectQuery {
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
    ) -> ObjectQuery {
        var query = self
        query.orders.append((attribute(M.properties).index, direction))
        return query
    }

    /// At most `count` objects, after the first `offset`. Negative numbers count as 0.
    public func limit(_ count: Int, offset: Int = 0) -> ObjectQuery {
        var query = self
        query.limit = max(count, 0)
        query.offset = max(offset, 0)
        return query
    }
}

extension ObjectContext {
    /// All objects of a model; narrow it with `where`, `order` and `limit`.
    public func query<M: Model>(_ type: M.Type) -> ObjectQuery<M> { ObjectQuery(context: self) }

    /// The object of an identity, live in this context; `nil` where there is none, in the file or among the objects that
    /// were made here and are not saved.
    ///
    /// One lookup in the unique index, without a round trip to another thread.
    ///
    /// - Parameter identity: the parts of the identity, in the order of its declaration; one for most models. An object stands
    ///   for a relationship: `find(Ticket.self, project, 5)`.
    /// - Throws: ``StoreError/wrongIdentity(model:parts:given:)`` for another number of parts; ``StoreError`` when the file
    ///   can't be read.
    public func find<M: Model, each Part: IdentityPart>(
        _ type: M.Type, _ identity: repeat each Part
    ) throws(StoreError) -> M? {
        let table = try table(of: type)
        var values: [StoredValue] = []
        for part in repeat each identity { values.append(part.identityPart) }
        guard values.count == table.identity.count else {
            throw .wrongIdentity(
                model: table.modelName, parts: table.identity.map { table.properties[$0].name }, given: values.count)
        }
        return try find(type, table, values)
    }

    private func find<M: Model>(_ type: M.Type, _ table: ModelSchema, _ identity: [StoredValue]) throws(StoreError)
        -> M?
    {
        let stored: M? = try reading { (reader) throws in
            let statement = try reader.findStatement(table)
            for (n, value) in identity.enumerated() { statement.bind(value, at: Int32(n + 1)) }
            guard try statement.step() else { return nil }
            defer { statement.reset() }
            return object(type, table, of: statement)
        }
        if let stored, !stored.isDeleted { return stored }
        return unsaved.first { object in
            let state = object._object
            return state.isInserted && !state.isDeleted && state.table.index == table.index
                && table.identity.map(state.stored) == identity
        } as? M
    }
}
