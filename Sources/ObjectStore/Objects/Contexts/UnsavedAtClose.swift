/// The objects of a closed store's context with unstored edits, made before or after the store was closed. It holds
/// them weakly, since they hold their context.
struct UnsavedAtClose {
    private struct Entry {
        weak var object: (any Model)?
        /// Used after the object was released.
        let name: String
    }

    private var entries: [RecordID: Entry] = [:]
    private var order: [RecordID] = []
    /// The edits that saves and requests in flight have stored. The objects keep showing them.
    private var stored: Set<ChangeStamp> = []
    /// The objects that these saves and requests have inserted or deleted.
    private var storedRecords: Set<RecordID> = []

    var names: [String] {
        order.compactMap { record in
            guard let entry = entries[record] else { return nil }
            guard let object = entry.object else { return entry.name }
            return isUnsaved(object._object) ? object._object.displayName : nil
        }
    }

    mutating func note(_ object: any Model) {
        let state = object._object
        guard isUnsaved(state) else { return }
        if entries[state.record] == nil { order.append(state.record) }
        entries[state.record] = Entry(object: object, name: state.displayName)
    }

    mutating func noteStored(_ batch: WriteBatch, objects: [any Model]) {
        for row in batch.rows {
            stored.formUnion((row.edited ?? EditMap()).map(\.value.stamp))
            if row.isInsert { storedRecords.insert(row.record) }
        }
        stored.formUnion(batch.memberships.compactMap(\.stamp))
        storedRecords.formUnion(batch.deletions)
        for record in batch.deletions { entries[record] = nil }
        for object in objects where !isUnsaved(object._object) { entries[object._object.record] = nil }
        order.removeAll { entries[$0] == nil }
    }

    private func isUnsaved(_ state: ObjectState) -> Bool {
        let isStored = storedRecords.contains(state.record)
        if state.isDeleted { return !isStored && state.context?.base?.isOwnDeletion(state) != false }
        if state.isNewHere, !isStored { return true }
        return state.ownEdits.contains { !stored.contains($0.value.stamp) }
            || state.ownEditedLists.contains { index in
                state.lists[index]?.stamp.map { !stored.contains($0) } ?? true
            }
    }
}
