import HTTPTypes
import ObjectStore
import RESTTransport

// RFC 9110 §13.1. A change carries the validator of the version that it was made on.

extension RoundTrip {
    /// Adds a condition, unless the call has its own.
    mutating func addCondition(about object: some Model) {
        guard let model else { return }
        let writes = client.conditionalWrites(of: model)
        guard writes != .never else { return }
        let known = object._object.known
        addCondition(writes, writes.isStored ? context.validator(of: object) : nil, of: known)
    }

    /// - Parameter validator: of a newer version; nil for the one that was known at the deletion.
    mutating func addCondition(about row: DeletedRow, validator: String? = nil) {
        addCondition(client.conditionalWrites(of: row.model), validator ?? row.rows.validator, of: row)
    }

    /// - Parameter validator: the known one; empty for an unconditional request.
    private mutating func addCondition(_ writes: ConditionalWrites, _ validator: String?, of row: any OutboundRow) {
        let conditions: [HTTPField.Name] = [.ifMatch, .ifUnmodifiedSince, .ifNoneMatch, .ifModifiedSince]
        guard validator != "", !conditions.contains(where: { call.headers[$0] != nil }) else { return }
        switch writes {
        case .never: break
        case .entityTags: if let validator, validator.hasPrefix("\"") { call.headers[.ifMatch] = validator }
        case .weakEntityTags: if let validator { call.headers[.ifMatch] = validator }
        case .modificationDates:
            if let validator, !validator.hasPrefix("\"") { call.headers[.ifUnmodifiedSince] = validator }
        case .attribute(let name):
            let value = row.model.property(named: name).map(row.storedValue)
            call.headers[.ifMatch] = validator ?? value.flatMap(ConditionalWrites.tag)
        }
    }

    /// The validator to store after a creation, a change, or a fetch that resolves a conflict. A reply without the
    /// object removes it, unless the request was conditional. A 202 always does: its validator is that of a status
    /// report.
    func validators(in reply: Reply, of record: RecordID) -> [WriteBatch] {
        guard let model, case let writes = client.conditionalWrites(of: model), writes.isStored else { return [] }
        let isConditional = call.headers[.ifMatch] != nil || call.headers[.ifUnmodifiedSince] != nil
        let isKnown = !reply.isAccepted && (reply.hasBody || isConditional)
        return [.settingValidator(isKnown ? writes.validator(in: reply.response) : nil, of: record)]
    }

    /// Removes the validator after a request that made an unknown version.
    func endValidator(of record: RecordID) async throws(APIError) {
        guard let model, client.conditionalWrites(of: model).isStored else { return }
        try await store([.settingValidator(nil, of: record)])
    }

    /// Empty for other URLs than the object's own, since these have other representations.
    func fetchedValidators(in reply: Reply, of object: some Model) -> [WriteBatch] {
        guard let model, case let writes = client.conditionalWrites(of: model), writes.isStored,
            let own = try? client.ownURL(of: object._object, to: .fetch), own == url
        else { return [] }
        var batch = WriteBatch.settingValidator(writes.validator(in: reply.response), of: object._object.record)
        batch.requestTime = reply.requestStart?.stamp
        return [batch]
    }
}

extension ConditionalWrites {
    var isStored: Bool { self == .entityTags || self == .weakEntityTags || self == .modificationDates }

    /// The response's validator; nil if unusable in a condition.
    func validator(in response: APIResponse) -> String? {
        switch self {
        case .never, .attribute: nil
        case .entityTags: response.headerFields[.eTag].flatMap { $0.hasPrefix("\"") ? $0 : nil }
        case .weakEntityTags: response.headerFields[.eTag]
        case .modificationDates: response.headerFields[.lastModified]
        }
    }

    func validator(in response: APIResponse, of version: PropertyValues) -> String? {
        guard case .attribute(let name) = self else { return validator(in: response) }
        return version.attributes[name].flatMap(Self.tag)
    }

    static func tag(_ value: StoredValue) -> String? {
        let text: String
        switch value {
        case .text(let value): text = value
        case .integer(let value): text = "\(value)"
        default: return nil
        }
        if text.isEmpty || text.hasPrefix("\"") || text.hasPrefix("W/\"") { return text.isEmpty ? nil : text }
        return "\"\(text)\""
    }
}
