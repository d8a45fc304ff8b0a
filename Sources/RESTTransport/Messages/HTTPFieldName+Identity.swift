package import HTTPTypes

extension HTTPField.Name {
    /// The words in the names of header fields that say who asks, whichever way: what one account is told is none of
    /// another's.
    private static let identifying: Set<String> = [
        "auth", "authorization", "authentication", "token", "key", "apikey", "secret", "session", "cookie",
        "credential",
        "credentials", "account", "tenant", "user", "org", "organization", "workspace", "csrf", "signature",
    ]

    /// Those of them that are made anew for each request.
    private static let changing: Set<String> = ["csrf", "signature"]

    /// Whether a field of this name says who asks.
    package var isIdentifying: Bool { hasWord(of: Self.identifying) }

    /// Whether a field of this name has the same value in all requests of one account, and another in another's.
    var isOfAccount: Bool { isIdentifying && !hasWord(of: Self.changing) }

    private func hasWord(of words: Set<String>) -> Bool {
        guard self != .userAgent, canonicalName != "idempotency-key" else { return false }
        return canonicalName.split { $0 == "-" || $0 == "_" }.contains { words.contains(String($0)) }
    }
}
