import HTTPTypes
public import ObjectStore
import RESTTransport

extension Relationship {
    /// Fetches the object that the relationship leads to: from the relationship's own route, or else from the object's own
    /// URL.
    ///
    /// What the relationship's route gives is what the relationship leads to from then on, unless that was edited and not
    /// sent. 204, or a body of `null`, says that there is no such object.
    ///
    /// - Returns: the object, live in the owner's context; `nil` where the relationship leads nowhere.
    /// - Throws: ``APIError``; nothing has changed.
    @discardableResult
    public nonisolated(nonsending) func fetch<D: Model>() async throws(APIError) -> D? where Value == D? {
        let context = try owner.liveContext()
        let bridge = try context.bridge()
        guard let link = compiled.link else { return nil }
        guard bridge.routes.route(of: compiled.index, in: owner._object.table) != nil else {
            guard let target = owner._object.linkedObject(compiled) as? D else { return nil }
            try await target.fetch()
            return target
        }
        let path = try route(bridge, context).url
        let table = context.schema.model(link.target, link.submodel)
        let response = try await Exchange(bridge: bridge, method: .get, url: path, table: table).send()
        if response.status == .notModified { return owner._object.linkedObject(compiled) as? D }
        let shape = bridge.shape(of: response, table, isList: false)
        try shape.check(response, table)
        let isNone = response.status == .noContent || shape.isNull
        let id = isNone ? nil : try await importTarget(response, shape, link, in: context)
        try await lead(to: id, in: context)
        return id.flatMap { context.objects(D.self, link.target, [$0]).first }
    }

    private nonisolated(nonsending) func importTarget(
        _ response: APIResponse, _ shape: ReplyShape, _ link: Link, in context: ObjectContext
    ) async throws(APIError) -> Int64 {
        var request = ImportRequest(context.schema.model(link.target, link.submodel))
        request.keyPath = shape.keyPath
        let outcome: ImportOutcome
        do {
            outcome = try await context.openFile().importBody(
                response.body, request, after: ownerBatch(in: context))
        } catch {
            throw APIError(error, response)
        }
        guard let id = outcome.roots.first else {
            throw .noObject(
                model: context.schema.model(link.target, link.submodel).modelName, outcome.report,
                RequestSummary(response.request))
        }
        return id
    }

    /// Stores what the link leads to, as the server says.
    private nonisolated(nonsending) func lead(to id: Int64?, in context: ObjectContext) async throws(APIError) {
        let object = owner._object
        guard !object.unsentProperties.contains(where: { $0.index == compiled.index }) else { return }
        var batch = WriteBatch()
        batch.isConfirmed = true
        batch.rows = [
            WriteBatch.Row(
                table: object.table.index, id: object.localID,
                values: [compiled.index: id.map(StoredValue.integer) ?? .null], isInsert: false)
        ]
        do { try await context.openFile().write([batch]) } catch { throw .store(error) }
    }
}
