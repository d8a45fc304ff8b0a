import HTTPTypes
import JSONBytes
import ObjectStore
import RESTTransport

extension Model {
    /// An error with both versions of this object, where it is that of a conflict.
    ///
    /// The server's version is what the reply's body says of this object. Where that says nothing, it is asked for by one GET of
    /// the object's own URL; nothing of it is stored.
    nonisolated(nonsending) func withVersions(
        _ error: APIError, _ local: PropertyValues, _ bridge: Bridge, in context: ObjectContext
    ) async -> APIError {
        guard case .reply(let reply) = error, reply.kind == .conflict else { return error }
        var server = versions(in: reply.body, context.schema).first
        if server == nil, _object.hasIdentity, let url = try? bridge.objectURL(_object, context.schema) {
            let exchange = Exchange(bridge: bridge, method: .get, url: url, table: _object.table)
            if let response = try? await exchange.send(), response.hasBody {
                server = versions(in: response.body, context.schema).first
            }
        }
        return .conflict(Conflict(reply: reply, local: local, server: server))
    }

    /// What a body says of this object, or of one that may become this object.
    private func versions(in body: [UInt8], _ schema: Schema) -> [PropertyValues] {
        var reader = ObjectReader(schema)
        guard let objects = try? reader.objects(in: body, of: _object.table) else { return [] }
        return objects.filter { names($0) ?? false }
    }

    /// Refuses the reply to a save that speaks of another object: what was sent is unconfirmed then.
    func refuseOtherObject(_ response: APIResponse, _ shape: ReplyShape, _ bridge: Bridge) throws(APIError) {
        guard response.hasBody, !response.isOtherThanObject, _object.hasIdentity else { return }
        guard try isSubject(of: response, shape, bridge) == false else { return }
        throw .otherObject(model: _object.table.modelName, RequestSummary(response.request))
    }

    /// Whether a reply's object is this one; `nil` where it does not say.
    func isSubject(of response: APIResponse, _ shape: ReplyShape, _ bridge: Bridge) throws(APIError) -> Bool? {
        var reader = ObjectReader(bridge.schema)
        let keyPath = bridge.schema.style.document == .jsonAPI ? ["data"] : shape.keyPath
        do {
            return try reader.identity(in: response.body, at: keyPath, of: _object.table).flatMap(names)
        } catch let error as JSONError {
            throw .body(error, RequestSummary(response.request))
        } catch {
            return nil
        }
    }

    /// Whether values have this object's identity, as it is or was; `nil` where a part of it is missing. An object without one
    /// may get any.
    private func names(_ values: PropertyValues) -> Bool? {
        let table = _object.table
        let parts = table.identity.map { table.properties[$0] }.filter { $0.link == nil }
        let known = _object.sentValues(parts)
        var isNamed = false
        for part in parts {
            guard let found = values.attributes[part.name], !found.isNull else { continue }
            guard let own = known[part.index], _object.hasIdentity else { return true }
            guard found == own.value || found == own.known else { return false }
            isNamed = true
        }
        return isNamed ? true : nil
    }
}
