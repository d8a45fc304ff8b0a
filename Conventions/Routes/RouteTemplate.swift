/// A URL with placeholders, from which the URL of one object is made.
///
/// ```swift
/// let template = try RouteTemplate("/repos/:repository.full_name/issues?state=:state")
/// let url = try template.expand(["repository.full_name": "octocat/Hello-World", "state": "open"])
/// // "/repos/octocat/Hello-World/issues?state=open"
/// ```
///
/// ## What can be written
///
/// - A template begins with `/`, or with `https://` or `http://` and a host, in which nothing is read as a
///   placeholder.
/// - A placeholder is a colon and a name of letters, digits and underscores in the JSON's own naming. Dots continue to
///   other names: `:repository.full_name`.
/// - Braces enclose any other name, and separate a name from what follows it: `:{full-name}`, `:{id}.json`,
///   `:{width}x:{height}`.
/// - A colon that starts no placeholder is written `%3A`.
/// - `:id.json` means the name `id` and ends in `.json`, unless there is a name `id.json`. That applies to the usual
///   formats; any other name after a dot belongs to the key path.
///
/// ## What is escaped
///
/// In a value in a path, everything but `/` and the characters that RFC 3986 §3.3 allows in a segment; in a value in a
/// query, everything but the unreserved characters of RFC 3986 §2.3. In the key that is appended to a base URL, and in
/// the values of a call, the `/` is escaped too, unless the attribute is declared a path. A value that makes an empty,
/// `.` or `..` segment is refused, as is one that is missing or empty; a semicolon at the beginning of a segment is
/// escaped, as some servers would read an empty one there. So no value can reach another host, another
/// query or another directory. The template's own text is kept, `%XX` included; characters that no URL can have are
/// escaped.
///
/// A template is parsed once, and expanding it neither searches nor replaces text.
public struct RouteTemplate: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// Text as it is in the URL, escaped.
        case literal(String)
        case placeholder(Placeholder)
    }

    /// The template as it was written. It may contain secrets; ``description`` never does.
    public let text: String

    /// The scheme, host and port before the path: `http://owner.example:3000`. Empty if the template has none.
    let origin: String

    /// The path, which begins with `/` unless it is empty.
    let path: [Part]

    /// The query without its question mark, or nil.
    let query: [Part]?

    /// Whether all names are known to exist, so that each placeholder can be read in one way only.
    let isChecked: Bool

    /// Whether a slash within a value in the path is escaped, instead of beginning another segment.
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

    /// The placeholders in the order of the template; one that is written twice is there twice.
    public var placeholders: [Placeholder] {
        (path + (query ?? [])).compactMap { part in
            if case .placeholder(let placeholder) = part { placeholder } else { nil }
        }
    }

    /// Whether the template specifies scheme and host itself, instead of being relative to an API's base URL.
    public var namesItsHost: Bool {
        !origin.isEmpty
    }
}

extension RouteTemplate: CustomStringConvertible, CustomReflectable {
    /// The template as it was written, but for the secrets that may stand in it: user and password, and the values of
    /// secret parameters of its query (`access_token=REDACTED`).
    public var description: String { RedactedURL.text(of: text) }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension RouteTemplate {
    /// A part of a template that a value replaces in the URL: `:repository.full_name`.
    public struct Placeholder: Hashable, Sendable {
        /// Where in a URL a placeholder is, which determines what has to be escaped.
        public enum Position: Hashable, Sendable {
            /// In the path, before the first question mark.
            case path
            /// In the query, after it.
            case query
        }

        /// The names to follow, in the JSON's own naming: `["repository", "full_name"]`. Never empty.
        ///
        /// The last one may turn out to be the format of a file, as in `:id.json`; see `withoutFormat`.
        public let keyPath: [String]

        /// Whether it is in the path or in the query.
        public let position: Position

        /// Whether a last component that looks like a format may be text after a shorter key path.
        let mayEndInFormat: Bool

        /// Whether the value is one segment of the path, so that a slash in it is escaped as well.
        var isSegment = false

        /// The key path as it is written in a template: `repository.full_name`.
        public var name: String {
            keyPath.joined(separator: ".")
        }

        /// The placeholder that `:id.json` means if there is no known name `id.json`; nil if the name can be read in
        /// one way only.
        var withoutFormat: (placeholder: Placeholder, suffix: String)? {
            guard mayEndInFormat, keyPath.count > 1, let format = keyPath.last else { return nil }
            return (with(Array(keyPath.dropLast())), "." + format)
        }

        /// A placeholder at the same position for another key path, which can be read in one way only.
        func with(_ keyPath: [String], mayEndInFormat: Bool = false) -> Placeholder {
            Placeholder(
                keyPath: keyPath, position: position, mayEndInFormat: mayEndInFormat, isSegment: isSegment)
        }

        /// The endings that name the format of a reply. Other names after a dot are always part of the key path, so
        /// that a misspelt one is reported.
        static let formats: Set<String> = [
            "atom", "csv", "geojson", "html", "ics", "js", "json", "jsonld", "md", "pdf", "png", "rss", "svg", "txt",
            "xml",
            "yaml", "yml",
        ]
    }
}

// MARK: - The text of a template

extension RouteTemplate {
    /// The text of a template that was made of parts, from which the same parts can be parsed.
    static func text(origin: String, path: [Part], query: [Part]?) -> String {
        origin + text(of: path) + (query.map { "?" + text(of: $0) } ?? "")
    }

    /// A placeholder as it is written in a template, in braces if it has to be.
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

    /// Whether text would be read as the rest of a name that is written before it.
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
    /// Whether a name in a template can begin with the character, without braces.
    var startsRouteName: Bool {
        isLetter || self == "_"
    }

    /// Whether a name in a template can contain the character, without braces.
    var continuesRouteName: Bool {
        startsRouteName || isDecimalDigit
    }
}
