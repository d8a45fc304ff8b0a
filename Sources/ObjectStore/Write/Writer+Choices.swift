// All properties of a relationship to one of several models have an entry in a row's pending edits, or none has,
// because their edits are one. Otherwise an edit would mix with a reply, or with another context's edit.

extension Writer {
    /// Adds the missing entries. Their bases are the values in the file.
    func completeChoices(_ unsent: inout UnsentChanges, of record: RecordID) throws {
        let model = schema[record.table]
        for choice in model.choices {
            let known = choice.members.compactMap { unsent.entries[model[$0].name] }
            guard let stamp = known.map(\.stamp).max(), known.count < choice.members.count else { continue }
            let columns = choice.members.compactMap { model.column(of: $0) }
            guard let bases = try bases(of: columns, in: record) else { continue }
            for member in choice.members where !unsent.contains(model[member].name) {
                unsent.entries[model[member].name] = UnsentChanges.Entry(base: bases[member] ?? .null, stamp: stamp)
            }
        }
    }

    /// An edit of such a relationship can be dropped only with all of its edits. Others can always be.
    ///
    /// - Parameters:
    ///   - names: the properties with edits that equal the server's value.
    ///   - edits: all properties with edits.
    func droppable(
        _ names: Set<String>, of edits: @autoclosure () -> Set<String>, in model: ModelSchema
    ) -> Set<String> {
        guard !model.choices.isEmpty, !names.isEmpty else { return names }
        let edits = edits()
        var names = names
        for choice in model.choices {
            let (own, links) = (model[choice.property].name, choice.links.map { model[$0].name })
            let edited = links.filter(edits.contains)
            // The server may write a model's name in several ways.
            if edited.isEmpty ? !names.contains(own) : !edited.allSatisfy(names.contains) {
                names.subtract(links + [own])
            } else if !edited.isEmpty {
                names.formUnion([own].filter(edits.contains))
            }
        }
        return names
    }
}
