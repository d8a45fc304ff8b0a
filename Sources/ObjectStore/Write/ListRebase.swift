extension [RowID] {
    /// Applies an edited list to the current one, in the edit's order, without members that others have removed.
    /// Members that they have added come last.
    ///
    /// - Parameters:
    ///   - base: the members when the list was edited.
    ///   - current: the members now.
    func rebased(from base: [RowID], onto current: [RowID]) -> [RowID] {
        let toggled = Set(self).symmetricDifference(base)
        return edited(over: current, toggled.contains)
    }

    /// Applies an edited list: the edit's members in its order, then the others.
    ///
    /// - Parameters:
    ///   - current: the members now.
    ///   - isToggled: whether the edit has added or removed a member. The others are members if they are in `current`.
    func edited(over current: [RowID], _ isToggled: (RowID) -> Bool) -> [RowID] {
        if current == self { return self }
        let present = Set(current)
        return FactRules.arrange(
            filter { present.contains($0) || isToggled($0) }, over: current.filter { !isToggled($0) })
    }

    /// Applies an edited list of embedded objects to the server's.
    ///
    /// The order is the server's, unless it was edited. Members of only one list keep their predecessors: local ones in
    /// the server's order, or the server's in the edited order.
    ///
    /// - Parameters:
    ///   - named: the rows of the server's elements.
    ///   - base: the rows of its former elements, in its order.
    ///   - isOrdered: whether the order counts as edited in any case.
    ///   - keeps: whether a row stays that the server has lost.
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

    /// Inserts each row behind its predecessor in the other list.
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

    /// Inserts each row behind all that precede it in the other list.
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

    func order(of current: [RowID]) -> [RowID] {
        if current == self { return self }
        let present = Set(current)
        return FactRules.arrange(filter(present.contains), over: current)
    }
}
