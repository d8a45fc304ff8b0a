/// A query for the objects of a model in the file and in a context.
///
/// ```swift
/// let open = try context.query(Issue.self).where { $0.state == .open }.order(by: { $0.number }, .descending).fetch()
/// ```
///
/// A query is a value and takes effect when you fetch. The context's unsaved edits, insertions and deletions count.
public struct ObjectQuery<M: Model> {
    /// The direction of an order.
    public enum Direction: Sendable {
        case ascending, descending
    }

    /// The position of objects with nil in an order.
    public enum NilPlacement: Sendable {
        case first, last
    }

    let context: ObjectContext
    var condition: Condition?
    var orders: [QueryOrder] = []
    var limit: Int?
    var offset = 0
    var search: SearchText?
    var last: M?
    var prefetched: [[PropertyReference]] = []

    /// Adds a condition; all have to hold. It can read linked objects, to any depth, and list members; see
    /// ``QueryPredicate``.
    public func `where`<C: QueryCondition>(_ condition: (M.Properties) -> C) -> ObjectQuery where C.Root == M {
        narrowed(by: condition(M.properties).queryPredicate.condition)
    }

    func narrowed(by other: Condition) -> ObjectQuery {
        var query = self
        query.condition = condition.map { .and($0, other) } ?? other
        return query
    }

    /// Orders the objects by an attribute, their own or a linked object's. A second call orders objects with equal
    /// values. Objects equal in all orders come in the order of their creation, those created locally first.
    ///
    /// - Parameter nils: the position of objects with nil, by default first, and last in a descending order.
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

    /// Limits the result to at most `count` objects after the first `offset`. Negative numbers count as 0.
    public func limit(_ count: Int, offset: Int = 0) -> ObjectQuery {
        var query = self
        query.limit = Swift.max(count, 0)
        query.offset = Swift.max(offset, 0)
        return query
    }
}

struct QueryOrder: Sendable {
    var term: Term
    let isDescending: Bool
    let isNilFirst: Bool

    init(term: Term, isDescending: Bool, isNilFirst: Bool) {
        (self.term, self.isDescending, self.isNilFirst) = (term, isDescending, isNilFirst)
    }

    init(ascending term: Term) { self.init(term: term, isDescending: false, isNilFirst: true) }
}

extension ObjectContext {
    /// A query for all objects of a model.
    public func query<M: Model>(_ type: M.Type) -> ObjectQuery<M> { ObjectQuery(context: self) }
}

// MARK: - Submodels

extension ObjectQuery where M: Submodel {
    /// Adds a condition on inherited or own properties.
    ///
    /// ```swift
    /// context.query(PushEvent.self).where { $0.size > 3 && $0.actor == octocat }
    /// ```
    public func `where`<C: QueryCondition>(_ condition: (SubmodelProperties<M>) -> C) -> ObjectQuery
    where C.Root == M {
        narrowed(by: condition(SubmodelProperties()).queryPredicate.condition)
    }

    /// Orders the objects by an inherited or own attribute, after earlier orders.
    public func order<E: QueryExpression>(
        by value: (SubmodelProperties<M>) -> E, _ direction: Direction = .ascending, nils: NilPlacement? = nil
    ) -> ObjectQuery where E.Root == M {
        ordered(by: value(SubmodelProperties()).term, direction, nils)
    }
}

// The result type of the closure selects the overload.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension ObjectQuery where M: Submodel {
    /// Selects inherited or own values of the objects.
    public func select<each V: Sendable>(
        _ values: (SubmodelProperties<M>) -> (repeat any QueryExpression<M, each V>)
    ) -> ValueQuery<M, (repeat each V)> { selection(repeat (each values(SubmodelProperties())).queryValue) }

    /// Selects one inherited or own value of the objects.
    public func select<V, E: QueryExpression<M, V>>(_ value: (SubmodelProperties<M>) -> E) -> ValueQuery<M, V> {
        selection(value(SubmodelProperties()).queryValue)
    }

    /// Groups the objects by an inherited or own value.
    public func grouped<V, E: QueryExpression<M, V>>(by value: (SubmodelProperties<M>) -> E) -> GroupedQuery<M, V> {
        GroupedQuery(query: self, key: value(SubmodelProperties()).queryValue)
    }
}

/// The inherited and own properties of a submodel.
@dynamicMemberLookup
public struct SubmodelProperties<M: Submodel>: Sendable {
    /// An inherited attribute.
    public subscript<Owner, V>(dynamicMember path: KeyPath<M.Properties, Attribute<Owner, V>>) -> QueryValue<M, V> {
        value(M.properties[keyPath: path])
    }

    /// An attribute of the class itself.
    public subscript<Owner, V>(
        dynamicMember path: KeyPath<M.OwnProperties, Attribute<Owner, V>>
    ) -> QueryValue<M, V> { value(M.ownProperties[keyPath: path]) }

    /// An inherited to-one relationship.
    public subscript<Owner, D>(dynamicMember path: KeyPath<M.Properties, ToOne<Owner, D>>) -> QueryLink<M, D> {
        QueryLink(path: [PropertyReference(M.properties[keyPath: path].description)])
    }

    /// A to-one relationship of the class itself.
    public subscript<Owner, D>(dynamicMember path: KeyPath<M.OwnProperties, ToOne<Owner, D>>) -> QueryLink<M, D> {
        QueryLink(path: [PropertyReference(M.ownProperties[keyPath: path].description)])
    }

    /// An inherited relationship to one of several models.
    public subscript<Owner, C>(dynamicMember path: KeyPath<M.Properties, ToOneChoice<Owner, C>>) -> QueryChoice<M, C> {
        M.properties[keyPath: path].queryChoice(from: [])
    }

    /// A relationship of the class itself to one of several models.
    public subscript<Owner, C>(
        dynamicMember path: KeyPath<M.OwnProperties, ToOneChoice<Owner, C>>
    ) -> QueryChoice<M, C> { M.ownProperties[keyPath: path].queryChoice(from: []) }

    /// An inherited to-many relationship.
    public subscript<Owner, D>(dynamicMember path: KeyPath<M.Properties, ToMany<Owner, D>>) -> QueryList<M, D> {
        QueryList(path: [], list: PropertyReference(M.properties[keyPath: path].description))
    }

    /// A to-many relationship of the class itself.
    public subscript<Owner, D>(dynamicMember path: KeyPath<M.OwnProperties, ToMany<Owner, D>>) -> QueryList<M, D> {
        QueryList(path: [], list: PropertyReference(M.ownProperties[keyPath: path].description))
    }

    private func value<Owner, V>(_ attribute: Attribute<Owner, V>) -> QueryValue<M, V> {
        QueryValue(term: attribute.queryValue.term, decode: attribute.decode, encode: attribute.encode)
    }
}
