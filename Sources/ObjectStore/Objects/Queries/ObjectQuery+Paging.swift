extension ObjectQuery {
    /// Returns a query for the objects after `object` in the query's order: the next page, whatever is inserted or
    /// deleted meanwhile.
    ///
    /// If nils come first (a descending order needs `nils: .first`), SQLite starts at the object in an index of the
    /// first order, so later pages take as long as the first.
    ///
    /// ```swift
    /// let query = context.query(Issue.self).order(by: { $0.createdAt }).limit(50)
    /// let next = try query.after(last).fetch()
    /// ```
    ///
    /// The query needn't find the object itself. The fetch throws ``StoreError/deletedObject(model:)`` or
    /// ``StoreError/foreignObject(model:)``, and in a search ordered by rank ``StoreError/unanswerable(model:reason:)``
    /// for an object that it doesn't find.
    public func after(_ object: M) -> ObjectQuery {
        var query = self
        query.last = object
        return query
    }

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
        // This bound is redundant, but lets SQLite start at the value in an index of the first order. It excludes nil,
        // so nils must come first.
        if let order = orders.first, let value = values.first, !value.isNull, order.isNilFirst {
            let bound = Condition.compare(order.term, order.isDescending ? .lessOrEqual : .greaterOrEqual, value)
            after = .and(bound, after)
        }
        return after
    }

    /// Excludes all rows up to the object.
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

    /// The values to order by. A query reads them if the orders read other objects.
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
    /// The condition for later values. `nil` if this value is the last.
    fileprivate func following(_ value: StoredValue) -> Condition? {
        if value.isNull { return isNilFirst ? .compare(term, .unequal, .null) : nil }
        let next = Condition.compare(term, isDescending ? .less : .greater, value)
        return isNilFirst ? next : .or(next, .compare(term, .equal, .null))
    }
}

// MARK: - SQLite's plan

extension ObjectQuery {
    /// Returns the query's SQL statement and SQLite's plan: indexes (`SEARCH … USING INDEX`), scans (`SCAN`) and
    /// sorting (`USE TEMP B-TREE`). Values appear as `?1`, `?2`, so the text contains no data. Nothing is fetched.
    ///
    /// - Throws: the errors of ``fetch()``.
    public func explanation() throws(StoreError) -> String {
        let model = try context.model(of: M.self)
        let match = try searchMatch(model)
        let seen = try inContextView(model)
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
            // The indentation by step (https://sqlite.org/eqp.html).
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
