import HTTPTypes

/// Tells accounts apart by what their requests say of who asks.
///
/// Of that only a number is kept, made with a key that this process has drawn by chance: nothing can be told of the
/// token by it.
struct Credential {
    /// As programs may make up names, no more are remembered.
    private static let mostNames = 256
    /// Those whose value is the credential itself, the same in each request.
    private static let constant = ["bearer ", "basic ", "token "].map { Array($0.utf8) }

    /// What a header field's name says of who asks.
    private enum Kind {
        case ofAccount
        /// That it says nothing.
        case ofRequest
        /// Nothing: who has made up the field knows.
        case unknown

        init(of name: HTTPField.Name) {
            self = name.isOfRequest || name.isCondition ? .ofRequest : name.isOfAccount ? .ofAccount : .unknown
        }
    }

    private var ofAccount: [HTTPField.Name: Kind] = [:]

    /// The number that stands for a request's account; 0 for one that says nothing.
    ///
    /// A name of the account counts in place of the header fields, which change when a token is renewed.
    mutating func number(of request: APIRequest) -> Int {
        if let account = request.passage.account { return Self.number(of: account) }
        var number = request.passage.queryKey.map(Self.number) ?? 0
        for field in request.headerFields where isOfAccount(field.name, request) {
            var hasher = Hasher()
            let value = field.value
            if field.name == .authorization {
                // What nearly all have needs no name.
                hasher.combine(Self.isConstant(value) ? value[...] : Self.constantPart(of: value))
            } else {
                hasher.combine(field.name)
                hasher.combine(value)
            }
            // In whichever order they come.
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
        // What nearly all requests have.
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

    /// A signed request's scheme and the name of its key (`AWS4-HMAC-SHA256 Credential=AKIA…/2026…`): the signature is
    /// another each time.
    private static func constantPart(of value: String) -> Substring { value.prefix { $0 != "/" && $0 != "," } }
}
