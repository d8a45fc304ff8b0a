import HTTPTypes
import ObjectStore
import RESTTransport

enum ChangeFormat: Sendable, Hashable {
    case values
    /// RFC 7396.
    case mergePatch
    /// RFC 6902.
    case jsonPatch
    /// The values, with their names in the URL's query (AIP-134).
    case updateMask

    /// The format in messages; nil for ``values``.
    var words: String? {
        switch self {
        case .values: nil
        case .mergePatch: "a JSON merge patch"
        case .jsonPatch: "a JSON Patch"
        case .updateMask: "the values, with their names in the query's \"updateMask\""
        }
    }
}

struct OutboundBody: Sendable {
    /// The JSON, before the API's body format encodes it.
    var json: [UInt8]
    /// The media type, if it differs from the API's.
    var type: String?
    /// The JSON names of the changed properties, for the URL's query, if it has a mask.
    var mask: [String] = []
}

extension SaveMethod {
    var changeFormat: ChangeFormat {
        switch self {
        case .patch, .put, .putChanges, .post: .values
        case .mergePatch: .mergePatch
        case .jsonPatch: .jsonPatch
        case .updateMask: .updateMask
        }
    }
}

extension HTTPRequest.Method {
    init(_ method: SaveMethod) {
        self =
            switch method {
            case .patch, .mergePatch, .jsonPatch, .updateMask: .patch
            case .put, .putChanges: .put
            case .post: .post
            }
    }
}

extension RequestURL {
    /// Adds the mask to the query. The caller's own stays.
    func naming(_ body: OutboundBody?) -> RequestURL {
        guard let body, !body.mask.isEmpty else { return self }
        return addingMissing([("updateMask", body.mask.joined(separator: ","))])
    }
}

extension APIClient {
    /// Why the API lacks the format, if it does.
    fileprivate func problem(of format: ChangeFormat) -> String? {
        guard let words = format.words else { return nil }
        let (document, bodies) = (api.conventions.document, api.conventions.bodies)
        guard document == .jsonAPI || bodies == .form else { return nil }
        let kind = document == .jsonAPI ? "documents of JSON:API" : "forms"
        return "the API's bodies are \(kind), which can't be \(words); save by .patch, .put, .putChanges or .post"
    }

    /// Sets one value of all objects of a collection.
    ///
    /// - Throws: ``APIError/unencodable(_:)`` for a format that is about a single object.
    func bodyOfAll(
        _ value: OutboundJSON, at path: [String], of model: ModelSchema, as format: ChangeFormat
    ) throws(APIError) -> OutboundBody {
        if let problem = problem(of: format) { throw .unencodable(problem) }
        let isDocument = api.conventions.document == .jsonAPI
        guard format != .jsonPatch, !isDocument else {
            let kind = isDocument ? "a document of JSON:API" : "a JSON Patch"
            throw .unencodable(
                "\(kind) is about one \(model.modelName), not about all; give the call a body of its own: "
                    + "{ $0.body = … }")
        }
        var body = OutboundJSON.object([])
        body.set(value, at: (envelopes.envelope(of: model).sent + path)[...])
        return OutboundBody(
            json: body.bytes, type: format == .mergePatch ? "application/merge-patch+json" : nil,
            mask: format == .updateMask ? [path.joined(separator: ".")] : [])
    }

    func saveProblems() -> [String] {
        let own = problem(of: api.saveMethod.changeFormat).map { ["the API's saveMethod: \($0)"] } ?? []
        let models = schema.models.filter { $0.api == index }.compactMap { model -> String? in
            guard let method = model.type.modelDescription.options.saveMethod else { return nil }
            return problem(of: method.changeFormat).map { "\(model.modelName)'s saveMethod: \($0)" }
        }
        return own + models
    }
}

extension OutboundObject {
    /// - Parameters:
    ///   - format: ``ChangeFormat/values`` for a creation or a whole object.
    ///   - changed: the Swift names of the changed properties, except those that each request sends.
    /// - Throws: ``APIError/unencodable(_:)`` if the API lacks the format,
    ///   ``APIError/unsendable(model:property:value:)`` for a value that the format can't express.
    func body(
        as format: ChangeFormat, changing changed: some Sequence<String>, by client: APIClient
    ) throws(APIError) -> OutboundBody {
        if let problem = client.problem(of: format) { throw .unencodable(problem) }
        let envelope = client.envelopes.envelope(of: row.model).sent
        switch format {
        case .values: return OutboundBody(json: body(in: envelope))
        case .mergePatch:
            var patch = self
            try patch.refuseNulls()
            patch.unsetLostKeys()
            return OutboundBody(json: patch.body(in: envelope), type: "application/merge-patch+json")
        case .jsonPatch:
            return OutboundBody(json: jsonPatch(below: envelope).bytes, type: "application/json-patch+json")
        case .updateMask: return try masked(changing: Set(changed), in: envelope)
        }
    }

    // MARK: JSON merge patch

    /// Null removes a member, so a merge patch can't transfer JSON with a null in an object (RFC 7396 §1).
    private func refuseNulls() throws(APIError) {
        for place in places where json.value(at: place.path)?.hasNullMember == true {
            throw .unsendable(
                model: row.model.modelName, property: place.property,
                value: "JSON with a null in an object, which a merge patch would remove")
        }
    }

    // MARK: JSON Patch

    /// Members of an inner object are added one by one, since adding the inner object would remove its other members.
    /// The server refuses that if it lacks the inner object.
    private func jsonPatch(below envelope: [String]) -> OutboundJSON {
        let paths = places.map(\.path)
        var operations: [OutboundJSON] = []
        var seen: Set<[String]> = []
        for place in places where seen.insert(place.path).inserted {
            let isWithinOther = paths.contains { $0.count < place.path.count && place.path.starts(with: $0) }
            guard !isWithinOther, let value = json.value(at: place.path) else { continue }
            let pointer = (envelope + place.path).map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }
            let isRemoval = isRemoval(value, of: place)
            var operation: [(key: String, value: OutboundJSON)] = [
                ("op", .string(isRemoval ? "remove" : "add")), ("path", .string(pointer.joined())),
            ]
            if !isRemoval { operation.append(("value", value)) }
            operations.append(.object(operation))
        }
        return .array(operations)
    }

    /// nil removes the server's value, as does an empty list if a missing key means one.
    private func isRemoval(_ value: OutboundJSON, of place: Place) -> Bool {
        switch value {
        case .null: return isAtServer(place)
        case .array(let elements) where elements.isEmpty: return omitsEmptyKeys
        case .raw("[]"): return omitsEmptyKeys && isAtServer(place)
        default: return false
        }
    }

    private var omitsEmptyKeys: Bool {
        let own = row.model.options.values ?? schema[row.model.table].options.values
        return (own ?? schema.style(of: row.model).values).nothing.contains(.missingKey)
    }

    private func isAtServer(_ place: Place) -> Bool {
        guard let property = row.model.property(named: place.property) else { return false }
        let known = row.known
        if property.target == nil { return !known.storedValue(property).isNull }
        guard property.isAtRoot, let part = known.linkedRow(property) else { return known.linkedRow(property) != nil }
        return part.model.declared.contains { $0.conventionalSentPath == place.path && !part.storedValue($0).isNull }
    }

    // MARK: Update mask

    private func masked(changing changed: Set<String>, in envelope: [String]) throws(APIError) -> OutboundBody {
        var (values, mask) = (self, [String]())
        for place in places where changed.contains(place.property) {
            guard place.path.allSatisfy({ !$0.isEmpty && !$0.contains { ",.".contains($0) } }) else {
                throw .unsendable(
                    model: row.model.modelName, property: place.property,
                    value: "a key with a dot or comma in it, which an update mask can't name")
            }
            let name = place.path.joined(separator: ".")
            if !mask.contains(name) { mask.append(name) }
            if case .null? = json.value(at: place.path) { values.leaveOut(place.path) }
        }
        return OutboundBody(json: values.body(in: envelope), mask: mask)
    }
}

extension OutboundJSON {
    func value(at path: [String]) -> OutboundJSON? {
        guard let key = path.first else { return self }
        return members.first { $0.key == key }?.value.value(at: Array(path.dropFirst()))
    }

    /// Inner objects that become empty are removed, too.
    func removing(_ path: ArraySlice<String>) -> OutboundJSON {
        guard let key = path.first else { return self }
        return .object(
            members.compactMap { member in
                guard member.key == key else { return member }
                guard path.count > 1 else { return nil }
                let rest = member.value.removing(path.dropFirst())
                return rest.members.isEmpty ? nil : (key, rest)
            })
    }

    /// Whether an attribute's JSON has a null in an object. The nil of a property and a null in an array are allowed.
    fileprivate var hasNullMember: Bool {
        switch self {
        case .null, .string, .array: false
        case .object(let members): members.contains { $0.value.hasNullMember }
        case .raw: members.contains { $0.value.isRawNull || $0.value.hasNullMember }
        }
    }

    private var isRawNull: Bool { if case .raw("null") = self { true } else { false } }
}
