import Conventions

extension ModelSchema {
    /// What an object is called in words, in descriptions and errors: `Issue 102 "Crash"`, `new Issue "Crash"`.
    ///
    /// - Parameters:
    ///   - isNew: whether the object is in no file yet, or has no identity.
    ///   - identity: the values of the identity that are known.
    ///   - title: the text of ``titleAttributes``.
    func displayName(isNew: Bool, identity: [String], title: String?) -> String {
        let values = identity.map { $0.excerpt(limit: 60) }.joined(separator: "/")
        let quoted = title.map { "\"\($0.excerpt(limit: 40).replacing("\"", with: "'"))\"" }
        return [isNew ? "new" : nil, modelName, values.isEmpty ? nil : values, quoted]
            .compactMap(\.self).joined(separator: " ")
    }

    /// The names of attributes that tell a reader best which object it is, the best first.
    private static let titles = ["title", "name", "label", "subject", "login", "username", "slug"]

    /// The attributes whose text tells a reader which object it is: the title is the first of them that has a text.
    ///
    /// They are those of type `String` that are called `title`, `name`, `label`, `subject`, `login`, `username` and
    /// `slug`, in this order; then those whose name ends with such a word, as `fullName` does; and where there is none
    /// of these, the first one. Parts of the identity, write-only attributes, and those whose name says that they are
    /// secret don't count.
    var titleAttributes: [Property] {
        let texts = declared.filter { $0.isString && !isSecret($0) && !identity.contains($0.index) }
        let exact = Self.titles.compactMap { title in texts.first { $0.name == title } }
        let similar = texts.filter { text in
            Self.titles.contains { text.name.hasSuffix($0.prefix(1).uppercased() + $0.dropFirst()) }
        }
        return exact.isEmpty && similar.isEmpty ? Array(texts.prefix(1)) : exact + similar
    }

    /// Whether descriptions leave out an attribute's value: it is write-only, as passwords are, or a text with a name
    /// like `accessToken`. What names the object, and stands in its URL, is shown.
    func isSecret(_ property: Property) -> Bool {
        guard case .attribute(let kind, _, let options) = property.kind else { return false }
        if options.access == .writeOnly { return true }
        guard kind.columnType == .text, property.index != key, !identity.contains(property.index) else { return false }
        return RedactedURL.isSecret(name: property.name)
    }
}
