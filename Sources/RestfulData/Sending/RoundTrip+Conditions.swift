import HTTPTypes
import ObjectStore
import RESTTransport

// Conditional writes (RFC 9110 §13.1): a change carries the validator of the version that it was made on.

extension RoundTrip {
    /// Adds the condition that the model or API declares to a change of an object, unless the call has one.
    mutating func addCondition(about object: some Model) {
        guard let model else { return }
        let writes = client.conditionalWrites(of: model)
        guard writes != .never else { return }
        let known = object._object.known
        addCondition(writes, writes.isStored ? context.validator(of: object) : nil, of: known)
    }

    /// Adds the condition to the deletion of an object that is deleted here.
    ///
    /// - Parameter validator: that of a newer version; nil for the one that was known when the object was deleted.
    mutating func addCondition(about row: DeletedRow, validator: String? = nil) {
        addCondition(client.conditionalWrites(of: row.model), validator ?? row.rows.validator, of: row)
    }

    /// - Parameter validator: the known one; empty for no condition.
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

    /// The change of the file's validator by a reply to an object's creation or change, or to the fetch that resolves a
    /// conflict. A reply without the object brings none, unless the request named the version that it changed.
    func validators(in reply: Reply, of record: RecordID) -> [WriteBatch] {
        guard let model, case let writes = client.conditionalWrites(of: model), writes.isStored else { return [] }
        let isConditional = call.headers[.ifMatch] != nil || call.headers[.ifUnmodifiedSince] != nil
        let isKnown = reply.hasBody || isConditional
        return [.settingValidator(isKnown ? writes.validator(in: reply.response) : nil, of: record)]
    }

    /// Ends the file's validator of an object that another request than its own has changed: the server has a version
    /// without a known one.
    func endValidator(of record: RecordID) async throws(APIError) {
        guard let model, client.conditionalWrites(of: model).isStored else { return }
        do { try await context.write([.settingValidator(nil, of: record)]) } catch { throw .store(error) }
    }

    /// The same of a reply to a fetch of an object from its own URL. Another URL may give another form of the object.
    func fetchedValidators(in reply: Reply, of object: some Model) -> [WriteBatch] {
        guard let model, case let writes = client.conditionalWrites(of: model), writes.isStored,
            let own = try? client.ownURL(of: object._object, to: .fetch), own == url
        else { return [] }
        var batch = WriteBatch.settingValidator(writes.validator(in: reply.response), of: object._object.record)
        batch.asked = reply.question?.stamp
        return [batch]
    }
}

extension ConditionalWrites {
    /// Whether the file keeps validators for it.
    var isStored: Bool { self == .entityTags || self == .weakEntityTags || self == .modificationDates }

    /// The validator that a reply brings; nil for none that a condition can use.
    func validator(in response: APIResponse) -> String? {
        switch self {
        case .never, .attribute: nil
        case .entityTags: response.headerFields[.eTag].flatMap { $0.hasPrefix("\"") ? $0 : nil }
        case .weakEntityTags: response.headerFields[.eTag]
        case .modificationDates: response.headerFields[.lastModified]
        }
    }

    /// The validator of a version; nil for none.
    func validator(in response: APIResponse, of version: PropertyValues) -> String? {
        guard case .attribute(let name) = self else { return validator(in: response) }
        return version.attributes[name].flatMap(Self.tag)
    }

    /// A value as an entity tag; nil for one that can't be.
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
