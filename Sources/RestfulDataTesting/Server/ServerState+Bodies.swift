import Foundation
import HTTPTypes
import RestfulData

// Converts bodies to objects and back.

extension ServerState {
    // MARK: Requests

    /// The body as JSON.
    ///
    /// - Throws: 400 unless the body is JSON.
    func json(of request: TestServer.Request) throws(Refusal) -> JSONValue {
        if let json = request.json { return json }
        throw Refusal(status: 400, message: request.body.isEmpty ? "The request has no body" : "The body is no JSON")
    }

    /// The object in a body, flat and out of its envelope.
    func body(of request: TestServer.Request, _ model: ModelSchema) throws(Refusal) -> [String: JSONValue] {
        let json = request.body.isEmpty ? .object([:]) : try json(of: request)
        if map.conventions.document == .jsonAPI {
            guard case .object(let resource)? = json["data"] else {
                throw Refusal(status: 400, message: "The document has no resource at data")
            }
            let type = schema.resourceTypes(ofAPIOf: model).table(of: resource["type"]?.string ?? "")
            guard type == model.table else {
                throw Refusal(status: 409, message: "The resource isn't of the collection's type")
            }
            return flattened(resource, of: model)
        }
        let path = map.envelopes.envelope(of: model).sent
        guard case .object(let members)? = json.value(at: path[...]) else {
            throw Refusal(status: 400, message: "The body has no object at \(path.joined(separator: "."))")
        }
        return map.conventions.bodies == .form ? converted(members, model) : members
    }

    /// Converts the texts of a form to the types of the attributes.
    private func converted(_ members: [String: JSONValue], _ model: ModelSchema) -> [String: JSONValue] {
        let separator = if case .joined(let separator) = map.conventions.formLists { separator } else { String?.none }
        var members = members
        for property in model.declared {
            switch property.kind {
            case .attribute(let kind, _, _):
                let path = property.clientPath
                guard let value = members.value(at: path) else { continue }
                let isNothing = property.isOptional && value == .string("")
                members.set(isNothing ? .null : value.ofForm(kind, joinedBy: separator), at: path[...])
            case .toOne, .toMany:
                let paths = map.identityPaths(of: property, in: model) + [property.jsonPath, property.clientPath]
                for path in paths where members.value(at: path) == .string("") {
                    members.set(property.list == nil ? .null : .array([]), at: path[...])
                }
            }
        }
        return members
    }

    /// The changes that a save's body makes to an object, flat, at the places where clients send them.
    func changes(
        of row: ServerRow, _ model: ModelSchema, _ request: TestServer.Request
    ) throws(Refusal) -> [String: JSONValue] {
        let type = request.headerFields[.contentType] ?? ""
        let object = wire(row).members.moved(in: model, from: \.jsonPath, to: \.clientPath)
        if type.hasPrefix("application/json-patch+json") {
            let path = map.envelopes.envelope(of: model).sent
            var whole: [String: JSONValue] = [:]
            whole.set(.object(object), at: path[...])
            let document = JSONValue.object(path.isEmpty ? object : whole)
            guard let operations = try json(of: request).array else {
                throw Refusal(status: 400, message: "A JSON Patch is an array of operations")
            }
            let patched = try ServerPatch.patched(document, by: operations)
            return Self.difference(from: object, to: patched.value(at: path[...])?.members ?? [:])
        }
        let body = try body(of: request, model)
        if type.hasPrefix("application/merge-patch+json") {
            let declared = Set(model.declared.filter { $0.target == nil }.map(\.clientPath))
            return Self.difference(from: object, to: ServerPatch.merged(body, into: object, declared: declared))
        }
        if let mask = request.query["updateMask"] {
            var masked: [String: JSONValue] = [:]
            for name in mask.split(separator: ",") {
                let path = name.split(separator: ".").map(String.init)
                masked.set(body.value(at: path) ?? .null, at: path[...])
            }
            return masked
        }
        if map.conventions.document == .jsonAPI { try checkIdentity(of: request, row) }
        let method = map.saveMethod(of: model)
        return request.method == .put && method != .putChanges ? whole(body, model) : body
    }

    /// The members that differ. Removed members are null.
    private static func difference(
        from old: [String: JSONValue], to new: [String: JSONValue]
    ) -> [String: JSONValue] {
        let lost = Set(old.keys).subtracting(new.keys).map { ($0, JSONValue.null) }
        return new.filter { old[$0.key] != $0.value }.merging(lost) { kept, _ in kept }
    }

    /// The body of a PUT, with null for each attribute that it leaves out (RFC 9110 §9.3.4).
    private func whole(_ body: [String: JSONValue], _ model: ModelSchema) -> [String: JSONValue] {
        var whole = body
        let kept = Set(model.identity + (model.key.map { [$0] } ?? []))
        for property in model.declared where property.access == .readWrite && !kept.contains(property.index) {
            let path = property.clientPath
            guard model.relationshipsAtKeys[property.index] == nil, body.value(at: path) == nil else { continue }
            whole.set(.null, at: path[...])
        }
        return whole
    }

    /// See <https://jsonapi.org/format/1.1/#crud-updating-responses-409>.
    private func checkIdentity(of request: TestServer.Request, _ row: ServerRow) throws(Refusal) {
        guard let id = request.json?["data"]?["id"]?.scalarText, id != lastPart(ofIdentity: row) else { return }
        throw Refusal(status: 409, message: "The resource has another id than the URL")
    }

    // MARK: Conditions

    /// Throws 412 if a condition of the request names another version (RFC 9110 §13.1). A date is ignored beside an
    /// `If-Match`, and if objects have no dates.
    ///
    /// `If-Match` compares strongly: a weak tag matches nothing. Services with ``ConditionalWrites/weakEntityTags``,
    /// and those whose objects have their tags in an attribute, compare weakly.
    func checkConditions(of request: TestServer.Request, _ row: ServerRow) throws(Refusal) {
        if let condition = request.headerFields[.ifMatch] {
            let tags = condition.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            let isWeak =
                switch map.conditions(of: model(of: row)) {
                case .weakEntityTags, .attribute: true
                default: false
                }
            let isCurrent = versions(of: row).contains { version in
                isWeak
                    ? tags.contains { $0.strongTag == version.strongTag }
                    : tags.contains(version) && version.strongTag == version
            }
            guard condition == "*" || isCurrent else { throw Refusal.otherVersion }
        } else if rules.hasDates, let date = request.headerFields[.ifUnmodifiedSince].flatMap(HTTPDate.seconds),
            modificationTime(row) > date
        {
            throw Refusal.otherVersion
        }
    }

    private func versions(of row: ServerRow) -> [String] {
        var tags = [object(row, nil).headerFields[.eTag]].compactMap(\.self)
        let model = model(of: row)
        if case .attribute(let name) = map.conditions(of: model),
            let path = model.declared.first(where: { $0.name == name })?.jsonPath,
            let text = row.fields.value(at: path)?.scalarText
        {
            tags.append(text.hasPrefix("\"") || text.hasPrefix("W/") ? text : "\"\(text)\"")
        }
        return tags
    }

    /// A time in seconds since 1970 that is unique for each version, because the server's clock may stand still.
    private func modificationTime(_ row: ServerRow) -> Int {
        Int(TestClock.epoch) + row.number * 3600 + row.version
    }

    // MARK: Replies

    /// Makes a reply with one object.
    ///
    /// - Parameter request: The GET that it answers; nil for the reply to a change.
    func object(_ row: ServerRow, _ request: TestServer.Request?) -> TestServer.Reply {
        let model = model(of: row)
        var body: [String: JSONValue] = [:]
        if map.conventions.document == .jsonAPI {
            body["data"] = wire(row)
            addIncluded(from: [row], to: &body, request)
        } else if case let path = map.envelopes.envelope(of: model).object.first ?? [], !path.isEmpty {
            body.set(wire(row), at: path[...])
        } else {
            body = wire(row).members
        }
        var fields: HTTPFields = [:]
        if rules.hasDates { fields.set("Last-Modified", TestClock.httpDate(Double(modificationTime(row)))) }
        let version = rules.entityTags.isOfVersions ? "\(row.version)" : nil
        return tagged(.object(body), request, with: fields, version: version)
    }

    func list(
        _ all: [ServerRow], of model: ModelSchema, by request: TestServer.Request
    ) throws(Refusal) -> TestServer.Reply {
        let page = try ServerPage(
            of: sorted(filtered(all, of: model, by: request), by: request), from: all, for: request,
            paging: map.paging(of: model), map.conventions, size: rules.pageSize,
            naming: { lastPart(ofIdentity: $0) })
        let envelope = map.envelopes.envelope(of: model)
        let elements = page.rows.map { row -> JSONValue in
            guard !envelope.element.isEmpty else { return wire(row) }
            var element: [String: JSONValue] = [:]
            element.set(wire(row), at: envelope.element[...])
            return .object(element)
        }
        var fields: HTTPFields = [:]
        let isDocument = map.conventions.document == .jsonAPI
        let path = isDocument ? ["data"] : envelope.list.first ?? []
        guard !path.isEmpty else {
            page.describe(in: &fields, isInBody: false)
            return tagged(.array(elements), request, with: fields)
        }
        var body: [String: JSONValue] = [:]
        if !elements.isEmpty || map.conventions.absentLists != .empty { body.set(.array(elements), at: path[...]) }
        page.describe(in: &fields, isInBody: page.describe(in: &body))
        if isDocument { addIncluded(from: page.rows, to: &body, request) }
        // https://hl7.org/fhir/R4/bundle.html
        if let key = map.conventions.typeKey {
            body[key] = "Bundle"
            body["type"] = "searchset"
        }
        return tagged(.object(body), request, with: fields)
    }

    private func addIncluded(
        from rows: [ServerRow], to body: inout [String: JSONValue], _ request: TestServer.Request?
    ) {
        guard let paths = request?.query["include"] else { return }
        body["included"] = .array(included(from: rows, paths.split(separator: ",").map(String.init)))
    }

    /// The rows that match the query's filters: `?state=open`, `?filter[state]=open`. Parameters with another meaning
    /// are ignored, even if an attribute has their name.
    func filtered(_ all: [ServerRow], of model: ModelSchema, by request: TestServer.Request) -> [ServerRow] {
        let (size, paging) = (map.conventions.pageSize, map.paging(of: model))
        let others = map.conventions.partParameters.union([size, paging.parameter(beside: size), "include", "sort"])
        let filters = request.query.compactMap { name, value -> (path: [String], value: String)? in
            guard !others.contains(name) else { return nil }
            let inner = name.hasPrefix("filter[") && name.hasSuffix("]") ? String(name.dropFirst(7).dropLast()) : name
            let path = inner.split(separator: ".").map(String.init)
            guard let (property, rest) = map.first(of: path, in: model), rest.isEmpty || property.link != nil,
                property.list == nil
            else { return nil }
            return (path, value)
        }
        return filters.isEmpty ? all : all.filter { row in filters.allSatisfy { has($0.value, at: $0.path, in: row) } }
    }

    /// Makes a success with JSON and its entity tag, or 304 if the client has this version (RFC 9110 §13.1.2).
    func tagged(
        _ json: JSONValue, _ request: TestServer.Request?, with fields: HTTPFields = [:], version: String? = nil
    ) -> TestServer.Reply {
        var reply = TestServer.Reply.json(json.text ?? "null", headerFields: fields)
        let links = HTTPField.Name("Link").flatMap { fields[$0] } ?? ""
        let text = version ?? (reply.body + Array(links.utf8)).fingerprint
        let tag = (rules.entityTags.isWeak ? "W/" : "") + "\"\(text)\""
        if rules.entityTags != .none { reply.headerFields[.eTag] = tag }
        if rules.authorization != nil { reply.headerFields.set("Vary", "Authorization") }
        if isKnown(reply, by: request) {
            (reply.status, reply.body) = (304, [])
            reply.headerFields[.contentType] = nil
            return reply
        }
        reply.headerFields[.contentType] = map.conventions.mediaType
        return reply
    }

    /// Whether the client has this version, by its tag or else by its date (RFC 9110 §13.2.2).
    private func isKnown(_ reply: TestServer.Reply, by request: TestServer.Request?) -> Bool {
        guard let fields = request?.headerFields else { return false }
        if let condition = fields[.ifNoneMatch] {
            let tags = condition.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).strongTag }
            return condition == "*" || reply.headerFields[.eTag].map { tags.contains($0.strongTag) } ?? false
        }
        guard let known = fields[.ifModifiedSince].flatMap(HTTPDate.seconds),
            let modified = reply.headerFields[.lastModified].flatMap(HTTPDate.seconds)
        else { return false }
        return modified <= known
    }
}

extension Property {
    /// Where clients send the value in a flat object.
    var clientPath: [String] { sentPath ?? jsonPath }
}

extension [String: JSONValue] {
    /// The members, with the values of properties at other places.
    func moved(
        in model: ModelSchema, from old: (Property) -> [String], to new: (Property) -> [String]
    ) -> [String: JSONValue] {
        var moved = self
        let properties = model.declared.filter { old($0) != new($0) }
        let values = properties.map { moved.take(at: old($0)[...]) }
        for (property, value) in zip(properties, values) {
            if let value { moved.set(value, at: new(property)[...]) }
        }
        return moved
    }
}

extension String {
    /// The entity tag, reduced by the prefix of a weak tag.
    fileprivate var strongTag: String { hasPrefix("W/") ? String(dropFirst(2)) : self }
}
