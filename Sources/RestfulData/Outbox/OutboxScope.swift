import HTTPTypes
import ObjectStore

/// The outbox entry that the current task sends.
struct OutboxScope: Sendable {
    let subject: QueuedSubject
    let version: QueuedWrite.Version
    let account: String
    /// Links to send later, since their targets can be created only after the object.
    var omitted: Set<PropertyIndex> = []
    /// A creation with an unknown outcome, as it was first sent.
    var repeated: SentBody?
    /// The idempotency key; nil if the API lacks them.
    var key: String?
    /// Whether an unknown creation may be repeated: with the same key, by decision, as a PUT, or after a lookup found
    /// no object.
    var mayRepeat = false

    var natural: [String]?
    /// The validator of a deletion that overrides another version. Empty for an unconditional request.
    var validator: String?

    @TaskLocal static var current: OutboxScope?

    /// False if the request only determines an earlier outcome.
    var endsEntry = true

    /// Stores a creation's request before it is sent, in case the reply is lost. With the same key, the first request
    /// stays.
    static func keeping(_ outgoing: Outgoing, _ method: HTTPRequest.Method, to url: RequestURL) -> [OutboxChange] {
        guard let scope = current, scope.repeated?.key == nil || scope.repeated?.body == nil else { return [] }
        let edits = Set(outgoing.confirmations.flatMap(\.edits))
        var sent = SentBody(key: scope.key, body: outgoing.body.json, edits: edits)
        (sent.method, sent.url) = (method.rawValue, url.text)
        sent.natural = scope.key == nil ? scope.natural : nil
        return [.send(scope.subject, sent.text)]
    }

    static var ending: [WriteBatch] {
        guard let current, current.endsEntry else { return [] }
        return [.changingOutbox([.end(current.subject, current.version)])]
    }

    /// An entry that adds the object to a list ends only if the creation was a request of this list.
    static func ending(byCreationIn list: ListOwner?) -> [WriteBatch] {
        guard let current, let membership = current.subject.membership else { return ending }
        return list == ListOwner(membership.property, of: current.subject.record) ? ending : []
    }
}

extension Outgoing {
    /// A copy with the body that was first sent with the same key. The reply acknowledges only the edits in it.
    func repeating(_ sent: SentBody?) -> Outgoing {
        guard let sent, sent.key != nil, let body = sent.body else { return self }
        var repeated = self
        repeated.body = OutboundBody(json: Array(body.utf8))
        repeated.confirmations = confirmations.map { $0.acknowledging(sent.stamps) }
        return repeated
    }
}

extension ObjectContext {
    /// Throws unless the creation may be repeated.
    func checkOutcome(creating object: any Model) throws(APIError) {
        guard let scope = OutboxScope.current, !scope.mayRepeat, hasUnknownOutcome(object) else { return }
        throw .undecidedCreation(model: object._object.model.modelName)
    }
}
