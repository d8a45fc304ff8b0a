// MARK: New objects and edits

extension ObjectContext {
    func insert(_ object: any Model) { insert(object, object._object) }

    /// - Parameter state: the new object's.
    func insert(_ object: any Model, _ state: ObjectState) {
        let table = state.model.table
        guard maps.contains(table) else { return }
        // The context holds its maps.
        unsafe Unmanaged.passUnretained(maps[table])._withUnsafeGuaranteedRef { $0.insertNew(object, state) }
        if isEnded { noteUnsavable(object) } else { ownUnsaved.insertNew(object, state) }
        if state.isWatched { state.noteChange() }
    }

    /// Keeps an object that certainly has edits.
    ///
    /// - Parameter state: the object's.
    @inline(__always)
    func noteUnsaved(_ object: any Model, _ state: ObjectState) {
        if isEnded { noteUnsavable(object) } else { ownUnsaved.insert(object, state) }
    }

    /// Keeps an object whose only edit may turn out to be none; it is not noted yet.
    @inline(__always)
    func noteUncompared(_ object: any Model, _ state: ObjectState) {
        guard !isEnded else { return noteUnsavable(object) }
        hasUncompared = true
        ownUnsaved.insertNew(object, state)
    }

    /// Lets go of the objects that turn out to have no edits: with the context's next turn, as it may be a read that
    /// asks, within which no `deinit` of a user's class is to run.
    @inline(never)
    func compareEdits() {
        hasUncompared = false
        let unedited = ownUnsaved.takeUncompared().filter { !$0._object.isUnsavedAsCompared() }
        guard !unedited.isEmpty else { return }
        prefetched += unedited
        handle.wake()
        for object in unedited { ownUnsaved.remove(object) }
    }

    /// What a new object has by default. Of most models that is the same for each, which share it then.
    func defaults(of model: ModelSchema) -> PropertyMap<StoredValue> {
        if let constant = model.constantDefaults { return constant }
        let last = lastDefaults.flatMap { $0.model === model ? $0.values : nil }
        let values = model.makeDefaults(like: last ?? [:])
        lastDefaults = (model, values)
        return values
    }

    /// Keeps an object that has edits, and lets go of one that has none any more.
    func noteEdit(of object: any Model) {
        let object = ObjectState.current(object)
        if isEnded { return noteUnsavable(object) }
        if object._object.hasEdits || object._object.isDeleted {
            unsaved.insert(object)
        } else {
            forgetEdit(of: object)
        }
    }

    /// Keeps an edit for the next save to report, as it was made after the store was closed.
    @inline(never)
    private func noteUnsavable(_ object: any Model) { if file.isClosed { unsavedAtClose.note(object) } }

    func forgetEdit(of object: any Model) { unsaved.remove(object) }

    /// The objects with edits, in the order in which they were first edited.
    var unsavedObjects: [any Model] { unsaved.inOrder }

    /// Takes back what was edited of one property, as something newer has been stored for it.
    ///
    /// - Parameter edits: the edits that are older; others stay.
    package func forgetEdit(of property: Property, in object: any Model, among edits: Set<ChangeStamp>) {
        // A draft has the edits of the context that it was made of, too.
        if let parent = base?.parent, let object = parent.liveObject(object._object.record) {
            parent.forgetEdit(of: property, in: object, among: edits)
        }
        let state = object._object.current
        guard !state.isInserted, let edit = state.edits[property.index], edits.contains(edit.stamp) else { return }
        if state.isWatched { state.noteChange() }
        state.edits[property.index] = nil
        noteEditTakenBack(of: object)
        advanceLists(ofMembersIn: state.model.table)
        leaveList(of: property, state, edit)
    }

    /// The list of a new object follows nothing but edits: what its member's link has led to until an edit of that was
    /// taken back is left.
    private func leaveList(of property: Property, _ state: ObjectState, _ edit: Edit) {
        guard let link = property.link, let inverse = link.inverse, schema[link.target][inverse].list != nil,
            let row = edit.value.row, state.linkedRow(property.index) != row
        else { return }
        remove(state.record, fromLoaded: inverse, of: RecordID(table: link.target, row: row))
    }

    /// Takes back an edit of one property that the file has too.
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
        noteEditTakenBack(of: object)
    }

    /// An object has an edit less. One whose deletion was saved meanwhile has nothing to save any more.
    private func noteEditTakenBack(of object: any Model) {
        if unsaved.contains(ObjectState.current(object)) { noteEdit(of: object) }
    }

    /// Takes back all that was edited, inserted and deleted here and not saved. Inserted objects become deleted ones. A
    /// draft shows what the context shows that it was made of.
    public func rollback() {
        defer { tellWatchers() }
        if let base { return rollBackDraft(base) }
        forgetFailures()
        let objects = unsavedObjects
        unsaved.removeAll()
        for object in objects { rollBack(object) }
        // Lists that were read while they held such edits are read again.
        listVersions.advanceAll()
    }

    func rollBack(_ object: any Model) {
        let state = object._object
        let isUnderway = !state.inFlight.isEmpty
        state.rollBack()
        if state.isInserted, isUnderway {
            // A save or send has it: it is gone if that fails.
            noteRolledBack(state)
            unsaved.insert(object)
        } else if state.isInserted {
            maps[state.record.table].remove(state.record.row)
            state.isDeleted = true
        } else {
            state.isDeleted = false
        }
    }

    /// Lists whose members are rows of the table are read again.
    func advanceLists(ofMembersIn table: TableID) {
        for owner in schema.roots {
            for list in owner.lists where list.target == table { listVersions.advance(list.id) }
        }
    }
}

// MARK: - Deletions

extension ObjectContext {
    /// Deletes the object here, and what a relationship of it declared with `onDelete: .cascade` references. They are
    /// gone from queries and relationships at once, and from the file and other contexts with the next ``save()``;
    /// ``rollback()`` brings them back. The server is not told: `object.delete()` does that.
    ///
    /// What a relationship `owns` is deleted by the save, and so is a relationship looked at that denies the deletion:
    /// ``StoreError/deleteDenied(model:identity:relationship:count:)``. Deleting an object that is deleted does
    /// nothing.
    public func delete(_ object: some Model) {
        guard owns(object) else { return }
        catchUp()
        var waiting: [any Model] = [ObjectState.current(object)]
        while let next = waiting.popLast() {
            guard !next._object.isDeleted else { continue }
            // Before it is deleted, as its lists aren't read after that.
            waiting += cascade(from: next._object)
            deleteAlone(next)
        }
        tellWatchers()
    }

    func deleteAlone(_ object: any Model) {
        let state = object._object
        state.isDeleted = true
        guard maps.contains(state.model.table) else { return }
        advanceLists(ofMembersIn: state.model.table)
        if state.isNewHere, state.inFlight.isEmpty { return forget(object) }
        // One that a save or send is about to insert is not inserted any more, or is there to be deleted afterwards.
        if state.isInserted, !state.inFlight.isEmpty { underway.withdraw(state.record) }
        noteEdit(of: object)
    }

    /// Lets go of an object that is deleted for good.
    func forget(_ object: any Model) {
        let record = object._object.record
        maps[record.table].remove(record.row)
        forgetEdit(of: object)
    }

    /// The objects that are deleted with another one, without those that another context has moved to other owners.
    private func cascade(from state: ObjectState) -> [any Model] {
        guard state.model.hasDeleteRules else { return [] }
        return state.model.properties.filter { $0.deleteRule == .cascade }.flatMap(state.targets).filter { target in
            target._object.model.isEmbedded || !underway.isEdited(target._object.record)
        }
    }

    /// Whether the rules of its relationships allow the object to be deleted, as this context sees them: looked at
    /// before the server is asked to delete it.
    ///
    /// - Throws: ``StoreError/deleteDenied(model:identity:relationship:count:)``.
    package func checkDeletion(of object: some Model) throws(StoreError) {
        catchUp()
        var doomed: Set<ObjectIdentifier> = []
        var denials: [(state: ObjectState, property: Property)] = []
        var waiting = [object._object.current]
        while let next = waiting.popLast() {
            let isNew = doomed.insert(ObjectIdentifier(next)).inserted
            guard isNew, next.model.hasDeleteRules || next.model.owns else { continue }
            for property in next.model.properties {
                if property.deleteRule == .deny { denials.append((next, property)) }
                guard property.deleteRule == .cascade || property.owns else { continue }
                waiting += next.targets(of: property).map(\._object)
            }
        }
        for (state, property) in denials {
            let count = state.targets(of: property).count { !doomed.contains(ObjectIdentifier($0._object)) }
            guard count == 0 else {
                throw .deleteDenied(
                    model: state.model.modelName, identity: state.identityText, relationship: property.name,
                    count: count)
            }
        }
    }
}

// MARK: - Relationships

// In memory both sides follow an edit at once, before anything is saved.

extension ObjectContext {
    /// Makes a to-one link reference another row, and keeps its inverse.
    func setLink(_ index: PropertyIndex, of state: ObjectState, to target: RowID?) {
        guard let link = state.model.linkEnds(of: index) else { return }
        catchUp()
        let state = state.current
        // Nobody else says where a new object's link leads that has no other direction.
        if state.isInserted, link.inverse == nil { return state.setStored(index, to: StoredValue(target)) }
        let old = keptRow(index, of: state)
        guard old != target else {
            // Setting nil when nothing was ever set is still something to send, and so is what another request changes.
            let isWaiting = target == nil && state.edits[index] == nil && state.waits(for: index)
            // A link that goes out with lists alone is what these say.
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
            // What is embedded is its owner's to send, and to keep.
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

    /// The row that a link references as this context sees it: see ``ObjectState/isKept(_:by:)``.
    private func keptRow(_ index: PropertyIndex, of state: ObjectState) -> RowID? {
        guard let row = state.seenRow(index) else { return nil }
        guard !unsaved.isEmpty, let link = state.model.linkEnds(of: index),
            let object = liveObject(RecordID(table: link.target, row: row))
        else { return row }
        return state.isKept(index, by: object._object) ? row : nil
    }

    /// Makes the other direction of a one-to-one relationship reference `state`, and no other object reference that
    /// partner.
    ///
    /// - Parameter link: the property of `state` that references the partner.
    private func setInverse(
        _ inverse: PropertyIndex, of partner: ObjectState, to state: ObjectState, by link: PropertyIndex
    ) {
        if let other = partner.linkedRow(inverse), other != state.localID,
            let rival = object(for: RecordID(table: state.model.table, row: other))?._object,
            // Here it may lead elsewhere already.
            rival.linkedRow(link) == partner.localID
        {
            rival.setStored(link, to: .null)
        }
        partner.setStored(inverse, to: StoredValue(state.localID))
    }

    /// Sets a link to nil if it references that row.
    func unlink(_ index: PropertyIndex, of record: RecordID, from row: RowID) {
        guard let state = object(for: record)?._object, state.linkedRow(index) == row else { return }
        state.setStored(index, to: .null, leaving: row)
    }
}
