// Merges commits of all contexts into the live objects.

extension ObjectContext {
    /// Merges commits, a draft's parent's first. Call it after each `await`.
    ///
    /// Later reads in this step use the file's newest state.
    package func mergeWaitingChanges() {
        base?.parent.mergeWaitingChanges()
        mergeOwnChanges()
    }

    func mergeOwnChanges() {
        reader?.endReading()
        catchUp()
    }

    /// Merges the commits up to the newest state of the file, which all later reads in this step use.
    ///
    /// Call it at the beginning of an operation that may read, since it can change objects, lists and links.
    func catchUp() {
        guard isBehind, let reader else { return }
        advance(reader)
        handle.wake()
    }

    @inline(__always)
    var isBehind: Bool { !isEnded && reader.map { !$0.isReading } ?? false }

    /// Merges commits and notifies observers.
    func takeTurn() {
        handle.noteTurn()
        TrackingProbe.ofThread.forget()
        prefetched = []
        withExtendedLifetime(keptLists.takeTurn()) {}
        guard let reader, !isEnded else { return }
        reader.endReading()
        if handle.hasWaitingChanges { advance(reader) }
        notifyObservers()
        for history in watch.histories { history.closeStep() }
        reader.endReading()
    }

    private func advance(_ reader: Reader) {
        do {
            let (commits, hasOthers) = try beginReading(reader)
            // Reads show the state after all commits. So unify first: a row of an earlier commit may be missing because
            // it was unified later.
            let unified = commits.map { unify($0.unified) }
            noteDeletions(in: commits)
            defer { deletedByThisContext = [] }
            for (changes, unified) in zip(commits, unified) { merge(changes, unified) }
            if hasOthers { mergeOthers() }
            notifyObservers()
        } catch {
            noteFailure(error)
        }
    }

    /// - Parameter unified: the tables with rows that the commit has unified.
    private func merge(_ changes: ChangeSet, _ unified: Set<TableID>) {
        var unified = unified
        let kept = revivedParts(of: changes.deletedParts)
        for table in changes.tables.ids {
            let rows = changes.tables[table]
            guard !rows.isEmpty else { continue }
            for record in live(rows.deleted, in: table) where !kept.contains(record) {
                noteLostEdits(ofDeleted: record)
                removeDeleted(record)
            }
            let stored = rows.inserted + rows.updated
            guard !stored.isEmpty else { continue }
            unified.formUnion(unifyNewObjects(of: table, with: stored))
            for record in live(stored, in: table) where !kept.contains(record) { reload(record) }
        }
        // New objects may have a unified row in their identity.
        if !changes.unified.isEmpty, !unsaved.isEmpty {
            unified.formUnion(unifyAll(newObjects(identifiedBy: changes.unified)))
        }
        for list in changes.lists { listVersions.advance(list) }
        if !kept.isEmpty { reviveParts(kept) }
        if !unsaved.isEmpty { rebaseLists(changes) }
        if !lostSends.isEmpty { mergeLostSends(changes) }
        if watch.isFollowing {
            watch.note(changes, unified: unified, in: schema) { maps[$0.table].any($0.row) != nil }
        }
    }

    /// Rebases edited lists at once: a later commit may change the members' links again.
    private func rebaseLists(_ changes: ChangeSet) {
        for table in changes.tables.ids {
            let rows = changes.tables[table]
            for link in schema[table].columns.compactMap({ schema[table][$0.property].link }) {
                guard let inverse = link.inverse, schema[link.target][inverse].list != nil else { continue }
                for row in rows.updated + rows.deleted {
                    rebaseLists(inverse, of: link.target, with: RecordID(table: table, row: row))
                }
            }
        }
    }

    private func rebaseLists(_ list: PropertyIndex, of owners: TableID, with member: RecordID) {
        let edited = unsaved.objects(
            referencing: UnsavedObjects.Reference(property: list, source: owners, target: member))
        for (owner, _) in edited { _ = members(of: owner._object, list) }
    }

    /// Makes the inverse of a link follow the file, which has a newer value than a saved or sent edit. Commits leave
    /// this change unreported.
    func noteOvertaken(_ edit: Edit, of index: PropertyIndex, in state: ObjectState) {
        guard let link = state.model[index].link, let inverse = link.inverse else { return }
        if let list = schema[link.target][inverse].list {
            listVersions.advance(list.id)
            rebaseLists(inverse, of: link.target, with: state.record)
        } else if let row = edit.value.row,
            let partner = liveObject(RecordID(table: link.target, row: row))?._object.current,
            !partner.inFlight.has(inverse), partner.edits[inverse]?.value.row == state.localID
        {
            partner.edits[inverse] = nil
            partner.noteEdit()
        }
    }

    /// Iterates over the rows or the live objects, whichever are fewer.
    private func live(_ rows: [RowID], in table: TableID) -> [RecordID] {
        let map = maps[table]
        let live: [RowID]
        if rows.count <= map.count {
            live = rows.filter { map.any($0) != nil }
        } else {
            let changed = Set(rows)
            live = map.liveRows.filter(changed.contains)
        }
        return live.map { RecordID(table: table, row: $0) }
    }

    func reload(_ record: RecordID) {
        guard let object = maps[record.table].any(record.row),
            let row = read({ reader in try reader.row(record) })
        else { return }
        guard let row else {
            // The object was kept after the loss of its row, and is new by now.
            if object._object.isInserted, schema[record.table].isEmbedded { return }
            noteLostEdits(ofDeleted: record)
            return removeDeleted(record)
        }
        let state = object._object
        let renamed = state.model.identity.filter { index in
            state.edits.mayContain(index) && state.edits[index].map { !state.isStored($0, at: index) } ?? false
        }
        let former = state.snapshot
        state.take(row)
        state.isInserted = false
        state.defaults = [:]
        maps[record.table].noteRow(of: object)
        // Edits with the file's values are dropped, and edits that remove the object from a list which it has left
        // already. A link that is nil since its target was deleted keeps an edit to nil, to be sent.
        for (index, edit) in state.edits where edit.value.isNull && isCutOff(index, of: state, from: former) {
            state.edits[index]?.noteCutOff()
        }
        for (index, edit) in state.edits where !state.inFlight.has(index) {
            let isStored = state.isStored(edit, at: index)
            let hasLeft = edit.leaving.map { state.linkedRowBelow(index) != $0 } ?? false
            // The server uses the edited identity, so it has accepted the edit.
            let isTaken = isStored && renamed.contains(index)
            let isKept =
                isStored
                && (state.isAtRisk(index) && !isTaken || state.isEditedBelow(index)
                    || isInEditedList(edit, of: state.model[index]))
            if hasLeft || isStored && !isKept { state.edits[index] = nil }
        }
        if unsaved.contains(object) { noteEdit(of: object) }
        if schema[record.table].family != nil { followModel(record, row) }
    }

    private func isCutOff(_ index: PropertyIndex, of state: ObjectState, from former: Snapshot) -> Bool {
        guard let target = state.model.linkTarget(of: index), let row = former.integer(index),
            state.snapshot.integer(index) == nil
        else { return false }
        return isGoneFromFile(RecordID(table: target, row: RowID(row)))
    }

    func isGoneFromFile(_ record: RecordID) -> Bool {
        if case .some(nil) = read({ reader in try reader.row(record) }) { true } else { false }
    }

    /// Whether a link's edit is part of an edited list, which is still to be saved.
    private func isInEditedList(_ edit: Edit, of property: Property) -> Bool {
        guard let link = property.link, let inverse = link.inverse, let row = edit.value.row else { return false }
        return liveObject(RecordID(table: link.target, row: row))?._object.hasEditedList(inverse) ?? false
    }

    private func noteDeletions(in commits: [ChangeSet]) {
        guard !unsaved.isEmpty else { return }
        for changes in commits where changes.author == listener && !changes.hasServerDeletions {
            for table in changes.tables.ids {
                deletedByThisContext.formUnion(
                    changes.tables[table].deleted.lazy.map { RecordID(table: table, row: $0) })
            }
        }
    }

    /// Others have deleted the object, or it was edited while a deletion by this context was in flight. The next save
    /// reports that.
    private func noteLostEdits(ofDeleted record: RecordID) {
        guard !unsaved.isEmpty, let state = liveObject(record)?._object,
            !state.isInserted, !state.model.isEmbedded,
            state.isDeleted ? state.current.hasEditsDeletedBelow : state.current.hasChanges,
            deletionsInFlight[record].map(state.current.hasEdits(since:)) ?? !deletedByThisContext.contains(record)
        else { return }
        noteDeletedByOthers(state.model)
    }

    /// The object keeps its last values and loses its edits.
    func removeDeleted(_ record: RecordID) {
        if let object = maps[record.table].any(record.row) {
            object._object.isDeleted = true
            forgetEdit(of: object)
        }
        // Undo is for deletions by the user, but a save may have left out this object.
        for history in watch.histories { history.forget(record) }
        maps[record.table].remove(record.row)
    }
}

// MARK: - Rows that become another model's

// When a row's discriminator changes, its live objects share their state with the object of the new class.

extension ObjectContext {
    private func followModel(_ record: RecordID, _ row: Snapshot) {
        let model = schema[record.table].model(of: row)
        let map = maps[record.table]
        retirements &+= 1
        if let object = map.any(record.row), object._object.model !== model {
            object._object.model = model
            forgetEditsOfFormerModel(object)
        }
        map.retire(record.row) { ObjectIdentifier(Swift.type(of: $0)) != ObjectIdentifier(model.type) }
    }

    /// The next save reports one of the dropped edits. Edits in flight are stored.
    private func forgetEditsOfFormerModel(_ object: any Model) {
        let state = object._object
        let sent = state.inFlight.edits
        let edits = state.edits.filter { !state.model.has($0.key) && sent[$0.key]?.stamp != $0.value.stamp }
        let lists = state.lists.filter { !state.model.has($0.key) && $0.value.isEdited && !state.inFlight.has($0.key) }
        guard !edits.isEmpty || !lists.isEmpty else { return }
        let own =
            edits.filter { base?.isOwn($0.value, of: $0.key, in: state.record) != false }.map(\.key)
            + lists.filter { base?.isOwn($0.value, of: $0.key, in: state.record) != false }.map(\.key)
        if let index = own.first {
            refuse(.changedModel(property: state.model[index].name, now: state.model.modelName), editing: state.record)
        }
        for (index, _) in edits { state.edits[index] = nil }
        for (index, _) in lists { state.lists[index] = nil }
        listVersions.advanceAll()
        if unsaved.contains(object) { noteEdit(of: object) }
    }

    /// Nil unless the row has live objects of former classes only.
    func renewedObject(_ record: RecordID) -> (any Model)? {
        guard let former = maps[record.table].retired(record.row) else { return nil }
        let object = former._object.model.type.init(_object: former._object)
        maps[record.table].insert(object, for: record.row)
        unsaved.replace(former, with: object)
        return object
    }

    func object(for record: RecordID, readBy statement: RawStatement) -> any Model {
        liveObject(record) ?? materialize(record, schema[record.table].snapshot(of: statement))
    }
}

// MARK: - Objects that turn out to be one

extension ObjectContext {
    /// Unifies new objects with written rows that have their identities. Their values become edits of the rows.
    ///
    /// - Returns: the tables with links that lead elsewhere now.
    private func unifyNewObjects(of table: TableID, with stored: [RowID]) -> Set<TableID> {
        guard unsaved.count(in: table) > 0 else { return [] }
        let map = maps[table]
        let others = stored.filter { !$0.isOfNewObject || map[$0]?._object.isInserted != true }
        return others.isEmpty ? [] : unifyAll(newObjects(of: table, in: others))
    }

    /// Call it if the written rows are unknown.
    func unifyNewObjects(of table: TableID) {
        guard unsaved.newIdentityCount(in: table) > 0 else { return }
        _ = unifyAll(unsaved.newObjects(in: table).compactMap(unification))
    }

    /// New objects with links to unified ones in their identities follow.
    private func unifyAll(_ unified: [ChangeSet.Unification]) -> Set<TableID> {
        var touched: Set<TableID> = []
        var found = unified
        while !found.isEmpty {
            touched.formUnion(unify(found))
            for unification in found {
                reload(RecordID(table: unification.duplicate.table, row: unification.survivor))
            }
            found = newObjects(identifiedBy: found)
        }
        return touched
    }

    /// Iterates over the objects or the rows, whichever are fewer.
    ///
    /// - Parameter others: rows apart from those of new objects.
    private func newObjects(of table: TableID, in others: [RowID]) -> [ChangeSet.Unification] {
        let count = unsaved.newIdentityCount(in: table)
        guard count > 0 else { return [] }
        guard count >= others.count else {
            return unsaved.newObjects(in: table).compactMap(unification)
        }
        unsaved.work.add(others.count)
        return others.flatMap { row -> [ChangeSet.Unification] in
            let record = RecordID(table: table, row: row)
            guard !isVacated(record), let identity = read({ reader in try reader.identity(of: record) }) ?? nil else {
                return []
            }
            return unsaved.newObjects(in: table, identity: identity).map {
                ChangeSet.Unification(duplicate: $0._object.record, survivor: row)
            }
        }
    }

    /// New objects whose identities include links to unified rows.
    private func newObjects(identifiedBy unified: [ChangeSet.Unification]) -> [ChangeSet.Unification] {
        var found: [ChangeSet.Unification] = []
        for source in schema.roots {
            for property in source.identity
            where unified.contains(where: { source[property].link?.target == $0.duplicate.table }) {
                let referencing = unified.flatMap { unification in
                    let target = RecordID(table: unification.duplicate.table, row: unification.survivor)
                    return unsaved.objects(referencing: .init(property: property, source: source.table, target: target))
                }
                found += referencing.compactMap { unification(of: $0.object) }
            }
        }
        return found
    }

    private func unification(of object: any Model) -> ChangeSet.Unification? {
        let record = object._object.record
        guard let identity = object._object.newIdentity,
            let found = read({ reader in try reader.find(identity, in: record.table) }), let row = found,
            row != record.row, !isVacated(RecordID(table: record.table, row: row))
        else { return nil }
        return ChangeSet.Unification(duplicate: record, survivor: row)
    }

    /// True for a row that was deleted or renamed here. A new object with its identity is another object.
    private func isVacated(_ record: RecordID) -> Bool {
        guard let state = liveObject(record)?._object.current else { return false }
        return state.isDeleted || state.hasEditedIdentity
    }

    /// - Returns: the tables with links that lead elsewhere now, or with unified live objects.
    private func unify(_ unified: [ChangeSet.Unification]) -> Set<TableID> {
        guard !unified.isEmpty else { return [] }
        for unification in unified { survivors[unification.duplicate] = unification.survivor }
        var touched = redirectEdits(from: unified.map(\.duplicate))
        for unification in unified where unify(unification.duplicate, with: unification.survivor) {
            touched.insert(unification.duplicate.table)
        }
        return touched
    }

    /// - Returns: whether both had a live object. A list with both must then keep one.
    private func unify(_ duplicate: RecordID, with row: RowID) -> Bool {
        guard let object = liveObject(duplicate) else { return false }
        for draft in watch.drafts { draft.base?.noteUnified(duplicate) }
        let map = maps[duplicate.table]
        map.remove(duplicate.row)
        let survivor = RecordID(table: duplicate.table, row: row)
        guard let other = liveObject(survivor) else {
            object._object.localID = row
            object._object.isInserted = false
            object._object.defaults = [:]
            noteUnifying(of: duplicate, into: object)
            map.insert(object, for: row)
            reload(survivor)
            return false
        }
        forgetEdit(of: object)
        object._object.unify(with: other)
        noteUnifying(of: duplicate, into: other)
        noteEdit(of: other)
        return true
    }

    func survivor(of record: RecordID) -> RowID {
        var record = record
        while let row = survivors[record] { record = RecordID(table: record.table, row: row) }
        return record.row
    }

    /// - Returns: the tables with links to these rows.
    func redirectEdits(from duplicates: [RecordID]) -> Set<TableID> {
        var sources: Set<TableID> = []
        let tables = Set(duplicates.map(\.table))
        for source in schema.roots {
            for property in source.properties {
                guard let target = property.target, tables.contains(target) else { continue }
                sources.insert(source.table)
                for object in unsavedObjects(with: property, of: source, referencing: duplicates) {
                    redirectEdit(of: property, in: object)
                }
            }
            for list in source.lists where tables.contains(list.target) || tables.contains(source.table) {
                listVersions.advance(list.id)
            }
        }
        return sources
    }

    /// The objects, each once.
    private func unsavedObjects(
        with property: Property, of source: ModelSchema, referencing targets: [RecordID]
    ) -> [any Model] {
        var seen: Set<ObjectIdentifier> = []
        return targets.filter { $0.table == property.target }.flatMap { target in
            unsaved.objects(referencing: .init(property: property.index, source: source.table, target: target))
                .map(\.object).filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
    }

    private func redirectEdit(of property: Property, in object: any Model) {
        let state = object._object
        guard let target = property.target else { return }
        func current(_ row: RowID) -> RowID { survivor(of: RecordID(table: target, row: row)) }
        if property.link != nil, let edit = state.edits[property.index] {
            if let row = edit.value.row { state.edits[property.index]?.value = StoredValue(current(row)) }
            state.edits[property.index]?.leaving = edit.leaving.map(current)
        } else if let list = state.lists[property.index], list.isEdited {
            unsaved.work.add(list.members.count)
            state.lists[property.index] = list.mapped(current)
        }
        unsaved.insert(object)
    }
}
