/// A value for an attribute of each object that a query finds; see ``ObjectQuery/update(_:)``.
public struct QueryAssignment<Owner: Model>: Sendable {
    let property: PropertyReference
    let name: String
    let value: StoredValue
}

extension Attribute {
    /// The attribute gets this value: `context.query(Issue.self).update { [$0.state.set(to: .closed)] }`.
    public func set(to value: Value) -> QueryAssignment<Owner> {
        QueryAssignment(property: PropertyReference(description), name: description.name, value: encode(value))
    }
}

// What is found is changed without being made objects of. It is what a save of as many edited objects would do: the
// same batch goes to the writer, which notes what the server has not heard of.

extension ObjectQuery {
    /// Sets attributes of all objects that the query finds, in one transaction off this actor. The edits are in this
    /// context's objects before it returns, in others as soon as their actors are free, and wait to be sent as those
    /// that are saved do.
    ///
    /// What has the values already isn't written. An object with unsaved edits is edited here too, later than those,
    /// and is saved with them; nothing else that is unsaved is. No object is asked to `validate()`, as none is made.
    ///
    /// - Returns: how many objects were changed.
    /// - Throws: ``StoreError``; the file is as it was then. ``StoreError/readOnlyProperty(model:property:)`` for what
    ///   only the server sets, ``StoreError/embeddedObject(model:)`` for objects that are saved with their owners,
    ///   ``StoreError/unsendable(model:property:value:)`` for what no server could be told.
    @discardableResult
    public nonisolated(nonsending) func update(
        _ assignments: (M.Properties) -> [QueryAssignment<M>]
    ) async throws(StoreError) -> Int {
        try context.checkActor(#isolation)
        let model = try changeableModel()
        let values = try values(of: assignments(M.properties), in: model)
        guard !values.isEmpty else { return 0 }
        var query = self
        let differs = values.map { Condition.compare(.property(PropertyReference($0.key)), .unequal, $0.value) }
        let isOther = differs.dropFirst().reduce(differs[0], Condition.or)
        // Those that a limit leaves are chosen before it is looked which of them differ.
        if limit == nil, offset == 0 { query = narrowed(by: isOther) }
        let rows = try query.rowIDs()
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
        context.tellWatchers()
        return rows.count
    }

    /// What is set in live objects meanwhile is an edit, whatever the file says by then.
    private nonisolated(nonsending) func write(_ batch: WriteBatch) async throws(StoreError) {
        guard !batch.isEmpty else { return }
        let objects = batch.rows.compactMap { context.liveObject($0.record) }
        var live = WriteBatch()
        live.rows = batch.rows.filter { context.liveObject($0.record) != nil }
        context.noteInFlight(live)
        defer { withExtendedLifetime(objects) { context.noteLanded(live) } }
        try await context.write([batch])
    }

    /// Deletes all objects that the query finds, in one transaction off this actor, with what their relationships
    /// declare to be deleted with them. The server is not told: `object.delete()` does that.
    ///
    /// - Returns: how many objects the query found.
    /// - Throws: ``StoreError``; nothing is deleted then.
    ///   ``StoreError/deleteDenied(model:identity:relationship:count:)`` for one that a rule keeps.
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
        // What is in no file is gone at once.
        for object in new { context.delete(object) }
        return rows.count
    }

    /// Edits the objects of rows in a draft, as these are not to be in the file before the draft is saved.
    private func edit(_ rows: [RowID], _ body: (ObjectState) -> Void) {
        for object in context.objects(M.self, of: rows) { body(object._object.current) }
        context.tellWatchers()
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

    /// The rows of the objects, in the query's order, of which none is made.
    func rowIDs() throws(StoreError) -> [RowID] {
        try ValueQuery(query: self, terms: [.row]) { $0[0].row }.fetch().compactMap(\.self)
    }

    // MARK: One after the other

    /// Calls `body` with one object after the other, in the query's order, and holds none of them: memory stays as
    /// small with a million objects as with one. All are of one state of the file. What is edited meanwhile changes
    /// nothing in what comes.
    ///
    /// - Throws: ``StoreError``, or what `body` throws, which ends it.
    public func visit(_ body: (M) throws -> Void) throws {
        let model = try context.model(of: M.self)
        let match = try searchMatch(model)
        let query = try seenByContext(model).narrowed(by: match)
        let read = query.tablesRead(model)
        guard try context.unsavedRows(of: read) == nil else {
            // The rows of what is unsaved change with each other question that is asked meanwhile.
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
