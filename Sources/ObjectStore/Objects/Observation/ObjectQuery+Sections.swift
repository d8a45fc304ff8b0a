extension ObjectQuery {
    /// Returns the query's objects in sections, one for each value of an attribute, kept up to date as ``live()`` is.
    ///
    /// The sections are in the order of their values, their objects in the query's order. If the query has
    /// none, also in a search, objects are in the order of their creation.
    ///
    /// ```swift
    /// let sections = try context.query(Issue.self).order(by: { $0.number }).liveSections(by: { $0.state })
    /// for section in sections { print(section.value, section.map(\.title)) }
    /// ```
    ///
    /// - Parameters:
    ///   - value: an attribute of the model, or of a linked object. A value without a case in an enum is a section of
    ///     its own.
    ///   - direction: the sections' order.
    ///   - nils: the place of the section without a value, by default first, and last in descending order.
    /// - Throws: ``StoreError`` as ``fetch()``.
    /// - Complexity: that of ``live()``, and a pass over the sections. By an attribute of a linked object, a fetch
    ///   costs one more statement.
    public func liveSections<E: QueryExpression>(
        by value: (M.Properties) -> E, _ direction: Direction = .ascending, nils: NilPlacement? = nil
    ) throws(StoreError) -> LiveSections<M, E.Value> where E.Root == M {
        try liveSections(by: value(M.properties).queryValue, direction, nils)
    }

    /// Returns the query's objects in sections, one for each object that a link references, in the order of a value of
    /// these objects, kept up to date as ``live()`` is.
    ///
    /// ```swift
    /// let sections = try context.query(Issue.self).liveSections(by: { $0.repository }, order: { $0.fullName })
    /// ```
    ///
    /// - Parameters:
    ///   - order: the value that the sections are sorted by. They move when it changes.
    ///   - nils: the place of sections without a value, by default first, and last in descending order.
    /// - Throws: ``StoreError`` as ``fetch()``.
    /// - Complexity: that of ``live()``, and a pass over the sections.
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
    /// Returns the query's objects in sections by an inherited or own attribute; see `liveSections(by:_:nils:)` of
    /// ``ObjectQuery``.
    public func liveSections<E: QueryExpression>(
        by value: (SubmodelProperties<M>) -> E, _ direction: Direction = .ascending, nils: NilPlacement? = nil
    ) throws(StoreError) -> LiveSections<M, E.Value> where E.Root == M {
        try liveSections(by: value(SubmodelProperties()).queryValue, direction, nils)
    }

    /// Returns the query's objects in sections by an inherited or own link; see `liveSections(by:order:_:nils:)` of
    /// ``ObjectQuery``.
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

struct SectionKey<M: Model, Value> {
    let term: Term
    /// The last order is by the value itself.
    let orders: [QueryOrder]
    let kind: AttributeKind?
    let value: (StoredValue, ObjectContext) -> Value

    func ordered(_ query: ObjectQuery<M>) -> ObjectQuery<M> {
        var query = query
        query.orders = orders + query.orders
        return query
    }

    /// The object's section. The term must read only the object.
    func key(of object: M) -> StoredValue { canonical(object._object.current.value(of: term)) }

    func keys(of objects: [M], in query: ObjectQuery<M>) throws(StoreError) -> [StoredValue] {
        if term.isOwn { return objects.map(key) }
        let values = ValueQuery(query: query, terms: [.row, term]) { ($0[0].row, canonical($0[1])) }
        let keys = Dictionary(try values.fetch(), uniquingKeysWith: { first, _ in first })
        return objects.map { keys[$0._object.current.localID] ?? .null }
    }

    /// The order of two sections that are sorted by the value only.
    func precedes(_ left: StoredValue, _ right: StoredValue) -> Bool {
        guard let order = orders.last else { return false }
        if left.isNull != right.isNull { return left.isNull == order.isNilFirst }
        let result = StoredValue.order(left, right, as: kind)
        return result != 0 && (result < 0) != order.isDescending
    }

    private func canonical(_ value: StoredValue) -> StoredValue {
        guard case .text(let text) = value else { return value }
        if let levels = kind?.jsonLevels { return .text(JSONCollation.canonical(text, unordered: levels)) }
        guard kind?.isDecimal == true else { return value }
        return DecimalText(text).map { .text($0.canonicalText) } ?? value
    }
}
