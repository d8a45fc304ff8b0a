import Conventions
import GeneratedCode
import OpenAPIFiles

/// The source of one class.
enum ModelKey: Hashable {
    /// By group: `simple-user`, `nullable-simple-user` and `user` have the group `user`.
    case components(String)
    case inline(ObjectIdentifier)
}

/// Groups the schemas of one resource.
///
/// Many descriptions have a short one for lists, a full, a nullable and a deleted one. Their objects share an identity,
/// so they must become one class.
struct ModelVariants {
    private let description: OpenAPIDescription
    private var groups: [String: String] = [:]
    private var members: [String: [String]] = [:]
    private var inline: [ObjectIdentifier: (schema: JSONSchema, name: String)] = [:]

    /// They end cycles.
    private var visiting: Set<ObjectIdentifier> = []

    private static let qualifiers: Set<String> = [
        "nullable", "simple", "minimal", "full", "basic", "partial", "public", "private", "deleted", "summary",
        "detailed",
        "brief", "shallow",
    ]

    init(_ description: OpenAPIDescription) {
        self.description = description
        for name in description.components {
            let group = group(of: name)
            groups[name] = group
            members[group, default: []].append(name)
        }
    }

    /// Drops qualifiers such as `simple` if the rest names a resource with the same identity.
    private func group(of name: String) -> String {
        let words = SwiftName.words(of: name)
        let kept = words.filter { !Self.qualifiers.contains($0.lowercased()) }
        guard kept.count < words.count, !kept.isEmpty else { return name }
        let bare = kept.joined().lowercased()
        let base = description.components.first { SwiftName.words(of: $0).joined().lowercased() == bare }
        let others = base.map { [$0] } ?? []
        let identity = identity(ofComponent: name)
        // A deleted object may have only its identity.
        guard identity != nil, others.allSatisfy({ self.identity(ofComponent: $0) == identity }) else { return name }
        return base ?? kept.joined(separator: "_")
    }

    private func identity(ofComponent name: String) -> String? {
        description.schemas[JSONPointer(["components", "schemas", name])].flatMap { identity(of: [$0]) }
    }

    func identity(of schemas: [JSONSchema]) -> String? {
        let names = schemas.map { schema in Set(description.meaning(of: schema).properties.map(\.name)) }
        return OpenAPIDescription.identityNames.first { name in
            !names.isEmpty && names.allSatisfy { $0.contains(name) }
        }
    }

    /// Several if the alternatives are different resources.
    ///
    /// - Parameter name: of an object whose schema is unnamed.
    mutating func keys(of schema: JSONSchema, named name: String) -> [ModelKey] {
        if description.componentName(of: schema).map({ isAlternatives(ofComponent: $0) }) == false {
            return description.isObject(schema) ? [key(of: schema, named: name)] : []
        }
        let resolved = description.resolved(schema)
        if !resolved.alternatives.isEmpty, resolved.properties.isEmpty,
            visiting.insert(ObjectIdentifier(resolved)).inserted
        {
            defer { visiting.remove(ObjectIdentifier(resolved)) }
            var found: [ModelKey] = []
            for alternative in resolved.alternatives {
                for key in keys(of: alternative, named: name) where !found.contains(key) { found.append(key) }
            }
            return found
        }
        // An `allOf` of a component with an identity is that component.
        if let part = resolved.allOf.first(where: { $0.reference != nil && description.hasIdentity($0) }),
            resolved.properties.isEmpty
        {
            return [key(of: part, named: name)]
        }
        return description.isObject(resolved) ? [key(of: resolved, named: name)] : []
    }

    /// `payment_source`, which is only a choice among others.
    private func isAlternatives(ofComponent name: String) -> Bool {
        guard let schema = description.schemas[JSONPointer(["components", "schemas", name])] else { return false }
        return schema.alternatives.count > 1 && schema.properties.isEmpty
            && schema.alternatives.allSatisfy { $0.reference != nil }
    }

    private mutating func key(of schema: JSONSchema, named name: String) -> ModelKey {
        if let component = description.componentName(of: schema) {
            return .components(groups[component] ?? component)
        }
        let resolved = description.resolved(schema)
        let identifier = ObjectIdentifier(resolved)
        if inline[identifier] == nil { inline[identifier] = (resolved, name) }
        return .inline(identifier)
    }

    /// Those with most properties first.
    func schemas(of key: ModelKey) -> [JSONSchema] {
        switch key {
        case .inline(let identifier): return inline[identifier].map { [$0.schema] } ?? []
        case .components(let group):
            let schemas = (members[group] ?? [group]).compactMap {
                description.schemas[JSONPointer(["components", "schemas", $0])]
            }
            return schemas.map { (schema: $0, count: description.meaning(of: $0).properties.count) }
                .enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
                .map(\.element.schema)
        }
    }

    func name(of key: ModelKey) -> String {
        switch key {
        case .components(let group): group
        case .inline(let identifier): inline[identifier]?.name ?? "Part"
        }
    }
}
