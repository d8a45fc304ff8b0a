import Conventions
import ObjectStore
import RESTTransport

/// An object that was deleted here and not yet at the server, of which the URL of its deletion is made.
struct DeletedRow: OutboundRow {
    let rows: DeletedRows
    let model: ModelSchema
    let context: ObjectContext

    init(_ rows: DeletedRows, in table: TableID, _ context: ObjectContext) {
        (self.rows, self.context) = (rows, context)
        model = context.schema.model(of: rows, in: table)
    }

    func storedValue(_ property: Property) -> StoredValue { rows.serverValue(property, of: model) }

    func linkedRow(_ property: Property) -> (any OutboundRow)? {
        guard let link = property.link, let row = storedValue(property).row else { return nil }
        if let owner = rows.withRoot(row, of: context.schema[link.target]) {
            return DeletedRow(owner, in: link.target, context)
        }
        return context.object(for: RecordID(table: link.target, row: row)).map { $0._object.known }
    }

    func listedRows(_ property: Property) -> [any OutboundRow] { [] }

    func shape(_ property: Property) -> WireShape { context.file.shapes[model.table, property.index] }

    /// Sends `DELETE`, and ends the entry in the transaction that stores the reply.
    nonisolated(nonsending) func deleteAtServer(by client: APIClient) async throws(APIError) {
        let url = try url(by: client)
        let own = try? client.declaredURL(of: self, to: .fetch) ?? client.url(of: self)
        let collection = try? client.collectionURL(for: self)
        let trip = client.roundTrip(.delete, url, about: model, in: context)
        var isAnswered = true
        do throws(APIError) {
            try await trip.sendDeletion {
                let isGone = await trip.isObjectGone(at: own, from: collection)
                isAnswered = isGone != nil
                return isGone ?? false
            }
        } catch {
            // Whether 404 means that it is gone is asked again later.
            guard isAnswered || error.reply == nil else {
                let request = RequestSummary(method: "DELETE", url: client.api.requestURL(url))
                throw .transport(TransportError(.connectionLost, request))
            }
            throw error
        }
        try await trip.store([])
    }
}
