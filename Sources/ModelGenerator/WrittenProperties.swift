import OpenAPIFiles

/// Those that the service accepts, by its description.
struct WrittenProperties {
    private let created: Set<String>?
    private let updated: Set<String>?

    /// - Returns: Nil if it accepts no object, or the description omits the properties.
    init?(_ routes: ModelRoutes?, _ description: OpenAPIDescription) {
        guard let routes else { return nil }
        func names(_ methods: [String], at path: String?) -> Set<String>? {
            let bodies = routes.operations.filter { methods.contains($0.method) && $0.path.withoutSlash == path }
                .compactMap(\.bodySchema).map { description.meaning(of: $0) }
            guard let meaning = bodies.first, meaning.types == ["object"] else { return nil }
            // Requests wrap it, too.
            if let key = routes.objectKey, let inner = meaning.properties.first(where: { $0.name == key }) {
                return Set(description.meaning(of: inner.schema).properties.map(\.name))
            }
            return meaning.properties.isEmpty ? nil : Set(meaning.properties.map(\.name))
        }
        created = names(["POST"], at: routes.collection)
        updated = names(["PATCH", "PUT", "POST"], at: routes.item)
        if created == nil, updated == nil { return nil }
    }

    /// Nil for a property that is always accepted.
    func access(of name: String) -> String? {
        if updated?.contains(name) ?? false { return nil }
        guard created?.contains(name) ?? false else { return ".readOnly" }
        return updated == nil ? nil : ".createOnly"
    }
}
