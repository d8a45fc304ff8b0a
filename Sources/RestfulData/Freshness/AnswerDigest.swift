import HTTPTypes
import ObjectStore
import RESTTransport

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// A digest of texts, of which nothing can be told but whether they are the same: URLs and tokens may be secret.
struct AnswerDigest {
    private var hash = SHA256()

    init(_ parts: String...) { for part in parts { add(part) } }

    mutating func add(_ part: String) {
        // With its length, so that two texts are never taken for two others.
        hash.update(data: Array("\(part.utf8.count):\(part)".utf8))
    }

    /// 128 bits, as 32 hexadecimal digits.
    var text: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
        return String(decoding: hash.finalize().prefix(16).flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
    }
}

extension StoredAnswer.Key {
    /// A digest of all that says who asks. The name of an account stands for its token, which may be another each time.
    static func credential(of request: APIRequest, asking question: String) -> String {
        let account = request.passage.account
        let fields = request.headerFields.filter { field in
            guard account == nil || field.name != .authorization else { return false }
            return !field.name.isOfRequest
                && (request.credentialFields.contains(field.name) || field.name.isIdentifying)
        }
        let name = account ?? request.passage.queryKey
        guard !fields.isEmpty || name != nil else { return "" }
        var digest = AnswerDigest(question)
        if let name { digest.add(name) }
        for field in fields.sorted(by: { $0.name.canonicalName < $1.name.canonicalName }) {
            digest.add(field.name.canonicalName)
            digest.add(field.value)
        }
        return digest.text
    }

    /// A digest of the fields that an answer depends on; an account's name stands for its `Authorization`.
    static func variant(of request: APIRequest, by vary: [String]) -> String {
        guard !vary.isEmpty else { return "" }
        var digest = AnswerDigest()
        for name in vary {
            digest.add(name)
            let field = HTTPField.Name(name)
            let account = field == .authorization ? request.passage.account : nil
            digest.add(account ?? field.flatMap { request.headerFields[$0] } ?? "")
        }
        return digest.text
    }
}
