extension ObjectContext {
    /// The rows of a model that have an identity, and no saved pending edits.
    ///
    /// - Parameter hasEdited: whether to include rows with these.
    /// - Complexity: linear in the model's rows.
    package func settledRows(
        of model: ModelSchema, withEdited hasEdited: Bool = false
    ) throws(StoreError) -> [RecordID] {
        guard !model.identity.isEmpty else { return [] }
        var writer = QueryWriter(schema, unsaved: nil)
        let place = writer.begin(model)
        let filter = writer.filter(nil, at: place)
        let known = model.identityColumns.map { "\(place.row.column($0.sqlName)) IS NOT NULL" }
        let settled = hasEdited ? [] : ["\(place.row.column("_unsent")) IS NULL"]
        let isSettled = (known + settled).joined(separator: " AND ")
        let text = "SELECT \(place.row.id), \(isSettled) FROM \(writer.source(place))\(filter)"
        return try stepping(through: QueryStatement(text, writer), of: model) { (statement) throws in
            var rows: [RecordID] = []
            while try statement.step() {
                guard statement.integer(1) != 0 else { continue }
                rows.append(RecordID(table: model.table, row: statement.row(0)))
            }
            return rows
        }
    }

    /// The rows with unsaved edits, and those that unsaved edits reference. A row with a requested deletion counts only
    /// if it was edited since.
    private var keptFromPruning: Set<RecordID> {
        let kept = unsaved.referenced.union(unsavedObjects.map(\._object.record))
        let requests = operations.deletionRequests
        guard !requests.isEmpty else { return kept }
        return kept.filter { record in
            guard let requested = requests[record] else { return true }
            return liveObject(record)?._object.current.hasEdits(since: requested) ?? true
        }
    }

    /// Makes an import that may delete rows keep those with unsaved edits.
    ///
    /// - Complexity: linear in the unsaved objects, if the import may delete omitted members.
    package func keepingUnsaved(_ request: ImportRequest) -> ImportRequest {
        guard !unsaved.isEmpty, schema.deletesOmitted || !operations.deletionRequests.isEmpty else { return request }
        var request = request
        request.kept = keptFromPruning
        return request
    }

    package func requestedDeletions(of model: ModelSchema) -> [RecordID] {
        let records = operations.deletionRequests.keys.filter { record in
            guard record.table == model.table, let own = object(for: record)?._object.model else { return false }
            return model.submodel.isRoot || own.submodel == model.submodel
        }
        return records.sorted { $0.row < $1.row }
    }

    /// Writes the values in a reply, and deletes objects that lose their owner. Unsaved and unsent changes and their
    /// links stay.
    package nonisolated(nonsending) func writeAnswer(
        _ batch: WriteBatch, to requestTime: ChangeStamp?
    ) async throws(StoreError) {
        var batch = batch
        (batch.requestTime, batch.isPruning, batch.kept) = (requestTime, true, keptFromPruning)
        try await write([batch])
    }

    /// Deletes rows that a complete listing omits, except for rows
    ///
    /// - with unsaved or unsent changes, or referenced by these
    /// - that have changed since the request
    /// - whose deletion would delete one of these rows
    ///
    /// If the listing proves a requested deletion, only later edits keep the row.
    ///
    /// - Parameters:
    ///   - leaving: rows that `batch` removes from a list that owns them, deleted under the same conditions.
    ///   - batch: changes to write first, in the same transaction.
    /// - Returns: those of `rows` and `leaving` that no longer exist.
    @discardableResult
    package nonisolated(nonsending) func prune(
        _ rows: [RecordID], leaving: [RecordID] = [], requestedAt requestTime: ChangeStamp?, after batch: WriteBatch
    ) async throws(StoreError) -> Set<RecordID> {
        try await write(pruning(rows, requestedAt: requestTime, after: batch))
        return try missing(among: rows + leaving)
    }

    package func pruning(
        _ rows: [RecordID], requestedAt requestTime: ChangeStamp?, after batch: WriteBatch = WriteBatch()
    ) -> [WriteBatch] {
        let kept = keptFromPruning
        var batches = [batch, WriteBatch.confirmed(deletions: rows)]
        for index in batches.indices {
            (batches[index].requestTime, batches[index].isPruning, batches[index].kept) = (requestTime, true, kept)
        }
        return batches
    }

    package func missing(among rows: [RecordID]) throws(StoreError) -> Set<RecordID> {
        try reading { reader in
            try Set(rows).filter { try !reader.reading()[$0.table].contains($0.row) }
        }
    }
}
