// MARK: New objects and edits

extension ObjectContext {
    func insert(_ object: any Model) { insert(object, object._object) }

    func insert(_ object: any Model, _ state: ObjectState) {
        let table = state.model.table
        guard maps.contains(table) else { return }
        // The context holds its maps during this call.
        unsafe Unmanaged.passUnretained(maps[table])._withUnsafeGuaranteedRef { $0.insertNew(object, state) }
        if isEnded { noteUnsavable(object) } else { ownUnsaved.insertNew(object, state) }
        if state.isWatched { state.noteChange() }
    }

    @inline(__always)
    func noteUnsaved(_ object: any Model, _ state: ObjectState) {
        if isEnded { noteUnsavable(object) } else { ownUnsaved.insert(object, state) }
    }

    /// Registers an object whose edit may equal the row. The object must be new to `ownUnsaved`.
    @inline(__always)
    func noteUncompared(_ object: any Model, _ state: ObjectState) {
        guard !isEnded else { return noteUnsavable(object) }
        hasUncompared = true
        ownUnsaved.insertNew(object, state)
    }

    /// Drops objects whose edits equal their rows. They are released in the next turn, as a read may call this, and any
    /// `deinit` of a user's class must wait.
    @inline(never)
    func compareEdits() {
        hasUncompared = false
        let unedited = ownUnsaved.takeUncompared().filter { !$0._object.isUnsavedAsCompared() }
        guard !unedited.isEmpty else { return }
        prefetched += unedited
        handle.wake()
        for object in unedited { ownUnsaved.remove(object) }
    }

    /// Most models have constant defaults, which all objects share.
    func defaults(of model: ModelSchema) -> PropertyMap<StoredValue> {
        if let constant = model.constantDefaults { return constant }
        let last = lastDefaults.flatMap { $0.model === model ? $0.values : nil }
        let values = model.makeDefaults(like: last ?? [:])
        lastDefaults = (model, values)
        return values
    }

    func noteEdit(of object: any Model) {
        let object = ObjectState.current(object)
        if isEnded { return noteUnsavable(object) }
        if object._object.hasEdits || object._object.isDeleted {
            unsaved.insert(object)
        } else {
            forgetEdit(of: object)
        }
    }

    /// The next save reports an edit that was made after the store was closed.
    @inline(never)
    private func noteUnsavable(_ object: any Model) { if file.isClosed { unsavedAtClose.note(object) } }

    func forgetEdit(of object: any Model) { unsaved.remove(object) }

    /// In the order of their first edits.
    var unsavedObjects: [any Model] { unsaved.inOrder }

    /// Drops an edit, since the file has a newer value.
    ///
    /// - Parameter edits: the older edits.
    package func forgetEdit(of property: Property, in object: any Model, among edits: Set<ChangeStamp>) {
        // The draft has copies of its parent's edits.
        if let parent = base?.parent, let object = parent.liveObject(object._object.record) {
            parent.forgetEdit(of: property, in: object, among: edits)
        }
        let state = object._object.current
        guard !state.isInserted, let edit = state.edits[property.index], edits.contains(edit.stamp) else { return }
        if state.isWatched { state.noteChange() }
        state.edits[property.index] = nil
        noteDiscardedEdits(of: object)
        advanceLists(ofMembersIn: state.model.table)
        leaveList(of: property, state, edit)
    }

    /// Removes the object from the dropped edit's list. The list of a new object follows edits only.
    private func leaveList(of property: Property, _ state: ObjectState, _ edit: Edit) {
        guard let link = property.link, let inverse = link.inverse, schema[link.target][inverse].list != nil,
            let row = edit.value.row, state.linkedRow(property.index) != row
        else { return }
        remove(state.record, fromLoaded: inverse, of: RecordID(table: link.target, row: row))
    }

    package func forgetStoredEdit(of property: Property, in object: any Model) {
        if let parent = base?.parent, let object = parent.liveObject(object._object.record) {
            parent.forgetStoredEdit(of: property, in: object)
        }
        let (state, index) = (object._object.current, property.index)
        guard !isEnded, !state.isInserted, let edit = state.edits[index], !state.inFlight.has(index),
            state.isStored(edit, at: index), !state.isAtRisk(index), !state.isEditedBelow(index)
        else { return }
        if state.isWatched { state.noteChange() }
        state.edits[index] = nil
        noteDiscardedEdits(of: object)
    }

    /// Skips an object that a saved deletion has already removed.
    private func noteDiscardedEdits(of object: any Model) {
        if unsaved.contains(ObjectState.current(object)) { noteEdit(of: object) }
    }

    /// Discards all unsaved edits, inserts and deletions of this context. Inserted objects become deleted ones. A draft
    /// shows its parent's values again.
    public func rollback() {
        defer { notifyObservers() }
        if let base { return rollBackDraft(base) }
        forgetFailures()
        let objects = unsavedObjects
        unsaved.removeAll()
        for object in objects { rollBack(object) }
        listVersions.advanceAll()
    }

    func rollBack(_ object: any Model) {
        let state = object._object
        let isInFlight = !state.inFlight.isEmpty
        state.rollBack()
        if state.isInserted, isInFlight {
            // If that fails, the object is gone.
            noteRolledBack(state)
            unsaved.insert(object)
        } else if state.isInserted {
            maps[state.record.table].remove(state.record.row)
            state.isDeleted = true
        } else {
            state.isDeleted = false
        }
    }

    /// Makes the next read of each list with members in the table read the file.
    func advanceLists(ofMembersIn table: TableID) {
        for owner in schema.roots {
            for list in owner.lists where list.target == table { listVersions.advance(list.id) }
        }
    }
}

// MARK: - Deletions

extension ObjectContext {
    /// Deletes the object, and the objects that it references by relationships with `onDelete: .cascade`.
    ///
    /// They disappear from queries and relationships at once, and from the file and other contexts with the next
    /// ``save()``; ``rollback()`` brings them back. To delete at the server, too, use `object.delete()`.
    ///
    /// The save also deletes the objects that a relationship `owns`. If a relationship denies the deletion, it throws
    /// ``StoreError/deleteDenied(model:identity:relationship:count:)``. Deleting a deleted object does nothing. For an
    /// object of another context, it throws ``StoreError/foreignObject(model:)``.
    public func delete(_ object: some Model) { deleteAll(from: object) }

    /// - Returns: the objects that this call has deleted; see ``revive(_:)``.
    @discardableResult
    func deleteAll(from object: some Model) -> [any Model] {
        guard owns(object) else { return [] }
        catchUp()
        var deleted: [any Model] = []
        var waiting: [any Model] = [ObjectState.current(object)]
        while let next = waiting.popLast() {
            guard !next._object.isDeleted else { continue }
            // The lists of a deleted object stay unread.
            waiting += cascade(from: next._object)
            deleteAlone(next)
            deleted.append(next)
        }
        notifyObservers()
        return deleted
    }

    /// Brings back an object with its edits, if its deletion is still unsaved. A save or request in flight keeps a new
    /// object deleted.
    func revive(_ object: any Model) {
        let state = object._object.current
        guard !isEnded, state.isDeleted, maps.contains(state.model.table) else { return }
        if state.isNewHere {
            guard liveObject(state.record) == nil, state.inFlight.isEmpty else { return }
            state.isDeleted = false
            insert(object)
        } else {
            guard unsaved.contains(object) else { return }
            state.isDeleted = false
            noteEdit(of: object)
        }
        advanceLists(ofMembersIn: state.model.table)
    }

    func deleteAlone(_ object: any Model) {
        let state = object._object
        state.isDeleted = true
        guard maps.contains(state.model.table) else { return }
        advanceLists(ofMembersIn: state.model.table)
        if state.isNewHere, state.inFlight.isEmpty { return forget(object) }
        // The save or request leaves the object out, or else the object is deleted afterwards.
        if state.isInserted, !state.inFlight.isEmpty { operations.withdraw(state.record) }
        noteEdit(of: object)
    }

    func forget(_ object: any Model) {
        let record = object._object.record
        maps[record.table].remove(record.row)
        forgetEdit(of: object)
    }

    /// Objects to delete, too, except those that another context has moved to other owners.
    private func cascade(from state: ObjectState) -> [any Model] {
        guard state.model.hasDeleteRules else { return [] }
        return state.model.properties.filter { $0.deleteRule == .cascade }.flatMap(state.targets).filter { target in
            target._object.model.isEmbedded || !operations.isEdited(target._object.record)
        }
    }

    /// Checks delete rules before a request, with the relationships as this context shows them.
    ///
    /// - Throws: ``StoreError/deleteDenied(model:identity:relationship:count:)``.
    package func checkDeletion(of object: some Model) throws(StoreError) {
        catchUp()
        var toDelete: Set<ObjectIdentifier> = []
        var denials: [(state: ObjectState, property: Property)] = []
        var waiting = [object._object.current]
        while let next = waiting.popLast() {
            let isNew = toDelete.insert(ObjectIdentifier(next)).inserted
            guard isNew, next.model.hasDeleteRules || next.model.owns else { continue }
            for property in next.model.properties {
                if property.deleteRule == .deny { denials.append((next, property)) }
                guard property.deleteRule == .cascade || property.owns else { continue }
                waiting += next.targets(of: property).map(\._object)
            }
        }
        for (state, property) in denials {
            let count = state.targets(of: property).count { !toDelete.contains(ObjectIdentifier($0._object)) }
            guard count == 0 else {
                throw .deleteDenied(
                    model: state.model.modelName, identity: state.identityText, relationship: property.name,
                    count: count)
            }
        }
    }
}

// MARK: - Relationships

// Both sides of a relationship follow an edit at once, before a save.

extension ObjectContext {
    func setLink(_ index: PropertyIndex, of state: ObjectState, to target: RowID?) {
        guard let link = state.model.linkEnds(of: index) else { return }
        catchUp()
        let state = state.current
        if state.isInserted, link.inverse == nil { return state.setStored(index, to: StoredValue(target)) }
        let old = keptRow(index, of: state)
        guard old != target else {
            // Nil is an edit while the link waits for its target.
            let isWaiting = target == nil && state.edits[index] == nil && state.waits(for: index)
            // A link that is sent with lists only depends on their edits.
            let isAtRisk = state.isAtRisk(index) && !schema.isSentByList(state.model[index])
            if state.isInserted || isWaiting || isAtRisk { state.setStored(index, to: StoredValue(target)) }
            return
        }
        state.setStored(index, to: StoredValue(target))
        guard let inverse = link.inverse, maps.contains(link.target) else { return }
        let former = old.map { RecordID(table: link.target, row: $0) }
        let new = target.map { RecordID(table: link.target, row: $0) }
        switch schema[link.target][inverse].kind {
        case .toMany:
            if let former { remove(state.record, fromLoaded: inverse, of: former) }
            if let new { append(state.record, toLoaded: inverse, of: new) }
            // The owner's request sends the member.
            guard state.model.isEmbedded || schema.isSentByList(state.model[index]) else { break }
            for owner in [former, new].compactMap(\.self) {
                noteEditOfList(inverse, of: owner, toggling: state.localID)
            }
        case .toOne:
            if let former { unlink(inverse, of: former, from: state.localID) }
            if let new, let partner = object(for: new)?._object {
                setInverse(inverse, of: partner, to: state, by: index)
            }
        case .attribute: break
        }
    }

    /// The row that the link shows; see ``ObjectState/isKept(_:by:)``.
    private func keptRow(_ index: PropertyIndex, of state: ObjectState) -> RowID? {
        guard let row = state.seenRow(index) else { return nil }
        guard !unsaved.isEmpty, let link = state.model.linkEnds(of: index),
            let object = liveObject(RecordID(table: link.target, row: row))
        else { return row }
        return state.isKept(index, by: object._object) ? row : nil
    }

    /// - Parameter link: the property of `state` that references the partner.
    private func setInverse(
        _ inverse: PropertyIndex, of partner: ObjectState, to state: ObjectState, by link: PropertyIndex
    ) {
        if let other = partner.linkedRow(inverse), other != state.localID,
            let rival = object(for: RecordID(table: state.model.table, row: other))?._object,
            // The former partner may already reference another object here.
            rival.linkedRow(link) == partner.localID
        {
            rival.setStored(link, to: .null)
        }
        partner.setStored(inverse, to: StoredValue(state.localID))
    }

    func unlink(_ index: PropertyIndex, of record: RecordID, from row: RowID) {
        guard let state = object(for: record)?._object, state.linkedRow(index) == row else { return }
        state.setStored(index, to: .null, leaving: row)
    }
}
