extension RouteTemplate {
    /// A part of a template for which a value stands in the URL: `:repository.full_name`.
    public struct Placeholder: Hashable, Sendable {
        /// Where in a URL a placeholder stands, on which it depends what has to be escaped.
        public enum Position: Hashable, Sendable {
            /// In the path, before the first question mark.
            case path
            /// In the query, behind it.
            case query
        }

        /// The names to follow, in the JSON's own naming: `["repository", "full_name"]`. Never empty.
        ///
        /// The last one may turn out to be the format of a file, as in `:id.json`; see ``withoutFormat``.
        public let keyPath: [String]

        /// Whether it stands in the path or in the query.
        public let position: Position

        /// Whether a last component that looks like a format may be text behind a shorter key path.
        let mayEndInFormat: Bool

        /// Whether the value is one segment of the path, so that a slash in it is escaped as well.
        var isSegment = false

        /// The key path as it is written in a template: `repository.full_name`.
        public var name: String {
            keyPath.joined(separator: ".")
        }

        /// The placeholder that is meant if no `json` of an `id` is known where `:id.json` is written; nil if the
        /// name can be read in one way only.
        var withoutFormat: (placeholder: Placeholder, suffix: String)? {
            guard mayEndInFormat, keyPath.count > 1, let format = keyPath.last else { return nil }
            return (with(Array(keyPath.dropLast())), "." + format)
        }

        /// A placeholder at the same position for another key path, which can be read in one way only.
        func with(_ keyPath: [String], mayEndInFormat: Bool = false) -> Placeholder {
            Placeholder(
                keyPath: keyPath, position: position, mayEndInFormat: mayEndInFormat, isSegment: isSegment)
        }

        /// The endings that name the format of a reply. Other names behind a dot are always part of the key path, so
        /// that a misspelt one is told.
        static let formats: Set<String> = [
            "atom", "csv", "geojson", "html", "ics", "js", "json", "jsonld", "md", "pdf", "png", "rss", "svg", "txt",
            "xml",
            "yaml", "yml",
        ]
    }
}
