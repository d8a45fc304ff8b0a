import HTTPTypes

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// A hash algorithm of Digest ([RFC 7616 §3.3](https://www.rfc-editor.org/rfc/rfc7616#section-3.3)).
struct DigestAlgorithm: Sendable {
    /// As the server wrote it; nil for none, which means MD5.
    let name: String?
    /// Whether the user's hash includes the first nonce and the client nonce.
    let isOfSession: Bool
    private let isMD5: Bool

    /// - Returns: nil for an unsupported name, such as SHA-512-256, which CryptoKit lacks.
    init?(_ name: String?) {
        switch name?.lowercased() {
        case nil, "md5": (isMD5, isOfSession) = (true, false)
        case "md5-sess": (isMD5, isOfSession) = (true, true)
        case "sha-256": (isMD5, isOfSession) = (false, false)
        case "sha-256-sess": (isMD5, isOfSession) = (false, true)
        default: return nil
        }
        self.name = name
    }

    func hash(_ text: String) -> String { hash(Array(text.utf8)) }

    func hash(_ bytes: [UInt8]) -> String {
        isMD5 ? Self.hexadecimal(Insecure.MD5.hash(data: bytes)) : Self.hexadecimal(SHA256.hash(data: bytes))
    }

    private static func hexadecimal(_ digest: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// A challenge and the state of its answers ([RFC 7616 §3](https://www.rfc-editor.org/rfc/rfc7616#section-3)).
struct DigestSession: Sendable {
    /// The part of a request that the answer covers.
    enum Protection: String {
        case head = "auth"
        case headAndBody = "auth-int"
    }

    private(set) var nonce: String
    var isAccepted = false

    private let algorithm: DigestAlgorithm
    private let realm: String
    private let opaque: String?
    /// The values of `qop`; empty for a server of RFC 2069.
    private let protections: Set<String>
    private let hashesUser: Bool
    private let clientNonce: String
    private let firstNonce: String
    private var count: UInt32 = 0

    /// - Returns: nil for another scheme, an unsupported algorithm, or an incomplete challenge.
    init?(_ challenge: AuthenticationChallenge, clientNonce: String) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let nonce = parameters["nonce"], let realm = parameters["realm"],
            let algorithm = DigestAlgorithm(parameters["algorithm"])
        else { return nil }
        (self.nonce, self.firstNonce, self.realm, self.algorithm) = (nonce, nonce, realm, algorithm)
        self.clientNonce = clientNonce
        opaque = parameters["opaque"]
        hashesUser = parameters["userhash"]?.lowercased() == "true"
        let words = (parameters["qop"] ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        protections = Set(words.map(String.init))
        // Answers contain the client nonce, which the session's hash needs, only with `qop`.
        if protections.isEmpty, algorithm.isOfSession { return nil }
    }

    /// Switches to the server's `nextnonce`, and restarts the counter.
    mutating func proceed(to nonce: String) { (self.nonce, count) = (nonce, 0) }

    /// If the server offers only `auth-int`, the body has to be in memory.
    func canAnswer(for request: APIRequest) -> Bool { protections.isEmpty || protection(of: request) != nil }

    private func protection(of request: APIRequest) -> Protection? {
        if protections.contains(Protection.head.rawValue) { return .head }
        guard protections.contains(Protection.headAndBody.rawValue) else { return nil }
        return request.body == nil || request.body?.bytes != nil ? .headAndBody : nil
    }

    /// The value of `Authorization`. Increments the nonce's counter.
    mutating func answer(to request: APIRequest, as login: Login) -> String {
        count &+= 1
        let protection = protection(of: request)
        let target = request.head.path ?? "/"
        let protectedHash = hash(of: request, to: target, by: protection)
        let uses = String(count, radix: 16)
        let nonceCount = String(repeating: "0", count: 8 - uses.count) + uses
        let parts = protection.map { [nonce, nonceCount, clientNonce, $0.rawValue] } ?? [nonce]
        let response = algorithm.hash(([hash(of: login)] + parts + [protectedHash]).joined(separator: ":"))
        var fields = [userField(login), ("realm", quoted(realm)), ("uri", quoted(target))]
        if let name = algorithm.name { fields.append(("algorithm", name)) }
        fields.append(("nonce", quoted(nonce)))
        if let protection {
            fields += [("nc", nonceCount), ("cnonce", quoted(clientNonce)), ("qop", protection.rawValue)]
        }
        fields.append(("response", quoted(response)))
        if let opaque { fields.append(("opaque", quoted(opaque))) }
        if hashesUser { fields.append(("userhash", "true")) }
        return "Digest " + fields.map { "\($0.0)=\($0.1)" }.joined(separator: ", ")
    }

    /// The hash of user and password (`A1`, RFC 7616 §3.4.2).
    private func hash(of login: Login) -> String {
        let hash = algorithm.hash("\(login.user):\(realm):\(login.password)")
        return algorithm.isOfSession ? algorithm.hash("\(hash):\(firstNonce):\(clientNonce)") : hash
    }

    /// The hash of the covered part (`A2`, RFC 7616 §3.4.3).
    private func hash(of request: APIRequest, to target: String, by protection: Protection?) -> String {
        let head = "\(request.method.rawValue):\(target)"
        guard protection == .headAndBody else { return algorithm.hash(head) }
        return algorithm.hash("\(head):\(algorithm.hash(request.body?.bytes ?? []))")
    }

    /// The user name: hashed if the server wants it, quoted if printable ASCII, else percent-encoded (RFC 7616 §3.4).
    private func userField(_ login: Login) -> (String, String) {
        if hashesUser { return ("username", quoted(algorithm.hash("\(login.user):\(realm)"))) }
        guard login.user.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return ("username*", "UTF-8''" + login.user.percentEncoded)
        }
        return ("username", quoted(login.user))
    }

    private func quoted(_ text: String) -> String { AuthenticationChallenge.quoted(text) }
}
