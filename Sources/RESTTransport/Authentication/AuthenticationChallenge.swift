import HTTPTypes

/// A challenge of `WWW-Authenticate`: a scheme with its parameters
/// ([RFC 9110 §11.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1)).
///
/// ```text
/// WWW-Authenticate: Digest realm="api", qop="auth", nonce="7ypf/xlj9XXwfDPEoM4URrv", Basic realm="api"
/// ```
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme in lower case: `digest`.
    public let scheme: String
    /// The token that some schemes have in place of parameters, for example `YII…` of `Negotiate YII…`.
    public let token: String?
    /// The unquoted parameters by their names in lower case. If a name occurs twice, the first counts.
    public let parameters: [String: String]

    /// Reads the value of a field, or of several joined by commas.
    ///
    /// A malformed part is skipped up to the next comma.
    public static func list(_ field: String) -> [AuthenticationChallenge] {
        var reader = ChallengeReader(field)
        return reader.list()
    }

    fileprivate init(_ draft: ChallengeReader.Draft) {
        (scheme, token, parameters) = (draft.scheme.lowercased(), draft.token, draft.parameters)
    }

    /// The parameters of a field that has only these, such as `Authentication-Info` (RFC 7615).
    static func parameters(ofField field: String) -> [String: String] {
        list("info " + field).first?.parameters ?? [:]
    }

    /// The text as a quoted string (RFC 9110 §5.6.4).
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}

extension APIResponse {
    /// The challenges of `WWW-Authenticate`, in order.
    public var challenges: [AuthenticationChallenge] {
        AuthenticationChallenge.list(headerFields[.wwwAuthenticate] ?? "")
    }
}

/// Reads challenges in linear time.
///
/// Commas separate challenges as well as parameters. A name with `=` is a parameter of the challenge before it; any
/// other name is the next scheme.
private struct ChallengeReader: FieldReader {
    struct Draft {
        var scheme: String
        var token: String?
        var parameters: [String: String] = [:]
    }

    let bytes: [UInt8]
    var position = 0
    private var drafts: [Draft] = []

    init(_ field: String) { bytes = Array(field.utf8) }

    mutating func list() -> [AuthenticationChallenge] {
        while true {
            skip { $0 == UInt8(ascii: ",") || $0.isFieldBlank }
            guard position < bytes.count else { break }
            if !readParameter() { readScheme() }
            skipToComma()
        }
        return drafts.map { AuthenticationChallenge($0) }
    }

    /// False, at the same position, if no parameter of the last challenge follows.
    private mutating func readParameter() -> Bool {
        guard !drafts.isEmpty else { return false }
        let start = position
        let name = text { $0.isTokenByte }.lowercased()
        skip { $0.isFieldBlank }
        guard !name.isEmpty, take(UInt8(ascii: "=")) else {
            position = start
            return false
        }
        skip { $0.isFieldBlank }
        let value = take(UInt8(ascii: "\"")) ? quoted() : text { $0.isTokenByte || $0.isToken68Byte }
        guard let value, drafts[drafts.count - 1].parameters[name] == nil else { return true }
        drafts[drafts.count - 1].parameters[name] = value
        return true
    }

    /// Reads a scheme, and the token or first parameter after it.
    private mutating func readScheme() {
        let scheme = text { $0.isTokenByte }
        guard !scheme.isEmpty, isAtEnd || bytes[position] == UInt8(ascii: ",") || bytes[position].isFieldBlank else {
            return
        }
        drafts.append(Draft(scheme: scheme))
        skip { $0.isFieldBlank }
        if let token = token68() {
            drafts[drafts.count - 1].token = token
        } else {
            _ = readParameter()
        }
    }

    /// A token with its trailing `=` signs, if a comma or the end follows.
    private mutating func token68() -> String? {
        let start = position
        skip { $0.isToken68Byte }
        let hasText = position > start
        skip { $0 == UInt8(ascii: "=") }
        let end = position
        skip { $0.isFieldBlank }
        guard hasText, isAtEnd || bytes[position] == UInt8(ascii: ",") else {
            position = start
            return nil
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// Nil if the closing quote is missing.
    private mutating func quoted() -> String? {
        var value: [UInt8] = []
        while position < bytes.count {
            if take(UInt8(ascii: "\"")) { return String(decoding: value, as: UTF8.self) }
            if take(UInt8(ascii: "\\")), isAtEnd { return nil }
            value.append(bytes[position])
            position += 1
        }
        return nil
    }

    /// Skips to the next comma outside quotes.
    private mutating func skipToComma() {
        while !isAtEnd, bytes[position] != UInt8(ascii: ",") {
            if take(UInt8(ascii: "\"")) { _ = quoted() } else { position += 1 }
        }
    }

    private var isAtEnd: Bool { position >= bytes.count }
}

extension UInt8 {
    private var isAlphanumeric: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
    /// A byte of a token (RFC 9110 §5.6.2).
    fileprivate var isTokenByte: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
    /// A byte of a token68, before its trailing `=` signs (RFC 9110 §11.2).
    fileprivate var isToken68Byte: Bool { isAlphanumeric || "-._~+/".utf8.contains(self) }
}
