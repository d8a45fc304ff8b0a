import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Creates this object at the server: `POST base` with what was set, and imports the reply into this same instance.
    ///
    /// The object gets its identity from the reply's body, and keeps its links. Where the reply names an object that is here
    /// already, the two become one. What was sent is stored, in the same transaction as the reply.
    ///
    /// - Throws: ``APIError``; the object is as it was, unsaved edits and links included, and can be sent again.
    public nonisolated(nonsending) func create() async throws(APIError) {
        let context = try liveContext()
        let bridge = try context.bridge()
        let url = try bridge.base(_object.table).url(for: _object, context.schema)
        try await send(.post, url, bridge, in: context)
    }

    /// Sends what changed since the server last spoke: `PATCH base/:key` with those properties alone, and imports the reply.
    ///
    /// Nothing is sent when nothing changed. A nil that was set goes out as `null`. With ``API/SaveMethod/put`` the whole
    /// object goes out.
    ///
    /// - Throws: ``APIError``; the object is as it was, unsaved edits and links included, and can be sent again.
    public nonisolated(nonsending) func save() async throws(APIError) {
        let context = try liveContext()
        let bridge = try context.bridge()
        let url = try bridge.objectURL(_object, context.schema)
        try await send(bridge.api.saveMethod == .patch ? .patch : .put, url, bridge, in: context)
    }

    /// Deletes this object at the server, `DELETE base/:key`, and then here, in every context.
    ///
    /// A reply of 404 or 410 says that it is gone already, and has the same effect.
    ///
    /// - Throws: ``APIError``; the object is still there.
    public nonisolated(nonsending) func delete() async throws(APIError) {
        let context = try liveContext()
        let bridge = try context.bridge()
        let url = try bridge.objectURL(_object, context.schema)
        try await delete(at: url, bridge, in: context)
    }

    nonisolated(nonsending) func delete(at url: String, _ bridge: Bridge, in context: Context) async throws(APIError) {
        do {
            _ = try await Exchange(bridge: bridge, method: .delete, url: url, table: _object.table).send()
        } catch {
            guard error.reply?.kind == .notFound else { throw error }
        }
        try await deleteLocally(in: context)
    }

    private nonisolated(nonsending) func deleteLocally(in context: Context) async throws(APIError) {
        guard !isInserted else {
            context.delete(self)
            return
        }
        var batch = WriteBatch()
        batch.isConfirmed = true
        batch.deletions = [WriteBatch.Key(table: _object.table.index, id: _object.localID)]
        do { try await context.openFile().write([batch]) } catch { throw .store(error) }
    }

    /// Sends the object, and stores what was sent with what the reply says.
    ///
    /// - Parameter link: a to-one link that the request makes, which the object does not have yet.
    nonisolated(nonsending) func send(
        _ method: HTTPRequest.Method, _ url: String, _ bridge: Bridge, in context: Context,
        linking link: (property: Int, id: Int64)? = nil
    ) async throws(APIError) {
        let isCreate = method == .post
        let unsent = _object.unsentProperties
        let sent = method == .put ? _object.table.properties : unsent
        let outbound = OutboundObject(_object, sent, for: isCreate ? .create : .save, context.schema)
        guard isCreate || !outbound.isEmpty else { return }
        let batches = batches(of: outbound, linking: link, in: context)
        for batch in batches { context.noteInFlight(batch) }
        defer { for batch in batches { context.noteLanded(batch) } }
        let exchange = Exchange(
            bridge: bridge, method: method, url: url, body: outbound.body, table: _object.table)
        let response = try await exchange.send()
        let confirmed = [
            StoreFile.Confirmation(
                table: _object.table.index, id: _object.localID,
                properties: isCreate ? unsent.map(\.name) : outbound.properties)
        ]
        try await importReply(response, in: context, after: batches, confirming: confirmed)
        for batch in batches { context.noteSaved(batch) }
    }

    /// What is stored when the reply comes: unsaved objects that this one leads to, and what goes out of this one.
    private func batches(
        of outbound: OutboundObject, linking link: (property: Int, id: Int64)?, in context: Context
    ) -> [WriteBatch] {
        var own = context.batch(of: [self])
        own.isConfirmed = true
        if !isInserted {
            // What does not go out stays unsaved.
            let names = Set(outbound.properties)
            let table = _object.table
            own.rows = own.rows.map { row in
                var row = row
                row.values = row.values.filter { names.contains(table.properties[$0.key].name) }
                return row
            }
            own.memberships = own.memberships.filter { names.contains(table.properties[$0.property].name) }
        }
        if let link {
            if own.rows.isEmpty {
                own.rows = [
                    WriteBatch.Row(table: _object.table.index, id: _object.localID, values: [:], isInsert: false)
                ]
            }
            own.rows[0].values[link.property] = .integer(link.id)
        }
        return [context.batch(of: context.unsavedObjects(leadingFrom: self)), own]
    }
}

extension Context {
    /// The inserted objects that an object's links and lists lead to, which must be in the file when it is.
    fileprivate func unsavedObjects(leadingFrom object: any Model) -> [any Model] {
        var found: [any Model] = []
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(object)]
        var waiting = [object]
        while let next = waiting.popLast() {
            for property in next._object.table.properties {
                let linked = next._object.linkedObject(property).map { [$0] } ?? []
                let listed = property.list == nil || !next._object.hasEdited(property) ? [] : next._object.listedObjects(property)
                for target in linked + listed where target.isInserted && seen.insert(ObjectIdentifier(target)).inserted {
                    found.append(target)
                    waiting.append(target)
                }
            }
        }
        return found
    }
}
