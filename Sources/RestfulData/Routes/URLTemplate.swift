import Conventions

/// The URL of a request of your own: a path below the API's base URL, or an absolute URL, with a name or a value in
/// each place that changes.
///
/// ```swift
/// let octocat = try await User.fetch("/users/:login", ["login": login], in: context)
/// let same = try await User.fetch("/users/\(login)", in: context)
/// ```
///
/// A literal is a template. An interpolated value is never read as a part of the template. The API's formats write it,
/// and it is escaped like the value of a name. In a path a slash is escaped too, and a value that would make an empty,
/// `.` or `..` segment is refused. In a query everything is escaped. A nil or empty value is an error before anything
/// is sent. For a text of your own use ``init(_:)``.
public struct URLTemplate: Sendable, ExpressibleByStringInterpolation {
    enum Part: Sendable {
        case text(String)
        case value(any RouteValueConvertible)
    }

    private let parts: [Part]

    /// The template of a text, with `:name` for each value. The text is not escaped: use it for URLs that your program
    /// or the server has made, such as a link in a reply, and interpolate the texts of users.
    ///
    /// - Parameter text: A path that begins with a slash, or an absolute URL; a colon that begins no name is written
    ///   `%3A`. Anything else is ``RouteTemplateError/malformed(template:offset:reason:)`` when the request is made.
    public init(_ text: String) { parts = [.text(text)] }

    /// The template that a literal is.
    public init(stringLiteral text: String) { parts = [.text(text)] }

    /// A template with values in it.
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    init(_ parts: [Part]) { self.parts = parts }

    /// The parts of a literal with values in it.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        /// An empty template.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds a part of the template.
        public mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { parts.append(.text(literal)) }
        }

        /// Adds a value, which is escaped.
        public mutating func appendInterpolation(_ value: some RouteValueConvertible) { parts.append(.value(value)) }

        /// Adds a value that may be nil, of which no URL can be made then.
        public mutating func appendInterpolation<Value: RouteValueConvertible>(_ value: Value?) {
            parts.append(.value(value))
        }
    }

    /// The template with a name for each interpolated value, and the values by these names.
    ///
    /// - Throws: ``RouteTemplateError/malformed(template:offset:reason:)`` for a value before the path, as a value must
    ///   not choose the server.
    func named() throws(APIError) -> (text: String, values: [String: any RouteValueConvertible]) {
        var text = ""
        var values: [String: any RouteValueConvertible] = [:]
        for part in parts {
            switch part {
            case .text(let literal): text += literal
            case .value(let value):
                guard Self.reachesPath(text) else {
                    throw .route(.template(.malformed(template: shown, offset: text.count, reason: Self.advice)))
                }
                let name = Self.name(values.count + 1)
                text += ":{\(name)}"
                values[name] = value
            }
        }
        return (text, values)
    }

    private static let advice =
        "a value can't stand before the path, as it is escaped; write a path, or give a URL that is text already as "
        + "URLTemplate(text)"

    /// Whether a template's text goes as far as the path, or beyond.
    private static func reachesPath(_ text: String) -> Bool {
        if text.hasPrefix("/") { return true }
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            return false
        }
        return text.dropFirst(scheme.count).contains { "/?".contains($0) }
    }

    /// No name in JSON is likely to be so.
    private static func name(_ number: Int) -> String { "value \(number)" }

    private var shown: String {
        var count = 0
        return parts.map { part in
            switch part {
            case .text(let text): return text
            case .value:
                count += 1
                return ":{\(Self.name(count))}"
            }
        }.joined()
    }
}

extension URLTemplate: CustomStringConvertible, CustomReflectable {
    /// The template, with a number for each value and without the secrets that its query may have.
    public var description: String { RedactedURL.text(of: shown) }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
