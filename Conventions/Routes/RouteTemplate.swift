/// A URL with placeholders, from which URLs of objects are made.
///
/// ```swift
/// let template = try RouteTemplate("/repos/:repository.full_name/issues?state=:state")
/// let url = try template.expand(["repository.full_name": "octocat/Hello-World", "state": "open"])
/// // "/repos/octocat/Hello-World/issues?state=open"
/// ```
///
/// ## Syntax
///
/// - A template begins with `/`, or with `https://` or `http://` and a host. The host can't contain placeholders.
/// - A placeholder is a colon and a name of letters, digits and underscores, spelled as in JSON. Dots follow
///   relationships: `:repository.full_name`.
/// - Braces enclose names with other characters, or separate a name from the text after it: `:{full-name}`,
///   `:{id}.json`, `:{width}x:{height}`.
/// - A literal colon is written `%3A`.
/// - `:id.json` means the name `id` followed by `.json`, unless a name `id.json` exists. This applies to usual file
///   formats; any other name after a dot is part of the key path.
///
/// ## Escaping
///
/// - Values in a path keep `/` and the characters that RFC 3986 §3.3 allows in a segment.
/// - Values in a query keep only the unreserved characters of RFC 3986 §2.3.
/// - In a key that is appended to a base URL, and in the values of a call, `/` is escaped too, unless the attribute is
///   declared a path.
/// - Missing and empty values are errors, and so are values that make an empty, `.` or `..` segment.
/// - A semicolon at the beginning of a segment is escaped, because some servers would read an empty segment.
///
/// So values can't lead to another host, query or directory. The template's own text is kept, including `%XX`;
/// characters that are invalid in URLs are escaped.
///
/// A template is parsed once. Expanding it only joins its parts.
public struct RouteTemplate: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// Percent-encoded.
        case literal(String)
        case placeholder(Placeholder)
    }

    /// The template as written. It may contain secrets, which ``description`` replaces.
    public let text: String

    /// The scheme, host and port before the path: `http://owner.example:3000`; empty for a path alone.
    let origin: String

    /// The path, which is empty or begins with `/`.
    let path: [Part]

    /// The query after its question mark.
    let query: [Part]?

    /// Whether all names are known to exist, so that each placeholder is unambiguous.
    let isChecked: Bool

    /// Whether slashes inside values in the path are escaped, to keep each value in one segment.
    let escapesSlashes: Bool

    /// Parses a template.
    ///
    /// - Throws: ``RouteTemplateError/malformed(template:offset:reason:)``.
    public init(_ text: String) throws(RouteTemplateError) {
        var parser = RouteTemplateParser(text)
        self = try parser.parse()
    }

    init(
        text: String? = nil, origin: String, path: [Part], query: [Part]?, isChecked: Bool = false,
        escapesSlashes: Bool = false
    ) {
        self.text = text ?? Self.text(origin: origin, path: path, query: query)
        self.origin = origin
        self.path = path
        self.query = query
        self.isChecked = isChecked
        self.escapesSlashes = escapesSlashes
    }

    /// The placeholders in the template's order; repeated ones are repeated.
    public var placeholders: [Placeholder] {
        (path + (query ?? [])).compactMap { part in
            if case .placeholder(let placeholder) = part { placeholder } else { nil }
        }
    }

    /// Whether the template has its own scheme and host; otherwise it is relative to an API's base URL.
    public var namesItsHost: Bool {
        !origin.isEmpty
    }
}

extension RouteTemplate: CustomStringConvertible, CustomReflectable {
    /// The template with its secrets replaced: user name and password, and the values of secret query parameters
    /// (`access_token=REDACTED`).
    public var description: String { RedactedURL.text(of: text) }

    /// A mirror that shows the description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension RouteTemplate {
    /// A part of a template that a value replaces: `:repository.full_name`.
    public struct Placeholder: Hashable, Sendable {
        /// The part of the URL that contains the placeholder, which determines the escaping.
        public enum Position: Hashable, Sendable {
            /// In the path, before the first question mark.
            case path
            /// In the query, after the question mark.
            case query
        }

        /// The names to follow, spelled as in JSON: `["repository", "full_name"]`. Never empty.
        ///
        /// The last one may be the format of a file, as in `:id.json`; see `withoutFormat`.
        public let keyPath: [String]

        /// The part of the URL that contains the placeholder.
        public let position: Position

        /// Whether the last name may be a file format, after a shorter key path.
        let mayEndInFormat: Bool

        /// Whether the value is one segment of the path, so that slashes in it are escaped.
        var isSegment = false

        /// The key path as written in a template: `repository.full_name`.
        public var name: String {
            keyPath.joined(separator: ".")
        }

        /// The placeholder that `:id.json` means if the name `id.json` is unknown; nil if the name is unambiguous.
        var withoutFormat: (placeholder: Placeholder, suffix: String)? {
            guard mayEndInFormat, keyPath.count > 1, let format = keyPath.last else { return nil }
            return (with(Array(keyPath.dropLast())), "." + format)
        }

        func with(_ keyPath: [String], mayEndInFormat: Bool = false) -> Placeholder {
            Placeholder(
                keyPath: keyPath, position: position, mayEndInFormat: mayEndInFormat, isSegment: isSegment)
        }

        /// File formats. Other names after a dot are always part of the key path, so that a misspelled one is reported.
        static let formats: Set<String> = [
            "atom", "csv", "geojson", "html", "ics", "js", "json", "jsonld", "md", "pdf", "png", "rss", "svg", "txt",
            "xml",
            "yaml", "yml",
        ]
    }
}

// MARK: - The text of a template

extension RouteTemplate {
    /// The text of a template made from parts. Parsing it returns the same parts.
    static func text(origin: String, path: [Part], query: [Part]?) -> String {
        origin + text(of: path) + (query.map { "?" + text(of: $0) } ?? "")
    }

    /// A placeholder as written in a template, in braces if necessary.
    ///
    /// - Parameters:
    ///   - keyPath: The names to follow.
    ///   - following: The text that follows in the template.
    static func spelling(of keyPath: [String], before following: String, mayEndInFormat: Bool = false) -> String {
        let name = keyPath.joined(separator: ".")
        let looksLikeFormat = keyPath.count > 1 && Placeholder.formats.contains(keyPath[keyPath.count - 1])
        let isPlain =
            keyPath.allSatisfy(\.isPlainRouteName)
            && !continues(following)
            && looksLikeFormat == mayEndInFormat
        return isPlain ? ":" + name : ":{\(name)}"
    }

    private static func text(of parts: [Part]) -> String {
        var text = ""
        for (index, part) in parts.enumerated() {
            switch part {
            case .literal(let literal):
                text += literal
            case .placeholder(let placeholder):
                let following: String =
                    if index + 1 < parts.count, case .literal(let literal) = parts[index + 1] { literal } else { "" }
                text += spelling(
                    of: placeholder.keyPath, before: following, mayEndInFormat: placeholder.mayEndInFormat)
            }
        }
        return text
    }

    /// Whether the text would extend a name before it.
    private static func continues(_ following: String) -> Bool {
        guard let first = following.first else { return false }
        if first == "." { return following.dropFirst().first?.startsRouteName ?? false }
        return first.continuesRouteName
    }
}

extension String {
    fileprivate var isPlainRouteName: Bool {
        (first?.startsRouteName ?? false) && allSatisfy(\.continuesRouteName)
    }
}

extension Character {
    /// Whether a name can begin with the character without braces.
    var startsRouteName: Bool {
        isLetter || self == "_"
    }

    /// Whether a name can contain the character without braces.
    var continuesRouteName: Bool {
        startsRouteName || isDecimalDigit
    }
}
