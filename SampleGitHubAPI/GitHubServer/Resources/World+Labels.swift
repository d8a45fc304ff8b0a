extension World {
    /// The labels of a repository with these names, each once; those that it lacks are made.
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
