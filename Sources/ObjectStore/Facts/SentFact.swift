/// The part of a row that a request sends.
package enum SentPart: Hashable, Sendable {
    /// The row with all its values.
    case row
    /// A link or a membership without the rest of the row, for example by a one-to-many list.
    case relationship(PropertyIndex)
}

/// A fact in a request: a row, or one of its links or memberships.
package struct SentFact: Hashable, Sendable {
    let record: RecordID
    let part: SentPart

    package init(_ part: SentPart, of record: RecordID) { (self.record, self.part) = (record, part) }
}

/// The mark of a fact with a pending edit, in the table `_send`. The file has it from the start of the request until
/// its outcome is known.
struct SendMark: Equatable, Sendable {
    let holder: Holder
    /// Of a row: the lists of embedded rows that were sent, as text (`Schema.text(of:)`).
    var lists: String?
}
