extension ObjectQuery {
    /// Those that come after an object in the query's order: the next page, which misses none and repeats none where
    /// others come or go meanwhile. Where nils come first (`nils: .first`, which a descending order has to say), an
    /// index of the first order begins there, so that a page far from the beginning takes as long to find as the first.
    ///
    /// ```swift
    /// let query = context.query(Issue.self).order(by: { $0.createdAt }, .descending).limit(50)
    /// let first = try query.fetch()
    /// let next = try first.last.map { try query.after($0).fetch() } ?? []
    /// ```
    ///
    /// The object need not be one of the query's. One that is deleted, or of another context, is refused when the query
    /// is asked: ``StoreError/deletedObject(model:)``, ``StoreError/foreignObject(model:)``. So is, where the best that
    /// a search finds come first, one that it doesn't find: ``StoreError/unanswerable(model:reason:)``.
    public func after(_ object: M) -> ObjectQuery {
        var query = self
        query.last = object
        return query
    }

    /// The query with the place after which it begins as a condition.
    func afterLast(_ model: ModelSchema) throws(StoreError) -> ObjectQuery {
        guard let last else { return self }
        let state = last._object
        guard state.context === context else { throw .foreignObject(model: model.modelName) }
        guard !state.isDeleted else { throw .deletedObject(model: model.modelName) }
        var query = self
        query.last = nil
        let match = orders.isEmpty ? try searchMatch(model) : nil
        let place = match == nil ? try query.condition(after: last) : try query.condition(afterRanked: last)
        guard let place else { return query }
        query.condition = condition.map { .and($0, place) } ?? place
        return query
    }

    private func condition(after object: M) throws(StoreError) -> Condition? {
        let values = try values(of: object)
        var after = Condition.compare(.row, .greater, StoredValue(object._object.localID))
        for (order, value) in zip(orders, values).reversed() {
            let isSame = Condition.compare(order.term, .equal, value)
            let rest = Condition.and(isSame, after)
            after = order.following(value).map { .or($0, rest) } ?? rest
        }
        // Said once more of the first order alone, an index begins there. What has no value is not to follow.
        if let order = orders.first, let value = values.first, !value.isNull, order.isNilFirst {
            let bound = Condition.compare(order.term, order.isDescending ? .lessOrEqual : .greaterOrEqual, value)
            after = .and(bound, after)
        }
        return after
    }

    /// The same where the best of what a search finds come first: all but those up to the object.
    private func condition(afterRanked object: M) throws(StoreError) -> Condition {
        var all = ObjectQuery(context: context)
        all.search = search
        let rows = try all.rowIDs()
        guard let place = rows.firstIndex(of: object._object.current.localID) else {
            let reason = "the search doesn't find the object after which the page is to begin"
            throw .unanswerable(model: "\(M.self)", reason: reason)
        }
        return .not(.isAmong(.row, rows[...place].map { StoredValue($0) }))
    }

    /// What the orders' terms are of an object: as it is in memory, or by a question of its own where they lead to
    /// others.
    private func values(of object: M) throws(StoreError) -> [StoredValue] {
        let state = object._object.current
        if orders.allSatisfy(\.term.isOwn) { return orders.map { state.value(of: $0.term) } }
        var query = ObjectQuery(context: context)
        query.condition = .compare(.row, .equal, StoredValue(state.localID))
        let found = try ValueQuery(query: query, terms: orders.map(\.term)) { $0 }.fetch().first
        guard let found else { throw .deletedObject(model: "\(M.self)") }
        return found
    }
}

extension QueryOrder {
    /// What comes after a value, those that are equal aside; `nil` where nothing does.
    fileprivate func following(_ value: StoredValue) -> Condition? {
        if value.isNull { return isNilFirst ? .compare(term, .unequal, .null) : nil }
        let next = Condition.compare(term, isDescending ? .less : .greater, value)
        return isNilFirst ? next : .or(next, .compare(term, .equal, .null))
    }
}

// MARK: - What it asks of SQLite

extension ObjectQuery {
    /// The statement that the query is, and how SQLite runs it: which indexes it uses (`SEARCH … USING INDEX`), which
    /// tables it looks through (`SCAN`), where it sorts (`USE TEMP B-TREE`). Values stand in it as `?1`, `?2`; none is
    /// told.
    ///
    /// - Throws: ``StoreError``, as ``fetch()``. Nothing is fetched.
    public func explanation() throws(StoreError) -> String {
        let model = try context.model(of: M.self)
        let match = try searchMatch(model)
        let seen = try seenByContext(model)
        let query = seen.narrowed(by: match)
        let unsaved = query.isOwn(model) ? nil : try context.unsavedRows(of: query.tablesRead(model))
        let statement =
            if let match, orders.isEmpty, unsaved == nil {
                seen.rankedSelection(of: model, match, limit: limit, offset: offset)
            } else {
                try query.selection(of: model, limit: limit, offset: offset, unsaved)
            }
        return try context.plan(of: statement, model)
    }
}

extension ObjectContext {
    fileprivate func plan(of statement: QueryStatement, _ model: ModelSchema) throws(StoreError) -> String {
        var lines = [statement.text]
        try stepping(through: statement.explained, of: model, isOwn: true) { (plan) throws in
            // By the number of a step, how far it stands in: https://sqlite.org/eqp.html.
            var depths: [Int64: Int] = [0: 0]
            while try plan.step() {
                let depth = (depths[plan.integer(1)] ?? 0) + 1
                depths[plan.integer(0)] = depth
                lines.append(String(repeating: "  ", count: depth) + plan.text(3))
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension QueryStatement {
    fileprivate var explained: QueryStatement { QueryStatement("EXPLAIN QUERY PLAN " + text, writer) }
}
