import Foundation

/// The first request of a creation.
///
/// Servers recognize a repetition by the idempotency key only if the body is the same, too. Without a key, the body is
/// repeated only if the object was deleted meanwhile.
package struct SentBody: Sendable, Codable, Hashable {
    /// The idempotency key. Nil for none.
    package var key: String?
    package var body: String?
    package var edits: [Int64] = []
    /// The values of the object's natural key in the body, as texts.
    package var natural: [String]?
    /// The URL below the API's base URL, and the method. Nil in files of earlier versions.
    package var url: String?
    package var method: String?
    /// Whether a person has decided to repeat the creation, which the server may have carried out.
    package var isDecided: Bool?

    package init(key: String? = nil, body: [UInt8]? = nil, edits: Set<ChangeStamp> = []) {
        self.key = key
        self.body = body.map { String(decoding: $0, as: UTF8.self) }
        self.edits = edits.map(\.rawValue).sorted()
    }

    package init?(text: String?) {
        guard let text, let sent = try? JSONDecoder().decode(SentBody.self, from: Data(text.utf8)) else { return nil }
        self = sent
    }

    package var mayBeRepeated: Bool {
        // Files of earlier versions keep a decision as an entry without body and natural key.
        key != nil || isDecided == true || body == nil && natural == nil
    }

    package var decided: SentBody {
        var sent = self
        sent.isDecided = true
        return sent
    }

    /// A copy without the decision, which applies to one request.
    package var carriedOut: SentBody {
        var sent = self
        sent.isDecided = nil
        return sent
    }

    package var stamps: Set<ChangeStamp> { Set(edits.map { ChangeStamp($0) }) }

    package var text: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}" }
}
