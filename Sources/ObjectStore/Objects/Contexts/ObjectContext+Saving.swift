extension ObjectContext {
    /// Writes all unsaved edits, inserts and deletions into the file, in one transaction off this actor. Other contexts
    /// merge them as soon as their actors are free, and are not waited for. Nothing is sent to the server.
    ///
    /// A draft's are brought into the context that it was made of instead, in memory; see ``Draft/save()``.
    ///
    /// What is edited while this runs stays unsaved. Saves of one context run one after the other.
    ///
    /// An edited list is stored as what was added, removed and moved: members that another context has added since it
    /// was read stay, at the end.
    ///
    /// - Throws: ``StoreError``; the file and the edits are as they were then, and the next `save` tries again.
    ///   ``StoreError/several(_:)`` where there is more than one of these to report.
    ///   ``StoreError/closedStore(unsaved:)`` once the store is closed, with the objects whose edits are in no file.
    ///   ``StoreError/duplicateIdentity(model:identity:)`` for a second object of one identity,
    ///   ``StoreError/deleteDenied(model:identity:relationship:count:)`` for one that a rule keeps: mend them and save
    ///   again. ``StoreError/foreignObject(model:)`` or ``StoreError/deletedObject(model:)`` when an edit was not made
    ///   because of such an object; it says so once: the property is what it was, and the next `save` stores the other
    ///   edits. The latter also when an object with unsaved edits was deleted by another context, or by what the server
    ///   has said: once, and after everything else was saved. ``StoreError/lostEdits(models:)`` when the store was let
    ///   go of, and objects with edits after it; it says so once. ``StoreError/readOnlyProperty(model:property:)``
    ///   likewise, for an edit of what only the server sets. ``StoreError/unsendable(model:property:value:)`` for an
    ///   edit that no server could be told. ``StoreError/validation(_:)`` with all objects that are wrong by their own
    ///   ``Model/validate()``. ``StoreError/file(_:path:)`` also when what has been written can't be read again: the
    ///   objects may show what they were before.
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

    /// Writes the edits of some objects into the file, in one transaction with changes of the outbox. Other objects
    /// stay unsaved.
    ///
    /// - Throws: as ``save()``; the file, the outbox and the edits are as they were.
    package nonisolated(nonsending) func save(
        _ objects: [any Model], queueing changes: [OutboxChange]
    ) async throws(StoreError) {
        try checkActor(#isolation)
        try await afterOtherSaves { () async throws(StoreError) in try await write(objects, queueing: changes) }
    }

    /// Runs a save once those of this context that were begun before have ended.
    private nonisolated(nonsending) func afterOtherSaves(
        _ save: () async throws(StoreError) -> Void
    ) async throws(StoreError) {
        await waitForSaves()
        defer {
            endSave()
            tellWatchers()
        }
        underway.beginSave()
        defer { underway.endSave() }
        try throwFailure()
        try checkSaving()
        try await save()
        // What was written shows here once it is read again.
        try throwFailure()
    }

    /// - Parameter changes: changes of the outbox, written in the same transaction.
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
        defer { noteLanded(batch) }
        try await write { writer in
            var changes = ChangeSet(writer.schema)
            try writer.apply(written, &changes)
            residue.note([written])
            return ((), changes)
        }
        noteSaved(batch)
    }

    /// Reports all that is wrong at once: edits that were not made, and what is wrong with the objects that would be
    /// written.
    ///
    /// - Parameter others: other errors to report with them.
    func check(_ objects: [any Model], besides others: [StoreError] = []) throws(StoreError) {
        let problems = takeRefusals() + errors(of: objects) + others
        guard !problems.isEmpty, let error = StoreError(all: problems + takeDeletions()) else { return }
        throw error
    }

    /// Waits until the saves of this context that were begun before are in the file: what is sent next must not be
    /// overtaken by older values.
    package nonisolated(nonsending) func finishSaves() async {
        guard isSaving else { return }
        await waitForSaves()
        endSave()
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
}

// MARK: - The batch

extension ObjectContext {
    /// What the objects' edits come to, as values.
    package func batch(of objects: [any Model]) -> WriteBatch {
        catchUp()
        var batch = WriteBatch()
        let confirmed = underway.confirmedEdits
        for object in objects {
            let state = object._object.current
            if state.isDeleted {
                batch.deletions.append(state.record)
                continue
            }
            forgetGoneObjects(state)
            if let row = row(of: state, without: confirmed) { batch.rows.append(row) }
            for (property, list) in state.lists.sorted(by: { $0.key < $1.key })
            where list.isEdited && !list.isAmong(confirmed) {
                var membership = WriteBatch.Membership(
                    members(of: state, property), of: ListOwner(property, of: state.record),
                    toggling: toggles(of: property, in: state), stamp: list.stamp)
                membership.dismissed = list.dismissed
                (membership.isAssigned, membership.isOrdered) = (list.isAssigned, list.isOrdered)
                batch.memberships.append(membership)
            }
        }
        return batch
    }

    /// - Parameter confirmed: edits that are in the file already, and others may have edited since.
    private func row(of state: ObjectState, without confirmed: Set<ChangeStamp>) -> WriteBatch.Row? {
        let edits = confirmed.isEmpty ? state.edits : state.edits.filter { !confirmed.contains($0.value.stamp) }
        guard state.isInserted || !edits.isEmpty else { return nil }
        let values = PropertyMap(edits, over: state.isInserted ? state.defaults : [:])
        var row = WriteBatch.Row(state.record, values: values, isInsert: state.isInserted, edited: edits)
        for (index, edit) in edits { if let owner = edit.leaving { row.leaving[index] = owner } }
        if state.model.isEmbedded, !state.isInserted {
            for (index, _) in edits { row.former[index] = state.snapshot.value(index) }
        }
        return row
    }

    /// Edits that reference objects which are deleted reference nothing.
    private func forgetGoneObjects(_ state: ObjectState) {
        for (index, edit) in state.edits {
            guard let target = state.model.linkTarget(of: index), let row = edit.value.row,
                isGone(RecordID(table: target, row: row))
            else { continue }
            state.edits[index]?.value = .null
        }
        for (index, list) in state.lists where list.isEdited {
            guard let target = state.model[index].list?.target else { continue }
            let gone = list.members.filter { isGone(RecordID(table: target, row: $0)) }
            guard !gone.isEmpty else { continue }
            let rows = Set(gone)
            state.lists[index]?.members.removeAll(where: rows.contains)
            for row in gone where row.isOfNewObject { state.lists[index]?.toggles[row] = nil }
        }
    }

    /// Whether the object is deleted, or was made here and deleted before it was saved. Rows that another context has
    /// deleted are left to the writer.
    private func isGone(_ record: RecordID) -> Bool {
        if let live = liveObject(record) { return live._object.isDeleted }
        return record.row.isOfNewObject && object(for: record) == nil
    }
}

// MARK: - What came of it

extension ObjectContext {
    /// Notes that the batch's values are on their way to the file.
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

    /// Notes that they have arrived, or will not. An edit that the file agrees with by now isn't one any more.
    package func noteLanded(_ batch: WriteBatch) {
        for row in batch.rows {
            if let object = batchedObject(row.record) { noteLanded(row, object) }
        }
        for membership in batch.memberships {
            if let object = batchedObject(membership.owner.record) { noteLanded(membership, object) }
        }
    }

    private func noteLanded(_ row: WriteBatch.Row, _ object: any Model) {
        let state = object._object
        for index in state.noteLanded(row.values) where state.edits.mayContain(index) {
            let isStored = !state.isInserted && state.edits[index].map { state.isStored($0, at: index) } ?? false
            if isStored, !state.isAtRisk(index) { state.edits[index] = nil }
        }
        if !settle(object) { noteEdit(of: object) }
    }

    /// Looks what has become of an object of which nothing may be on its way any more.
    ///
    /// - Returns: whether it is gone.
    private func settle(_ object: any Model) -> Bool {
        let state = object._object
        guard state.inFlight.isEmpty else { return false }
        settleNew(object)
        guard state.isInserted, state.isDeleted else { return false }
        forget(object)
        return true
    }

    /// Nothing of an object is on its way any more. A new one that was rolled back meanwhile, and is in no file, is
    /// gone; so is one that was deleted and not inserted for that reason.
    private func settleNew(_ object: any Model) {
        let state = object._object
        if state.isRolledBack { endRollback(of: state) }
        guard state.isDeleted else { return }
        let isInFile = read { reader in try reader.row(state.record) != nil } ?? false
        if !isInFile { state.isInserted = true }
    }

    /// A new object was rolled back while a save or send has it: it is there if that gets it to the file, else not.
    func noteRolledBack(_ state: ObjectState) {
        state.isRolledBack = true
        rollbacksUnderway[state.record] = .now()
    }

    /// What was edited of it since goes with it, which the next save says.
    private func endRollback(of state: ObjectState) {
        state.isRolledBack = false
        let stamp = rollbacksUnderway.removeValue(forKey: state.record)
        guard state.isInserted else { return }
        if !state.isDeleted, let stamp, state.hasEdits(since: stamp) {
            noteDeletedElsewhere(state.model)
        }
        state.isDeleted = true
    }

    private func noteLanded(_ membership: WriteBatch.Membership, _ object: any Model) {
        let state = object._object
        let index = membership.owner.property
        let hasLanded = state.noteLanded(index)
        guard !settle(object), hasLanded, let edited = state.lists[index], edited.isEdited,
            !state.isInserted, !state.isAtRisk(index),
            edited.members == storedMembers(of: state, index), !state.waits(for: index, amongKeys: edited.dismissed)
        else { return }
        state.lists[index] = nil
        if state.isWatched { state.noteTouch() }
        noteEdit(of: object)
    }

    /// Takes back edits that the server has taken and the file has by now: links of members of a list that went out.
    package func noteConfirmed(_ confirmations: [WriteBatch.Confirmation]) {
        defer { tellWatchers() }
        // A draft has the edits of the context that it was made of, too.
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

    /// Takes back what was edited of the same before it was edited in a draft, which has sent that.
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

    /// Takes back the edits that are in the file now, unless they were edited again meanwhile.
    package func noteSaved(_ batch: WriteBatch) {
        // The objects show what was edited, as the row isn't read any more.
        guard !isEnded else { return unsavedAtClose.noteStored(batch, objects: objects(in: [batch])) }
        defer { tellWatchers() }
        if let base {
            base.parent.forgetEdits(before: batch)
            base.parent.noteSaved(batch)
        }
        var overtaken: [(index: PropertyIndex, state: ObjectState, edit: Edit)] = []
        for row in batch.rows {
            guard let state = batchedObject(row.record)?._object else { continue }
            // An embedded object that was lost meanwhile is a new one.
            if state.isInserted, !row.isInsert, state.model.isEmbedded { continue }
            state.isInserted = false
            state.defaults = [:]
            guard let edited = row.edited else { continue }
            var rest = EditMap()
            for (index, edit) in state.edits {
                guard edited[index]?.stamp == edit.stamp, row.values.has(index) else {
                    rest[index] = edit
                    continue
                }
                // Else something newer is stored: an edit elsewhere, or what the server made of it.
                if !state.snapshot.has(edit.value, at: index) { overtaken.append((index, state, edit)) }
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
            if list.isEdited { state.lists[index] = list.without(membership) }
        }
        for record in batch.deletions {
            // A row that was gone already is in no change set.
            if let object = batchedObject(record), object.isDeleted { forget(object) }
        }
        for record in batch.rows.map(\.record) + batch.memberships.map(\.owner.record) {
            if let object = batchedObject(record) { noteEdit(of: object) }
        }
        // A newer edit of what these are embedded in has left them out.
        for row in batch.rows where batch.isConfirmed && row.isInsert && schema[row.record.table].isEmbedded {
            if case .some(nil) = read({ reader in try reader.row(row.record) }) { removeDeleted(row.record) }
        }
        for map in maps.all { map.sweepWhenDue() }
        for (_, state, _) in overtaken where state.isWatched { state.noteChange() }
        for (index, state, edit) in overtaken { noteOvertaken(edit, of: index, in: state) }
        // What was edited there since shows through again.
        if let base { inherit(from: batch.rows.compactMap { base.parent.liveObject($0.record)?._object.current }) }
    }
}
