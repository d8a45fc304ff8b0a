/// Rows with an edited, unacknowledged identity, by the server's identity.
struct RenamedRows {
    private var rows: [[StoredValue]: RowID] = [:]
    private var identities: [RowID: [StoredValue]] = [:]

    var isEmpty: Bool { identities.isEmpty }

    /// Nil: the identity wasn't edited.
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
