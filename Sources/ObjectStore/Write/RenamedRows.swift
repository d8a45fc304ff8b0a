/// The rows of a table with an edited identity that the server hasn't acknowledged, by the identity that the server
/// has.
struct RenamedRows {
    private var rows: [[StoredValue]: RowID] = [:]
    private var identities: [RowID: [StoredValue]] = [:]

    var isEmpty: Bool { identities.isEmpty }

    /// The server's identity of a row. Nil: the identity wasn't edited.
    subscript(row: RowID) -> [StoredValue]? {
        get { identities[row] }
        set {
            if let former = identities[row], rows[former] == row { rows[former] = nil }
            identities[row] = newValue
            if let newValue { rows[newValue] = row }
        }
    }

    func row(knownBy identity: [StoredValue]) -> RowID? { rows[identity] }
}
