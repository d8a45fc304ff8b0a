/// A value that replaces a placeholder in a URL.
///
/// ```swift
/// ["login": "octocat", "page": 2]      // a dictionary of route values
/// ```
///
/// It is kept as text, unescaped; the template escapes it.
public struct RouteValue: Hashable, Sendable {
    /// The text, or nil if there is no value.
    public let text: String?

    /// What the value is if there is one and no text says it: "nan".
    package let refusal: String?

    /// A text. An empty one counts as missing.
    public init(_ text: some StringProtocol) {
        self.init(text: String(text))
    }

    /// A whole number, in decimal digits.
    public init(_ number: some BinaryInteger) {
        self.init(text: String(number))
    }

    /// A number, in the shortest form that reads back as the same.
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

    /// The value of a known name that has none yet. No URL can be made with it.
    public static let missing = RouteValue()

    /// A value that no text says. No URL can be made with it, and none without it, which would ask for something else.
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
