import Conventions
import GeneratedCode
import OpenAPIFiles

/// An operation that replies with objects of a class.
struct Sighting {
    let key: ModelKey
    let operation: OpenAPIOperation
    let isList: Bool
    /// Nil for a plain object or list.
    let wrapper: String?

    /// In the order of the operations.
    static func all(of description: OpenAPIDescription, _ variants: inout ModelVariants) -> [Sighting] {
        var sightings: [Sighting] = []
        for operation in description.operations {
            guard let content = description.content(of: operation), let schema = content.schema,
                description.isObject(schema)
            else { continue }
            let noun = operation.path.pathSegments.last { !$0.contains("{") } ?? "Item"
            let keys = variants.keys(of: schema, named: AttributeMapping.singularizingLastWord(of: noun))
            // With several possible classes, each has its own path elsewhere.
            guard keys.count == 1, let key = keys.first else { continue }
            switch content {
            case .list(_, let wrapper):
                sightings.append(Sighting(key: key, operation: operation, isList: true, wrapper: wrapper))
            case .object(_, let wrapper):
                sightings.append(Sighting(key: key, operation: operation, isList: false, wrapper: wrapper))
            case .value: break
            }
        }
        return sightings
    }
}

struct RouteChoice {
    private let sightings: [Sighting]
    private let description: OpenAPIDescription

    init(_ sightings: [Sighting], _ description: OpenAPIDescription) {
        (self.sightings, self.description) = (sightings, description)
    }

    /// In the order of the description.
    var routes: [(ModelKey, ModelRoutes)] {
        var order: [ModelKey] = []
        var groups: [ModelKey: [Sighting]] = [:]
        for sighting in sightings {
            if groups[sighting.key] == nil { order.append(sighting.key) }
            groups[sighting.key, default: []].append(sighting)
        }
        let operations = Dictionary(grouping: description.operations) { $0.path.withoutSlash }
        return order.compactMap { key in
            groups[key].flatMap { Self.best(of: $0, operations) }.map { (key, $0) }
        }
    }

    private struct Candidate {
        var item: String?
        var score = 0
        var isReadable = false
        var wrapper: String?
        var objectWrapper: String?
    }

    private static func best(
        of sightings: [Sighting], _ operations: [String: [OpenAPIOperation]]
    ) -> ModelRoutes? {
        var candidates: [String: Candidate] = [:]
        var order: [String] = []
        func note(_ path: String, _ change: (inout Candidate) -> Void) {
            if candidates[path] == nil { order.append(path) }
            change(&candidates[path, default: Candidate()])
        }
        for sighting in sightings {
            let path = sighting.operation.path.withoutSlash
            let segments = path.pathSegments
            let isItem = segments.last?.soleParameter != nil
            switch (sighting.isList, isItem, sighting.operation.method) {
            case (false, true, let method):
                note("/" + segments.dropLast().joined(separator: "/")) {
                    $0.item = $0.item ?? path
                    $0.isReadable = $0.isReadable || method == "GET"
                    $0.objectWrapper = $0.objectWrapper ?? sighting.wrapper
                    $0.score += method == "GET" ? 8 : 3
                }
            case (true, false, "GET"):
                note(path) {
                    $0.isReadable = true
                    $0.wrapper = $0.wrapper ?? sighting.wrapper
                    $0.score += 4
                }
            case (false, false, "POST"): note(path) { $0.score += 2 }
            default: break
            }
        }
        let readable = order.enumerated().filter { candidates[$0.element]?.isReadable ?? false }
        let best = readable.min { left, right in
            let scores = [left, right].map { -(candidates[$0.element]?.score ?? 0) }
            let depths = [left, right].map(\.element.pathSegments.count)
            return (scores[0], depths[0], left.offset) < (scores[1], depths[1], right.offset)
        }
        guard let collection = best?.element, let candidate = candidates[collection] else { return nil }
        // `/repos/{owner}` of `/repos/{owner}/{repo}` is one object.
        let isCollection = collection.pathSegments.last.map { !$0.contains("{") } ?? false
        guard isCollection || candidate.item != nil else { return nil }
        let found = (operations[collection] ?? []) + (candidate.item.flatMap { operations[$0] } ?? [])
        return ModelRoutes(
            collection: isCollection ? collection : nil,
            item: candidate.item ?? existingItem(below: collection, operations),
            operations: found, listKey: candidate.wrapper, objectKey: candidate.objectWrapper)
    }

    /// Replies leave it out: `DELETE /keys/{id}`.
    private static func existingItem(
        below collection: String, _ operations: [String: [OpenAPIOperation]]
    ) -> String? {
        operations.keys.filter { path in
            path.hasPrefix(collection + "/") && path.pathSegments.count == collection.pathSegments.count + 1
                && path.pathSegments.last?.soleParameter != nil
        }.min()
    }
}
