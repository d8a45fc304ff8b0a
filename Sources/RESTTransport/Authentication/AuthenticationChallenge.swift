import HTTPTypes

/// How a server wants a request to be authenticated: one challenge of `WWW-Authenticate`
/// ([RFC 9110 §11.6.1](https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1)).
///
/// ```text
/// WWW-Authenticate: Digest realm="api", qop="auth", nonce="7ypf/xlj9XXwfDPEoM4URrv", Basic realm="api"
/// ```
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme in lower case: `digest`.
    public let scheme: String
    /// What some schemes have in place of parameters: the `YII…` of `Negotiate YII…`.
    public let token: String?
    /// The parameters by their names in lower case, without quotes; of a name that comes twice the first.
    public let parameters: [String: String]

    /// Reads the value of a field, or of several joined by commas, which is the same.
    ///
    /// - Returns: The challenges in their order. What is malformed is left out, up to the next comma.
    public static func list(_ field: String) -> [AuthenticationChallenge] {
        var reader = ChallengeReader(field)
        return reader.list()
    }

    fileprivate init(_ draft: ChallengeReader.Draft) {
        (scheme, token, parameters) = (draft.scheme.lowercased(), draft.token, draft.parameters)
    }

    /// The parameters of a field that has no scheme, such as `Authentication-Info`
    /// ([RFC 7615](https://www.rfc-editor.org/rfc/rfc7615)).
    static func parameters(ofField field: String) -> [String: String] {
        list("info " + field).first?.parameters ?? [:]
    }

    /// A text as a quoted string ([RFC 9110 §5.6.4](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.4)).
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
    /// The challenges of `WWW-Authenticate`, in the order in which the server prefers them; empty if there are none.
    public var challenges: [AuthenticationChallenge] {
        AuthenticationChallenge.list(headerFields[.wwwAuthenticate] ?? "")
    }
}

/// Reads challenges one after the other, in time linear in the field's length.
///
/// Commas separate both challenges and parameters: a token that `=` and a value follow is a parameter of the challenge
/// before it; any other one is the scheme of the next challenge.
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

    /// Reads a parameter of the last challenge; returns false, and reads nothing, if there is none here.
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

    /// Reads a scheme, and the token or the first parameter that follows it.
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

    /// Reads a token with the `=` signs at its end, if a comma or the end follows.
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

    /// Reads the rest of a quoted string; nil if it doesn't end.
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

    /// Skips what doesn't belong here, up to the next comma outside of quotes.
    private mutating func skipToComma() {
        while !isAtEnd, bytes[position] != UInt8(ascii: ",") {
            if take(UInt8(ascii: "\"")) { _ = quoted() } else { position += 1 }
        }
    }

    private var isAtEnd: Bool { position >= bytes.count }
}

extension UInt8 {
    /// A letter or digit of ASCII.
    private var isAlphanumeric: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
    /// What a token has (RFC 9110 §5.6.2).
    fileprivate var isTokenByte: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
    /// What a token68 has before its `=` signs (RFC 9110 §11.2).
    fileprivate var isToken68Byte: Bool { isAlphanumeric || "-._~+/".utf8.contains(self) }
}
