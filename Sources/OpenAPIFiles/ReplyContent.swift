package enum ReplyContent: Sendable {
    /// If the object is wrapped, `at` is its key.
    case object(JSONSchema, at: String?)
    /// If the list is wrapped, `at` is its key.
    case list(JSONSchema, at: String?)
    /// Such as a text, a number or a map.
    case value

    /// Of the object, or of the list's elements.
    package var schema: JSONSchema? {
        switch self {
        case .object(let schema, _), .list(let schema, _): schema
        case .value: nil
        }
    }
}

extension OpenAPIDescription {
    /// An array, `{"total_count": 7, "items": […]}`, `{"data": {…}}` or an object.
    ///
    /// - Parameter noun: the path's noun, a likely key of the list: `artifacts` in `/artifacts`.
    package func content(of schema: JSONSchema, named noun: String? = nil) -> ReplyContent {
        let meaning = meaning(of: schema)
        if meaning.types == ["array"] {
            return meaning.items.map { isObject($0) ? .list($0, at: nil) : .value } ?? .value
        }
        guard meaning.isObject else { return .value }
        // A resource, even if it has lists.
        if meaning.properties.contains(where: { Self.identityNames.contains($0.name) }) {
            return .object(schema, at: nil)
        }
        let lists = meaning.properties.compactMap { property -> (String, JSONSchema)? in
            let inner = self.meaning(of: property.schema)
            guard inner.types == ["array"], let items = inner.items, isObject(items) else { return nil }
            return (property.name, items)
        }
        if lists.count == 1 {
            let isWrapper =
                meaning.properties.count == 1 || lists[0].0 == noun || Self.listNames.contains(lists[0].0)
                || meaning.properties.contains { Self.pageNames.contains($0.name) }
            if isWrapper { return .list(lists[0].1, at: lists[0].0) }
        }
        if meaning.properties.count <= 3 {
            let objects = meaning.properties.filter { isObject($0.schema) && hasIdentity($0.schema) }
            if objects.count == 1 { return .object(objects[0].schema, at: objects[0].name) }
        }
        return .object(schema, at: nil)
    }

    package func content(of operation: OpenAPIOperation) -> ReplyContent? {
        let noun = operation.path.pathSegments.last { !$0.contains("{") }
        return operation.replySchema.map { content(of: $0, named: noun?.replacing("-", with: "_")) }
    }

    /// The most likely first.
    package static let identityNames = ["id", "identifier", "_id", "uuid"]

    private static let pageNames: Set<String> = [
        "has_more", "total_count", "total", "next", "next_page", "next_cursor", "nextPageToken", "cursor", "links",
        "_links", "paging", "pagination", "meta", "page",
    ]

    private static let listNames: Set<String> = ["data", "items", "results", "records", "values", "entries", "nodes"]

    package func isObject(_ schema: JSONSchema) -> Bool { meaning(of: schema).isObject }

    package func hasIdentity(_ schema: JSONSchema) -> Bool {
        meaning(of: schema).properties.contains { Self.identityNames.contains($0.name) }
    }
}
