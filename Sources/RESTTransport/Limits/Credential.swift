import HTTPTypes

/// Distinguishes accounts by a hash of their credentials. The hash's key is random for each process, so the hash hides
/// the token.
struct Credential {
    /// The most names, since programs can invent them.
    private static let mostNames = 256
    /// Schemes with a constant value.
    private static let constant = ["bearer ", "basic ", "token "].map { Array($0.utf8) }

    private enum Kind {
        case ofAccount
        case ofRequest
        /// The request's `credentialFields` decide.
        case unknown

        init(of name: HTTPField.Name) {
            self = name.isOfRequest || name.isCondition ? .ofRequest : name.isOfAccount ? .ofAccount : .unknown
        }
    }

    private var ofAccount: [HTTPField.Name: Kind] = [:]

    /// A number for the account; 0 for an anonymous request.
    ///
    /// A name of the account replaces the fields, which change when a token is renewed.
    mutating func number(of request: APIRequest) -> Int {
        if let account = request.chainState.account { return Self.number(of: account) }
        var number = request.chainState.queryKeys.reduce(0) { $0 &+ Self.number(of: $1) }
        for field in request.headerFields where isOfAccount(field.name, request) {
            var hasher = Hasher()
            let value = field.value
            if field.name == .authorization {
                // Hashing the name of this frequent field is skipped.
                hasher.combine(Self.isConstant(value) ? value[...] : Self.constantPart(of: value))
            } else {
                hasher.combine(field.name)
                hasher.combine(value)
            }
            // A sum ignores the fields' order.
            number &+= hasher.finalize()
        }
        return number
    }

    private static func number(of text: String) -> Int {
        var hasher = Hasher()
        hasher.combine(text)
        return hasher.finalize()
    }

    private mutating func isOfAccount(_ name: HTTPField.Name, _ request: APIRequest) -> Bool {
        // A fast path for frequent fields.
        switch name {
        case .authorization: return true
        case .ifNoneMatch, .ifModifiedSince: return false
        case .accept, .userAgent, .contentType:
            return !request.credentialFields.isEmpty && request.credentialFields.contains(name)
        default: break
        }
        let kind = ofAccount[name] ?? Kind(of: name)
        if ofAccount.count < Self.mostNames { ofAccount[name] = kind }
        return kind == .ofAccount || kind == .unknown && request.credentialFields.contains(name)
    }

    private static func isConstant(_ value: String) -> Bool {
        value.readingBytes { bytes in
            constant.contains { scheme in
                bytes.count >= scheme.count && scheme.indices.allSatisfy { bytes[$0] | 0x20 == scheme[$0] }
            }
        }
    }

    /// The scheme and key name of a signed request (`AWS4-HMAC-SHA256 Credential=AKIA…/2026…`), whose signature
    /// changes.
    private static func constantPart(of value: String) -> Substring { value.prefix { $0 != "/" && $0 != "," } }
}
