// MARK: New objects and edits

extension ObjectContext {
    func insert(_ object: any Model) { insert(object, object._object) }

    /// - Parameter state: the new object's.
    func insert(_ object: any Model, _ state: ObjectState) {
        let table = state.model.table
        guard maps.contains(table) else { return }
        // The context holds its maps.
        unsafe Unmanaged.passUnretained(maps[table])._withUnsafeGuaranteedRef { $0.insertNew(object, state) }
        if !isEnded { ownUnsaved.insertNew(object, state) }
        if state.isWatched { state.noteChange() }
    }

    /// Keeps an object that certainly has edits.
    ///
    /// - Parameter state: the object's.
    @inline(__always)
    func noteUnsaved(_ object: any Model, _ state: ObjectState) { if !isEnded { ownUnsaved.insert(object, state) } }

    /// Keeps an object whose only edit may turn out to be none; it is not noted yet.
    @inline(__always)
    func noteUncompared(_ object: any Model, _ state: ObjectState) {
        guard !isEnded else { return }
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
        let object = object._object.survivor ?? object
        if !isEnded, object._object.hasEdits || object._object.isDeleted {
            unsaved.insert(object)
        } else {
            forgetEdit(of: object)
        }
    }

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
        noteEdit(of: object)
        advanceLists(ofMembersIn: state.model.table)
    }

    /// Takes back an edit of one property that the file has too.
    package func forgetStoredEdit(of property: Property, in object: any Model) {
        let (state, index) = (object._object.current, property.index)
        guard !isEnded, !state.isInserted, let edit = state.edits[index], !state.inFlight.has(index),
            state.isStored(edit, at: index), !state.isAtRisk(index), !state.isEditedBelow(index)
        else { return }
        if state.isWatched { state.noteChange() }
        state.edits[index] = nil
        noteEdit(of: object)
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
            state.isRolledBack = true
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
        var waiting: [any Model] = [object._object.survivor ?? object]
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

    /// What goes with an object that is deleted.
    private func cascade(from state: ObjectState) -> [any Model] {
        guard state.model.hasDeleteRules else { return [] }
        return state.model.properties.filter { $0.deleteRule == .cascade }.flatMap(state.targets)
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
            guard schema.isSentByList(state.model[index]) else { break }
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

    /// The rows of a list's members as this context sees them.
    func members(of state: ObjectState, _ index: PropertyIndex) -> [RowID] {
        catchUp()
        let state = state.current
        guard let list = state.model[index].list, let version = listVersions[list.id] else { return [] }
        if let loaded = state.lists[index] {
            if loaded.version == version || isEnded || state.isDeleted || loaded.isEdited && state.isNewHere {
                return loaded.members
            }
            if loaded.isEdited { return rebase(loaded, index, of: state, at: version) }
        }
        guard !isEnded else { return [] }
        let members = withUnsavedEdits(storedMembers(of: state, index) ?? [], of: list, owner: state.record)
        state.lists[index] = ObjectState.ListState(members: members, version: version)
        return members
    }

    /// Notes the members in the file of a list that was not read yet, which were read together with others.
    func takeMembers(_ stored: [RowID], of state: ObjectState, _ index: PropertyIndex) {
        guard let list = state.model[index].list, let version = listVersions[list.id], state.lists[index] == nil else {
            return
        }
        let stored = base?.members(of: list, at: index, in: state) ?? stored
        let members = withUnsavedEdits(stored, of: list, owner: state.record)
        state.lists[index] = ObjectState.ListState(members: members, version: version)
    }

    /// An edited list after others have changed what is in the file: see `rebased(from:onto:)`.
    private func rebase(
        _ edited: ObjectState.ListState, _ index: PropertyIndex, of state: ObjectState, at version: Int
    ) -> [RowID] {
        let written = edited.origin.flatMap(underway.writtenList(since:))
        guard let own = edited.base, case let base = written?.base(over: own) ?? own,
            let list = state.model[index].list,
            var stored = storedMembers(of: state, index)
        else { return edited.members }
        let twins = twins(of: edited, among: stored, as: index, of: state)
        let isSending = twins.values.contains { !$0.inFlight.isEmpty }
        // The answer to what is on its way says the same of those. Where none comes, they are looked at again.
        if isSending { stored.removeAll { twins[$0] != nil } }
        var rebased = isSending ? edited : merging(twins, into: edited)
        rebased.version = isSending ? edited.version : version
        if written != nil { rebased.origin = .now() }
        // A member that others added and that was moved on here is not added.
        let current = withUnsavedEdits(stored, of: list, owner: state.record)
        switch list.storage {
        case .column: rebased.members = rebased.members.order(of: current)
        case .join where stored != base:
            rebased.members = rebased.members.rebased(from: base, onto: current, deciding: rebased.decided)
            forgetArrivals(in: &rebased, beside: edited, of: list)
        case .join: break
        }
        rebased.base = stored
        if !isSending { rebased.baseVersion = version }
        if rebased.members == stored, rebased.decided.isEmpty, !state.inFlight.has(index), !state.isAtRisk(index),
            !state.isEditedBelow(index), !state.waits(for: index, amongKeys: edited.dismissed)
        {
            // Others, or the members' own links, have made it so.
            rebased.isEdited = false
        }
        if rebased.members != edited.members { noteListChange(of: state) }
        state.lists[index] = rebased
        state.noteEdit()
        return rebased.members
    }

    /// What was sent of a list that goes out whole the server may have taken, though no answer has said so: an element
    /// that was added here, or was until it was taken out again, and one that has come since with the values that were
    /// set of it are one.
    ///
    /// - Returns: by the row that has come, the object that was added.
    private func twins(
        of edited: ObjectState.ListState, among stored: [RowID], as index: PropertyIndex, of state: ObjectState
    ) -> [RowID: ObjectState] {
        guard let list = state.model[index].list, state.isAtRisk(index) || lostSends.contains(state.record),
            let base = edited.base,
            schema[list.target].isEmbedded || list.options.sentAs == .nested
        else { return [:] }
        let (known, former) = (Set(base + edited.members), Set(base))
        var arrived = stored.filter { !known.contains($0) }
        let added = (edited.members + edited.decided.subtracting(edited.members)).filter { !former.contains($0) }
        // Those of long lists stand in the order in which they were sent, if they are there at all.
        let isLong = arrived.count * added.count > 4096
        var twins: [RowID: ObjectState] = [:]
        for row in added where !arrived.isEmpty {
            guard let object = liveObject(RecordID(table: list.target, row: row)), object.isInserted,
                object._object.model.isEmbedded || object._object.leadsNowhere(but: list.inverse),
                let twin = arrived.prefix(isLong ? 1 : arrived.count)
                    .firstIndex(where: { mayBeMade($0, of: object._object) })
            else { continue }
            twins[arrived.remove(at: twin)] = object._object
        }
        return twins
    }

    /// An edited list with what has come in the places of what was added, and without what was taken out since.
    private func merging(_ twins: [RowID: ObjectState], into edited: ObjectState.ListState) -> ObjectState.ListState {
        var edited = edited
        for (row, twin) in twins {
            if let place = edited.members.firstIndex(of: twin.localID) {
                edited.members[place] = row
            } else {
                edited.decided.insert(row)
                if let arrived = object(for: RecordID(table: twin.record.table, row: row)) { deleteAlone(arrived) }
            }
            if let added = liveObject(twin.record) { deleteAlone(added) }
        }
        return edited
    }

    /// Whether the server may have made a row of a new object.
    private func mayBeMade(_ row: RowID, of state: ObjectState) -> Bool {
        guard let made = read({ try $0.row(RecordID(table: state.model.table, row: row)) }) ?? nil else { return false }
        let columns = state.model.columns.filter { $0.target == nil }
        let sent = columns.map { state.storedValue(state.model[$0.property]) }
        let said = columns.map { made.value($0.property) }
        return sent == said || state.model.mayBeMade(said, of: sent, in: columns)
    }

    /// Members that an edit has dismissed while they waited, and whose rows have come since, are none.
    private func forgetArrivals(
        in rebased: inout ObjectState.ListState, beside edited: ObjectState.ListState, of list: List
    ) {
        guard !edited.dismissed.isEmpty else { return }
        let known = Set(edited.members)
        rebased.members.removeAll { row in
            let record = RecordID(table: list.target, row: row)
            guard !known.contains(row), let key = read({ try $0.pendingKey(of: record) }) else { return false }
            return key.map(edited.dismissed.contains) ?? false
        }
    }

    /// The members in the file, less and more what unsaved edits of the other side take away and add.
    func withUnsavedEdits(_ stored: [RowID], of list: List, owner: RecordID) -> [RowID] {
        unsaved.work.add(stored.count)
        guard let inverse = list.inverse else { return stored }
        let edited = unsaved.objects(
            referencing: UnsavedObjects.Reference(property: inverse, source: list.target, target: owner))
        guard !edited.isEmpty else { return stored }
        var members = stored
        var known = Set(stored)
        for (object, reach) in edited {
            let row = object._object.localID
            if reach == .left || object._object.isDeleted {
                known.remove(row)
            } else if reach == .joined, known.insert(row).inserted {
                members.append(row)
            }
        }
        return members.filter(known.contains)
    }

    /// Makes `members` the list, in their order, each once; the other side follows.
    ///
    /// - Parameter isAssigned: whether they are said to be all of it, rather than made of what was here.
    func setMembers(_ index: PropertyIndex, of state: ObjectState, to members: [RowID], isAssigned: Bool = false) {
        catchUp()
        let state = state.current
        guard state.model[index].list != nil else { return }
        var seen: Set<RowID> = []
        let wanted = members.filter { seen.insert($0).inserted }
        let old = self.members(of: state, index)
        let kept = Set(old)
        setMembers(
            index, of: state, from: old, to: wanted, left: old.filter { !seen.contains($0) },
            joined: wanted.filter { !kept.contains($0) }, isAssigned: isAssigned)
    }

    /// The same where it is known what differs.
    ///
    /// - Parameters:
    ///   - old: the members before.
    ///   - wanted: each once.
    ///   - left: the members that have left.
    ///   - joined: those that have joined.
    func setMembers(
        _ index: PropertyIndex, of state: ObjectState, from old: [RowID], to wanted: [RowID], left: [RowID],
        joined: [RowID], isAssigned: Bool = false
    ) {
        guard let list = state.model[index].list else { return }
        let dismissed = dismissed(by: wanted, as: index, of: state, instead: old)
        let isAssigned = isAssigned && !wanted.isEmpty && state.mayBeAssigned(state.model[index], over: old)
        guard wanted != old || state.isInserted || !dismissed.isEmpty || isAssigned else { return }
        for history in watch.histories { history.note(old, of: index, in: state) }
        if let inverse = list.inverse {
            for row in left { leave(list, inverse, member: row, owner: state.record) }
            for row in joined { join(list, inverse, member: row, owner: state.record) }
        }
        setOwnMembers(
            index, of: state, to: wanted, toggling: left + joined, dismissing: dismissed, isAssigned: isAssigned)
        // A link is edited by joining and leaving anyway.
        guard schema.isSentByInverse(state.model[index]), case .join = list.storage, let inverse = list.inverse else {
            return
        }
        for row in left + joined {
            noteEditOfList(inverse, of: RecordID(table: list.target, row: row), toggling: state.localID)
        }
    }

    /// The keys of the members that wait and that a new edit means as well: one which leaves none of what the list had,
    /// or nothing at all. One that adds to the list or takes out some does not, as what is not here can't be meant by
    /// it.
    private func dismissed(
        by wanted: [RowID], as index: PropertyIndex, of state: ObjectState, instead old: [RowID]
    ) -> Set<String> {
        if !wanted.isEmpty {
            let base = state.lists[index].flatMap { $0.isEdited ? $0.base : nil } ?? old
            // Most edits leave the first member where it is.
            guard let first = base.first, first != wanted.first else { return [] }
            let kept = Set(wanted)
            guard !base.contains(where: kept.contains) else { return [] }
        }
        return state.waitingMembers(of: state.model[index])
    }

    /// The same for this side alone. Setting the members that the file holds takes the edit back.
    ///
    /// - Parameters:
    ///   - toggled: the members that it adds or takes out.
    ///   - dismissed: the keys of members that wait and are taken out.
    ///   - isAssigned: whether they are all of a list of which nobody has said what it is.
    private func setOwnMembers(
        _ index: PropertyIndex, of state: ObjectState, to wanted: [RowID], toggling toggled: [RowID],
        dismissing dismissed: Set<String> = [], isAssigned: Bool = false
    ) {
        guard let list = state.model[index].list, let version = listVersions[list.id] else { return }
        let earlier = state.lists[index].flatMap { $0.isEdited && $0.base != nil ? $0 : nil }
        let isBaseStored = base == nil && earlier != nil && earlier?.baseVersion == version
        let stored = isBaseStored ? earlier?.base : storedMembers(of: state, index)
        let isSetBack = wanted == stored && !wanted.isEmpty
        let dismissed = isSetBack ? [] : dismissed.union(earlier?.dismissed ?? [])
        let isEdited =
            state.isInserted || state.inFlight.has(index) || wanted != stored || state.isAtRisk(index)
            || !dismissed.isEmpty
            || isAssigned || state.isEditedBelow(index)
        let stamp = isEdited ? ChangeStamp.now() : nil
        var edited = ObjectState.ListState(
            members: wanted, version: version, isEdited: isEdited, base: isEdited ? earlier?.base ?? stored : nil,
            stamp: stamp, origin: isEdited ? earlier?.origin ?? stamp : nil)
        edited.dismissed = dismissed
        edited.decided = earlier?.decided ?? []
        if isEdited, state.isAtRisk(index) { edited.decided.formUnion(toggled) }
        edited.isAssigned = isEdited && (isAssigned || earlier?.isAssigned == true)
        if earlier == nil || isBaseStored { edited.baseVersion = version }
        state.lists[index] = edited
        noteListChange(of: state)
        state.noteEdit()
    }

    /// A list has followed the edit of its other direction, which is never sent: it is edited, so that it goes out.
    private func noteEditOfList(_ index: PropertyIndex, of record: RecordID, toggling member: RowID) {
        guard let state = object(for: record)?._object.current else { return }
        setOwnMembers(index, of: state, to: members(of: state, index), toggling: [member])
    }

    /// The members in the file; of a draft, those that the context shows which it was made of.
    package func storedMembers(of state: ObjectState, _ index: PropertyIndex) -> [RowID]? {
        guard let list = state.model[index].list else { return [] }
        if let below = base?.members(of: list, at: index, in: state) { return below }
        return state.isInserted ? [] : read { reader in try reader.members(of: list, owner: state.localID) }
    }

    /// Whether all of the rows are among those members. It costs a look at the file for each of the rows, however long
    /// the list; `nil` where the file can't be read.
    package func storesMembers(_ rows: [RowID], of state: ObjectState, _ index: PropertyIndex) -> Bool? {
        guard let list = state.model[index].list else { return rows.isEmpty }
        if let below = base?.members(of: list, at: index, in: state) { return Set(below).isSuperset(of: rows) }
        if state.isInserted { return rows.isEmpty }
        return read { reader in try reader.contains(rows, in: list, owner: state.localID) }
    }

    private func leave(_ list: List, _ inverse: PropertyIndex, member: RowID, owner: RecordID) {
        let member = RecordID(table: list.target, row: member)
        if case .column = list.storage {
            unlink(inverse, of: member, from: owner.row)
        } else {
            remove(owner, fromLoaded: inverse, of: member)
        }
    }

    private func join(_ list: List, _ inverse: PropertyIndex, member: RowID, owner: RecordID) {
        let member = RecordID(table: list.target, row: member)
        if case .column(let property, _, _) = list.storage {
            guard let other = object(for: member)?._object else { return }
            setLink(property, of: other, to: owner.row)
        } else {
            append(owner, toLoaded: inverse, of: member)
        }
    }

    /// A list of the object has other members.
    func noteListChange(of state: ObjectState) {
        watch.touchRelated()
        if state.isWatched { state.noteChange() }
    }

    // A list that a live object has in memory follows; one that it has not is read with the edits when it is needed.
    // What these cost does not grow with the list.

    private func append(_ member: RecordID, toLoaded index: PropertyIndex, of owner: RecordID) {
        guard let object = liveObject(owner), let known = object._object.lists[index] else { return }
        unsaved.work.add()
        if !known.isEdited, let list = object._object.model[index].list, case .column(let link, _, _) = list.storage,
            liveObject(member)?._object.current.edits[link] == nil
        {
            // It is where the file has it.
            object._object.lists[index] = nil
            return noteListChange(of: object._object)
        }
        if let list = object._object.model[index].list, known.version != listVersions[list.id] {
            // It may have the member that others have taken out since.
            unsaved.work.add(known.members.count)
            object._object.lists[index]?.members.removeAll { $0 == member.row }
        }
        object._object.lists[index]?.members.append(member.row)
        noteListChange(of: object._object)
        if object._object.hasEditedList(index) { unsaved.note(member, in: index, of: object, isMember: true) }
    }

    private func remove(_ member: RecordID, fromLoaded index: PropertyIndex, of owner: RecordID) {
        guard let object = liveObject(owner), let list = object._object.lists[index] else { return }
        noteListChange(of: object._object)
        if list.isEdited || object._object.isDeleted {
            unsaved.work.add(list.members.count)
            object._object.lists[index]?.members.removeAll { $0 == member.row }
            unsaved.note(member, in: index, of: object, isMember: false)
        } else {
            object._object.lists[index] = nil
        }
    }
}
