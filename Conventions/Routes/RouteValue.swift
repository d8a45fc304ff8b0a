/// A value that replaces a placeholder in a URL.
///
/// ```swift
/// ["login": "octocat", "page": 2]      // a dictionary of route values
/// ```
///
/// It is unescaped text; the template escapes it.
public struct RouteValue: Hashable, Sendable {
    /// The text; nil if the value is missing or refused.
    public let text: String?

    /// A description of a value that has no text form, such as "nan"; nil for others.
    package let refusal: String?

    /// A text. An empty text counts as missing.
    public init(_ text: some StringProtocol) {
        self.init(text: String(text))
    }

    /// A whole number, in decimal digits.
    public init(_ number: some BinaryInteger) {
        self.init(text: String(number))
    }

    /// A number, in the shortest form that parses to the same number.
    public init(_ number: Double) {
        self.init(text: number.description)
    }

    /// `true` or `false`.
    public init(_ value: Bool) {
        self.init(text: value ? "true" : "false")
    }

    private init(text: String? = nil, refusal: String? = nil) {
        self.text = text
        self.refusal = refusal
    }

    /// A known name's missing value. Expanding a template with it throws an error.
    public static let missing = RouteValue()

    /// A value that has no text form. Expanding a template with it throws an error, because a URL that omits it would
    /// request another resource.
    package static func refused(_ value: String) -> RouteValue {
        RouteValue(refusal: value)
    }
}

extension RouteValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// A text.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension RouteValue: ExpressibleByIntegerLiteral {
    /// A whole number.
    public init(integerLiteral number: Int) {
        self.init(number)
    }
}

extension RouteValue: ExpressibleByBooleanLiteral {
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self.init(value)
    }
}
