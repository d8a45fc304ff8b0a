extension UnsentUpdate {
    /// Adapts names and bases of pending edits to the new models.
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
            // Pending members have other keys now.
            if renamedMembers.contains(name) { entry.list?.dismissed = [] }
            entries[renamed[name] ?? name] = entry
        }
        // If a property was edited before a step in code set it, the base of that edit stays.
        unsent.entries = entries.merging(set) { edited, _ in edited }
    }
}

extension DeletedRows {
    mutating func changeUnsent(of table: String, _ change: (inout UnsentChanges) -> Void) {
        for index in rows.indices where rows[index].table == table {
            guard case .text(let text) = rows[index].cells["_unsent"]?.value else { continue }
            var unsent = UnsentChanges(text: text)
            change(&unsent)
            rows[index].cells["_unsent"] = Cell(unsent.text.map(StoredValue.text) ?? .null)
        }
    }
}
