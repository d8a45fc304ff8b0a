extension ObjectContext {
    /// Writes all unsaved edits, inserts and deletions into the file, in one transaction off this actor, and merges them into
    /// the other contexts before it returns. Nothing is sent to the server.
    ///
    /// What is edited while this runs stays unsaved. Saves of one context run one after the other.
    ///
    /// An edited list is stored as what was added, removed and moved: members that another context has added since it was
    /// read stay, at the end.
    ///
    /// - Throws: ``StoreError``; the file and the edits are as they were then, and the next `save` tries again.
    ///   ``StoreError/duplicateIdentity(model:identity:)`` for a second object of one identity,
    ///   ``StoreError/deleteDenied(model:identity:relationship:count:)`` for one that a rule keeps: mend them and save again.
    ///   ``StoreError/foreignObject(model:)`` or ``StoreError/deletedObject(model:)`` where an edit was not made because of
    ///   such an object; it says so once: the property is what it was, and the next `save` stores the other edits.
    ///   ``StoreError/unsendable(model:property:value:)`` for an edit that no server could be told.
    public nonisolated(nonsending) func save() async throws(StoreError) {
        await waitForSaves()
        defer { endSave() }
        try throwFailure()
        try throwRefusal()
        let file = try openFile()
        let objects = unsavedObjects
        guard !objects.isEmpty else { return }
        for object in objects { try object._object.refuseUnsendable() }
        let batch = batch(of: objects)
        noteInFlight(batch)
        defer { noteLanded(batch) }
        try await file.write { writer in
            var changes = ChangeSet(tableCount: writer.schema.tables.count)
            try writer.apply(batch, &changes)
            try writer.clearBrokenLinks(of: writer.successor(of: batch))
            return ((), changes)
        }
        noteSaved(batch)
    }

    /// A later save must not overtake an earlier one, whose values are older.
    private nonisolated(nonsending) func waitForSaves() async {
        guard isSaving else {
            isSaving = true
            return
        }
        await withCheckedContinuation { waitingSaves.append($0) }
    }

    /// Lets the next save begin.
    private func endSave() {
        if waitingSaves.isEmpty {
            isSaving = false
        } else {
            waitingSaves.removeFirst().resume()
        }
    }

    /// What the objects' edits come to, as values.
    package func batch(of objects: [any Model]) -> WriteBatch {
        var batch = WriteBatch()
        for object in objects {
            let state = object._object.current
            if state.isDeleted {
                batch.deletions.append(WriteBatch.Key(table: state.table.index, id: state.localID))
                continue
            }
            forgetGoneObjects(state)
            if state.isInserted || !state.edits.isEmpty { batch.rows.append(row(of: state)) }
            for (property, list) in state.lists.sorted(by: { $0.key < $1.key }) where list.isEdited {
                batch.memberships.append(
                    WriteBatch.Membership(
                        table: state.table.index, property: property, owner: state.localID, members: list.members,
                        base: list.base))
            }
        }
        return batch
    }

    private func row(of state: ObjectState) -> WriteBatch.Row {
        WriteBatch.Row(
            table: state.table.index, id: state.localID,
            values: state.isInserted ? state.defaults.merging(state.edits) { $1 } : state.edits,
            isInsert: state.isInserted, edited: Set(state.edits.keys))
    }

    /// Edits that lead to objects which are deleted lead nowhere.
    private func forgetGoneObjects(_ state: ObjectState) {
        for (index, value) in state.edits {
            guard case .integer(let id) = value, let link = state.table.properties[index].link,
                isGone(link.target, id)
            else { continue }
            state.edits[index] = .null
        }
        for (index, list) in state.lists where list.isEdited {
            guard let target = state.table.properties[index].list?.target else { continue }
            state.lists[index]?.members.removeAll { isGone(target, $0) }
        }
    }

    /// Whether the object is deleted, or was made here and deleted before it was saved. Rows that another context has
    /// deleted are left to the writer.
    private func isGone(_ table: Int, _ id: Int64) -> Bool {
        if let live = liveObject(table, id) { return live._object.isDeleted }
        return id < 0 && object(table, id) == nil
    }

    /// Notes that the batch's values are on their way to the file.
    package func noteInFlight(_ batch: WriteBatch) {
        for row in batch.rows {
            guard let state = object(of: WriteBatch.Key(table: row.table, id: row.id))?._object else { continue }
            for index in row.values.keys { state.inFlight[index, default: 0] += 1 }
        }
        for list in batch.memberships {
            guard let state = object(of: WriteBatch.Key(table: list.table, id: list.owner))?._object else { continue }
            state.inFlight[list.property, default: 0] += 1
        }
    }

    /// Notes that they have arrived, or will not. An edit that the file agrees with by now is none any more.
    package func noteLanded(_ batch: WriteBatch) {
        for row in batch.rows {
            guard let object = object(of: WriteBatch.Key(table: row.table, id: row.id)) else { continue }
            let state = object._object
            for index in row.values.keys where state.noteLanded(index) {
                if !state.isInserted, state.edits[index] == state.snapshot.value(index) { state.edits[index] = nil }
            }
            if state.isInserted, state.isDeleted, state.inFlight.isEmpty {
                forget(object)
            } else {
                noteEdit(of: object)
            }
        }
        for list in batch.memberships {
            guard let object = object(of: WriteBatch.Key(table: list.table, id: list.owner)) else { continue }
            let state = object._object
            guard state.noteLanded(list.property), let edited = state.lists[list.property], edited.isEdited,
                let compiled = state.table.properties[list.property].list, !state.isInserted,
                edited.members == storedMembers(of: state, compiled)
            else { continue }
            state.lists[list.property] = nil
            noteEdit(of: object)
        }
    }

    /// Takes back the edits that are in the file now, unless they were edited again meanwhile.
    package func noteSaved(_ batch: WriteBatch) {
        for row in batch.rows {
            guard let object = object(of: WriteBatch.Key(table: row.table, id: row.id)) else { continue }
            let state = object._object
            state.isInserted = false
            state.defaults = [:]
            for (index, value) in row.values where state.edits[index] == value { state.edits[index] = nil }
        }
        for membership in batch.memberships {
            let key = WriteBatch.Key(table: membership.table, id: membership.owner)
            guard let state = object(of: key)?._object, let list = state.lists[membership.property] else { continue }
            if list.members == membership.members {
                state.lists[membership.property] = nil
            } else if list.isEdited {
                state.lists[membership.property]?.base = membership.members
            }
        }
        for key in batch.deletions {
            // A row that was gone already is in no change set.
            if let object = object(of: key), object.isDeleted { forget(object) }
        }
        for key in batch.rows.map({ ($0.table, $0.id) }) + batch.memberships.map({ ($0.table, $0.owner) }) {
            if let object = object(of: WriteBatch.Key(table: key.0, id: key.1)) { noteEdit(of: object) }
        }
    }
}
