/// What a reply has: an object, or a list of objects.
package enum ReplyContent: Sendable {
    /// An object; at a key where something wraps it.
    case object(JSONSchema, at: String?)
    /// A list; at a key where something wraps it.
    case list(JSONSchema, at: String?)
    /// Neither: a text, a number, a map, anything.
    case value

    /// The schema of the object, or of each of the list.
    package var schema: JSONSchema? {
        switch self {
        case .object(let schema, _), .list(let schema, _): schema
        case .value: nil
        }
    }
}

extension OpenAPIDescription {
    /// What the body of a reply is: an array, `{"total_count": 7, "items": […]}`, `{"data": {…}}` or an object.
    ///
    /// - Parameter noun: what the list is called where it is asked for, as `artifacts` in `/artifacts`.
    package func content(of schema: JSONSchema, named noun: String? = nil) -> ReplyContent {
        let meaning = meaning(of: schema)
        if meaning.types == ["array"] {
            return meaning.items.map { isObject($0) ? .list($0, at: nil) : .value } ?? .value
        }
        guard meaning.isObject else { return .value }
        // An object with an identity is what it is, whatever lists it has.
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

    /// What the body of an operation's success is; `nil` for one without JSON.
    package func content(of operation: OpenAPIOperation) -> ReplyContent? {
        let noun = operation.path.pathSegments.last { !$0.contains("{") }
        return operation.replySchema.map { content(of: $0, named: noun?.replacing("-", with: "_")) }
    }

    /// The names of a property that names an object at the server, the likeliest first.
    package static let identityNames = ["id", "identifier", "_id", "uuid"]

    /// Names of what stands beside a page of a list.
    private static let pageNames: Set<String> = [
        "has_more", "total_count", "total", "next", "next_page", "next_cursor", "nextPageToken", "cursor", "links",
        "_links", "paging", "pagination", "meta", "page",
    ]

    /// Usual names of a list that something wraps.
    private static let listNames: Set<String> = ["data", "items", "results", "records", "values", "entries", "nodes"]

    package func isObject(_ schema: JSONSchema) -> Bool { meaning(of: schema).isObject }

    package func hasIdentity(_ schema: JSONSchema) -> Bool {
        meaning(of: schema).properties.contains { Self.identityNames.contains($0.name) }
    }
}
