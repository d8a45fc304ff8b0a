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
}
