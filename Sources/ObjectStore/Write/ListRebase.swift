extension [RowID] {
    /// What an edited list comes to on top of what others have made of it since it was edited: the order is the user's; what
    /// others removed is gone, what they added comes last.
    ///
    /// - Parameters:
    ///   - base: the members when it was edited.
    ///   - current: the members now.
    func rebased(from base: [RowID], onto current: [RowID]) -> [RowID] {
        if current == base { return self }
        let (known, present, wanted) = (Set(base), Set(current), Set(self))
        return filter { !known.contains($0) || present.contains($0) }
            + current.filter { !known.contains($0) && !wanted.contains($0) }
    }

    /// The same of a list that is kept as its members' links: who is a member, their links say; the edited list says in which
    /// order they are.
    ///
    /// - Parameter current: the members now.
    func order(of current: [RowID]) -> [RowID] {
        if current == self { return self }
        let (present, ordered) = (Set(current), Set(self))
        return filter(present.contains) + current.filter { !ordered.contains($0) }
    }
}
