import HTTPTypes
import ObjectStore

/// The entry of the outbox that the running task sends.
struct OutboxScope: Sendable {
    let subject: QueuedSubject
    let version: QueuedWrite.Version
    /// The account that made the change.
    let account: String
    /// Links that are sent later, as what they lead to can only be created after the object.
    var omitted: Set<PropertyIndex> = []
    /// A creation whose outcome is unknown, as it was first sent.
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

    /// Whether the request does what the entry says, and doesn't only find out the outcome of an earlier one.
    var endsEntry = true

    /// The change that keeps the request of a queued creation which is about to be sent, in case that its reply is
    /// lost. A repetition with the same key stays as it was first sent.
    static func keeping(_ outgoing: Outgoing, _ method: HTTPRequest.Method, to url: RequestURL) -> [OutboxChange] {
        guard let scope = current, scope.repeated?.key == nil || scope.repeated?.body == nil else { return [] }
        let edits = Set(outgoing.confirmations.flatMap(\.edits))
        var sent = SentBody(key: scope.key, body: outgoing.body.json, edits: edits)
        (sent.method, sent.url) = (method.rawValue, url.text)
        sent.natural = scope.key == nil ? scope.natural : nil
        return [.send(scope.subject, sent.text)]
    }

    /// The change that ends the entry, for the transaction that stores what the server has done.
    static var ending: [WriteBatch] {
        guard let current, current.endsEntry else { return [] }
        return [.changingOutbox([.end(current.subject, current.version)])]
    }
}

extension Outgoing {
    /// The same with the body that was first sent with the same key. Later edits are not acknowledged by its reply.
    func repeating(_ sent: SentBody?) -> Outgoing {
        guard let sent, sent.key != nil, let body = sent.body else { return self }
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
}
