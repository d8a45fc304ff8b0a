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

    /// Where an order puts objects that have no value.
    public enum NilPlacement: Sendable {
        case first, last
    }

    let context: ObjectContext
    var condition: Condition?
    var orders: [QueryOrder] = []
    var limit: Int?
    var offset = 0
    /// The words that have to occur.
    var search: SearchText?
    /// The object after which the page begins.
    var last: M?
    /// The relationships that are read together with the objects.
    var prefetched: [[PropertyReference]] = []

    /// Those for which the condition holds; several conditions all have to.
    ///
    /// It may read what links lead to, to any depth, and the members of lists; see ``QueryPredicate``.
    public func `where`<C: QueryCondition>(_ condition: (M.Properties) -> C) -> ObjectQuery where C.Root == M {
        narrowed(by: condition(M.properties).queryPredicate.condition)
    }

    func narrowed(by other: Condition) -> ObjectQuery {
        var query = self
        query.condition = condition.map { .and($0, other) } ?? other
        return query
    }

    /// In the order of an attribute, its own or one of what a link leads to; a second call orders those that are equal.
    /// Of objects that are equal in all, those that were made here come first, in the order in which they were made,
    /// then those that were imported, in the order in which they first came.
    ///
    /// - Parameter nils: where objects without a value come; if it isn't said, before all others, and after them where
    ///   the order is descending.
    public func order<E: QueryExpression>(
        by value: (M.Properties) -> E, _ direction: Direction = .ascending, nils: NilPlacement? = nil
    ) -> ObjectQuery where E.Root == M {
        ordered(by: value(M.properties).term, direction, nils)
    }

    func ordered(by term: Term, _ direction: Direction, _ nils: NilPlacement?) -> ObjectQuery {
        var query = self
        query.orders.append(
            QueryOrder(
                term: term, isDescending: direction == .descending,
                isNilFirst: nils.map { $0 == .first } ?? (direction == .ascending)))
        return query
    }

    /// At most `count` objects, after the first `offset`. Negative numbers count as 0.
    public func limit(_ count: Int, offset: Int = 0) -> ObjectQuery {
        var query = self
        query.limit = Swift.max(count, 0)
        query.offset = Swift.max(offset, 0)
        return query
    }
}

/// One of the orders of a query.
struct QueryOrder: Sendable {
    var term: Term
    let isDescending: Bool
    let isNilFirst: Bool

    init(term: Term, isDescending: Bool, isNilFirst: Bool) {
        (self.term, self.isDescending, self.isNilFirst) = (term, isDescending, isNilFirst)
    }

    /// From the least, after what has no value.
    init(ascending term: Term) { self.init(term: term, isDescending: false, isNilFirst: true) }
}

extension ObjectContext {
    /// All objects of a model; narrow it with `where`, `order` and `limit`.
    public func query<M: Model>(_ type: M.Type) -> ObjectQuery<M> { ObjectQuery(context: self) }
}

// MARK: - Submodels

extension ObjectQuery where M: Submodel {
    /// Those for which the condition holds; several conditions all have to. Inherited properties count as well as the
    /// class's own.
    ///
    /// ```swift
    /// context.query(PushEvent.self).where { $0.size > 3 && $0.actor == octocat }
    /// ```
    public func `where`<C: QueryCondition>(_ condition: (SubmodelProperties<M>) -> C) -> ObjectQuery
    where C.Root == M {
        narrowed(by: condition(SubmodelProperties()).queryPredicate.condition)
    }

    /// In the order of an attribute, inherited or own; a second call orders those that are equal.
    public func order<E: QueryExpression>(
        by value: (SubmodelProperties<M>) -> E, _ direction: Direction = .ascending, nils: NilPlacement? = nil
    ) -> ObjectQuery where E.Root == M {
        ordered(by: value(SubmodelProperties()).term, direction, nils)
    }
}

// Which of two it is, the type of what the closure gives says.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension ObjectQuery where M: Submodel {
    /// Values of the objects instead of objects, inherited ones or the class's own, in the query's order.
    public func select<each V: Sendable>(
        _ values: (SubmodelProperties<M>) -> (repeat any QueryExpression<M, each V>)
    ) -> ValueQuery<M, (repeat each V)> { selection(repeat (each values(SubmodelProperties())).queryValue) }

    /// The same of one value.
    public func select<V, E: QueryExpression<M, V>>(_ value: (SubmodelProperties<M>) -> E) -> ValueQuery<M, V> {
        selection(value(SubmodelProperties()).queryValue)
    }

    /// One group for each value, inherited or the class's own.
    public func grouped<V, E: QueryExpression<M, V>>(by value: (SubmodelProperties<M>) -> E) -> GroupedQuery<M, V> {
        GroupedQuery(query: self, key: value(SubmodelProperties()).queryValue)
    }
}

/// The properties of a class that inherits from another model, inherited and own, by their names.
@dynamicMemberLookup
public struct SubmodelProperties<M: Submodel>: Sendable {
    /// An inherited attribute.
    public subscript<Owner, V>(dynamicMember path: KeyPath<M.Properties, Attribute<Owner, V>>) -> QueryValue<M, V> {
        value(M.properties[keyPath: path])
    }

    /// An attribute of the class's own.
    public subscript<Owner, V>(
        dynamicMember path: KeyPath<M.OwnProperties, Attribute<Owner, V>>
    ) -> QueryValue<M, V> { value(M.ownProperties[keyPath: path]) }

    /// An inherited relationship to at most one object.
    public subscript<Owner, D>(dynamicMember path: KeyPath<M.Properties, ToOne<Owner, D>>) -> QueryLink<M, D> {
        QueryLink(path: [PropertyReference(M.properties[keyPath: path].description)])
    }

    /// A relationship of the class's own to at most one object.
    public subscript<Owner, D>(dynamicMember path: KeyPath<M.OwnProperties, ToOne<Owner, D>>) -> QueryLink<M, D> {
        QueryLink(path: [PropertyReference(M.ownProperties[keyPath: path].description)])
    }

    /// An inherited relationship to a list of objects.
    public subscript<Owner, D>(dynamicMember path: KeyPath<M.Properties, ToMany<Owner, D>>) -> QueryList<M, D> {
        QueryList(path: [], list: PropertyReference(M.properties[keyPath: path].description))
    }

    /// A relationship of the class's own to a list of objects.
    public subscript<Owner, D>(dynamicMember path: KeyPath<M.OwnProperties, ToMany<Owner, D>>) -> QueryList<M, D> {
        QueryList(path: [], list: PropertyReference(M.ownProperties[keyPath: path].description))
    }

    private func value<Owner, V>(_ attribute: Attribute<Owner, V>) -> QueryValue<M, V> {
        QueryValue(term: attribute.queryValue.term, decode: attribute.decode, encode: attribute.encode)
    }
}
