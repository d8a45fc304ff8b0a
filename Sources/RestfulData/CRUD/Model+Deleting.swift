import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Deletes this object at the server, `DELETE base/:key`, and then here, in every context.
    ///
    /// A reply of 404 or 410 says that it is gone already, and has the same effect. It waits for requests about this object
    /// that are on their way.
    ///
    /// Where a relationship denies the deletion, nothing is sent. Once the server has deleted the object it has the last word:
    /// what a rule would still keep it for is unlinked.
    ///
    /// - Throws: ``APIError``; the object is still there. ``StoreError/deleteDenied(model:identity:relationship:count:)`` in
    ///   ``APIError/store(_:)``.
    public nonisolated(nonsending) func delete() async throws(APIError) {
        try await inTurn { (context, bridge) throws(APIError) in
            try await delete(at: try bridge.objectURL(_object, context.schema), bridge, in: context)
        }
    }

    nonisolated(nonsending) func delete(at url: String, _ bridge: Bridge, in context: ObjectContext)
        async throws(APIError)
    {
        do { try context.checkDeletion(of: self) } catch { throw .store(error) }
        do {
            try await Exchange(bridge: bridge, method: .delete, url: url, table: _object.table).sendDeletion()
        } catch {
            throw await withVersions(error, _object.values(of: _object.table.properties), bridge, in: context)
        }
        guard !isInserted else {
            context.delete(self)
            return
        }
        var batch = WriteBatch()
        batch.isConfirmed = true
        batch.deletions = [WriteBatch.Key(table: _object.table.index, id: _object.localID)]
        do { try await context.openFile().writeConfirmed(batch) } catch { throw .store(error) }
    }
}

extension Exchange {
    /// Sends a DELETE, to which 404 and 410 say that there is nothing to delete.
    func sendDeletion() async throws(APIError) {
        do {
            _ = try await send()
        } catch {
            guard error.reply?.kind == .notFound else { throw error }
        }
    }
}

extension StoreFile {
    /// Writes what the server has done already, and so also where the task was cancelled meanwhile.
    func writeConfirmed(_ batch: WriteBatch) async throws(StoreError) {
        let writing = Task { () async -> Result<Void, StoreError> in
            do throws(StoreError) { return .success(try await write([batch])) } catch { return .failure(error) }
        }
        try await writing.value.get()
    }
}
