/// The rows of a table whose identity was edited here, and that the server knows by another until it has taken the
/// edit.
struct RenamedRows {
    private var rows: [[StoredValue]: RowID] = [:]
    private var identities: [RowID: [StoredValue]] = [:]

    var isEmpty: Bool { identities.isEmpty }

    /// What the server knows a row by; `nil` for one that wasn't renamed.
    subscript(row: RowID) -> [StoredValue]? {
        get { identities[row] }
        set {
            if let former = identities[row], rows[former] == row { rows[former] = nil }
            identities[row] = newValue
            if let newValue { rows[newValue] = row }
        }
    }

    /// The row that the server knows by an identity.
    func row(knownBy identity: [StoredValue]) -> RowID? { rows[identity] }
}
