extension ObjectQuery {
    /// The query's objects in sections, one for each value that they have, kept up to date as ``live()`` is. The
    /// sections are in the order of their values, and the objects of each in the query's order; those of a search that
    /// has none in the order in which they came.
    ///
    /// ```swift
    /// let sections = try context.query(Issue.self).order(by: { $0.number }).liveSections(by: { $0.state })
    /// for section in sections { print(section.value, section.map(\.title)) }
    /// ```
    ///
    /// - Parameters:
    ///   - value: an attribute, its own or one of what a link leads to. A value that its type has no case for is a
    ///     section of its own.
    ///   - nils: where the section of the objects without a value comes; if it isn't said, before all others, and after
    ///     them where the order is descending.
    /// - Throws: ``StoreError`` as ``fetch()``.
    /// - Complexity: that of ``live()``, and a pass over the sections; by what a link leads to, one statement more
    ///   whenever it is fetched again.
    public func liveSections<E: QueryExpression>(
        by value: (M.Properties) -> E, _ direction: Direction = .ascending, nils: NilPlacement? = nil
    ) throws(StoreError) -> LiveSections<M, E.Value> where E.Root == M {
        try liveSections(by: value(M.properties).queryValue, direction, nils)
    }

    /// The same, one for each object that a link leads to, in the order of something that these have:
    ///
    /// ```swift
    /// let sections = try context.query(Issue.self).liveSections(by: { $0.repository }, order: { $0.fullName })
    /// for section in sections { print(section.value?.fullName ?? "none", section.count) }
    /// ```
    ///
    /// A section moves when the order of these objects changes.
    public func liveSections<L: QueryReference, E: QueryExpression>(
        by link: (M.Properties) -> L, order: (L.Destination.Properties) -> E, _ direction: Direction = .ascending,
        nils: NilPlacement? = nil
    ) throws(StoreError) -> LiveSections<M, L.Destination?> where L.Root == M, E.Root == L.Destination {
        try liveSections(
            by: link(M.properties).queryLink, order: order(L.Destination.properties).term, direction, nils)
    }

    func liveSections<V>(
        by value: QueryValue<M, V>, _ direction: Direction, _ nils: NilPlacement?
    ) throws(StoreError) -> LiveSections<M, V> {
        let order = QueryOrder(value.term, direction, nils: nils)
        let kind = context.schema.kind(of: value.term, in: try context.model(of: M.self))
        return try LiveSections(
            self, by: SectionKey(term: value.term, orders: [order], kind: kind) { key, _ in value.decode(key) })
    }

    func liveSections<D: Model>(
        by link: QueryLink<M, D>, order: Term, _ direction: Direction, _ nils: NilPlacement?
    ) throws(StoreError) -> LiveSections<M, D?> {
        let target = link.target
        let order = link.path.reversed().reduce(order) { .linked($1, $0) }
        let orders = [QueryOrder(order, direction, nils: nils), QueryOrder(target, direction, nils: nils)]
        let table = context.schema.model(for: D.self)?.table
        return try LiveSections(
            self,
            by: SectionKey(term: target, orders: orders, kind: nil) { key, context in
                guard let table, let row = key.row else { return nil }
                return context.object(for: RecordID(table: table, row: row)) as? D
            })
    }
}

extension ObjectQuery where M: Submodel {
    /// The query's objects in sections, one for each value that they have, inherited or the class's own.
    public func liveSections<E: QueryExpression>(
        by value: (SubmodelProperties<M>) -> E, _ direction: Direction = .ascending, nils: NilPlacement? = nil
    ) throws(StoreError) -> LiveSections<M, E.Value> where E.Root == M {
        try liveSections(by: value(SubmodelProperties()).queryValue, direction, nils)
    }

    /// The same, one for each object that a link leads to, inherited or the class's own, in the order of something that
    /// these have.
    public func liveSections<L: QueryReference, E: QueryExpression>(
        by link: (SubmodelProperties<M>) -> L, order: (L.Destination.Properties) -> E,
        _ direction: Direction = .ascending, nils: NilPlacement? = nil
    ) throws(StoreError) -> LiveSections<M, L.Destination?> where L.Root == M, E.Root == L.Destination {
        try liveSections(
            by: link(SubmodelProperties()).queryLink, order: order(L.Destination.properties).term, direction, nils)
    }
}

extension QueryOrder {
    fileprivate init<M: Model>(
        _ term: Term, _ direction: ObjectQuery<M>.Direction, nils: ObjectQuery<M>.NilPlacement?
    ) {
        self.init(
            term: term, isDescending: direction == .descending,
            isNilFirst: nils.map { $0 == .first } ?? (direction == .ascending))
    }
}

/// What the objects of a section have in common.
struct SectionKey<M: Model, Value> {
    let term: Term
    /// How the sections are ordered, to the last by the term itself.
    let orders: [QueryOrder]
    let kind: AttributeKind?
    /// What users see of it.
    let value: (StoredValue, ObjectContext) -> Value

    func ordered(_ query: ObjectQuery<M>) -> ObjectQuery<M> {
        var query = query
        query.orders = orders + query.orders
        return query
    }

    /// The section of an object, where the term reads that alone.
    func key(of object: M) -> StoredValue { canonical(object._object.current.value(of: term)) }

    /// The sections of a query's objects, in their order.
    func keys(of objects: [M], in query: ObjectQuery<M>) throws(StoreError) -> [StoredValue] {
        if term.isOwn { return objects.map(key) }
        let values = ValueQuery(query: query, terms: [.row, term]) { ($0[0].row, canonical($0[1])) }
        let keys = Dictionary(try values.fetch(), uniquingKeysWith: { first, _ in first })
        return objects.map { keys[$0._object.current.localID] ?? .null }
    }

    /// The order of the sections' values, where they have no other.
    func precedes(_ left: StoredValue, _ right: StoredValue) -> Bool {
        guard let order = orders.last else { return false }
        if left.isNull != right.isNull { return left.isNull == order.isNilFirst }
        let result = StoredValue.order(left, right, as: kind)
        return result != 0 && (result < 0) != order.isDescending
    }

    /// One of the texts that stand for the same value.
    private func canonical(_ value: StoredValue) -> StoredValue {
        guard case .text(let text) = value else { return value }
        if let levels = kind?.jsonLevels { return .text(JSONCollation.canonical(text, unordered: levels)) }
        guard kind?.isDecimal == true else { return value }
        return DecimalText(text).map { .text($0.canonicalText) } ?? value
    }
}
