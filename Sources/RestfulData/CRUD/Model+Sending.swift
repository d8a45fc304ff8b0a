import Conventions
import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Creates this object at the server: `POST base` with what was set, and imports the reply into this same instance.
    ///
    /// The object gets its identity from the reply's body, or its key from the `Location` of a reply without one, and keeps
    /// its links. Where the reply names an object that is here already, the two become one. What was sent is stored, in the
    /// same transaction as the reply, but for write-only attributes, which are forgotten once the server has them.
    ///
    /// It waits for requests about this object that are on their way.
    ///
    /// - Throws: ``APIError``; the object is as it was, unsaved edits and links included, and can be sent again.
    ///   ``APIError/alreadyCreated(model:)`` for an object that the server knows; nothing was sent.
    ///   ``APIError/unidentified(model:property:target:)`` when a relationship that goes out leads to an object that is not
    ///   created yet.
    public nonisolated(nonsending) func create() async throws(APIError) {
        try await inTurn { (context, bridge) throws(APIError) in
            // Another task may have created it while this one waited.
            guard !_object.isAtServer else { throw .alreadyCreated(model: _object.table.modelName) }
            let url = try bridge.modelRoutes(_object.table).base.url(for: _object, context.schema)
            try await send(.post, url, bridge, in: context)
        }
    }

    /// Sends what changed since the server last spoke: `PATCH base/:key` with those properties alone, and imports the reply.
    ///
    /// Nothing is sent when nothing changed. A nil that was set goes out as `null`. With ``SaveMethod/put`` all properties that
    /// are sent go out, so fetch the object first. What is edited while this runs stays unsaved.
    ///
    /// It waits for requests about this object that are on their way, and sends what has changed by then.
    ///
    /// - Parameter method: PATCH or PUT; where nothing is said, the model's own (`@Model(saveMethod: .put)`), or else the API's.
    /// - Throws: ``APIError``, as ``create()``. ``APIError/conflict(_:)`` with both versions where the server has another one.
    ///   ``APIError/otherObject(model:_:)`` when the reply is about another object; nothing was stored then.
    public nonisolated(nonsending) func save(using method: SaveMethod? = nil) async throws(APIError) {
        try await inTurn { (context, bridge) throws(APIError) in
            let method = HTTPRequest.Method(method ?? bridge.saveMethod(of: _object.table))
            try await send(method, try bridge.objectURL(_object, context.schema), bridge, in: context)
        }
    }

    /// Sends the object, if there is something to send, and stores what was sent with what the reply says.
    ///
    /// - Parameters:
    ///   - list: the list that the object is to be a member of, by the same request.
    ///   - batches: what is to be in the file before.
    nonisolated(nonsending) func send(
        _ method: HTTPRequest.Method, _ url: String, _ bridge: Bridge, in context: ObjectContext,
        joining list: ImportRequest.Membership? = nil, after batches: [WriteBatch] = []
    ) async throws(APIError) {
        guard let outgoing = try Outgoing(self, by: method, bridge, in: context, after: batches) else { return }
        for batch in outgoing.sent { context.noteInFlight(batch) }
        defer { for batch in outgoing.sent { context.noteLanded(batch) } }
        let exchange = Exchange(bridge: bridge, method: method, url: url, body: outgoing.body, table: _object.table)
        let local = _object.values(
            of: _object.table.properties.filter { outgoing.confirmation.properties.contains($0.name) })
        let response: APIResponse
        do {
            response = try await exchange.send()
        } catch {
            throw await withVersions(error, local, bridge, in: context)
        }
        let shape = bridge.shape(of: response, _object.table, isList: false)
        if method != .post { try refuseOtherObject(response, shape, bridge) }
        var request = ImportRequest(table: _object.table.index)
        request.target = _object.localID
        request.membership = list
        let bases = [url, try? bridge.modelRoutes(_object.table).base.url(for: _object, context.schema)]
        let key = LocationKey(response, below: bases.compactMap { $0.map(bridge.api.url) }, _object.table)
        do {
            try await context.openFile().store(response, shape, key, request, outgoing)
        } catch {
            throw APIError(error, response)
        }
        for batch in outgoing.sent { context.noteSaved(batch) }
    }
}

extension StoreFile {
    /// Stores what the server has done already, and so also where the task was cancelled meanwhile.
    fileprivate func store(
        _ response: APIResponse, _ shape: ReplyShape, _ key: LocationKey?, _ request: ImportRequest,
        _ outgoing: Outgoing
    ) async throws(StoreError) {
        let storing = Task { () async -> Result<Void, StoreError> in
            do throws(StoreError) {
                let hasObject =
                    response.hasBody && !response.isOtherThanObject && !shape.isList && !shape.isNull
                var request = request
                request.teachesShapes = hasObject
                if hasObject { request.keyPath = shape.keyPath }
                if !hasObject, key == nil, request.membership == nil {
                    try await write(outgoing.stored, confirming: [outgoing.confirmation])
                } else {
                    _ = try await importBody(
                        hasObject ? response.body : key?.body ?? Array("{}".utf8), request, after: outgoing.stored,
                        confirming: [outgoing.confirmation])
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try await storing.value.get()
    }
}
