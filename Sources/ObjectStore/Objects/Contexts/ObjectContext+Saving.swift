extension ObjectContext {
    /// Writes all unsaved edits, inserts and deletions into the file, in one transaction off this actor. Other contexts
    /// follow as soon as their actors are free. The objects' own `save()` sends changes to the server.
    ///
    /// A draft's context saves into its parent instead; see ``Draft/save()``. Edits made while the save runs stay
    /// unsaved. Saves of one context run one after the other. An edited list is stored as its added, removed and moved
    /// members. Members added by other contexts stay, at the end.
    ///
    /// If the save throws, the file and the edits are unchanged, and the next `save` tries again, except as noted
    /// below. An error about a refused or lost edit is thrown once.
    ///
    /// - Throws: ``StoreError``; several of these as ``StoreError/several(_:)``.
    ///   - ``StoreError/closedStore(unsaved:)``, with the objects whose edits are in no file.
    ///   - ``StoreError/duplicateIdentity(model:identity:)``;
    ///     ``StoreError/deleteDenied(model:identity:relationship:count:)``;
    ///     ``StoreError/unsendable(model:property:value:)``. Change the objects and save again.
    ///   - ``StoreError/validation(_:)`` with all objects that their ``Model/validate()`` rejects.
    ///   - ``StoreError/foreignObject(model:)``, ``StoreError/deletedObject(model:)`` or
    ///     ``StoreError/readOnlyProperty(model:property:)`` if an edit was refused: it set such an object or property,
    ///     which has its former value. ``StoreError/changedModel(property:now:)`` if an object's new class lacks an
    ///     edited property. The next `save` stores the other edits.
    ///   - ``StoreError/deletedObject(model:)`` also if an object with unsaved edits was deleted elsewhere. Everything
    ///     else is saved then.
    ///   - ``StoreError/lostEdits(models:)``.
    ///   - ``StoreError/file(_:path:)`` also if the edits were written but can't be read again. Objects may then show
    ///     former values.
    public nonisolated(nonsending) func save() async throws(StoreError) {
        try checkActor(#isolation)
        if base != nil { return try saveDraft() }
        try await afterOtherSaves { () async throws(StoreError) in
            repeat {
                hasKeptInFlight = false
                try await write(unsavedObjects)
            } while hasKeptInFlight
        }
        if let error = StoreError(all: takeDeletions()) { throw error }
    }

    /// Saves only these objects, and changes the outbox.
    ///
    /// - Throws: as ``save()``. The file, the outbox and the edits are unchanged then.
    package nonisolated(nonsending) func save(
        _ objects: [any Model], queueing changes: [OutboxChange]
    ) async throws(StoreError) {
        try checkActor(#isolation)
        try await afterOtherSaves { () async throws(StoreError) in try await write(objects, queueing: changes) }
    }

    private nonisolated(nonsending) func afterOtherSaves(
        _ save: () async throws(StoreError) -> Void
    ) async throws(StoreError) {
        await waitForSaves()
        defer {
            endSave()
            notifyObservers()
        }
        operations.beginSave()
        defer { operations.endSave() }
        try throwFailure()
        try checkSaving()
        try await save()
        // A merge failed after the write: the objects may show former values.
        try throwFailure()
    }

    private nonisolated(nonsending) func write(
        _ objects: [any Model], queueing changes: [OutboxChange] = []
    ) async throws(StoreError) {
        let residue = try openFile().residue
        try check(objects, besides: objects.flatMap(\._object.unsendableEdits))
        guard !objects.isEmpty else { return }
        var batch = batch(of: objects)
        batch.outbox = changes
        let written = batch
        noteInFlight(batch)
        defer { noteCompleted(batch) }
        try await write { writer in
            var changes = ChangeSet(writer.schema)
            try writer.apply(written, &changes)
            residue.note([written])
            return ((), changes)
        }
        noteSaved(batch)
    }

    /// Throws all errors of a save at once, with `others`.
    func check(_ objects: [any Model], besides others: [StoreError] = []) throws(StoreError) {
        let problems = takeRefusals() + errors(of: objects) + others
        guard !problems.isEmpty, let error = StoreError(all: problems + takeDeletions()) else { return }
        throw error
    }

    /// Call it before a request: an earlier save could overwrite the reply by older values.
    package nonisolated(nonsending) func finishSaves() async {
        guard isSaving else { return }
        await waitForSaves()
        endSave()
    }

    /// Saves run in order, so that newer values win.
    private nonisolated(nonsending) func waitForSaves() async {
        guard isSaving else {
            isSaving = true
            return
        }
        await withCheckedContinuation { waitingSaves.append($0) }
    }

    private func endSave() {
        if waitingSaves.isEmpty {
            isSaving = false
        } else {
            waitingSaves.removeFirst().resume()
        }
    }
}

// MARK: - The batch

extension ObjectContext {
    package func batch(of objects: [any Model]) -> WriteBatch {
        catchUp()
        var batch = WriteBatch()
        let confirmed = operations.confirmedEdits
        for object in objects {
            let state = object._object.current
            if state.isDeleted {
                batch.deletions.append(state.record)
                continue
            }
            if let row = row(of: state, without: confirmed) { batch.rows.append(row) }
            for (property, list) in state.lists.sorted(by: { $0.key < $1.key })
            where list.isEdited && !list.isAmong(confirmed) {
                let members = members(of: state, property)
                let gone = goneMembers(among: members, of: state.model[property])
                var toggles = toggles(of: property, in: state)
                for row in gone where row.isOfNewObject { toggles[row] = nil }
                var membership = WriteBatch.Membership(
                    gone.isEmpty ? members : members.filter { !gone.contains($0) },
                    of: ListOwner(property, of: state.record), toggling: toggles, stamp: list.stamp)
                membership.dismissed = list.dismissed
                (membership.isAssigned, membership.isOrdered) = (list.isAssigned, list.isOrdered)
                batch.memberships.append(membership)
            }
        }
        return batch
    }

    /// - Parameter confirmed: acknowledged edits in the file. Others may have edited the same facts since.
    private func row(of state: ObjectState, without confirmed: Set<ChangeStamp>) -> WriteBatch.Row? {
        var edits = confirmed.isEmpty ? state.edits : state.edits.filter { !confirmed.contains($0.value.stamp) }
        for index in goneLinks(in: edits, of: state.model) { edits[index]?.value = .null }
        guard state.isInserted || !edits.isEmpty else { return nil }
        let values = PropertyMap(edits, over: state.isInserted ? state.defaults : [:])
        var row = WriteBatch.Row(state.record, values: values, isInsert: state.isInserted, edited: edits)
        for (index, edit) in edits { if let owner = edit.leaving { row.leaving[index] = owner } }
        if state.model.isEmbedded, !state.isInserted {
            for (index, _) in edits { row.former[index] = state.snapshot.value(index) }
        }
        return row
    }

    // A batch leaves out deleted objects. The edits keep them until it is written, since their deletion may fail.

    private func goneLinks(in edits: EditMap, of model: ModelSchema) -> [PropertyIndex] {
        edits.compactMap { index, edit in
            guard let target = model.linkTarget(of: index), let row = edit.value.row,
                isGone(RecordID(table: target, row: row))
            else { return nil }
            return index
        }
    }

    private func goneMembers(among members: [RowID], of property: Property) -> Set<RowID> {
        guard let target = property.list?.target else { return [] }
        return Set(members.filter { isGone(RecordID(table: target, row: $0)) })
    }

    private func withoutGone(_ list: ObjectState.ListState, of property: Property) -> ObjectState.ListState {
        let gone = goneMembers(among: list.members, of: property)
        guard !gone.isEmpty else { return list }
        var list = list
        list.members.removeAll(where: gone.contains)
        for row in gone where row.isOfNewObject { list.toggles[row] = nil }
        return list
    }

    /// True for objects deleted here, and new ones that are gone. The writer handles other deleted rows.
    private func isGone(_ record: RecordID) -> Bool {
        if let live = liveObject(record) { return live._object.isDeleted }
        return record.row.isOfNewObject && object(for: record) == nil
    }
}

// MARK: - Results

extension ObjectContext {
    package func noteInFlight(_ batch: WriteBatch) {
        for row in batch.rows {
            guard let state = batchedObject(row.record)?._object else { continue }
            state.noteInFlight(row.values)
        }
        for membership in batch.memberships {
            guard let state = batchedObject(membership.owner.record)?._object else { continue }
            state.noteInFlight(membership.owner.property)
        }
    }

    /// Call it after any outcome. Edits that the file has now are dropped.
    package func noteCompleted(_ batch: WriteBatch) {
        for row in batch.rows {
            if let object = batchedObject(row.record) { noteCompleted(row, object) }
        }
        for membership in batch.memberships {
            if let object = batchedObject(membership.owner.record) { noteCompleted(membership, object) }
        }
    }

    private func noteCompleted(_ row: WriteBatch.Row, _ object: any Model) {
        let state = object._object
        for index in state.noteCompleted(row.values) where state.edits.mayContain(index) {
            let isStored = !state.isInserted && state.edits[index].map { state.isStored($0, at: index) } ?? false
            if isStored, !state.isAtRisk(index) { state.edits[index] = nil }
        }
        if !settle(object) { noteEdit(of: object) }
    }

    /// Decides about a new object after its last save or request.
    ///
    /// - Returns: whether the object is gone.
    private func settle(_ object: any Model) -> Bool {
        let state = object._object
        guard state.inFlight.isEmpty else { return false }
        settleNew(object)
        guard state.isInserted, state.isDeleted else { return false }
        forget(object)
        return true
    }

    /// The object stays if a save or request has inserted it.
    private func settleNew(_ object: any Model) {
        let state = object._object
        if state.isRolledBack { endRollback(of: state) }
        guard state.isDeleted else { return }
        let isInFile = read { reader in try reader.row(state.record) != nil } ?? false
        if !isInFile { state.isInserted = true }
    }

    /// The object stays only if the save or request in flight inserts it.
    func noteRolledBack(_ state: ObjectState) {
        state.isRolledBack = true
        rollbacksInFlight[state.record] = .now()
    }

    /// Edits made since the rollback are lost with the object, and the next save reports them.
    private func endRollback(of state: ObjectState) {
        state.isRolledBack = false
        let stamp = rollbacksInFlight.removeValue(forKey: state.record)
        guard state.isInserted else { return }
        if !state.isDeleted, let stamp, state.hasEdits(since: stamp) {
            noteDeletedByOthers(state.model)
        }
        state.isDeleted = true
    }

    private func noteCompleted(_ membership: WriteBatch.Membership, _ object: any Model) {
        let state = object._object
        let index = membership.owner.property
        let hasCompleted = state.noteCompleted(index)
        guard !settle(object), hasCompleted, let edited = state.lists[index], edited.isEdited,
            !state.isInserted, !state.isAtRisk(index),
            edited.members == storedMembers(of: state, index), !state.waits(for: index, amongKeys: edited.dismissed)
        else { return }
        state.lists[index] = nil
        if state.isWatched { state.noteTouch() }
        noteEdit(of: object)
    }

    /// Drops acknowledged edits of members' links, after their list was sent.
    package func noteConfirmed(_ confirmations: [WriteBatch.Confirmation]) {
        defer { notifyObservers() }
        base?.parent.noteConfirmed(confirmations)
        for confirmation in confirmations {
            guard let object = liveObject(confirmation.record), case let state = object._object.current,
                !state.isInserted
            else { continue }
            for (index, edit) in state.edits
            where confirmation.edits.contains(edit.stamp) && !state.inFlight.has(index)
                && state.isStored(edit, at: index)
            {
                state.edits[index] = nil
            }
            noteEdit(of: object)
        }
    }

    /// Drops older edits of the properties and lists that a draft's request has sent.
    private func forgetEdits(before batch: WriteBatch) {
        for row in batch.rows {
            guard let object = liveObject(row.record), case let state = object._object.current, let edited = row.edited
            else {
                continue
            }
            for (index, edit) in edited where row.values.has(index) {
                if let own = state.edits[index], own.stamp < edit.stamp { state.edits[index] = nil }
            }
            noteEdit(of: object)
        }
        for membership in batch.memberships {
            let index = membership.owner.property
            guard let object = liveObject(membership.owner.record), case let state = object._object.current,
                let own = state.lists[index], own.isEdited
            else { continue }
            state.lists[index] = own.without(membership)
            noteListChange(of: state)
            noteEdit(of: object)
        }
    }

    /// Drops the saved edits. Later edits of the same properties stay.
    package func noteSaved(_ batch: WriteBatch) {
        // The objects of an ended context keep showing their edits.
        guard !isEnded else { return unsavedAtClose.noteStored(batch, objects: objects(in: [batch])) }
        defer { notifyObservers() }
        if let base {
            base.parent.forgetEdits(before: batch)
            base.parent.noteSaved(batch)
        }
        var overtaken: [(index: PropertyIndex, state: ObjectState, edit: Edit)] = []
        for row in batch.rows {
            guard let state = batchedObject(row.record)?._object else { continue }
            // An embedded object that was lost meanwhile is new again.
            if state.isInserted, !row.isInsert, state.model.isEmbedded { continue }
            state.isInserted = false
            state.defaults = [:]
            guard let edited = row.edited else { continue }
            var rest = EditMap()
            for (index, edit) in state.edits {
                guard let written = edited[index], written.stamp == edit.stamp, row.values.has(index) else {
                    rest[index] = edit
                    continue
                }
                // Otherwise the file has a newer value: another context's edit, or the server's version of this one.
                let last = written.value.isNull ? written : edit
                if !state.snapshot.has(last.value, at: index) { overtaken.append((index, state, last)) }
            }
            state.edits = rest
            state.keepTargets(of: edited)
        }
        for membership in batch.memberships {
            let index = membership.owner.property
            guard let state = batchedObject(membership.owner.record)?._object, let list = state.lists[index] else {
                continue
            }
            if state.isWatched { state.noteTouch() }
            guard list.isEdited else { continue }
            state.lists[index] = withoutGone(list, of: state.model[index]).without(membership)
        }
        for record in batch.deletions {
            // The change set lacks rows that others had already deleted.
            if let object = batchedObject(record), object.isDeleted { forget(object) }
        }
        for record in batch.rows.map(\.record) + batch.memberships.map(\.owner.record) {
            if let object = batchedObject(record) { noteEdit(of: object) }
        }
        // A newer edit of the owner has left these embedded objects out of the file.
        for row in batch.rows where batch.isConfirmed && row.isInsert && schema[row.record.table].isEmbedded {
            if case .some(nil) = read({ reader in try reader.row(row.record) }) { removeDeleted(row.record) }
        }
        for map in maps.all { map.sweepWhenDue() }
        for (_, state, _) in overtaken where state.isWatched { state.noteChange() }
        for (index, state, edit) in overtaken { noteOvertaken(edit, of: index, in: state) }
        if let base { inherit(from: batch.rows.compactMap { base.parent.liveObject($0.record)?._object.current }) }
    }
}
