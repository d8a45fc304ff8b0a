/// A new value for an attribute; see ``ObjectQuery/update(_:)``.
public struct QueryAssignment<Owner: Model>: Sendable {
    let property: PropertyReference
    let name: String
    let value: StoredValue
}

extension Attribute {
    /// Assigns a value: `context.query(Issue.self).update { [$0.state.set(to: .closed)] }`.
    public func set(to value: Value) -> QueryAssignment<Owner> {
        QueryAssignment(property: PropertyReference(description), name: description.name, value: encode(value))
    }
}

// Changes rows without creating objects. The writer gets the batch that a save of edited objects would write.

extension ObjectQuery {
    /// Sets attributes of all objects that the query finds, in one transaction off this actor.
    ///
    /// When the call returns, this context's objects have the values; other contexts follow as soon as their actors are
    /// free. The edits are pending, like saved ones, until they are sent. Objects that have the values already aren't
    /// written.
    ///
    /// An object with unsaved edits is only edited, and so are all objects in a draft. `validate()` isn't called.
    ///
    /// - Returns: the number of changed objects.
    /// - Throws: ``StoreError``; the file is unchanged then. ``StoreError/readOnlyProperty(model:property:)`` for
    ///   read-only and create-only attributes, ``StoreError/embeddedObject(model:)``,
    ///   ``StoreError/unsendable(model:property:value:)``.
    @discardableResult
    public nonisolated(nonsending) func update(
        _ assignments: (M.Properties) -> [QueryAssignment<M>]
    ) async throws(StoreError) -> Int {
        try context.checkActor(#isolation)
        let model = try changeableModel()
        let values = try values(of: assignments(M.properties), in: model)
        guard !values.isEmpty else { return 0 }
        let differs = values.map { Condition.compare(.property(PropertyReference($0.key)), .unequal, $0.value) }
        let isOther = differs.dropFirst().reduce(differs[0], Condition.or)
        // The limit applies before objects that already have the values are left out.
        let rows = try withoutLimit().narrowed(by: isOther).rowIDs()
        guard context.base == nil else {
            edit(rows) { state in for (property, value) in values { state.setStored(property, to: value) } }
            return rows.count
        }
        var edits = EditMap()
        for (property, value) in values { edits.set(Edit(value, at: .now()), for: property) }
        var batch = WriteBatch()
        for row in rows {
            let record = RecordID(table: model.table, row: row)
            if let live = context.liveObject(record), live._object.hasEdits {
                for (property, value) in values { live._object.current.setStored(property, to: value) }
            } else {
                batch.rows.append(WriteBatch.Row(record, values: PropertyMap(edits), isInsert: false, edited: edits))
            }
        }
        try await write(batch)
        context.notifyObservers()
        return rows.count
    }

    /// A value set in a live object meanwhile is an edit, even if it equals the file's.
    private nonisolated(nonsending) func write(_ batch: WriteBatch) async throws(StoreError) {
        guard !batch.isEmpty else { return }
        let objects = batch.rows.compactMap { context.liveObject($0.record) }
        var live = WriteBatch()
        live.rows = batch.rows.filter { context.liveObject($0.record) != nil }
        context.noteInFlight(live)
        defer { withExtendedLifetime(objects) { context.noteCompleted(live) } }
        try await context.write([batch])
    }

    /// Deletes all objects that the query finds from the store, by the relationships' delete rules, in one transaction
    /// off this actor. The server keeps its objects, unlike with `object.delete()`.
    ///
    /// - Returns: the number of objects that the query found.
    /// - Throws: ``StoreError``; nothing is deleted then.
    ///   ``StoreError/deleteDenied(model:identity:relationship:count:)`` if a delete rule denies it.
    @discardableResult
    public nonisolated(nonsending) func delete() async throws(StoreError) -> Int {
        try context.checkActor(#isolation)
        let model = try changeableModel()
        let rows = try rowIDs()
        guard context.base == nil else {
            for object in context.objects(M.self, of: rows) { context.delete(object) }
            return rows.count
        }
        var batch = WriteBatch()
        var new: [any Model] = []
        for row in rows {
            let record = RecordID(table: model.table, row: row)
            if let live = context.liveObject(record), live._object.isInserted {
                new.append(live)
            } else {
                batch.deletions.append(record)
            }
        }
        if !batch.isEmpty {
            let live = batch.deletions.filter { context.liveObject($0) != nil }
            for record in live { context.beginDeletion(of: record) }
            defer { for record in live { context.endDeletion(of: record) } }
            try await context.write([batch])
        }
        for object in new { context.delete(object) }
        return rows.count
    }

    /// For drafts, which write to the file only when they are saved.
    private func edit(_ rows: [RowID], _ body: (ObjectState) -> Void) {
        for object in context.objects(M.self, of: rows) { body(object._object.current) }
        context.notifyObservers()
    }

    private func changeableModel() throws(StoreError) -> ModelSchema {
        let model = try context.model(of: M.self)
        guard !model.isEmbedded else { throw .embeddedObject(model: model.modelName) }
        return model
    }

    private func values(
        of assignments: [QueryAssignment<M>], in model: ModelSchema
    ) throws(StoreError) -> [(key: PropertyIndex, value: StoredValue)] {
        var values: [PropertyIndex: StoredValue] = [:]
        for assignment in assignments {
            guard let index = model.index(of: assignment.property) else { continue }
            guard !model.fixed.contains(index) else {
                throw .readOnlyProperty(model: model.modelName, property: assignment.name)
            }
            if case .attribute(let kind, _, _) = model[index].kind, let refusal = kind.refusal(of: assignment.value) {
                throw .unsendable(model: model.modelName, property: assignment.name, value: refusal.value)
            }
            values[index] = assignment.value
        }
        return values.sorted { $0.key < $1.key }
    }

    /// The rows that the query finds, in its order, without creating objects.
    func rowIDs() throws(StoreError) -> [RowID] {
        try ValueQuery(query: self, terms: [.row]) { $0[0].row }.fetch().compactMap(\.self)
    }

    /// The query for the objects within the limit, without a limit of its own, so that conditions can be added.
    func withoutLimit() throws(StoreError) -> ObjectQuery {
        guard limit != nil || offset > 0 else { return self }
        var query = narrowed(by: .isAmong(.row, try rowIDs().map { StoredValue($0) }))
        (query.limit, query.offset) = (nil, 0)
        return query
    }

    // MARK: One after the other

    /// Calls `body` with each object in the query's order, and keeps none in memory. All objects are of one state of
    /// the file. Edits made meanwhile don't change which objects follow.
    ///
    /// - Throws: ``StoreError``, or the error of `body`, which ends the iteration.
    public func visit(_ body: (M) throws -> Void) throws {
        let model = try context.model(of: M.self)
        let match = try searchMatch(model)
        let query = try inContextView(model).narrowed(by: match)
        let read = query.tablesRead(model)
        guard try context.unsavedRows(of: read) == nil else {
            // Other queries made meanwhile would change the temporary tables with unsaved rows.
            for row in try query.rowIDs() {
                if let object = context.object(M.self, for: RecordID(table: model.table, row: row)) { try body(object) }
            }
            return
        }
        let statement =
            if let match, orders.isEmpty {
                query.rankedSelection(of: model, match, limit: limit, offset: offset)
            } else {
                try query.selection(of: model, limit: limit, offset: offset)
            }
        var thrown: (any Error)?
        try context.stepping(through: statement, of: model, isOwn: true) { (statement) throws in
            while thrown == nil, try statement.step() {
                do {
                    if let object = context.object(M.self, of: model, from: statement) { try body(object) }
                } catch {
                    thrown = error
                }
            }
        }
        if let thrown { throw thrown }
    }
}
