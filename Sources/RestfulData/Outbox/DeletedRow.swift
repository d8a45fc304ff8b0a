import Conventions
import ObjectStore
import RESTTransport

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

    var values: PropertyValues {
        var values = PropertyValues(model: model.modelName)
        for property in model.declared where property.column != nil && property.link == nil {
            values.attributes[property.name] = storedValue(property)
        }
        return values
    }

    func ownURL(by client: APIClient) throws(APIError) -> RequestURL {
        if let declared = try client.declaredURL(of: self, to: .fetch) { return declared }
        return try client.url(of: self)
    }

    nonisolated(nonsending) func deleteAtServer(by client: APIClient) async throws(APIError) {
        let url = try url(by: client)
        let own = try? ownURL(by: client)
        let collection = try? client.collectionURL(for: self)
        var trip = client.roundTrip(.delete, url, about: model, in: context)
        trip.addCondition(about: self, validator: OutboxScope.current?.validator)
        var isAnswered = true
        do throws(APIError) {
            let trip = trip
            try await trip.sendDeletion {
                let isGone = await trip.isObjectGone(at: own, from: collection)
                isAnswered = isGone != nil
                return isGone ?? false
            }
        } catch {
            // After a 404 or 303, further requests check whether the object is gone. If these fail, the entry waits.
            guard isAnswered else {
                let request = RequestSummary(method: "DELETE", url: client.api.requestURL(url))
                throw .transport(TransportError(.connectionLost, request))
            }
            if case .reply(let reply) = error, reply.kind == .conflict {
                throw .conflict(Conflict(reply: reply, base: values, local: values, server: nil, edits: []))
            }
            throw error
        }
        try await trip.store([])
    }
}
