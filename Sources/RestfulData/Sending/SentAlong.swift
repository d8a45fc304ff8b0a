import ObjectStore

/// Edits that go out with a request about another object, or about one link of theirs: of what is known and goes out
/// within it, of what is embedded, of a whole. Until the reply has repeated them nobody knows what the server has of
/// them: what is set back meanwhile is an edit.
struct SentAlong {
    let record: RecordID
    private let values: [(property: Property, value: StoredValue)]
    private let isPart: Bool

    /// - Parameter properties: those that are edited, saved or not.
    init(_ properties: [Property], of object: ObjectState) {
        record = object.record
        isPart = object.model.isEmbedded
        values = properties.map { ($0, object.storedValue($0)) }
    }

    /// What is embedded, which goes out whole: with all that is edited in it, or of which it is in doubt whether the
    /// server has it.
    init(part: ObjectState) {
        let isInDoubt = part.context?.underway.isInDoubt(part.record) == true
        self.init(isInDoubt ? part.model.declared.filter { $0.column != nil } : part.unsentProperties, of: part)
    }

    var isEmpty: Bool { values.isEmpty }

    func begin(in context: ObjectContext) {
        guard !values.isEmpty else { return }
        context.underway.beginSend(values.map(\.property.index), of: record)
    }

    /// - Parameters:
    ///   - outcome: what has come of the request.
    ///   - wasInDoubt: whether something of the object was sent before, and not answered.
    func end(_ outcome: Underway.Outcome, wasInDoubt: Bool, in context: ObjectContext) {
        guard !values.isEmpty else { return }
        guard outcome == .confirmed, !context.isEnded, let object = context.object(for: record) else {
            return context.underway.endSend(of: record, [], outcome == .confirmed ? .unknown : outcome)
        }
        let said = LastSaid(of: object._object)
        let isSaid = values.allSatisfy { said.says($0.value, of: $0.property) }
        context.underway.endSend(of: record, [], isSaid && (isPart || !wasInDoubt) ? .confirmed : .unknown)
        for (property, _) in values { context.forgetStoredEdit(of: property, in: object) }
    }
}
