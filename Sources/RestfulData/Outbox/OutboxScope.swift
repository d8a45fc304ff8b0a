import Foundation
import ObjectStore

/// The entry of the outbox that the running task sends.
struct OutboxScope: Sendable {
    let subject: QueuedSubject
    let version: QueuedWrite.Version
    /// The account that made the change.
    let account: String
    /// Links that are sent later, as what they lead to can only be created after the object.
    var omitted: Set<PropertyIndex> = []
    /// The first body of a creation whose outcome is unknown.
    var repeated: SentBody?
    /// The idempotency key that the creation gets; nil where the API has none.
    var key: String?
    /// Whether a creation is sent though an earlier one may have been done: with the same key, or by a decision.
    var mayRepeat = false

    /// The values of the natural key that a creation has, as texts; nil for none.
    var natural: [String]?
    /// The validator of a deletion that is sent over another version of the object; empty for no condition.
    var validator: String?

    @TaskLocal static var current: OutboxScope?

    /// The change that ends the entry, for the transaction that stores what the server has done.
    static var ending: [WriteBatch] { current.map { [.changingOutbox([.end($0.subject, $0.version)])] } ?? [] }
}

/// The body of a creation, as it was first sent. With the same key a server takes it for the same request only if it is
/// the same body.
struct SentBody: Sendable, Codable, Equatable {
    /// The idempotency key; nil where a person has decided that the creation is repeated.
    var key: String?
    var body: String?
    /// The edits in it.
    var edits: [Int64] = []
    /// The values of the object's natural key in it, as texts.
    var natural: [String]?

    init(key: String? = nil, body: [UInt8]? = nil, edits: Set<ChangeStamp> = []) {
        self.key = key
        self.body = body.map { String(decoding: $0, as: UTF8.self) }
        self.edits = edits.map(\.rawValue).sorted()
    }

    init?(text: String?) {
        guard let text, let sent = try? JSONDecoder().decode(SentBody.self, from: Data(text.utf8)) else { return nil }
        self = sent
    }

    init(natural: [String]) { self.natural = natural }

    /// Whether the creation may be repeated: with the same key, or as a person has decided.
    var mayBeRepeated: Bool { key != nil || natural == nil }

    var stamps: Set<ChangeStamp> { Set(edits.map { ChangeStamp($0) }) }

    /// The text that the file keeps.
    var text: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}" }
}

extension Outgoing {
    /// The same with the body that was sent first. Later edits are not acknowledged by its reply.
    func repeating(_ sent: SentBody?) -> Outgoing {
        guard let sent, let body = sent.body else { return self }
        var repeated = self
        repeated.body = OutboundBody(json: Array(body.utf8))
        repeated.confirmations = confirmations.map { $0.acknowledging(sent.stamps) }
        return repeated
    }
}

extension ObjectContext {
    /// Refuses a queued creation if an earlier request may have created the object, unless it may be repeated.
    func checkDoubt(creating object: any Model) throws(APIError) {
        guard let scope = OutboxScope.current, !scope.mayRepeat, isInDoubt(object) else { return }
        throw .undecidedCreation(model: object._object.model.modelName)
    }

    /// Keeps the body of a queued creation that is about to be sent with a key, to repeat it if the reply is lost.
    nonisolated(nonsending) func keepBody(of outgoing: Outgoing) async throws(APIError) {
        guard let scope = OutboxScope.current else { return }
        guard let key = scope.key else {
            if let natural = scope.natural {
                let sent = SentBody(natural: natural).text
                do { return try await changeOutbox([.send(scope.subject, sent)]) } catch { throw .store(error) }
            }
            // A person's decision to repeat it holds for one request.
            guard scope.repeated != nil else { return }
            do { return try await changeOutbox([.send(scope.subject, nil)]) } catch { throw .store(error) }
        }
        guard scope.repeated?.body == nil else { return }
        let edits = Set(outgoing.confirmations.flatMap(\.edits))
        let sent = SentBody(key: key, body: outgoing.body.json, edits: edits)
        do { try await changeOutbox([.send(scope.subject, sent.text)]) } catch { throw .store(error) }
    }
}
