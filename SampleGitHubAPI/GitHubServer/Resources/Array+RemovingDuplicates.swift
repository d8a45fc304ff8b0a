extension Array where Element: Hashable {
    /// Keeps the first of equal elements.
    func removingDuplicates() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
