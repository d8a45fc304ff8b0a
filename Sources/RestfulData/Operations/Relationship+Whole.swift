import HTTPTypes
public import ObjectStore
import RESTTransport

extension Relationship {
    /// Makes these objects the members of the list at the server and here, by one `PUT` of the list's route.
    ///
    /// ```swift
    /// try await issue.$labels.replaceAll(with: [bug, urgent])    // PUT /issues/1/labels {"label_ids":[1,2]}
    /// ```
    ///
    /// The body has the members as the relationship is sent: `{"labels":["bug"]}` for `sentAs: .key("name")`. In
    /// JSON:API it is a `PATCH` of the list's `/relationships/` URL. Earlier edits of the list are replaced; those made
    /// meanwhile stay. A whole list in the reply becomes the membership. A member that leaves is unlinked, or deleted
    /// if the relationship owns it.
    ///
    /// The request never waits in the outbox. After an unknown outcome (5xx, a time-out, a lost connection), the list
    /// here has the old members. Fetch it, or call this method again, which has the same effect.
    ///
    /// - Parameters:
    ///   - members: objects that the server knows, in their order, each once.
    ///   - settings: as for ``add(_:with:)``.
    /// - Throws: ``APIError``; nothing has changed here. ``APIError/notYetCreated(model:)`` for a new object, and
    ///   ``StoreError/deletedObject(model:)`` for a deleted one, before anything is sent.
    public nonisolated(nonsending) func replaceAll<D: Model>(
        with members: [D], settings: Call.Settings? = nil
    ) async throws(APIError) where Value == [D] {
        _ = try knownOnce(members)
        try await owner.inTurn(with: settings) { (context, _) throws(APIError) in
            let (sent, request) = try await begin(in: context) { () throws(APIError) in try knownOnce(members) }
            defer { request.end() }
            let client = try client(in: context)
            let isLinkage = client.api.conventions.document == .jsonAPI
            let url = isLinkage ? try linkageURL(client, to: .add) : try route(client, to: .add).url
            try await change(
                WholeChange(
                    method: isLinkage ? .patch : .put, url: url, body: try body(naming: sent, in: client.schema),
                    members: sent), by: client, in: context)
        }
    }

    /// - Throws: ``APIError/notYetCreated(model:)`` for a new object.
    private func knownOnce<D: Model>(_ members: [D]) throws(APIError) -> [ObjectState] where Value == [D] {
        var seen: Set<ObjectIdentifier> = []
        var states: [ObjectState] = []
        for member in members {
            _ = try liveContext(with: member)
            let state = member._object
            guard state.isAtServer else { throw .notYetCreated(model: state.model.modelName) }
            if seen.insert(ObjectIdentifier(state)).inserted { states.append(state) }
        }
        return states
    }

    /// Removes all members of the list at the server and here, by one `DELETE` of the list's route.
    ///
    /// ```swift
    /// try await issue.$labels.deleteAll()                         // DELETE /issues/1/labels
    /// ```
    ///
    /// If the members' own URLs are below the list's, as for a derived route, or with `removal: .deletes`, the members
    /// are deleted here as well. A member stays if it is new, has a pending edit, or has changed since the request was
    /// sent. In JSON:API, a linked list gets a `PATCH` of its `/relationships/` URL.
    ///
    /// If the call has a query, a header field or a body, which may select a part, the list stays as it is here. Fetch
    /// it afterwards.
    ///
    /// The request never waits in the outbox. After an unknown outcome, the members stay here: fetch the list.
    ///
    /// - Parameter settings: as for ``add(_:with:)``.
    /// - Throws: ``APIError``; nothing has changed here.
    public nonisolated(nonsending) func deleteAll<D: Model>(
        settings: Call.Settings? = nil
    ) async throws(APIError) where Value == [D] {
        try await owner.inTurn(with: settings) { (context, _) throws(APIError) in
            let client = try client(in: context)
            let deletes = deletesMembers(client)
            let request = try await begin(in: context, deletes: deletes) { [] }.request
            defer { request.end() }
            let isLinkage = !deletes && client.api.conventions.document == .jsonAPI
            let url = isLinkage ? try linkageURL(client, to: .delete) : try route(client, to: .delete).url
            var change = WholeChange(method: isLinkage ? .patch : .delete, url: url, body: nil, members: [])
            if isLinkage { change.body = try body(naming: [], in: client.schema) }
            change.deletes = deletes
            try await self.change(change, by: client, in: context)
        }
    }

    /// Whether the members are deleted, judged by the URL of one.
    private func deletesMembers<D: Model>(_ client: APIClient) -> Bool where Value == [D] {
        let list: [D] = members()
        guard let member = list.first(where: { $0.isKnownToServer })?._object else {
            let removal = compiled.list?.options.removal ?? .byURL
            return removal == .deletes || removal == .byURL && isDerived(client)
        }
        return deletes(member, at: (try? removalRequest(of: member, by: client))?.url, by: client)
    }

    private nonisolated(nonsending) func begin(
        in context: ObjectContext, deletes: Bool = false, _ members: () throws(APIError) -> [ObjectState]
    ) async throws(APIError) -> (members: [ObjectState], request: OpenRequest) {
        let scope = { (members: [ObjectState]?) in
            context.scope(ofWhole: compiled, of: owner._object, with: members ?? [], deletes: deletes)
        }
        let begun = try await owner.begin(in: context, scope: scope, members)
        return (begun.prepared, begun.request)
    }

    private nonisolated(nonsending) func change(
        _ change: WholeChange, by client: APIClient, in context: ObjectContext
    ) async throws(APIError) {
        guard let target = client.schema.target(of: compiled) else { return }
        let list = compiled
        let edits = owner._object.unsentEdits(of: [list])
        let replaced = editOfList(in: context)
        context.noteInFlight(replaced)
        defer { context.noteCompleted(replaced) }
        // The server's list lacks members added locally.
        let added = owner._object.addedMembers(of: list)
        let former = (context.storedMembers(of: owner._object, list.index) ?? []).filter { !added.contains($0) }
        let trip = client.roundTrip(
            change.method, try client.callURL(change.url, for: owner._object), body: .json(change.body),
            about: target, asking: .list, in: context)
        let reply = try await trip.send()
        // A body names all members that stay, even with a query.
        guard change.body != nil || trip.isOfWholeList else { return }
        let confirmation = WriteBatch.Confirmation(
            of: owner._object.record, properties: [list.name], edits: edits,
            lists: [list.index: change.members.map(\.localID)])
        var request = ImportRequest(anyOf: target.table)
        request.membership = owner._object.importMembership(of: list, isWhole: true)
        request.membership?.isListing = true
        // The list in a reply may be the deleted members, or a part.
        let isAnswered = !change.deletes && (list.list.map { reply.hasAllMembers(of: $0, in: client.schema) } ?? false)
        var toImport = try trip.changedList(in: isAnswered ? reply : nil, as: request) { () throws(APIError) in
            try OutboundJSON.naming(change.members, in: client.schema).bytes
        }
        toImport.request.membership?.isSent = true
        let acceptedChange = AcceptedChange(
            reply, importing: toImport.body, as: toImport.request, after: ownerBatch(in: context),
            confirming: [confirmation])
        let report = try await trip.confirm(acceptedChange, of: reply)
        context.noteSaved(replaced)
        if change.deletes {
            let rows = former.map { RecordID(table: target.table, row: $0) }
            do throws(StoreError) {
                try await AcceptedChange(pruning: rows, requestedAt: reply.requestStart?.stamp, in: context).store(
                    in: context)
            } catch {
                throw APIError(ofUnstored: error, reply.request)
            }
        }
        try trip.reportConfirmed(report, of: reply)
    }
}

extension Relationship {
    private func editOfList(in context: ObjectContext) -> WriteBatch {
        let (state, list) = (owner._object, compiled)
        var batch = context.batch(of: [owner])
        batch.rows = []
        batch.memberships.removeAll { $0.owner != ListOwner(list.index, of: state.record) }
        if let changes = context.changes(of: list, in: state) { batch.memberships.append(changes) }
        return batch
    }
}

private struct WholeChange {
    let method: HTTPRequest.Method
    let url: RequestURL
    var body: [UInt8]?
    /// The list's members after the request.
    let members: [ObjectState]
    var deletes = false
}

extension OutboundJSON {
    /// A list of rows as a server would write it, with the same attribute values for all: to import a change that a
    /// success without a body confirms.
    static func naming(
        _ rows: [any OutboundRow], with values: [(attribute: Property, value: OutboundJSON)] = [], in schema: Schema
    ) throws(APIError) -> OutboundJSON {
        var elements: [OutboundJSON] = []
        var isDocument = false
        for row in rows {
            let (row, model) = (row.known, row.model)
            isDocument = schema.style(of: model).document == .jsonAPI
            var json = OutboundJSON.object([])
            if isDocument { json.set(.string(schema.resourceTypes(ofAPIOf: model).type(of: model)), at: ["type"]) }
            for part in model.identity.map({ model[$0] }) {
                let target = part.link == nil ? nil : row.linkedRow(part)
                if let target {
                    let path = model.identityKey(of: part).map { $0.keyPathKeys ?? [$0] } ?? part.documentPath
                    json.set(try OutboundObject.identity(of: target, shaped: nil), at: path[...])
                } else if part.link == nil {
                    json.set(try OutboundObject.identity(part, of: row), at: part.documentPath[...])
                }
            }
            for (attribute, value) in values { json.set(value, at: attribute.documentPath[...]) }
            elements.append(json)
        }
        return isDocument ? .object([("data", .array(elements))]) : .array(elements)
    }
}
