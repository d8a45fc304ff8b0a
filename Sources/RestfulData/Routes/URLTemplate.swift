import Conventions

/// The URL of your own request: a path below the API's base URL, or an absolute URL, with names or values in it.
///
/// ```swift
/// let octocat = try await User.fetch("/users/:login", ["login": login], in: context)
/// let same = try await User.fetch("/users/\(login)", in: context)
/// ```
///
/// A string literal is a template. An interpolated value is written in the API's format, and escaped like the value of
/// a name. In a path, slashes are escaped too, and a value that would make an empty, `.` or `..` segment is refused. In
/// a query, everything is escaped. A nil or empty value is an error before anything is sent. For a computed text, call
/// ``init(_:)``.
public struct URLTemplate: Sendable, ExpressibleByStringInterpolation {
    enum Part: Sendable {
        case text(String)
        case value(any RouteValueConvertible)
    }

    private let parts: [Part]

    /// Creates a template from a text, with `:name` for each value.
    ///
    /// The text isn't escaped: use this for URLs of your program or the server. Interpolate texts of users.
    ///
    /// - Parameter text: a path that begins with a slash, or an absolute URL, with `%3A` for a plain colon. Other text
    ///   causes ``RouteTemplateError/malformed(template:offset:reason:)`` when the request is made.
    public init(_ text: String) { parts = [.text(text)] }

    /// Creates a template from a literal.
    public init(stringLiteral text: String) { parts = [.text(text)] }

    /// Creates a template with interpolated values.
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    init(_ parts: [Part]) { self.parts = parts }

    /// The parts of a literal with interpolated values.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        /// Creates an empty template.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds a part of the template.
        public mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { parts.append(.text(literal)) }
        }

        /// Adds a value, which will be escaped.
        public mutating func appendInterpolation(_ value: some RouteValueConvertible) { parts.append(.value(value)) }

        /// Adds an optional value; nil fails when the URL is made.
        public mutating func appendInterpolation<Value: RouteValueConvertible>(_ value: Value?) {
            parts.append(.value(value))
        }
    }

    /// Names the interpolated values.
    ///
    /// - Throws: ``RouteTemplateError/malformed(template:offset:reason:)`` for a value before the path, since it would
    ///   select the server.
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

    private static func reachesPath(_ text: String) -> Bool {
        if text.hasPrefix("/") { return true }
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            return false
        }
        return text.dropFirst(scheme.count).contains { "/?".contains($0) }
    }

    /// The space makes the name unlike JSON names.
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
    /// The template with a number for each value, without secrets.
    public var description: String { RedactedURL.text(of: shown) }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
