import Conventions

extension ModelSchema {
    /// The name in descriptions and errors: `Issue 102 "Crash"`, `new Issue "Crash"`.
    ///
    /// - Parameters:
    ///   - isNew: whether the object is unsaved, or lacks an identity.
    ///   - title: the text of one of ``titleAttributes``.
    func displayName(isNew: Bool, identity: [String], title: String?) -> String {
        let values = identity.map { $0.excerpt(limit: 60) }.joined(separator: "/")
        let quoted = title.map { "\"\($0.excerpt(limit: 40).replacing("\"", with: "'"))\"" }
        return [isNew ? "new" : nil, modelName, values.isEmpty ? nil : values, quoted]
            .compactMap(\.self).joined(separator: " ")
    }

    private static let titles = ["title", "name", "label", "subject", "login", "username", "slug"]

    /// Attributes in order of preference. The first with a text is the title.
    ///
    /// `String` attributes named as in `titles`, then those with such an ending (`fullName`), else the first `String`.
    /// Identities, write-only and secret attributes are left out.
    var titleAttributes: [Property] {
        let texts = declared.filter { $0.isString && !isSecret($0) && !identity.contains($0.index) }
        let exact = Self.titles.compactMap { title in texts.first { $0.name == title } }
        let similar = texts.filter { text in
            Self.titles.contains { text.name.hasSuffix($0.prefix(1).uppercased() + $0.dropFirst()) }
        }
        return exact.isEmpty && similar.isEmpty ? Array(texts.prefix(1)) : exact + similar
    }

    /// Descriptions leave out write-only attributes, and texts with names like `accessToken`, unless they are identity
    /// or key.
    func isSecret(_ property: Property) -> Bool {
        guard case .attribute(let kind, _, let options) = property.kind else { return false }
        if options.access == .writeOnly { return true }
        guard kind.columnType == .text, property.index != key, !identity.contains(property.index) else { return false }
        return RedactedURL.isSecret(name: property.name)
    }
}
