extension UnsentUpdate {
    /// Gives pending edits the names and bases that they have under the new models.
    func apply(to unsent: inout UnsentChanges) {
        var entries: [String: UnsentChanges.Entry] = [:]
        var set: [String: UnsentChanges.Entry] = [:]
        for (name, entry) in unsent.entries where !removed.contains(name) {
            if name.hasPrefix(Self.stepMark) {
                set[String(name.dropFirst())] = entry
                continue
            }
            var entry = entry
            if let conversion = converted[name] {
                entry.base = conversion?(entry.base) ?? .null
                (entry.list, entry.origin) = (nil, nil)
            }
            // What waits is known by another key.
            if renamedMembers.contains(name) { entry.list?.dismissed = [] }
            entries[renamed[name] ?? name] = entry
        }
        // What was edited before a step set it has the base of that edit.
        unsent.entries = entries.merging(set) { edited, _ in edited }
    }
}

extension DeletedRows {
    /// Changes the pending edits of the rows of a table.
    mutating func changeUnsent(of table: String, _ change: (inout UnsentChanges) -> Void) {
        for index in rows.indices where rows[index].table == table {
            guard case .text(let text) = rows[index].cells["_unsent"]?.value else { continue }
            var unsent = UnsentChanges(text: text)
            change(&unsent)
            rows[index].cells["_unsent"] = Cell(unsent.text.map(StoredValue.text) ?? .null)
        }
    }
}
