import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request's method and URL with the secrets replaced: what errors, logs and histories keep of it.
///
/// Left out of the URL are user name, password and fragment. In the query, the value of each parameter whose
/// name or value looks secret (`access_token`, `api_key`, `signature`, `ghp_…`) reads `REDACTED`.
public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
    /// The method, for example `GET`.
    public let method: String
    /// The URL without secrets.
    public let url: String

    /// Summarizes a request.
    public init(_ request: APIRequest) {
        self.init(method: request.method.rawValue, url: request.url.absoluteString)
    }

    /// Summarizes a method and a URL, which need not be valid.
    public init(method: String, url: String) {
        self.method = method
        self.url = RedactedURL.text(of: url)
    }

    /// For example `GET https://api.github.com/user/repos?page=2`.
    public var description: String { "\(method) \(url)" }
}

/// Takes the secrets out of a URL. Works on text, so that it also applies to what isn't a valid URL.
private enum RedactedURL {
    /// The URL without user name, password and fragment, and with the values of secret query parameters replaced.
    static func text(of url: String) -> String {
        let parts = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let beforeQuery = withoutUser(parts.first ?? "")
        return parts.count == 2 ? beforeQuery + "?" + redacted(query: parts[1]) : beforeQuery
    }

    private static func withoutUser(_ url: Substring) -> String {
        // A user name can only be before an @ in the authority, which ends at the first slash after the two.
        guard let slashes = url.firstRange(of: "//") else {
            return url.lastIndex(of: "@").map { String(url[url.index(after: $0)...]) } ?? String(url)
        }
        let authorityEnd = url[slashes.upperBound...].firstIndex { $0 == "/" || $0 == "\\" } ?? url.endIndex
        guard let at = url[slashes.upperBound..<authorityEnd].lastIndex(of: "@") else { return String(url) }
        return String(url[..<slashes.upperBound]) + url[url.index(after: at)...]
    }

    private static func redacted(query: Substring) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty else {
                return isSecret(value: decoded(parameter)) ? "REDACTED" : String(parameter)
            }
            guard isSecret(name: decoded(parts[0])) || isSecret(value: decoded(parts[1])) else {
                return String(parameter)
            }
            return "\(parts[0])=REDACTED"
        }.joined(separator: "&")
    }

    /// The text with percent escapes replaced, so that an escaped name is recognized.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let escaped = UInt8(rest.prefix(2).asText, radix: 16), rest.count >= 2 {
                bytes.append(escaped)
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let secretWords: Set<String> = [
        "apikey", "auth", "authorization", "bearer", "code", "credential", "credentials", "hmac", "jwt", "key", "otp",
        "passphrase", "passwd", "password", "pin", "pwd", "secret", "session", "sessionid", "sid", "sig", "signature",
        "ticket", "token",
    ]

    private static let secretEndings = ["key", "passwd", "password", "secret", "signature", "token"]

    /// Beginnings of the tokens that GitHub, GitLab, Slack and Stripe give out, and of any JSON Web Token.
    private static let secretBeginnings = [
        "bearer ", "eyj", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "sk_live_", "xoxb-", "xoxp-",
    ]

    private static func isSecret(name: String) -> Bool {
        let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        return words.contains(where: secretWords.contains)
            || words.contains { word in secretEndings.contains { word.hasSuffix($0) } }
    }

    private static func isSecret(value: String) -> Bool {
        let value = value.lowercased()
        return secretBeginnings.contains { value.hasPrefix($0) }
    }
}

extension Substring.UTF8View {
    fileprivate var asText: String { String(decoding: self, as: UTF8.self) }
}
