/// Replaces the secrets in a URL or URL template, for every text that shows it: errors, logs, histories. It works on
/// text, so that it also handles invalid URLs.
package enum RedactedURL {
    /// The URL with `REDACTED` for secret values in the query; user name, password and fragment are removed.
    /// Placeholders of a template stay.
    ///
    /// - Parameter isSecret: Whether a value is secret although it looks harmless.
    package static func text(of url: String, hiding isSecret: (String) -> Bool = { _ in false }) -> String {
        // Most URLs are free of secrets.
        guard url.utf8.contains(where: { "#?@".utf8.contains($0) }) else { return url }
        let parts = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let beforeQuery = withoutUser(parts.first ?? "")
        return parts.count == 2 ? beforeQuery + "?" + redacted(query: parts[1], hiding: isSecret) : beforeQuery
    }

    private static func withoutUser(_ url: Substring) -> String {
        guard url.utf8.contains(UInt8(ascii: "@")) else { return String(url) }
        // A user name is before an `@` in the authority, which ends at the first slash after `//`.
        guard let slashes = url.firstRange(of: "//") else {
            return url.lastIndex(of: "@").map { String(url[url.index(after: $0)...]) } ?? String(url)
        }
        let authorityEnd = url[slashes.upperBound...].firstIndex { $0 == "/" || $0 == "\\" } ?? url.endIndex
        guard let at = url[slashes.upperBound..<authorityEnd].lastIndex(of: "@") else { return String(url) }
        return String(url[..<slashes.upperBound]) + url[url.index(after: at)...]
    }

    private static func redacted(query: Substring, hiding isKnown: (String) -> Bool) -> String {
        func isHidden(_ value: Substring) -> Bool {
            let value = decoded(value)
            return isSecret(value: value) || isKnown(value)
        }
        return query.split(separator: "&", omittingEmptySubsequences: false).map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty else {
                return isHidden(parameter) ? "REDACTED" : String(parameter)
            }
            let isPlaceholder = parts[1].hasPrefix(":")
            guard !isPlaceholder, isSecret(name: decoded(parts[0])) || isHidden(parts[1]) else {
                return String(parameter)
            }
            return "\(parts[0])=REDACTED"
        }.joined(separator: "&")
    }

    /// Decodes percent escapes, so that escaped names are recognized.
    package static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).asText
            // A number may have a sign, an escape has two digits.
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(\.isHexDigit),
                let escaped = UInt8(digits, radix: 16)
            {
                bytes.append(escaped)
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let secretWords: Set<String> = [
        "apikey", "appid", "assertion", "auth", "authorization", "bearer", "code", "cookie", "cookies", "cred",
        "credential",
        "credentials", "creds", "csrf", "hmac", "jwt", "key", "otp", "pass", "passcode", "passphrase", "passwd",
        "password", "pin", "pwd", "samlrequest", "samlresponse", "secret", "session", "sessionid", "sid", "sig",
        "signature", "ticket", "token", "xsrf",
    ]

    private static let secretEndings = [
        "assertion", "cookie", "creds", "key", "passcode", "passwd", "password", "secret", "signature", "token",
    ]

    /// Prefixes of tokens from GitHub, GitLab, Slack and Stripe, and of JSON Web Tokens.
    private static let secretBeginnings = [
        "bearer ", "eyj", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "sk_live_", "xoxb-", "xoxp-",
    ]

    /// Whether a parameter or attribute of this name contains a secret: `apiKey`, `access_token`, `password`.
    package static func isSecret(name: String) -> Bool {
        let texts = name.split { !$0.isLetter && !$0.isNumber }
        return texts.contains { text in
            let word = text.lowercased()
            return secretWords.contains(word) || secretEndings.contains(where: word.hasSuffix)
                || words(of: text).contains(where: secretWords.contains)
        }
    }

    /// Splits `userPass` into `user` and `pass`.
    private static func words(of text: Substring) -> [String] {
        var words: [String] = []
        for character in text {
            if words.isEmpty || character.isUppercase { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
        return words
    }

    /// Whether a text has the prefix of a well-known service's tokens.
    package static func isSecret(value: String) -> Bool {
        let value = value.lowercased()
        return secretBeginnings.contains { value.hasPrefix($0) }
    }
}

extension Substring.UTF8View {
    fileprivate var asText: String { String(decoding: self, as: UTF8.self) }
}
