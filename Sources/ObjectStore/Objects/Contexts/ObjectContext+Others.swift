// What another process has committed: which rows it has changed is not known, so all that is live is compared with the
// file.

extension ObjectContext {
    /// Brings all live objects to the state that is being read, and notes that any table may have changed.
    ///
    /// - Complexity: a row is read for each live object, and those that differ are taken.
    func mergeOthers() {
        for model in schema.roots {
            for row in maps[model.table].liveRows {
                let record = RecordID(table: model.table, row: row)
                guard let object = maps[model.table].any(row), !object._object.isInserted else { continue }
                // Where it can't be read the next call that can throw says so, and the object stays.
                guard let stored = read({ reader in try reader.row(record) }) else { continue }
                if let stored, stored.hasSameValues(as: object._object.snapshot, of: model) { continue }
                reload(record)
            }
            unifyNewObjects(of: model.table)
        }
        listVersions.advanceAll()
        for object in unsavedObjects {
            let state = object._object.current
            for index in state.model.listProperties where state.hasEditedList(index) { _ = members(of: state, index) }
        }
        watch.noteRenewal()
    }
}

extension Snapshot {
    fileprivate func hasSameValues(as other: Snapshot, of model: ModelSchema) -> Bool {
        model.columns.allSatisfy { has(other.value($0.property), at: $0.property) }
    }
}
