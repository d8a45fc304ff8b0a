import Foundation
public import HTTPTypes
import RestfulData

/// The values that a recording leaves out, because it is kept with the sources and many people can read it.
///
/// ```swift
/// var rules = Redaction.standard
/// rules.keys.formUnion(["email", "phone"])                    // personal fields, at any depth of JSON
/// let recorder = RecordingTransport(HTTPTransport.standard, redacting: rules)
/// ```
public struct Redaction: Sendable {
    /// The header fields of requests and replies that are kept. All others are left out.
    public var headerFields: Set<HTTPField.Name>
    /// The keys of JSON objects and forms whose values are replaced at any depth. Letter case, underscores and hyphens
    /// don't matter: `access_token` is also `accessToken`.
    public var keys: Set<String> { didSet { plainKeys = Self.plain(keys) } }
    /// The query parameters whose values are replaced, compared as ``keys`` are.
    public var parameters: Set<String> { didSet { plainParameters = Self.plain(parameters) } }
    /// A function that rewrites the text of each body, URL and header field after the other rules, for secrets in paths
    /// and texts.
    public var rewrite: @Sendable (String) -> String = { $0 }

    /// The replacement for a secret.
    public static let mark = "REDACTED"

    private var plainKeys: Set<String>
    private var plainParameters: Set<String>

    /// Creates your own rules.
    public init(headerFields: Set<HTTPField.Name>, keys: Set<String>, parameters: Set<String>) {
        (self.headerFields, self.keys, self.parameters) = (headerFields, keys, parameters)
        (plainKeys, plainParameters) = (Self.plain(keys), Self.plain(parameters))
    }

    private static func plain(_ names: Set<String>) -> Set<String> { Set(names.map(\.withoutSpelling)) }

    /// Keeps only the header fields that replay needs, so cookies and credentials are left out. Replaces passwords,
    /// tokens, keys and codes, by their usual names.
    public static let standard = Redaction(
        headerFields: Set(
            [
                "Accept", "Content-Type", "ETag", "Last-Modified", "Link", "Location", "Retry-After", "Vary",
                "Cache-Control", "X-Next-Page", "X-Total-Count", "If-Match", "If-None-Match", "Prefer",
                "WWW-Authenticate",
            ].compactMap { HTTPField.Name($0) }),
        keys: secrets.union(["authorization", "private_key", "secret_key", "card_number", "cvc", "cvv", "set_cookie"]),
        parameters: secrets)

    /// The names of page tokens, such as `nextPageToken`, aren't among them, because replay needs their values.
    private static let secrets: Set<String> = [
        "password", "passwd", "pwd", "passphrase", "passcode", "otp", "new_password", "old_password",
        "current_password", "password_confirmation", "confirm_password", "secret", "client_secret", "credential",
        "credentials", "token", "access_token", "refresh_token", "id_token", "auth_token", "bearer_token",
        "session_token", "device_token", "private_token", "csrf_token", "authenticity_token", "jwt", "assertion",
        "client_assertion", "code_verifier", "api_key", "api_secret", "key", "code", "cookie", "session", "session_id",
        "sig", "signature", "x_amz_signature", "x_amz_security_token", "x_amz_credential",
    ]

    // MARK: Applying

    private func isSecret(key: String) -> Bool { plainKeys.contains(key.withoutSpelling) }
    private func isSecret(parameter: String) -> Bool { plainParameters.contains(parameter.withoutSpelling) }

    func fields(_ fields: HTTPFields) -> [RecordedPair] {
        fields.filter { headerFields.contains($0.name) }.map {
            RecordedPair(name: $0.name.rawName, value: rewrite(links($0.value)))
        }
    }

    /// Redacts the URLs in a text, such as those in `Location`, in `Link` or in the strings of JSON: parameters of the
    /// query and fragment, API keys, and passwords before the host.
    private func links(_ text: String) -> String {
        guard text.utf8.contains(where: { "=@".utf8.contains($0) }) else { return text }
        let withoutUsers = text.replacing(#/:\/\/[^\/?#\s"<>@:]*:[^\/?#\s"<>@]*@/#) { _ in "://\(Self.mark)@" }
        return withoutUsers.replacing(#/(?<start>[?&#])(?<name>[^=?&#<>"\s]+)=(?<value>[^&#<>"\s]*)/#) { match in
            let isHidden =
                isSecret(parameter: RedactedURL.decoded(match.name))
                || RedactedURL.isAPIKey(RedactedURL.decoded(match.value))
            return isHidden ? "\(match.start)\(match.name)=\(Self.mark)" : String(match.output.0)
        }
    }

    func url(_ url: URL) -> String { rewrite(links(url.absoluteString)) }

    /// The redacted text of a body; nil if the body isn't text, which is then kept as Base64.
    func text(_ bytes: [UInt8], type: String?) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        if type?.hasPrefix("application/x-www-form-urlencoded") == true { return rewrite(form(text)) }
        guard let json = JSONValue(bytes) else { return rewrite(text) }
        let redacted = value(json)
        // A body without secrets keeps its text, including whitespace.
        return rewrite(redacted == json ? text : redacted.text ?? Self.mark)
    }

    private func form(_ text: String) -> String {
        let pairs = text.split(separator: "&").map { pair -> String in
            let name = pair.prefix { $0 != "=" }
            let plain = name.removingPercentEncoding ?? String(name)
            let last = plain.split { "[]".contains($0) }.last.map(String.init) ?? plain
            return isSecret(key: last) ? "\(name)=\(Self.mark)" : String(pair)
        }
        return pairs.joined(separator: "&")
    }

    private func value(_ json: JSONValue) -> JSONValue {
        switch json {
        case .array(let elements): .array(elements.map(value))
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { key, inner in
                        let isSecret = isSecret(key: key) && inner != .null
                        return (key, isSecret ? .string(Self.mark) : value(inner))
                    }))
        case .string(let text): .string(links(text))
        case .null, .bool, .number: json
        }
    }
}
