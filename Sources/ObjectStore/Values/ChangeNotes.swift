/// The changed rows of all transactions, in order. A stored response is intact if no later note affects its rows.
struct ChangeNotes: Sendable {
    /// The notes in the file. Memory has up to twice as many. Older responses count as changed.
    static let limit = 10_000

    struct Note: Sendable {
        let kind: Int64
        let first: Int64
        let last: Int64
    }

    private var first: Int64 = 1
    private var notes: [Note] = []

    /// The id of the last note, 0 at first.
    var last: Int64 { first + Int64(notes.count) - 1 }

    /// Ignores notes that are already present.
    mutating func take(_ more: [(id: Int64, note: Note)]) {
        for (id, note) in more where id > last || notes.isEmpty {
            if notes.isEmpty || id != last + 1 { (first, notes) = (id, []) }
            notes.append(note)
        }
        guard notes.count > 2 * Self.limit else { return }
        first += Int64(notes.count - Self.limit)
        notes.removeFirst(notes.count - Self.limit)
    }

    /// Whether all rows that a response covers are unchanged.
    ///
    /// - Complexity: linear in the number of notes since it was last checked.
    func leaveIntact(_ answer: UncheckedAnswer) -> Bool {
        let change = answer.change
        guard change >= 0, !notes.isEmpty else { return change == 0 }
        guard change <= last, first <= change + 1, let covered = CoveredRows(coded: answer.covered) else {
            return false
        }
        return notes[Int(change + 1 - first)...].allSatisfy { note in
            guard let rows = covered.kinds[note.kind], note.first <= note.last else { return true }
            return !rows.meets(note.first...note.last)
        }
    }
}
