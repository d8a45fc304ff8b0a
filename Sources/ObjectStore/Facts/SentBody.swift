import Foundation

/// The request of a creation, as it was first sent.
///
/// A server takes a repetition with the same key for the same request only if the body is the same, too. Without a key,
/// the body is repeated only for an object that was deleted meanwhile.
package struct SentBody: Sendable, Codable, Hashable {
    /// The idempotency key; nil for none.
    package var key: String?
    package var body: String?
    /// The edits in it.
    package var edits: [Int64] = []
    /// The values of the object's natural key in it, as texts.
    package var natural: [String]?
    /// Where it was sent, below the API's base URL, and how; nil in files of earlier versions.
    package var url: String?
    package var method: String?
    /// Whether a person has decided that the creation is repeated, though the server may have done it.
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

    /// Whether the creation may be repeated: with the same key, or as a person has decided.
    package var mayBeRepeated: Bool {
        // In files of earlier versions a decision has nothing else.
        key != nil || isDecided == true || body == nil && natural == nil
    }

    /// The same with a person's decision that the creation is repeated.
    package var decided: SentBody {
        var sent = self
        sent.isDecided = true
        return sent
    }

    /// The same once that decision was carried out: it holds for one request.
    package var carriedOut: SentBody {
        var sent = self
        sent.isDecided = nil
        return sent
    }

    package var stamps: Set<ChangeStamp> { Set(edits.map { ChangeStamp($0) }) }

    /// The text that the file keeps.
    package var text: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}" }
}
