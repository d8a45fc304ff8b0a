// The rows that other processes have changed are unknown, so all live objects are read again.

extension ObjectContext {
    /// - Complexity: linear in the live objects.
    func mergeOthers() {
        for model in schema.roots {
            for row in maps[model.table].liveRows {
                let record = RecordID(table: model.table, row: row)
                guard let object = maps[model.table].any(row), !object._object.isInserted else { continue }
                // After an error, the object stays.
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
