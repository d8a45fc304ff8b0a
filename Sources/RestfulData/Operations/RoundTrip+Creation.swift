import JSONBytes
import ObjectStore
import RESTTransport

// The server names a created object by an identity or key in the body, or by a `Location`. An empty reply is enough if
// the conventions say so, or if the identity was chosen locally.

extension RoundTrip {
    /// Whether the body names the created object. If false, the `Location` or an empty reply does.
    ///
    /// - Throws: ``APIError/notCreated(model:_:_:)``, ``APIError/accepted(model:monitor:_:)``, ``APIError/body(_:_:)``.
    func names(_ object: ObjectState, in reply: Reply, or location: [UInt8]?) throws(APIError) -> Bool {
        guard !reply.isAccepted else { throw reply.accepted }
        if reply.hasObject, object.model.isNamedByURL { return true }
        if reply.hasObject, try names(object, in: reply.body, at: reply.documentKeyPath, of: reply) { return true }
        if let location, try names(object, in: location, at: [], of: reply) { return false }
        let emptyReplies = client.api.conventions.emptyReplies
        guard !reply.hasObject, !reply.isList, emptyReplies.contains(.created) || object.hasIdentity else {
            throw reply.notCreated(report(of: reply))
        }
        return false
    }

    /// Whether JSON has the object's key, or all attributes of its identity; of an identity of links, those outside the
    /// URL.
    private func names(
        _ object: ObjectState, in body: [UInt8], at keyPath: [String], of reply: Reply
    ) throws(APIError) -> Bool {
        let model = object.model
        let identity = model.identity.map { model[$0] }
        let attributes = identity.filter { $0.link == nil }
        let links = identity.filter { !model.hasInURL($0) }
        let parts = attributes.isEmpty ? links.isEmpty ? identity : links : attributes
        let key = model.key.map { model[$0] }
        var reader = ObjectReader(client.schema)
        let found: PropertyValues?
        do {
            found = try reader.attributes(
                parts.map(\.index) + (key.map { [$0.index] } ?? []), in: body, at: keyPath, of: model)
        } catch let error as JSONError {
            throw APIError(error, reply.response)
        } catch {
            return false
        }
        guard let found else { return false }
        func has(_ property: Property) -> Bool { !found.values(of: property).isEmpty }
        return !parts.isEmpty && parts.allSatisfy(has) || key.map(has) == true
    }

    private func report(of reply: Reply) -> ImportReport {
        guard reply.hasBody, let model else { return ImportReport() }
        let parts = model.identity.map { model[$0] }
        guard let part = parts.last(where: { $0.link == nil }) ?? parts.last else { return ImportReport() }
        let missing = part.jsonPath.joined(separator: ".")
        let rejection = ImportReport.Rejection(
            path: "the body", model: model.modelName,
            reason: reply.isList ? .notAnObject(found: "a list") : .noIdentity(missing: missing))
        return ImportReport(rejecting: rejection)
    }
}

extension Reply {
    func notCreated(_ report: ImportReport) -> APIError {
        .notCreated(model: model?.modelName ?? "", report, request)
    }
}
