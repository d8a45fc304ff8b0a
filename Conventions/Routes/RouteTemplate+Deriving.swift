extension RouteTemplate {
    /// Returns this template after checking that all its names exist.
    ///
    /// - Parameter knownNames: The existing key paths, such as `number` and `repository.full_name`.
    /// - Returns: A template in which `:id.json` is the name `id` and the text `.json`, unless `id.json` is known.
    /// - Throws: ``RouteTemplateError/unknownNames(template:names:)`` with every unknown name and the most similar
    ///   known one.
    public func checked(against knownNames: some Sequence<String>) throws(RouteTemplateError) -> RouteTemplate {
        let names = Array(knownNames)
        let known = Set(names)
        return try checked { keyPath in
            known.contains(keyPath.joined(separator: "."))
        } suggesting: { name in
            nearestName(to: name, among: names)
        }
    }

    /// Returns this template after checking that all its names exist. For key paths that lead from model to model, and
    /// so can't be listed.
    ///
    /// - Parameters:
    ///   - isKnown: Whether a key path exists.
    ///   - suggestion: The known key path that is most similar to an unknown one.
    /// - Throws: ``RouteTemplateError/unknownNames(template:names:)``.
    package func checked(
        _ isKnown: ([String]) -> Bool, suggesting suggestion: (String) -> String?
    ) throws(RouteTemplateError) -> RouteTemplate {
        var unknown: [UnknownRouteName] = []
        func resolve(_ part: Part) -> [Part] {
            guard case .placeholder(let placeholder) = part else { return [part] }
            if isKnown(placeholder.keyPath) { return [.placeholder(placeholder.with(placeholder.keyPath))] }
            if let (shorter, suffix) = placeholder.withoutFormat, isKnown(shorter.keyPath) {
                return [.placeholder(shorter), .literal(suffix)]
            }
            let name = UnknownRouteName(name: placeholder.name, suggestion: suggestion(placeholder.name))
            if !unknown.contains(name) { unknown.append(name) }
            return [part]
        }
        let path = path.flatMap(resolve)
        let query = query.map { $0.flatMap(resolve) }
        guard unknown.isEmpty else { throw .unknownNames(template: text, names: unknown) }
        return RouteTemplate(
            text: text, origin: origin, path: path, query: query, isChecked: true, escapesSlashes: escapesSlashes)
    }
}

extension RouteTemplate {
    /// Derives the URL of an owner's list from the base URL of the list's model.
    ///
    /// | base URL of the members | inverse | derived URL of the owner's list |
    /// |---|---|---|
    /// | `/repos/:repository.full_name/issues` | `repository` | `/repos/:full_name/issues` |
    /// | `/posts/:post_id/comments` | `post` | `/posts/:id/comments` |
    /// | `/posts/:post/comments` | `post` | `/posts/:id/comments` |
    ///
    /// - Parameters:
    ///   - inverse: The JSON name of the members' relationship to the owner.
    ///   - foreignKey: The JSON name of the owner's identity in a member; nil for the inverse with `_id`.
    ///   - identity: The JSON name of the owner's identity.
    /// - Returns: nil if there are no placeholders, or if one doesn't lead to the owner: a list's URL can't depend on
    ///   its members.
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

    /// Returns the URL of one object below this base: `/repos/:full_name/issues/:number`.
    ///
    /// The key is appended to the path, before a query. If the base ends in a slash, the result does as well.
    ///
    /// - Parameters:
    ///   - key: The JSON name or key path of the object's key.
    ///   - isSegment: Whether the key is one segment of the path, so that slashes in it are escaped.
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

    /// Joins consecutive literals, as the parser does.
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

extension RouteTemplate {
    /// Returns this template with a slash at the end of its path, before a query, as in Django's URLs.
    ///
    /// Unchanged are paths that end in a slash or in a file format (`/posts/:id.json`), the root, and templates with a
    /// host, which belong to other services. The template's names should be known (``checked(against:)``), because
    /// `:id.json` is ambiguous otherwise.
    package func endingInSlash() -> RouteTemplate {
        guard !namesItsHost, let last = path.last else { return self }
        if case .literal(let text) = last, text.hasSuffix("/") || Self.namesFile(text) { return self }
        return RouteTemplate(
            origin: origin, path: Self.merged(path + [.literal("/")]), query: query, isChecked: isChecked,
            escapesSlashes: escapesSlashes)
    }

    /// Returns this template with the slashes in some placeholders of the path escaped or kept.
    ///
    /// - Parameter isSegment: Whether a placeholder's value is one segment, so that its slashes are escaped; nil to
    ///   leave it unchanged.
    package func settingSegments(_ isSegment: (Placeholder) -> Bool?) -> RouteTemplate {
        let path = path.map { part in
            guard case .placeholder(var placeholder) = part else { return part }
            placeholder.isSegment = isSegment(placeholder) ?? placeholder.isSegment
            return .placeholder(placeholder)
        }
        return RouteTemplate(
            text: text, origin: origin, path: path, query: query, isChecked: isChecked, escapesSlashes: escapesSlashes)
    }

    /// Returns this template with slashes in values escaped (`%2F`), so that each value is one segment:
    /// `/projects/gitlab-org%2Fgitlab`, as GitLab requires.
    package func escapingSlashes() -> RouteTemplate {
        RouteTemplate(
            text: text, origin: origin, path: path, query: query, isChecked: isChecked, escapesSlashes: true)
    }

    private static func namesFile(_ text: String) -> Bool {
        let segment = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = segment.lastIndex(of: ".") else { return false }
        return Placeholder.formats.contains(String(segment[segment.index(after: dot)...]))
    }
}

extension RouteTemplate {
    /// The name of the collection at this URL: the path's last segment, without a file format; nil if it is a
    /// placeholder.
    package var collectionName: String? {
        var path = path
        if path.last == .literal("/") { path.removeLast() }
        guard case .literal(let text) = path.last, let segment = text.split(separator: "/").last else { return nil }
        let name = String(segment)
        guard Self.namesFile(name), let dot = name.lastIndex(of: ".") else { return name }
        return String(name[..<dot])
    }
}
