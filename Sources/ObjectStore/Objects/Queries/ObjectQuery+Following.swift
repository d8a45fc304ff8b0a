// For live results: the tables of a query, and fetching only changed objects.

extension ObjectQuery {
    /// The tables that the query reads, and the targets of links, because a link to a deleted object counts as nil.
    func tables(of model: ModelSchema) -> Set<TableID> {
        let read = tablesRead(model)
        return read.tables.union(read.targets)
    }

    var ownModel: ModelSchema? { context.schema.model(for: M.self) }

    /// Whether the query finds each object independently of others.
    func isOfRows(_ model: ModelSchema) -> Bool {
        limit == nil && offset == 0 && search == nil && last == nil && isOwn(model)
    }

    /// Returns those of the given objects that the query finds, in its order.
    ///
    /// - Parameters:
    ///   - states: of objects that were live. Deleted ones are left out.
    ///   - rows: rows without live objects.
    func fetch(among states: [ObjectState], rows: [RowID]) throws(StoreError) -> [M] {
        let model = try context.model(of: M.self)
        let query = try inContextView(model)
        var seen: Set<ObjectIdentifier> = []
        var found = states.compactMap { state -> M? in
            // An object without edits may have been released meanwhile.
            let object = context.object(for: state.current.record).flatMap { context.current($0) as? M }
            guard let object, seen.insert(ObjectIdentifier(object)).inserted else { return nil }
            return query.holds(for: object) ? object : nil
        }
        if !rows.isEmpty {
            for object in try query.storedObjects(of: model, among: rows) where query.holds(for: object) {
                if seen.insert(ObjectIdentifier(object)).inserted { found.append(object) }
            }
        }
        return found.sorted { query.precedes($0._object, $1._object) }
    }
}
