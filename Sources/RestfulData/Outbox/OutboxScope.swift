import HTTPTypes
import ObjectStore

/// The outbox entry that the current task sends.
struct OutboxScope: Sendable {
    let subject: QueuedSubject
    let version: QueuedWrite.Version
    let account: String
    /// Links to send later, because their targets can be created only after the object.
    var omitted: Set<PropertyIndex> = []
    /// The request of a creation with an unknown outcome, as it was first sent.
    var repeated: SentBody?
    /// The idempotency key of the creation; nil if the API has none.
    var key: String?
    /// Whether the creation may be sent although an earlier request may have succeeded: it has the same key, or a
    /// person decided so.
    var mayRepeat = false

    /// The values of the natural key as text; nil if there is none.
    var natural: [String]?
    /// The validator of a deletion that overrides another version of the object. Empty for an unconditional request.
    var validator: String?

    @TaskLocal static var current: OutboxScope?

    /// Whether the request carries out the entry. It is false if the request only determines an earlier outcome.
    var endsEntry = true

    /// The change that stores a creation's request before it is sent, in case the reply is lost. If the creation is
    /// repeated with the same key, the first request stays.
    static func keeping(_ outgoing: Outgoing, _ method: HTTPRequest.Method, to url: RequestURL) -> [OutboxChange] {
        guard let scope = current, scope.repeated?.key == nil || scope.repeated?.body == nil else { return [] }
        let edits = Set(outgoing.confirmations.flatMap(\.edits))
        var sent = SentBody(key: scope.key, body: outgoing.body.json, edits: edits)
        (sent.method, sent.url) = (method.rawValue, url.text)
        sent.natural = scope.key == nil ? scope.natural : nil
        return [.send(scope.subject, sent.text)]
    }

    /// The change that ends the entry, for the transaction that stores the reply.
    static var ending: [WriteBatch] {
        guard let current, current.endsEntry else { return [] }
        return [.changingOutbox([.end(current.subject, current.version)])]
    }
}

extension Outgoing {
    /// Replaces the body by the one that was first sent with the same key. The reply then acknowledges only the edits
    /// in it.
    func repeating(_ sent: SentBody?) -> Outgoing {
        guard let sent, sent.key != nil, let body = sent.body else { return self }
        var repeated = self
        repeated.body = OutboundBody(json: Array(body.utf8))
        repeated.confirmations = confirmations.map { $0.acknowledging(sent.stamps) }
        return repeated
    }
}

extension ObjectContext {
    /// Throws if an earlier request may have created the object, unless the creation may be repeated.
    func checkDoubt(creating object: any Model) throws(APIError) {
        guard let scope = OutboxScope.current, !scope.mayRepeat, isInDoubt(object) else { return }
        throw .undecidedCreation(model: object._object.model.modelName)
    }
}
