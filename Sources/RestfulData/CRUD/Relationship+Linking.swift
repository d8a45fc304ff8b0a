import HTTPTypes
import ObjectStore
import RESTTransport

extension Relationship {
    /// Makes an object that the server knows a member.
    nonisolated(nonsending) func link<D: Model>(
        _ member: D, _ bridge: Bridge, in context: ObjectContext
    ) async throws(APIError) where Value == [D] {
        if let link = linkBack(in: context.schema), (try? bridge.objectTemplate(member._object.table)) != nil {
            try await save(link, of: member, bridge, in: context)
        } else {
            try await post(member, bridge, in: context)
        }
    }

    /// The members' link to this owner, where it can be sent.
    private func linkBack(in schema: Schema) -> Property? {
        guard let list = compiled.list, case .column(let index, _, _) = list.storage else { return nil }
        let target = schema.tables[list.target]
        let property = target.properties[index]
        guard let link = property.link, link.options.sentAs != .never, !OutboundObject.isInURL(property, of: target)
        else { return nil }
        return property
    }

    // MARK: By the member's own link

    private nonisolated(nonsending) func save<D: Model>(
        _ link: Property, of member: D, _ bridge: Bridge, in context: ObjectContext
    ) async throws(APIError) where Value == [D] {
        let state = member._object
        let isWhole = bridge.saveMethod(of: state.table) == .put
        let outbound = try OutboundObject(
            linking: state, by: link, to: [owner],
            with: isWhole ? state.wholeProperties(with: state.unsentProperties) : [], context.schema)
        let exchange = Exchange(
            bridge: bridge, method: isWhole ? .put : .patch, url: try bridge.objectURL(state, context.schema),
            body: outbound.body(in: bridge.envelopes.envelope(of: state.table).sent), table: state.table)
        let response: APIResponse
        do {
            response = try await exchange.send()
        } catch {
            throw await member.withVersions(error, state.values(of: [link]), bridge, in: context)
        }
        let shape = bridge.shape(of: response, state.table, isList: false)
        try member.refuseOtherObject(response, shape, bridge)
        var request = ImportRequest(table: state.table.index)
        request.target = state.localID
        request.membership = membership(isWhole: false)
        let hasObject = response.hasBody && !response.isOtherThanObject && !shape.isList && !shape.isNull
        request.teachesShapes = hasObject
        if hasObject { request.keyPath = shape.keyPath }
        let confirmation = StoreFile.Confirmation(table: state.table.index, id: state.localID, properties: [link.name])
        do {
            try await context.openFile().importConfirmed(
                hasObject ? response.body : Array("{}".utf8), request, after: ownerBatch(in: context),
                confirming: [confirmation])
        } catch {
            throw APIError(error, response)
        }
        context.forgetEdit(of: link, in: member)
    }

    // MARK: By the list's route

    private nonisolated(nonsending) func post<D: Model>(
        _ member: D, _ bridge: Bridge, in context: ObjectContext
    ) async throws(APIError) where Value == [D] {
        let response = try await Exchange(
            bridge: bridge, method: .post, url: try route(bridge, context).url,
            body: try body(naming: member, context.schema),
            table: member._object.table
        ).send()
        var request = ImportRequest(table: member._object.table.index)
        var body = Array("[]".utf8)
        let shape = bridge.shape(of: response, member._object.table, isList: true)
        request.teachesShapes = false
        if response.hasBody, shape.isList {
            body = response.body
            request.keyPath = shape.keyPath
            request.teachesShapes = true
            request.membership = membership(isWhole: false)
        } else if response.hasBody, !response.isOtherThanObject,
            case let shape = bridge.shape(of: response, member._object.table, isList: false),
            try member.isSubject(of: response, shape, bridge) == true
        {
            body = response.body
            request.keyPath = shape.keyPath
            request.teachesShapes = true
            request.target = member._object.localID
        }
        do {
            try await context.openFile().importConfirmed(body, request, after: batches(adding: member, in: context))
        } catch {
            throw APIError(error, response)
        }
    }

    /// The member as the list is sent, or, in JSON:API, as linkage
    /// (https://jsonapi.org/format/1.1/#crud-updating-to-many-relationships).
    private func body<D: Model>(naming member: D, _ schema: Schema) throws(APIError) -> [UInt8] where Value == [D] {
        if schema.style.document == .jsonAPI {
            return OutboundJSON.object([("data", .array([.linkage(to: member._object, schema)]))]).bytes
        }
        return try OutboundObject(linking: owner._object, by: compiled, to: [member], schema).body(in: [])
    }

    /// The membership as it is once the server has taken the member.
    private func batches<D: Model>(adding member: D, in context: ObjectContext) -> [WriteBatch] where Value == [D] {
        let id = member._object.localID
        var batch = WriteBatch()
        batch.isConfirmed = true
        if !owner._object.hasEdited(compiled) {
            batch.memberships = [
                WriteBatch.Membership(
                    table: owner._object.table.index, property: compiled.index, owner: owner._object.localID,
                    members: owner._object.memberIDs(compiled).filter { $0 != id } + [id])
            ]
        }
        return ownerBatch(in: context) + [batch]
    }
}

extension StoreFile {
    /// Imports what the server says of what it has done already, and so also where the task was cancelled meanwhile.
    func importConfirmed(
        _ body: [UInt8], _ request: ImportRequest, after batches: [WriteBatch], confirming: [Confirmation] = []
    ) async throws(StoreError) {
        let storing = Task { () async -> Result<Void, StoreError> in
            do throws(StoreError) {
                _ = try await importBody(body, request, after: batches, confirming: confirming)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try await storing.value.get()
    }
}
