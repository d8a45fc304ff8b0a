extension RouteTemplate {
    /// The same template with all its names known to exist.
    ///
    /// - Parameter knownNames: The key paths that exist, such as `number` and `repository.full_name`.
    /// - Returns: A template in which `:id.json` has become the name `id` and the text `.json`, unless `id.json` is
    ///   known.
    /// - Throws: ``RouteTemplateError/unknownNames(template:names:)`` with every name that is not known and the
    ///   nearest one that is.
    public func checked(against knownNames: some Sequence<String>) throws(RouteTemplateError) -> RouteTemplate {
        let names = Array(knownNames)
        let known = Set(names)
        return try checked { keyPath in
            known.contains(keyPath.joined(separator: "."))
        } suggesting: { name in
            nearestName(to: name, among: names)
        }
    }

    /// The same template with all its names known to exist, where key paths can be told but not be listed, because
    /// they lead from model to model.
    ///
    /// - Parameters:
    ///   - isKnown: Whether a key path exists.
    ///   - suggestion: The known key path that is near to one which does not.
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
