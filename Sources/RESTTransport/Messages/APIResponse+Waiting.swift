import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension APIResponse {
    /// How long the server asks to wait, from `Retry-After`: seconds, or a date
    /// ([RFC 9110 §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)).
    ///
    /// A date is measured against the reply's own `Date`, so that a wrong local clock does not matter, else against
    /// the local clock. Never negative, never more than a year; nil when the field is absent or unreadable.
    public var retryAfter: Duration? { retryAfter(localTime: Self.localTime) }

    /// How long until the server's request limit starts anew, from `X-RateLimit-Remaining: 0` with
    /// `X-RateLimit-Reset` in seconds since 1970, as GitHub sends them.
    ///
    /// Nil while requests remain, and when the fields are absent or unreadable. Never negative, never over a year.
    public var rateLimitReset: Duration? { rateLimitReset(localTime: Self.localTime) }

    /// Seconds since 1970 by the local clock.
    package static var localTime: Int { Int(Date().timeIntervalSince1970) }

    package func retryAfter(localTime: Int) -> Duration? {
        guard let text = headerFields[.retryAfter]?.trimmingSpaces else { return nil }
        if let seconds = Self.wholeNumber(text) { return Self.wait(seconds) }
        guard let date = HTTPDate.seconds(text) else { return nil }
        return Self.wait(date - serverTime(localTime))
    }

    package func rateLimitReset(localTime: Int) -> Duration? {
        guard headerFields[.rateLimitRemaining]?.trimmingSpaces == "0",
            let text = headerFields[.rateLimitReset]?.trimmingSpaces, let reset = Self.wholeNumber(text)
        else { return nil }
        return Self.wait(reset - serverTime(localTime))
    }

    private func serverTime(_ localTime: Int) -> Int {
        headerFields[.date].flatMap { HTTPDate.seconds($0) } ?? localTime
    }

    private static func wait(_ seconds: Int) -> Duration { .seconds(min(max(seconds, 0), 365 * 86_400)) }

    /// The number that decimal digits alone spell; the largest one we reckon with where they spell more.
    private static func wholeNumber(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(Int(text) ?? .max, 1 << 53)
    }
}

extension HTTPField.Name {
    // Both are valid tokens, so the fallbacks are never taken.
    fileprivate static let rateLimitRemaining = Self("X-RateLimit-Remaining") ?? .retryAfter
    fileprivate static let rateLimitReset = Self("X-RateLimit-Reset") ?? .retryAfter
}

extension StringProtocol {
    /// This text without spaces and tabs at its ends.
    var trimmingSpaces: String {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: blank).reversed().drop(while: blank).reversed())
    }
}
