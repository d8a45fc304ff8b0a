import JSONBytes
import ObjectStore
import RESTTransport

// What a success says of an object that was to be created. Created is what the server names: by an identity or key in
// the body, by a `Location`, or, where the conventions or an identity of one's own say so, by an empty reply.

extension RoundTrip {
    /// Whether the body names the created object; if not, something else does.
    ///
    /// - Parameter location: JSON with the key that the reply's `Location` names.
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

    /// Whether JSON has the object's whole identity, as far as that is in attributes, or its key. An identity that is
    /// links only is named by all of them that its URL doesn't have.
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

    /// What the reply has in place of an object.
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
    /// That it names no object that was created.
    func notCreated(_ report: ImportReport) -> APIError {
        .notCreated(model: model?.modelName ?? "", report, request)
    }
}
