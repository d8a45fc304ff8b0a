/// Reads a document, and records problems.
final class DescriptionParser {
    private let root: DescriptionNode
    private(set) var problems: [OpenAPIProblem] = []
    /// The targets of `$ref`s.
    private var read: [JSONPointer: JSONSchema] = [:]
    /// Targets to be parsed, with the place of their first reference.
    private var pending: [(target: JSONPointer, place: JSONPointer)] = []
    private var seen: Set<JSONPointer> = []

    init(_ root: DescriptionNode) { self.root = root }

    private func note(_ place: JSONPointer, _ reason: String) {
        problems.append(OpenAPIProblem(place: place, reason: reason))
    }
}

// MARK: Operations

extension DescriptionParser {
    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    func operations() -> [OpenAPIOperation] {
        guard let paths = root["paths"] else {
            if root["components"] == nil, root["webhooks"] == nil {
                note(JSONPointer(), "there are neither paths nor components")
            }
            return []
        }
        guard let members = paths.members else {
            note(JSONPointer(["paths"]), "the paths are no object; no operation is read")
            return []
        }
        return members.pairs.flatMap { path, item in operations(at: path, item) }
    }

    private func operations(at path: String, _ item: DescriptionNode) -> [OpenAPIOperation] {
        guard !path.hasPrefix("x-") else { return [] }
        let place = JSONPointer(["paths", path])
        guard path.hasPrefix("/") else {
            note(place, "a path begins with a slash; its operations are left out")
            return []
        }
        guard let (item, itemPlace) = resolved(item, at: place) else { return [] }
        let shared = parameters(item["parameters"], at: itemPlace.appending("parameters"))
        return Self.methods.compactMap { method in
            guard let node = item[method] else { return nil }
            guard node.members != nil else {
                note(itemPlace.appending(method), "an operation is an object; it is left out")
                return nil
            }
            return operation(node, method: method, path: path, shared: shared, at: itemPlace.appending(method))
        }
    }

    private func operation(
        _ node: DescriptionNode, method: String, path: String, shared: [OpenAPIOperation.Parameter],
        at place: JSONPointer
    ) -> OpenAPIOperation {
        let own = parameters(node["parameters"], at: place.appending("parameters"))
        let inherited = shared.filter { parameter in
            !own.contains { $0.name == parameter.name && $0.location == parameter.location }
        }
        let summary = node["summary"]?.string ?? node["description"]?.string
        return OpenAPIOperation(
            method: method.uppercased(), path: path, id: node["operationId"]?.string,
            summary: summary?.split(whereSeparator: \.isNewline).first.map(String.init),
            isDeprecated: node["deprecated"]?.bool == true, parameters: inherited + own,
            body: node["requestBody"].flatMap { body($0, at: place.appending("requestBody")) },
            replies: replies(node["responses"], at: place.appending("responses")))
    }

    private func parameters(
        _ node: DescriptionNode?, at place: JSONPointer
    ) -> [OpenAPIOperation.Parameter] {
        (node?.elements ?? []).enumerated().compactMap { index, element in
            let place = place.appending("\(index)")
            guard let (parameter, _) = resolved(element, at: place) else { return nil }
            guard let name = parameter["name"]?.string, let location = parameter["in"]?.string else {
                note(place, "a parameter has \"name\" and \"in\"; it is left out")
                return nil
            }
            let type = parameter["schema"]?["type"]
            return OpenAPIOperation.Parameter(
                name: name, location: location, isRequired: parameter["required"]?.bool == true,
                types: type.map { $0.string.map { [$0] } ?? $0.elements.compactMap(\.string) } ?? [])
        }
    }

    private func body(_ node: DescriptionNode, at place: JSONPointer) -> OpenAPIOperation.Body? {
        guard let (body, place) = resolved(node, at: place) else { return nil }
        return OpenAPIOperation.Body(
            isRequired: body["required"]?.bool == true,
            content: content(body["content"], at: place.appending("content")))
    }

    private func replies(_ node: DescriptionNode?, at place: JSONPointer) -> [OpenAPIOperation.Reply] {
        (node?.members?.pairs ?? []).compactMap { status, reply in
            guard !status.hasPrefix("x-"), let (reply, place) = resolved(reply, at: place.appending(status)) else {
                return nil
            }
            return OpenAPIOperation.Reply(
                status: status.uppercased() == "DEFAULT" ? "default" : status.uppercased(),
                content: content(reply["content"], at: place.appending("content")))
        }
    }

    private func content(_ node: DescriptionNode?, at place: JSONPointer) -> [OpenAPIOperation.Content] {
        (node?.members?.pairs ?? []).map { type, media in
            let bare = type.prefix { $0 != ";" }.trimmingSpaces.lowercased()
            let schema = media["schema"].map { self.schema($0, at: place.appending(type, "schema")) }
            return OpenAPIOperation.Content(mediaType: bare, schema: schema)
        }
    }

    /// Follows `$ref`s to an object and its place.
    ///
    /// - Returns: nil after recording a problem.
    private func resolved(
        _ node: DescriptionNode, at place: JSONPointer
    ) -> (node: DescriptionNode, place: JSONPointer)? {
        var (node, origin, visited) = (node, place, Set<JSONPointer>())
        while let reference = node["$ref"]?.string {
            guard let target = target(of: reference, at: place) else { return nil }
            guard visited.insert(target).inserted else {
                note(place, "the reference \(reference) leads back to itself; what it stands for is left out")
                return nil
            }
            guard let found = root.value(at: target) else {
                note(place, "the reference \(reference) leads nowhere; what it stands for is left out")
                return nil
            }
            (node, origin) = (found, target)
        }
        guard node.members != nil else {
            note(origin, "this is no object; it is left out")
            return nil
        }
        return (node, origin)
    }

    private func target(of reference: String, at place: JSONPointer) -> JSONPointer? {
        if let target = JSONPointer(reference: reference) { return target }
        note(place, "the reference \(reference) leads out of the file, which isn't followed; bundle the files into one")
        return nil
    }
}

// MARK: Schemas

extension DescriptionParser {
    private func schema(_ node: DescriptionNode, at place: JSONPointer) -> JSONSchema {
        if let reference = node["$ref"]?.string, let target = target(of: reference, at: place),
            seen.insert(target).inserted
        {
            pending.append((target, place))
        }
        return JSONSchema(node) { child, tokens in schema(child, at: JSONPointer(place.tokens + tokens)) }
    }

    /// Parses each schema once, so cycles end.
    func schemas(ofComponents names: [String]) -> [JSONPointer: JSONSchema] {
        for name in names {
            let pointer = JSONPointer(["components", "schemas", name])
            if seen.insert(pointer).inserted { pending.append((pointer, pointer)) }
        }
        var next = 0
        while next < pending.count {
            let (target, place) = pending[next]
            next += 1
            guard let node = root.value(at: target) else {
                note(place, "the reference \(target) leads nowhere; the value may be anything")
                continue
            }
            read[target] = schema(node, at: target)
        }
        pending = []
        return read
    }
}

extension DescriptionNode {
    fileprivate func value(at pointer: JSONPointer) -> DescriptionNode? {
        var node = self
        for token in pointer.tokens {
            let next: DescriptionNode? =
                switch node {
                case .object(let members): members[token]
                case .array(let elements): Int(token).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                default: nil
                }
            guard let next else { return nil }
            node = next
        }
        return node
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
