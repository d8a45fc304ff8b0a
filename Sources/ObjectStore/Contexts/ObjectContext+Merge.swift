extension ObjectContext {
    /// Brings what others and this context itself committed into the live objects, commit by commit, and tells the
    /// observers, once for each.
    func mergeWaitingChanges() {
        guard !isEnded else { return }
        for changes in handle.takeWaitingChanges() { merge(changes) }
    }

    private func merge(_ changes: ChangeSet) {
        reader?.endReading()
        var touched = ContextChanges(tableCount: changes.tables.count)
        for replacement in changes.replaced { unify(replacement.table, replacement.old, with: replacement.new) }
        for (table, rows) in changes.tables.enumerated() {
            for id in live(rows.deleted, in: table) { removeDeleted(table, id) }
            if !rows.inserted.isEmpty || !rows.updated.isEmpty { adoptNewObjects(of: table) }
            for id in live(rows.inserted + rows.updated, in: table) { reload(table, id) }
            if !rows.isEmpty { touched.tables.insert(table) }
        }
        for list in changes.lists { listVersions[list] += 1 }
        touched.lists = changes.lists
        tellObservers(touched)
    }

    /// Those of the keys that have a live object here, by looking through whichever side is smaller.
    private func live(_ ids: [Int64], in table: Int) -> [Int64] {
        if ids.count <= maps[table].count { return ids.filter { maps[table].any($0) != nil } }
        let changed = Set(ids)
        return maps[table].liveIDs.filter(changed.contains)
    }

    func reload(_ table: Int, _ id: Int64) {
        guard let object = maps[table].any(id) as? any Model,
            let row = read({ reader in try reader.row(table, id) })
        else { return }
        guard let row else { return removeDeleted(table, id) }
        let state = object._object
        state.snapshot = row
        state.isInserted = false
        state.defaults = [:]
        // What the file now says too is no edit any more.
        for (index, value) in state.edits where value == row.value(index) { state.edits[index] = nil }
        if unsaved.contains(object) { noteEdit(of: object) }
        if schema.tables[table].family != nil { followModel(table, id, row) }
    }

    /// The object keeps what it last was; its edits have nowhere to go.
    private func removeDeleted(_ table: Int, _ id: Int64) {
        if let object = maps[table].any(id) as? any Model {
            object._object.isDeleted = true
            forgetEdit(of: object)
        }
        maps[table].remove(id)
    }
}

/// What one commit touched: the tables and the to-many relationships.
struct ContextChanges: Sendable {
    var tables: Set<Int> = []
    var lists: Set<Int> = []

    init(tableCount: Int) { tables.reserveCapacity(tableCount) }
}
