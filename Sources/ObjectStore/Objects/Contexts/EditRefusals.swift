/// The reasons why edits were refused, for the next save to report.
struct EditRefusals {
    private struct Refusal: Hashable {
        let record: RecordID?
        let text: String
    }

    private var errors: [(refusal: Refusal, error: StoreError)] = []
    /// The noted refusals, each reported once.
    private var known: Set<Refusal> = []

    mutating func note(_ error: StoreError, editing record: RecordID?) {
        let refusal = Refusal(record: record, text: error.description)
        if known.insert(refusal).inserted { errors.append((refusal, error)) }
    }

    /// Takes the errors, in the order of the edits.
    mutating func takeAll() -> [StoreError] {
        defer { self = EditRefusals() }
        return errors.map(\.error)
    }

    mutating func take(of records: Set<RecordID>) -> [StoreError] {
        guard !errors.isEmpty else { return [] }
        let taken = errors.filter { $0.refusal.record.map(records.contains) == true }
        errors.removeAll { $0.refusal.record.map(records.contains) == true }
        known.subtract(taken.map(\.refusal))
        return taken.map(\.error)
    }

    mutating func forget(_ record: RecordID) { _ = take(of: [record]) }
}
