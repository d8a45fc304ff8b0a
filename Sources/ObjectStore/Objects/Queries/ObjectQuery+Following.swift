// What a live result asks of its query: what it reads, and the few objects that have changed.

extension ObjectQuery {
    /// The tables that the query reads, and those that its links lead to: one to what is deleted leads nowhere.
    func tables(of model: ModelSchema) -> Set<TableID> {
        let read = tablesRead(model)
        return read.tables.union(read.targets)
    }

    /// The model of the objects themselves.
    var ownModel: ModelSchema? { context.schema.model(for: M.self) }

    /// Whether each object is in the list by itself, whatever others there are.
    func isOfRows(_ model: ModelSchema) -> Bool {
        limit == nil && offset == 0 && search == nil && last == nil && isOwn(model)
    }

    /// Those of some objects and rows that the query finds, in its order.
    ///
    /// - Parameters:
    ///   - states: of objects that were live; a deleted one is none of them.
    ///   - rows: without live objects.
    func fetch(among states: [ObjectState], rows: [RowID]) throws(StoreError) -> [M] {
        let model = try context.model(of: M.self)
        let query = try seenByContext(model)
        var seen: Set<ObjectIdentifier> = []
        var found = states.compactMap { state -> M? in
            // Nobody may hold one any more that has no edits any more.
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
