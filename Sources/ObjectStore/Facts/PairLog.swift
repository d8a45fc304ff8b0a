/// Pending edits of memberships, found by either end: the table `_pair`, in memory.
struct PairLog {
    private struct End: Hashable {
        let join: String
        let row: RowID
    }

    private var edits: [Pair: PairEdit] = [:]
    private var targets: [End: Set<RowID>] = [:]
    private var sources: [End: Set<RowID>] = [:]

    var isEmpty: Bool { edits.isEmpty }

    subscript(pair: Pair) -> PairEdit? {
        get { edits[pair] }
        set {
            edits[pair] = newValue
            let (source, target) = (End(join: pair.join, row: pair.source), End(join: pair.join, row: pair.target))
            if newValue == nil {
                targets[source]?.remove(pair.target)
                sources[target]?.remove(pair.source)
                if targets[source]?.isEmpty == true { targets[source] = nil }
                if sources[target]?.isEmpty == true { sources[target] = nil }
            } else {
                targets[source, default: []].insert(pair.target)
                sources[target, default: []].insert(pair.source)
            }
        }
    }

    func edits(of list: List, _ owner: RowID) -> [RowID: PairEdit] {
        var found: [RowID: PairEdit] = [:]
        for member in editedMembers(of: list, owner) {
            if let pair = list.pair(owner, member) { found[member] = edits[pair] }
        }
        return found
    }

    private func editedMembers(of list: List, _ owner: RowID) -> Set<RowID> {
        guard !edits.isEmpty, case .join(let join, let isReversed) = list.storage else { return [] }
        return (isReversed ? sources : targets)[End(join: join.name, row: owner)] ?? []
    }

    /// The owners of lists with an edited membership of a row.
    ///
    /// - Parameter list: the unreversed side of the join table.
    func owners(of list: List, _ member: RowID) -> Set<RowID> {
        list.joinTable.flatMap { sources[End(join: $0.name, row: member)] } ?? []
    }

    /// Whether this list itself sends an edit.
    ///
    /// - Complexity: constant if it does, which is usual.
    func hasEdits(by list: List, _ owner: RowID) -> Bool {
        editedMembers(of: list, owner).contains { member in
            list.pair(owner, member).flatMap { edits[$0] }?.sides.contains(list.side) == true
        }
    }
}
