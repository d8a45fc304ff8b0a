extension ObjectContext {
    /// The rows of a model that have an identity, and have no pending edits.
    ///
    /// - Parameter hasEdited: whether rows with pending edits are among them.
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

    /// The rows that have unsaved edits here, or that unsaved edits lead to. A row whose deletion was requested counts
    /// only if it was edited since.
    private var keptFromPruning: Set<RecordID> {
        let kept = unsaved.referenced.union(unsavedObjects.map(\._object.record))
        let requests = underway.deletionRequests
        guard !requests.isEmpty else { return kept }
        return kept.filter { record in
            guard let requested = requests[record] else { return true }
            return liveObject(record)?._object.current.hasEdits(since: requested) ?? true
        }
    }

    /// Adds the rows that the import must not delete, since they have unsaved edits here.
    ///
    /// - Complexity: linear in the unsaved objects, if the import may delete omitted members.
    package func keepingUnsaved(_ request: ImportRequest) -> ImportRequest {
        guard !unsaved.isEmpty, request.response == nil else { return request }
        let lists = request.membership.map { [$0.owner.record.table, request.table] } ?? [request.table]
        let mayDelete = lists.contains { schema[$0].lists.contains(where: schema.namesMembers) }
        guard mayDelete || !underway.deletionRequests.isEmpty else { return request }
        var request = request
        request.kept = keptFromPruning
        return request
    }

    /// The rows of a model whose deletion was requested, with an unknown outcome.
    package func requestedDeletions(of model: ModelSchema) -> [RecordID] {
        let records = underway.deletionRequests.keys.filter { record in
            guard record.table == model.table, let own = object(for: record)?._object.model else { return false }
            return model.submodel.isRoot || own.submodel == model.submodel
        }
        return records.sorted { $0.row < $1.row }
    }

    /// Writes what an answer says, of which what loses its owner goes; not what waits to be sent, here or in the file,
    /// and its links.
    package nonisolated(nonsending) func writeAnswer(
        _ batch: WriteBatch, to asked: ChangeStamp?
    ) async throws(StoreError) {
        var batch = batch
        (batch.asked, batch.isPruning, batch.kept) = (asked, true, keptFromPruning)
        try await write([batch])
    }

    /// Deletes rows that a whole listing has left out, but for those that have unsaved edits here or that unsaved edits
    /// lead to, wait to be sent, or have changed since the question was asked, nor any that would take such a one
    /// along.
    ///
    /// - Parameters:
    ///   - leaving: what `batch` takes out of a list that owns it; the same holds of that.
    ///   - batch: what is written before, in the same transaction.
    ///   - asked: when the listing was asked for.
    /// - Returns: which of the two are gone.
    @discardableResult
    package nonisolated(nonsending) func prune(
        _ rows: [RecordID], leaving: [RecordID] = [], askedAt asked: ChangeStamp?, after batch: WriteBatch
    ) async throws(StoreError) -> Set<RecordID> {
        let kept = keptFromPruning
        var batches = [batch, WriteBatch.confirmed(deletions: rows)]
        for index in batches.indices {
            (batches[index].asked, batches[index].isPruning, batches[index].kept) = (asked, true, kept)
        }
        try await write(batches)
        return try reading { reader in
            try Set(rows + leaving).filter { try !reader.reading()[$0.table].contains($0.row) }
        }
    }
}
