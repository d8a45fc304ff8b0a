/// A part of a row in a request.
package enum SentPart: Hashable, Sendable {
    /// All values of the row.
    case row
    /// One relationship without its row, for example by a one-to-many list.
    case relationship(PropertyIndex)
}

package struct SentFact: Hashable, Sendable {
    let record: RecordID
    let part: SentPart

    package init(_ part: SentPart, of record: RecordID) { (self.record, self.part) = (record, part) }
}

/// Marks a fact with a pending edit in the table `_send`, from the start of its request until the outcome is known.
struct SendMark: Equatable, Sendable {
    let processToken: ProcessToken
    /// The sent lists of embedded rows, as text (`Schema.text(of:)`).
    var lists: String?
}
