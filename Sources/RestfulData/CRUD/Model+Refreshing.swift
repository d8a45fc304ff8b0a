import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Fetches this object anew from its own URL, `GET base/:key`, into this same instance and every other context's.
    ///
    /// Properties with unsaved edits keep them. A reply of 304 changes nothing. It waits for requests about this object that
    /// are on their way.
    ///
    /// An object that was made here gets its identity and all else from the reply; the key, which was set to fetch it, counts
    /// as the server's.
    ///
    /// - Throws: ``APIError``; the object is as it was. ``APIError/noObject(model:_:_:)`` when the reply is about something
    ///   else.
    public nonisolated(nonsending) func fetch() async throws(APIError) {
        try await inTurn { (context, bridge) throws(APIError) in
            let key = try bridge.objectTemplate(_object.table).key
            let url = try bridge.objectURL(_object, context.schema)
            let response = try await Exchange(bridge: bridge, method: .get, url: url, table: _object.table).send()
            guard response.status != .notModified else { return }
            let shape = bridge.shape(of: response, _object.table, isList: false)
            try shape.check(response, _object.table)
            try await refresh(with: response, shape, key: key, in: context)
        }
    }

    private nonisolated(nonsending) func refresh(
        with response: APIResponse, _ shape: ReplyShape, key: Property, in context: ObjectContext
    ) async throws(APIError) {
        var request = ImportRequest(table: _object.table.index)
        request.keyPath = shape.keyPath
        request.target = _object.localID
        let row = isInserted ? firstRow(naming: key, in: context) : WriteBatch()
        let outcome: ImportOutcome
        do {
            outcome = try await context.openFile().importBody(response.body, request, after: [row])
        } catch {
            throw APIError(error, response)
        }
        context.noteSaved(row)
        guard outcome.roots.contains(_object.localID) else {
            throw .noObject(model: _object.table.modelName, outcome.report, RequestSummary(response.request))
        }
    }

    /// The row of an object that is in no file yet: its defaults and what names it; other edits stay edits.
    private func firstRow(naming key: Property, in context: ObjectContext) -> WriteBatch {
        let table = _object.table
        let edited = Set(changedProperties)
        var batch = context.batch(of: [self])
        batch.isConfirmed = true
        batch.memberships = []
        batch.rows = batch.rows.map { row in
            var row = row
            row.values = row.values.filter { index, _ in
                index == key.index || index == table.family?.discriminator || table.identity.contains(index)
                    || !edited.contains(table.properties[index].name)
            }
            return row
        }
        return batch
    }
}
