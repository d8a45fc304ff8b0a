import HTTPTypes
import ObjectStore

/// What goes out of an object, and what is stored once the server has taken it.
struct Outgoing {
    /// The request's body.
    let body: [UInt8]
    /// The edits that go out, as they are now, and the unsaved objects that they lead to.
    let sent: [WriteBatch]
    /// The same as it is stored: without what is never kept.
    let stored: [WriteBatch]
    let confirmation: StoreFile.Confirmation

    /// - Returns: `nil` for a save to which nothing has changed.
    /// - Throws: ``APIError/unidentified(model:property:target:)``.
    init?(
        _ object: any Model, by method: HTTPRequest.Method, _ bridge: Bridge, in context: ObjectContext,
        after batches: [WriteBatch]
    ) throws(APIError) {
        let state = object._object
        let isCreate = method == .post
        let unsent = state.unsentProperties
        var outbound = try OutboundObject(state, unsent, for: isCreate ? .create : .save, context.schema)
        guard isCreate || !outbound.isEmpty else { return nil }
        if method == .put {
            outbound = try OutboundObject(state, state.wholeProperties(with: unsent), for: .save, context.schema)
        }
        body = outbound.body(in: bridge.envelopes.envelope(of: state.table).sent)
        // A creation is the server's first word on the object, whatever of it was sent.
        let confirmed = isCreate ? unsent.map(\.name) : outbound.properties
        let properties = state.table.declared.filter { confirmed.contains($0.name) }
        confirmation = StoreFile.Confirmation(
            table: state.table.index, id: state.localID, properties: confirmed, sent: state.sentValues(properties))
        let own = Self.batch(of: object, sending: outbound, in: context)
        let before = batches + [context.batch(of: context.insertedObjects(leadingFrom: object))]
        sent = before + [own]
        stored = before + [Self.forgettingSecrets(own, state, outbound)]
    }

    /// What goes out of the object itself. What does not go out of one that the file has stays unsaved.
    private static func batch(
        of object: any Model, sending outbound: OutboundObject, in context: ObjectContext
    ) -> WriteBatch {
        let names = Set(outbound.properties)
        let properties = object._object.table.properties
        let embedded = properties.filter { names.contains($0.name) }.flatMap(object._object.editedEmbedding)
        var batch = context.batch(of: embedded + [object])
        batch.isConfirmed = true
        guard !object.isInserted else { return batch }
        let table = object._object.table.index
        batch.rows = batch.rows.map { row in
            var row = row
            guard row.table == table, row.id == object._object.localID else { return row }
            row.values = row.values.filter { names.contains(properties[$0.key].name) }
            return row
        }
        batch.memberships = batch.memberships.filter {
            $0.table != table || $0.owner != object._object.localID || names.contains(properties[$0.property].name)
        }
        return batch
    }

    /// The server has the password now, so it is kept no longer.
    private static func forgettingSecrets(
        _ batch: WriteBatch, _ object: ObjectState, _ outbound: OutboundObject
    ) -> WriteBatch {
        var forgotten: [Int: StoredValue] = [:]
        for property in object.table.declared where outbound.properties.contains(property.name) {
            guard case .attribute(_, let value, let options) = property.kind, options.access == .writeOnly else {
                continue
            }
            forgotten[property.index] = value()
        }
        guard !forgotten.isEmpty else { return batch }
        var batch = batch
        if let place = batch.rows.lastIndex(where: { $0.table == object.table.index && $0.id == object.localID }) {
            batch.rows[place].values.merge(forgotten) { $1 }
        } else {
            batch.rows.append(
                WriteBatch.Row(table: object.table.index, id: object.localID, values: forgotten, isInsert: false))
        }
        return batch
    }
}

extension ObjectState {
    /// What a PUT sends: all but lists that are the other side's links, unless they were edited.
    func wholeProperties(with unsent: [Property]) -> [Property] {
        let edited = Set(unsent.map(\.index))
        return table.declared.filter { property in
            guard case .column = property.list?.storage else { return true }
            return edited.contains(property.index)
        }
    }
}

extension ObjectContext {
    /// The inserted objects that an object's links and edited lists lead to, which must be in the file when it is.
    fileprivate func insertedObjects(leadingFrom object: any Model) -> [any Model] {
        var found: [any Model] = []
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(object)]
        var waiting = [object]
        while let next = waiting.popLast() {
            for property in next._object.table.properties {
                let linked = next._object.linkedObject(property).map { [$0] } ?? []
                let listed = next._object.hasEdited(property) ? next._object.listedObjects(property) : []
                for target in linked + listed where target.isInserted || target._object.table.isEmbedded {
                    guard seen.insert(ObjectIdentifier(target)).inserted else { continue }
                    // Embedded objects are written with their owner.
                    if !target._object.table.isEmbedded { found.append(target) }
                    waiting.append(target)
                }
            }
        }
        return found
    }
}
