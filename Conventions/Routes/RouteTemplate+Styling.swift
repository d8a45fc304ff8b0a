extension RouteTemplate {
    /// The same template with a slash at the end of its path, before a query, as Django's URLs have it.
    ///
    /// A path that ends in one already stays as it is, as does one that names a file (`/posts/:id.json`), the root of a
    /// host, and a template that names its host, which is somebody else's URL. It is meant for a template whose names
    /// are known (``checked(against:)``): in another one `:id.json` could be read in two ways.
    package func endingInSlash() -> RouteTemplate {
        guard !namesItsHost, let last = path.last else { return self }
        if case .literal(let text) = last, text.hasSuffix("/") || Self.namesFile(text) { return self }
        return RouteTemplate(
            origin: origin, path: Self.merged(path + [.literal("/")]), query: query, isChecked: isChecked,
            escapesSlashes: escapesSlashes)
    }

    /// The same template in which a slash within a value is escaped (`%2F`), so that each value is one segment:
    /// `/projects/gitlab-org%2Fgitlab`, as GitLab has it.
    package func escapingSlashes() -> RouteTemplate {
        RouteTemplate(
            text: text, origin: origin, path: path, query: query, isChecked: isChecked, escapesSlashes: true)
    }

    /// Whether a text's last segment ends in the format of a file.
    private static func namesFile(_ text: String) -> Bool {
        let segment = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = segment.lastIndex(of: ".") else { return false }
        return Placeholder.formats.contains(String(segment[segment.index(after: dot)...]))
    }
}

extension RouteTemplate {
    /// What the collection at this URL is called: the path's last segment, less the format of a file; nil where a value
    /// stands there.
    package var collectionName: String? {
        var path = path
        if path.last == .literal("/") { path.removeLast() }
        guard case .literal(let text) = path.last, let segment = text.split(separator: "/").last else { return nil }
        let name = String(segment)
        guard Self.namesFile(name), let dot = name.lastIndex(of: ".") else { return name }
        return String(name[..<dot])
    }
}
