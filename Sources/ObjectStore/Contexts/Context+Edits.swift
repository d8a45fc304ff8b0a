extension Context {
    func insert(_ object: some Model) {
        let state = object._object
        guard maps.indices.contains(state.table.index) else { return }
        maps[state.table.index].insert(object, for: state.localID)
        noteEdit(of: object)
    }

    /// Keeps an object that has edits, and lets go of one that has none any more.
    func noteEdit(of object: any Model) {
        if !isEnded, object._object.hasChanges || object._object.isDeleted {
            unsaved.insert(object)
        } else {
            forgetEdit(of: object)
        }
    }

    func forgetEdit(of object: any Model) { unsaved.remove(object) }

    /// The objects with edits, in the order in which they were first edited.
    var unsavedObjects: [any Model] { unsaved.inOrder }

    /// Deletes the object here. It is gone from queries and relationships at once, and from the file and other contexts
    /// with the next ``save()``; ``rollback()`` brings it back. The server is not told: `object.delete()` does that.
    ///
    /// Deleting an object that is deleted does nothing.
    public func delete(_ object: some Model) {
        let state = object._object
        guard owns(object), !state.isDeleted else { return }
        state.isDeleted = true
        guard maps.indices.contains(state.table.index) else { return }
        noteDeletion(in: state.table)
        // One that a save is about to insert is there to be deleted afterwards.
        if state.isInserted, state.inFlight.isEmpty {
            forget(object)
        } else {
            noteEdit(of: object)
        }
    }

    /// Lets go of an object that is deleted for good.
    func forget(_ object: any Model) {
        maps[object._object.table.index].remove(object._object.localID)
        forgetEdit(of: object)
    }

    /// Takes back all that was edited, inserted and deleted here and not saved. Inserted objects become deleted ones.
    public func rollback() {
        failure = nil
        refusal = nil
        for object in unsavedObjects {
            let state = object._object
            state.edits = [:]
            state.lists = [:]
            if state.isInserted {
                maps[state.table.index].remove(state.localID)
                state.isDeleted = true
            } else {
                state.isDeleted = false
            }
            noteDeletion(in: state.table)
        }
        unsaved.removeAll()
        // Lists that were read while they held such edits are read again.
        for index in listVersions.indices { listVersions[index] += 1 }
    }

    /// Lists that lead to rows of the table are read again.
    private func noteDeletion(in table: Table) {
        for owner in schema.tables {
            for list in owner.lists where list.target == table.index { listVersions[list.number] += 1 }
        }
    }
}
