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
    var orders: [(property: PropertyIndex, direction: Direction)] = []
    var limit: Int?
    var offset = 0
    /// The words that have to occur.
    var search: SearchText?

    /// Those for which the predicate holds; several predicates all have to.
    public func `where`(_ predicate: (M.Properties) -> QueryPredicate<M>) -> ObjectQuery {
        narrowed(by: predicate(M.properties))
    }

    func narrowed(by predicate: QueryPredicate<M>) -> ObjectQuery {
        var query = self
        query.condition = condition.map { .and($0, predicate.condition) } ?? predicate.condition
        return query
    }

    /// In the order of an attribute; a second call orders those that are equal. Of objects that are equal in all, those that
    /// were made here come first, in the order in which they were made, then those that were imported, in the order in
    /// which they first came.
    public func order<V>(
        by attribute: (M.Properties) -> Attribute<M, V>, _ direction: Direction = .ascending
    ) -> ObjectQuery {
        ordered(by: attribute(M.properties), direction)
    }

    func ordered<V>(by attribute: Attribute<M, V>, _ direction: Direction) -> ObjectQuery {
        var query = self
        query.orders.append((attribute.index, direction))
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
}

// MARK: - Submodels

extension ObjectQuery where M: Submodel {
    /// Those for which the predicate holds; several predicates all have to. Inherited properties count as well as the class's
    /// own.
    ///
    /// ```swift
    /// context.query(PushEvent.self).where { $0.size > 3 && $0.actor == octocat }
    /// ```
    public func `where`(_ predicate: (SubmodelProperties<M>) -> QueryPredicate<M>) -> ObjectQuery {
        narrowed(by: predicate(properties))
    }

    /// In the order of an attribute, inherited or own; a second call orders those that are equal.
    public func order<V>(
        by attribute: (SubmodelProperties<M>) -> Attribute<M, V>, _ direction: Direction = .ascending
    ) -> ObjectQuery {
        ordered(by: attribute(properties), direction)
    }

    private var properties: SubmodelProperties<M> { SubmodelProperties(model: context.schema.model(for: M.self)) }
}

/// The properties of a class that inherits from another model, inherited and own, by their names.
@dynamicMemberLookup
public struct SubmodelProperties<M: Submodel> {
    let model: ModelSchema?

    /// An inherited attribute.
    public subscript<Owner, V>(dynamicMember path: KeyPath<M.Properties, Attribute<Owner, V>>) -> Attribute<M, V> {
        attribute(M.properties[keyPath: path])
    }

    /// An attribute of the class's own.
    public subscript<Owner, V>(dynamicMember path: KeyPath<M.OwnProperties, Attribute<Owner, V>>) -> Attribute<M, V> {
        attribute(M.ownProperties[keyPath: path])
    }

    /// An inherited relationship to at most one object.
    public subscript<Owner, D>(dynamicMember path: KeyPath<M.Properties, ToOne<Owner, D>>) -> ToOne<M, D> {
        ToOne(indexed(M.properties[keyPath: path].description))
    }

    /// A relationship of the class's own to at most one object.
    public subscript<Owner, D>(dynamicMember path: KeyPath<M.OwnProperties, ToOne<Owner, D>>) -> ToOne<M, D> {
        ToOne(indexed(M.ownProperties[keyPath: path].description))
    }

    private func attribute<Owner, V>(_ attribute: Attribute<Owner, V>) -> Attribute<M, V> {
        Attribute(
            indexed(attribute.description), decode: attribute.decode, encode: attribute.encode,
            canonical: attribute.canonical)
    }

    /// The property at its index in the table. A store that doesn't know the class says so when the query is asked.
    private func indexed(_ property: PropertyDescription) -> PropertyDescription {
        property.moved(to: model?.index(of: property)?.rawValue ?? property.index)
    }
}
