extension [RowID] {
    /// What an edited list comes to on top of what others have made of it since it was edited: the order is the user's;
    /// what others removed is gone, what they added comes last.
    ///
    /// - Parameters:
    ///   - base: the members when it was edited.
    ///   - current: the members now.
    ///   - decided: those of which the edit has the last word.
    func rebased(from base: [RowID], onto current: [RowID], deciding decided: Set<RowID> = []) -> [RowID] {
        if current == base { return self }
        let (known, present, wanted) = (Set(base), Set(current), Set(self))
        return filter { !known.contains($0) || present.contains($0) || decided.contains($0) }
            + current.filter { !known.contains($0) && !wanted.contains($0) && !decided.contains($0) }
    }

    /// What an edited list of embedded objects comes to on top of what the server says of it: where the order was not
    /// edited, it is the server's, and what is here alone stands behind what it stood behind. Else what others have
    /// added stands behind what the server has it behind.
    ///
    /// - Parameters:
    ///   - named: the rows of the elements that the server names.
    ///   - base: those of the list that it named before, in its order.
    ///   - isOrdered: whether the order is the edit's, whatever was done to what the server named.
    ///   - keeps: whether one that it names no more stays.
    func rebased(
        onto named: [RowID], from base: [RowID], isOrdered: Bool = false, keeping keeps: (RowID) -> Bool
    ) -> [RowID] {
        let (present, known, mine) = (Set(named), Set(base), Set(self))
        let own = filter { present.contains($0) || !known.contains($0) || keeps($0) }
        if isOrdered || filter(known.contains) != base.filter(mine.contains) {
            return own.with(present.subtracting(mine), placedAsIn: named)
        }
        return named.with(Set(own).subtracting(present), placedAsIn: own)
    }

    /// With rows that are in another list as well, each behind what it stands behind there.
    func with(_ added: Set<RowID>, placedAsIn other: [RowID]) -> [RowID] {
        guard !added.isEmpty else { return self }
        let known = Set(self)
        var following: [RowID?: [RowID]] = [:]
        var last: RowID?
        for row in other {
            if added.contains(row) {
                following[last, default: []].append(row)
            } else if known.contains(row) {
                last = row
            }
        }
        return (following[nil] ?? []) + flatMap { [$0] + (following[$0] ?? []) }
    }

    /// Inserts rows of another list, each behind all rows that precede it there.
    func with(_ added: Set<RowID>, behindAllAsIn other: [RowID]) -> [RowID] {
        guard !added.isEmpty else { return self }
        let places = Dictionary(zip(self, indices)) { first, _ in first }
        var following: [Int: [RowID]] = [:]
        var last = -1
        for row in other {
            if added.contains(row) {
                following[last, default: []].append(row)
            } else if let place = places[row] {
                last = Swift.max(last, place)
            }
        }
        return (following[-1] ?? []) + indices.flatMap { [self[$0]] + (following[$0] ?? []) }
    }

    /// The same of a list that is kept as its members' links: who is a member, their links say; the edited list says in
    /// which order they are.
    ///
    /// - Parameter current: the members now.
    func order(of current: [RowID]) -> [RowID] {
        if current == self { return self }
        let present = Set(current)
        return FactRules.arrange(filter(present.contains), over: current)
    }
}
