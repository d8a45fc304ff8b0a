extension Array where Element: Hashable {
    /// The elements, each where it stood first.
    func removingDuplicates() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
