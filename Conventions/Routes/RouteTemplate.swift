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
/// - A template begins with `/`, or with `https://` or `http://` and a host, in which nothing is taken for a
///   placeholder.
/// - A placeholder is a colon and a name of letters, digits and underscores in the JSON's own naming. Dots lead on to
///   other names: `:repository.full_name`.
/// - Braces hold any other name, and keep a name from what follows it: `:{full-name}`, `:{id}.json`, `:{width}x:{height}`.
/// - A colon that starts no placeholder is written `%3A`.
/// - `:id.json` asks for the name `id` and ends in `.json`, unless there is a name `id.json`. That holds for the usual
///   formats; any other name behind a dot belongs to the key path.
///
/// ## What is escaped
///
/// Of a value in a path everything but `/` and the characters that RFC 3986 §3.3 allows in a segment (of the key that is
/// appended to a base URL the `/` too, unless URLs of other models have it as a part of their path); of a value in a
/// query everything but the unreserved characters of RFC 3986 §2.3. A value that makes an empty, `.` or `..` segment is
/// refused, as is one that is missing or empty. So no value can lead to another host, another query or another
/// directory. What the template's own text has is kept, `%XX` included; characters that no URL can have are escaped.
///
/// A template is parsed once, and expanding it neither searches nor replaces text.
public struct RouteTemplate: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// Text as it stands in the URL, escaped.
        case literal(String)
        case placeholder(Placeholder)
    }

    /// The template as it was written. It may contain a user and password; ``description`` never does.
    public let text: String

    /// The scheme, host and port before the path: `http://owner.example:3000`. Empty if the template has none.
    let origin: String

    /// The path, which begins with `/` unless it is empty.
    let path: [Part]

    /// The query without its question mark, or nil.
    let query: [Part]?

    /// Whether all names are known to exist, so that each placeholder can be read in one way only.
    let isChecked: Bool

    /// Whether a slash within a value in the path is escaped, rather than to begin another segment.
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

    /// The placeholders in the order in which they stand in the template; one that is written twice is there twice.
    public var placeholders: [Placeholder] {
        (path + (query ?? [])).compactMap { part in
            if case .placeholder(let placeholder) = part { placeholder } else { nil }
        }
    }

    /// Whether the template says scheme and host itself, rather than to stand below an API's base URL.
    public var namesItsHost: Bool {
        !origin.isEmpty
    }
}

extension RouteTemplate: CustomStringConvertible {
    /// The template as it was written, with `***` instead of a user and password.
    public var description: String {
        Self.withoutCredentials(text)
    }

    static func withoutCredentials(_ text: String) -> String {
        let characters = Array(text)
        let separator = Array("://")
        guard let start = characters.indices.first(where: { characters[$0...].starts(with: separator) }) else {
            return text
        }
        let authority = characters[(start + 3)...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let end = authority.lastIndex(of: "@") else { return text }
        return String(characters[..<(start + 3)]) + "***" + String(characters[end...])
    }
}
