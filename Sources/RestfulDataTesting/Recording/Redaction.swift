import Foundation
public import HTTPTypes
import RestfulData

/// The values that a recording leaves out.
///
/// ```swift
/// var rules = Redaction.standard
/// rules.keys.formUnion(["email", "phone"])                    // personal fields, at any depth of JSON
/// let recorder = RecordingTransport(HTTPTransport.standard, redacting: rules)
/// ```
public struct Redaction: Sendable {
    /// The header fields of requests and replies that are kept. All others are left out.
    public var headerFields: Set<HTTPField.Name>
    /// The keys of JSON, forms and XML whose values are replaced at any depth, ignoring letter case, underscores and
    /// hyphens.
    public var keys: Set<String> { didSet { plainKeys = Self.plain(keys) } }
    /// The query parameters whose values are replaced, compared as ``keys`` are.
    public var parameters: Set<String> { didSet { plainParameters = Self.plain(parameters) } }
    /// Rewrites each body, URL and header field after the other rules, for secrets in paths and texts.
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

    /// Keeps only the header fields that replay needs. Replaces passwords, tokens, keys and codes, by their usual
    /// names.
    public static let standard = Redaction(
        headerFields: Set(
            [
                "Accept", "Content-Type", "ETag", "Last-Modified", "Link", "Location", "Retry-After", "Vary",
                "Cache-Control", "X-Next-Page", "X-Total-Count", "If-Match", "If-None-Match", "Prefer",
                "WWW-Authenticate",
            ].compactMap { HTTPField.Name($0) }),
        keys: secrets.union(["authorization", "private_key", "secret_key", "card_number", "cvc", "cvv", "set_cookie"]),
        parameters: secrets)

    /// Page tokens, such as `nextPageToken`, are excluded, because replay needs their values.
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
            let value = $0.name == .contentType ? MultipartForm.recordedType($0.value) : links($0.value)
            return RecordedPair(name: $0.name.rawName, value: rewrite(value))
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

    /// A body as text, in Base64 unless it is UTF-8.
    struct Text: Sendable, Hashable {
        let text: String
        var isBase64 = false
    }

    /// Redacts a body.
    ///
    /// - Parameters:
    ///   - type: Its media type.
    ///   - encoding: Its `Content-Encoding`. A compressed body is left out, because its secrets are invisible.
    func body(_ bytes: [UInt8], type: String?, encoding: String?) -> Text {
        let type = type ?? ""
        guard !bytes.isEmpty, encoding == nil || encoding?.lowercased() == "identity" else {
            return Text(text: bytes.isEmpty ? "" : Self.mark)
        }
        guard MultipartForm.isForm(type) else { return text(bytes, type: type) }
        guard var form = MultipartForm(bytes, type: type) else { return Text(text: Self.mark) }
        form.parts = form.parts.map { part in
            var part = part
            if isSecret(field: part.name) {
                part.content = Array(Self.mark.utf8)
            } else if let text = String(validating: part.content, as: UTF8.self) {
                part.content = Array(redacted(text).utf8)
            }
            return part
        }
        let whole = form.bytes
        return String(validating: whole, as: UTF8.self).map { Text(text: rewrite($0)) } ?? base64(whole)
    }

    private func text(_ bytes: [UInt8], type: String) -> Text {
        guard let text = String(validating: bytes, as: UTF8.self) else { return base64(bytes) }
        let isForm = type.lowercased().hasPrefix("application/x-www-form-urlencoded")
        return Text(text: rewrite(isForm ? form(text) : redacted(text)))
    }

    private func base64(_ bytes: [UInt8]) -> Text { Text(text: Data(bytes).base64EncodedString(), isBase64: true) }

    private func redacted(_ text: String) -> String {
        guard let json = JSONValue(Array(text.utf8)) else { return links(elements(members(lines(text)))) }
        let hidden = value(json)
        // A body free of secrets keeps its text, including whitespace.
        return hidden == json ? text : hidden.text ?? Self.mark
    }

    /// Redacts the JSON in lines of a text, such as JSON lines and server-sent events.
    private func lines(_ text: String) -> String {
        text.replacing(#/.+/#) { match -> String in
            let line = match.output
            guard let start = line.firstIndex(where: { "{[".contains($0) }),
                let json = JSONValue(Array(line[start...].utf8))
            else { return String(line) }
            let hidden = value(json)
            return hidden == json ? String(line) : String(line[..<start]) + (hidden.text ?? Self.mark)
        }
    }

    /// Redacts JSON members in half a body, and in events whose JSON has several lines.
    private func members(_ text: String) -> String {
        let key = #/"(?<name>[^"\\]*)"\s*:\s*/#
        var (result, rest) = ("", text[...])
        while let found = rest.firstMatch(of: key) {
            let isHidden = isSecret(key: String(found.name))
            let start = found.range.upperBound
            let end = Self.endOfValue(in: rest[start...], includingNested: isHidden)
            let value = String(rest[start..<end])
            result += rest[..<start]
            result += isHidden && !value.isEmpty && value != "null" ? "\"\(Self.mark)\"" : value
            rest = rest[end...]
        }
        return result + rest
    }

    /// The end of the JSON value at the start of a text.
    private static func endOfValue(in text: Substring, includingNested: Bool) -> Substring.Index {
        guard let first = text.first else { return text.startIndex }
        if first == "\"" { return endOfString(in: text) }
        guard includingNested, "{[".contains(first) else {
            return text.firstIndex { $0.isWhitespace || "\",:{}[]".contains($0) } ?? text.endIndex
        }
        var (depth, index) = (0, text.startIndex)
        while index < text.endIndex {
            let character = text[index]
            index = character == "\"" ? endOfString(in: text[index...]) : text.index(after: index)
            if "{[".contains(character) { depth += 1 }
            if "}]".contains(character) { depth -= 1 }
            if depth == 0 { break }
        }
        return index
    }

    private static func endOfString(in text: Substring) -> Substring.Index {
        var isEscaped = false
        for index in text.indices.dropFirst() {
            let character = text[index]
            if character == "\"", !isEscaped { return text.index(after: index) }
            isEscaped = character == "\\" && !isEscaped
        }
        return text.endIndex
    }

    /// Redacts the attributes and elements of XML, with all elements in them.
    private func elements(_ text: String) -> String {
        guard text.first(where: { !$0.isWhitespace }) == "<" else { return text }
        let tag = #/<(?<name>[^\s<>\/!?]+)(?<rest>(?:[\s\/!?][^<>]*)?)>/#
        var (result, rest) = ("", text[...])
        while let found = rest.firstMatch(of: tag) {
            let start = found.range.upperBound
            result += rest[..<start]
            rest = rest[start...]
            guard isSecret(key: Self.localName(found.name)), !found.rest.hasSuffix("/") else { continue }
            let end = rest.firstRange(of: "</\(found.name)>")?.lowerBound ?? rest.endIndex
            if end > start { result += Self.mark }
            rest = rest[end...]
        }
        return attributes(result + rest)
    }

    private func attributes(_ text: String) -> String {
        let attribute = #/(?<start>\s)(?<name>[^\s<>="'\/]+)(?<equals>\s*=\s*)(?:"[^"<]*"|'[^'<]*')/#
        return text.replacing(attribute) { match in
            let isHidden = isSecret(key: Self.localName(match.name))
            return isHidden ? "\(match.start)\(match.name)\(match.equals)\"\(Self.mark)\"" : String(match.output.0)
        }
    }

    /// The name. The prefix of its XML namespace is removed.
    private static func localName(_ name: Substring) -> String { String(name.split(separator: ":").last ?? name) }

    private func form(_ text: String) -> String {
        let pairs = text.split(separator: "&").map { pair -> String in
            let name = pair.prefix { $0 != "=" }
            return isSecret(field: RedactedURL.decoded(name)) ? "\(name)=\(Self.mark)" : String(pair)
        }
        return pairs.joined(separator: "&")
    }

    /// Whether a form's field is secret, or within a secret object or list: `user[password]`, `tokens[token][0]`.
    private func isSecret(field: String) -> Bool {
        field.split { "[]".contains($0) }.contains { isSecret(key: String($0)) }
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
