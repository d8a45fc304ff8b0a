import HTTPTypes
import ObjectStore
import RESTTransport

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// Reveals only whether texts are equal, since URLs and tokens may be secret.
struct AnswerDigest {
    private var hash = SHA256()

    init(_ parts: String...) { for part in parts { add(part) } }

    mutating func add(_ part: String) {
        // The length distinguishes sequences with the same joined text.
        hash.update(data: Array("\(part.utf8.count):\(part)".utf8))
    }

    /// 128 bits as 32 hexadecimal digits.
    var text: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
        return String(decoding: hash.finalize().prefix(16).flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
    }
}

extension StoredAnswer.Key {
    /// A digest of the credentials. The name of an account replaces its token, which changes over time.
    static func credential(of request: APIRequest, asking question: String) -> String {
        let account = request.chainState.account
        let fields = request.headerFields.filter { field in
            guard account == nil || field.name != .authorization else { return false }
            return !field.name.isOfRequest
                && (request.credentialFields.contains(field.name) || field.name.isIdentifying)
        }
        let names = account.map { [$0] } ?? request.chainState.queryKeys
        guard !fields.isEmpty || !names.isEmpty else { return "" }
        var digest = AnswerDigest(question)
        for name in names { digest.add(name) }
        for field in fields.sorted(by: { $0.name.canonicalName < $1.name.canonicalName }) {
            digest.add(field.name.canonicalName)
            digest.add(field.value)
        }
        return digest.text
    }

    /// A digest of the fields in `Vary`. The name of an account replaces its `Authorization`.
    static func variant(of request: APIRequest, by vary: [String]) -> String {
        guard !vary.isEmpty else { return "" }
        var digest = AnswerDigest()
        for name in vary {
            digest.add(name)
            let field = HTTPField.Name(name)
            let account = field == .authorization ? request.chainState.account : nil
            digest.add(account ?? field.flatMap { request.headerFields[$0] } ?? "")
        }
        return digest.text
    }
}
