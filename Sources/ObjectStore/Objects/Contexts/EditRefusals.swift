/// Why edits were not made, until a save reports it.
struct EditRefusals {
    private struct Refusal: Hashable {
        /// The object that was to be edited, where that is known.
        let record: RecordID?
        let text: String
    }

    private var errors: [(refusal: Refusal, error: StoreError)] = []
    /// Each is reported once, however often the edit was tried.
    private var known: Set<Refusal> = []

    mutating func note(_ error: StoreError, editing record: RecordID?) {
        let refusal = Refusal(record: record, text: error.description)
        if known.insert(refusal).inserted { errors.append((refusal, error)) }
    }

    /// The errors in the order of the edits, which are not reported again.
    mutating func takeAll() -> [StoreError] {
        defer { self = EditRefusals() }
        return errors.map(\.error)
    }

    /// The errors about some objects, likewise.
    mutating func take(of records: Set<RecordID>) -> [StoreError] {
        guard !errors.isEmpty else { return [] }
        let taken = errors.filter { $0.refusal.record.map(records.contains) == true }
        errors.removeAll { $0.refusal.record.map(records.contains) == true }
        known.subtract(taken.map(\.refusal))
        return taken.map(\.error)
    }

    mutating func forget(_ record: RecordID) { _ = take(of: [record]) }
}
