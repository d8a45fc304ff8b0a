extension World {
    /// Each once. Creates those that the repository lacks.
    mutating func labelIDs(named names: [String], in index: Int) -> [Int] {
        var ids: [Int] = []
        for name in names {
            if let label = repositories[index].label(named: name) {
                ids.append(label.id)
            } else {
                let label = Label(id: newIdentifier(), name: name)
                repositories[index].labels.append(label)
                ids.append(label.id)
            }
        }
        return ids.removingDuplicates()
    }
}
