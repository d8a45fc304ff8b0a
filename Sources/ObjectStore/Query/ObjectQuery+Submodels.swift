extension ObjectQuery where M: Submodel {
    /// Those for which the predicate holds; several predicates all have to. Inherited properties count as well as the class's
    /// own.
    ///
    /// ```swift
    /// context.query(PushEvent.self).where { $0.size > 3 && $0.actor == octocat }
    /// ```
    public func `where`(_ predicate: (SubmodelProperties<M>) -> QueryPredicate<M>) -> ObjectQuery {
        var query = self
        let new = predicate(properties).condition
        query.condition = condition.map { .and($0, new) } ?? new
        return query
    }

    /// In the order of an attribute, inherited or own; a second call orders those that are equal.
    public func order<V>(
        by attribute: (SubmodelProperties<M>) -> Attribute<M, V>, _ direction: Direction = .ascending
    ) -> ObjectQuery {
        var query = self
        query.orders.append((attribute(properties).index, direction))
        return query
    }

    private var properties: SubmodelProperties<M> { SubmodelProperties(table: context.schema.table(for: M.self)) }
}

/// The properties of a class that inherits from another model, inherited and own, by their names.
@dynamicMemberLookup
public struct SubmodelProperties<M: Submodel> {
    let table: ModelSchema?

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
        ToOne(placed(M.properties[keyPath: path].description))
    }

    /// A relationship of the class's own to at most one object.
    public subscript<Owner, D>(dynamicMember path: KeyPath<M.OwnProperties, ToOne<Owner, D>>) -> ToOne<M, D> {
        ToOne(placed(M.ownProperties[keyPath: path].description))
    }

    private func attribute<Owner, V>(_ attribute: Attribute<Owner, V>) -> Attribute<M, V> {
        Attribute(
            placed(attribute.description), decode: attribute.decode, encode: attribute.encode,
            canonical: attribute.canonical)
    }

    /// The property where it stands in the table. A store that does not know the class says so when the query is asked.
    private func placed(_ property: PropertyDescription) -> PropertyDescription {
        property.moved(to: table?.index(of: property) ?? property.index)
    }
}
