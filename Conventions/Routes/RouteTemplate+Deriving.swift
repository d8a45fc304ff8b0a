extension RouteTemplate {
    /// The route of a relationship, seen from the owner, derived from the base URL of the models it leads to.
    ///
    /// | base URL of the destination | inverse | derived route of the owner |
    /// |---|---|---|
    /// | `/repos/:repository.full_name/issues` | `repository` | `/repos/:full_name/issues` |
    /// | `/posts/:post_id/comments` | `post` | `/posts/:id/comments` |
    /// | `/posts/:post/comments` | `post` | `/posts/:id/comments` |
    ///
    /// - Parameters:
    ///   - inverse: The JSON name of the destination's relationship to the owner.
    ///   - foreignKey: The JSON name under which the owner's identity is sent; if nil, the inverse's with `_id`.
    ///   - identity: The JSON name of the owner's identity.
    /// - Returns: nil if the first placeholder is not the inverse, or if another one is not: a list's URL cannot depend
    ///   on its elements.
    package func derivedForRelationship(
        inverse: String, foreignKey: String? = nil, identity: String = "id"
    ) -> RouteTemplate? {
        guard !placeholders.isEmpty else { return nil }
        let foreignKey = foreignKey ?? inverse + "_id"
        func seenFromOwner(_ parts: [Part]) -> [Part]? {
            var result: [Part] = []
            for part in parts {
                guard case .placeholder(let placeholder) = part else {
                    result.append(part)
                    continue
                }
                let keyPath = Self.seenFromOwner(
                    placeholder, inverse: inverse, foreignKey: foreignKey, identity: identity)
                guard let keyPath else { return nil }
                result.append(.placeholder(placeholder.with(keyPath, mayEndInFormat: placeholder.mayEndInFormat)))
            }
            return result
        }
        guard let path = seenFromOwner(path) else { return nil }
        guard let query else { return RouteTemplate(origin: origin, path: path, query: nil) }
        return seenFromOwner(query).map { RouteTemplate(origin: origin, path: path, query: $0) }
    }

    /// The URL of one object below this base: `/repos/:full_name/issues/:number`.
    ///
    /// The key is appended to the path, before a query. A base that ends in a slash gives a URL that does so, too.
    ///
    /// - Parameters:
    ///   - key: The JSON name, or key path, of what names the object in its URL.
    ///   - isSegment: Whether the key is one segment of the path: a slash in it is escaped then.
    package func appending(key: String, isSegment: Bool = false) -> RouteTemplate {
        let keyPath = key.split(separator: ".").map(String.init)
        guard !keyPath.isEmpty else { return self }
        let placeholder = Part.placeholder(
            Placeholder(keyPath: keyPath, position: .path, mayEndInFormat: false, isSegment: isSegment))
        let endsInSlash = if case .literal(let literal) = path.last { literal.hasSuffix("/") } else { false }
        let isRoot = path == [.literal("/")]
        let added: [Part] =
            if !endsInSlash { [.literal("/"), placeholder] } else if isRoot { [placeholder] } else {
                [placeholder, .literal("/")]
            }
        return RouteTemplate(
            origin: origin, path: Self.merged(path + added), query: query, escapesSlashes: escapesSlashes)
    }

    private static func seenFromOwner(
        _ placeholder: Placeholder, inverse: String, foreignKey: String, identity: String
    ) -> [String]? {
        let (named, format): (Placeholder, [String]) =
            if let (shorter, _) = placeholder.withoutFormat {
                (shorter, placeholder.keyPath.suffix(1))
            } else {
                (placeholder, [])
            }
        let first = named.keyPath[0]
        let rest = Array(named.keyPath.dropFirst())
        if first == inverse { return (rest.isEmpty ? [identity] : rest) + format }
        if first == foreignKey, rest.isEmpty { return [identity] + format }
        return nil
    }

    /// The parts with texts that follow each other made one, as the parser makes them.
    static func merged(_ parts: [Part]) -> [Part] {
        parts.reduce(into: []) { merged, part in
            if case .literal(let second) = part, case .literal(let first) = merged.last {
                merged[merged.count - 1] = .literal(first + second)
            } else {
                merged.append(part)
            }
        }
    }
}
