/// The notes of which rows transactions have changed, as far as they follow each other without a gap: an answer that
/// knows the one before them is intact if none of them meets what it vouches for.
struct ChangeNotes: Sendable {
    /// How many are kept, in the file and in memory: an answer that knows none of these is not intact.
    static let limit = 10_000

    /// Some rows of a kind that have changed.
    struct Note: Sendable {
        let kind: Int64
        let first: Int64
        let last: Int64
    }

    /// The number of the first.
    private var first: Int64 = 1
    private var notes: [Note] = []

    /// The number of the last; 0 where there is none.
    var last: Int64 { first + Int64(notes.count) - 1 }

    /// Takes those that follow, which may have been taken before.
    mutating func take(_ more: [(id: Int64, note: Note)]) {
        for (id, note) in more where id > last || notes.isEmpty {
            if notes.isEmpty || id != last + 1 { (first, notes) = (id, []) }
            notes.append(note)
        }
        guard notes.count > 2 * Self.limit else { return }
        first += Int64(notes.count - Self.limit)
        notes.removeFirst(notes.count - Self.limit)
    }

    /// Whether no row has changed of those that an answer vouches for.
    ///
    /// - Complexity: linear in what has changed since it was last looked at.
    func areBeside(_ answer: UncheckedAnswer) -> Bool {
        let change = answer.change
        guard change >= 0, !notes.isEmpty else { return change == 0 }
        guard first <= change + 1, change <= last, let vouched = VouchedRows(coded: answer.vouched) else {
            return false
        }
        return notes[Int(change + 1 - first)...].allSatisfy { note in
            guard let rows = vouched.kinds[note.kind], note.first <= note.last else { return true }
            return !rows.meets(note.first...note.last)
        }
    }
}
