extension Context {
    /// Writes all unsaved edits, inserts and deletions into the file, in one transaction off this actor, and merges them into
    /// the other contexts before it returns. Nothing is sent to the server.
    ///
    /// What is edited while this runs stays unsaved.
    ///
    /// - Throws: ``StoreError``; the file and the edits are as they were then, and the next `save` tries again.
    public nonisolated(nonsending) func save() async throws(StoreError) {
        try throwFailure()
        let objects = unsavedObjects
        guard !objects.isEmpty else { return }
        let batch = batch(of: objects)
        let file = try openFile()
        noteInFlight(batch)
        defer { noteLanded(batch) }
        try await file.write { writer in
            var changes = ChangeSet(tableCount: writer.schema.tables.count)
            try writer.apply(batch, &changes)
            return ((), changes)
        }
        noteSaved(batch)
    }

    /// What the objects' edits come to, as values.
    package func batch(of objects: [any Model]) -> WriteBatch {
        var batch = WriteBatch()
        for object in objects {
            let state = object._object
            if state.isDeleted {
                batch.deletions.append(WriteBatch.Key(table: state.table.index, id: state.localID))
                continue
            }
            if state.isInserted || !state.edits.isEmpty { batch.rows.append(row(of: state)) }
            for (property, list) in state.lists.sorted(by: { $0.key < $1.key }) where list.isEdited {
                let members = list.members.filter { liveIsMember(state.table.properties[property], $0) }
                batch.memberships.append(
                    WriteBatch.Membership(
                        table: state.table.index, property: property, owner: state.localID, members: members))
            }
        }
        return batch
    }

    /// The row as it is to be. A link to an object that is deleted here leads nowhere.
    private func row(of state: ObjectState) -> WriteBatch.Row {
        var values = state.isInserted ? state.defaults.merging(state.edits) { $1 } : state.edits
        for (index, value) in values {
            guard case .integer(let id) = value, let link = state.table.properties[index].link,
                liveObject(link.target, id)?._object.isDeleted == true
            else { continue }
            values[index] = .null
        }
        return WriteBatch.Row(
            table: state.table.index, id: state.localID, values: values, isInsert: state.isInserted,
            edited: Set(state.edits.keys))
    }

    private func liveIsMember(_ property: Property, _ id: Int64) -> Bool {
        guard let list = property.list else { return false }
        return liveObject(list.target, id)?._object.isDeleted != true
    }

    /// Notes that the batch's values are on their way to the file.
    package func noteInFlight(_ batch: WriteBatch) {
        for row in batch.rows {
            guard let state = object(of: WriteBatch.Key(table: row.table, id: row.id))?._object else { continue }
            for index in row.values.keys { state.inFlight[index, default: 0] += 1 }
        }
    }

    /// Notes that they have arrived, or will not. An edit that the file agrees with by now is none any more.
    package func noteLanded(_ batch: WriteBatch) {
        for row in batch.rows {
            guard let object = object(of: WriteBatch.Key(table: row.table, id: row.id)) else { continue }
            let state = object._object
            for index in row.values.keys {
                state.inFlight[index, default: 1] -= 1
                guard state.inFlight[index] == 0 else { continue }
                state.inFlight[index] = nil
                if !state.isInserted, state.edits[index] == state.snapshot.value(index) { state.edits[index] = nil }
            }
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
            guard let state = object(of: key)?._object,
                let list = state.lists[membership.property], list.members == membership.members
            else { continue }
            state.lists[membership.property] = nil
        }
        for key in batch.rows.map({ ($0.table, $0.id) }) + batch.memberships.map({ ($0.table, $0.owner) }) {
            if let object = object(of: WriteBatch.Key(table: key.0, id: key.1)) { noteEdit(of: object) }
        }
    }
}
