import ObjectStore

/// Edits that are sent within a request about another object: of embedded objects, and of known objects that are sent
/// whole.
///
/// After a success, their outcome is unknown unless the reply repeats the values. An edit that restores the former
/// value then stays pending.
struct IncludedEdits {
    let record: RecordID
    private let values: [(property: Property, value: StoredValue)]
    private let isPart: Bool

    init(_ properties: [Property], of object: ObjectState) {
        record = object.record
        isPart = object.model.isEmbedded
        values = properties.map { ($0, object.storedValue($0)) }
    }

    /// The part's edits, or all its properties with a column if an earlier request with it has an unknown outcome.
    init(part: ObjectState) {
        let hasUnknownOutcome = part.context?.operations.hasUnknownOutcome(part.record) == true
        self.init(hasUnknownOutcome ? part.model.declared.filter { $0.column != nil } : part.unsentProperties, of: part)
    }

    var isEmpty: Bool { values.isEmpty }

    var relationships: [SentFact] {
        values.filter { $0.property.target != nil }.map { SentFact(.relationship($0.property.index), of: record) }
    }

    func begin(in context: ObjectContext) {
        guard !values.isEmpty else { return }
        context.operations.beginSend(values.map(\.property.index), of: record)
    }

    /// - Parameter hadUnknownOutcome: whether an earlier request with the object has an unknown outcome.
    func end(_ outcome: InFlightOperations.Outcome, hadUnknownOutcome: Bool, in context: ObjectContext) {
        guard !values.isEmpty else { return }
        guard outcome == .confirmed, !context.isEnded, let object = context.object(for: record) else {
            return context.operations.endSend(of: record, [], outcome == .confirmed ? .unknown : outcome)
        }
        let serverValues = ServerValues(of: object._object)
        let isAcknowledged = values.allSatisfy { serverValues.has($0.value, of: $0.property) }
        context.operations.endSend(
            of: record, [], isAcknowledged && (isPart || !hadUnknownOutcome) ? .confirmed : .unknown)
        for (property, _) in values { context.forgetStoredEdit(of: property, in: object) }
    }
}
