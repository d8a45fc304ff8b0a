extension ObjectContext {
    /// The rows of a model that have an identity, and of which nothing waits to be sent.
    ///
    /// - Complexity: linear in the model's rows.
    package func settledRows(of model: ModelSchema) throws(StoreError) -> [RecordID] {
        guard !model.identity.isEmpty else { return [] }
        var writer = QueryWriter(schema, unsaved: nil)
        let place = writer.begin(model)
        let filter = writer.filter(nil, at: place)
        let known = model.identityColumns.map { "\(place.row.column($0.sqlName)) IS NOT NULL" }
        let isSettled = (known + ["\(place.row.column("_unsent")) IS NULL"]).joined(separator: " AND ")
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

    /// Writes what an answer says, of which what loses its owner goes; not what waits to be sent, here or in the file,
    /// and its links.
    package nonisolated(nonsending) func writeAnswer(
        _ batch: WriteBatch, to asked: ChangeStamp?
    ) async throws(StoreError) {
        var batch = batch
        let kept = unsaved.referenced.union(unsavedObjects.map(\._object.record))
        (batch.asked, batch.isPruning, batch.kept) = (asked, true, kept)
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
        let kept = unsaved.referenced.union(unsavedObjects.map(\._object.record))
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
