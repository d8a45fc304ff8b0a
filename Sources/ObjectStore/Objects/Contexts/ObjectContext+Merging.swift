// What is committed, here or elsewhere, comes to the live objects: rows are read again, rows that are gone mark their
// objects deleted, and objects that turn out to be one become one.

extension ObjectContext {
    /// Brings what others and this context itself committed into the live objects, before this returns. Called between two
    /// steps of the context: after what it has awaited.
    package func mergeWaitingChanges() {
        if handle.hasWaitingChanges { reader?.endReading() }
        catchUp()
    }

    /// Begins to read: takes the file's newest state, and brings the live objects to it. All that is read from then on is of
    /// that state, until the context's actor is free.
    ///
    /// Called before an operation that may read looks at anything, as objects, lists and links may change.
    func catchUp() {
        guard let reader, !reader.isReading, !isEnded else { return }
        advance(reader)
        handle.wake()
    }

    /// Merges what has been committed since the context's last step, and ends that step's read.
    func takeTurn() {
        handle.noteTurn()
        guard let reader, !isEnded else { return }
        reader.endReading()
        guard handle.hasWaitingChanges else { return }
        advance(reader)
        reader.endReading()
    }

    /// Takes the file's newest state and exactly the changes that led to it, merges them, commit by commit, and tells the
    /// observers, once for each.
    private func advance(_ reader: Reader) {
        do {
            for changes in try beginReading(reader) { merge(changes) }
        } catch {
            noteFailure(error)
        }
    }

    private func merge(_ changes: ChangeSet) {
        for unification in changes.unified { unify(unification.duplicate, with: unification.survivor) }
        var touched: Set<TableID> = []
        for table in changes.tables.ids {
            let rows = changes.tables[table]
            guard !rows.isEmpty else { continue }
            touched.insert(table)
            for record in live(rows.deleted, in: table) { removeDeleted(record) }
            let stored = rows.inserted + rows.updated
            guard !stored.isEmpty else { continue }
            unifyNewObjects(of: table)
            for record in live(stored, in: table) { reload(record) }
        }
        for list in changes.lists { listVersions.advance(list) }
        tellObservers(touched)
    }

    /// Those of the rows that have a live object here, by looking through whichever side is smaller.
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

    private func reload(_ record: RecordID) {
        guard let object = maps[record.table].any(record.row) as? any Model,
            let row = read({ reader in try reader.row(record) })
        else { return }
        guard let row else { return removeDeleted(record) }
        let state = object._object
        state.snapshot = row
        state.isInserted = false
        state.defaults = [:]
        // What the file now holds too isn't an edit any more, and neither is leaving a list that the object has left.
        for (index, edit) in state.edits where state.inFlight[index] == nil {
            let isStored = edit.value == row.value(index)
            let hasLeft = edit.leaving.map { row.integer(index) != $0.rawValue } ?? false
            if isStored || hasLeft { state.edits[index] = nil }
        }
        if unsaved.contains(object) { noteEdit(of: object) }
        if schema[record.table].family != nil { followModel(record, row) }
    }

    /// The object keeps what it last was; its edits have nowhere to go.
    private func removeDeleted(_ record: RecordID) {
        if let object = maps[record.table].any(record.row) as? any Model {
            object._object.isDeleted = true
            forgetEdit(of: object)
        }
        maps[record.table].remove(record.row)
    }
}

// MARK: - Rows that become another model's

// When a row's discriminator changes, the objects that it had live on: they share their state with the object of the new
// class, so they follow the row, but nothing leads to them any more.

extension ObjectContext {
    /// Sets the live objects of a row to the model that it is now.
    private func followModel(_ record: RecordID, _ row: Snapshot) {
        let model = schema[record.table].model(of: row)
        let map = maps[record.table]
        (map.any(record.row) as? any Model)?._object.model = model
        map.retire(record.row) { ObjectIdentifier(Swift.type(of: $0)) != ObjectIdentifier(model.type) }
    }

    /// The object of the new class for a row of which only objects of a former class are live.
    func renewedObject(_ record: RecordID) -> (any Model)? {
        guard let former = maps[record.table].retired(record.row) as? any Model else { return nil }
        let object = former._object.model.type.init(_object: former._object)
        maps[record.table].insert(object, for: record.row)
        unsaved.replace(former, with: object)
        return object
    }

    /// The object of a row that was just read into a statement, of the class that the row is of now, in a table with several
    /// models.
    func object(for record: RecordID, readBy statement: RawStatement) -> any Model {
        liveObject(record) ?? materialize(record, schema[record.table].snapshot(of: statement))
    }
}

// MARK: - Objects that turn out to be one

extension ObjectContext {
    /// An object that was made here and isn't saved becomes the object of the row that has come to have its identity: the
    /// same instance, what was set in it are its edits, and what references it still does.
    private func unifyNewObjects(of table: TableID) {
        guard unsaved.containsOne(of: table), !schema[table].isEmbedded else { return }
        for object in unsavedObjects {
            let state = object._object
            guard state.model.table == table, state.isInserted, !state.isDeleted, state.hasIdentity else { continue }
            let identity = state.model.identity.map(state.stored)
            guard let found = read({ reader in try reader.find(identity, in: table) }), let row = found,
                row != state.localID
            else { continue }
            unify(state.record, with: row)
            reload(RecordID(table: table, row: row))
        }
    }

    /// Two objects turned out to be one: who holds the duplicate reads and edits the survivor's row from now on.
    private func unify(_ duplicate: RecordID, with row: RowID) {
        redirectEdits(from: duplicate, to: row)
        guard let object = liveObject(duplicate) else { return }
        let map = maps[duplicate.table]
        map.remove(duplicate.row)
        let survivor = RecordID(table: duplicate.table, row: row)
        if let other = liveObject(survivor) {
            forgetEdit(of: object)
            object._object.unify(with: other)
            noteUnifying(of: duplicate, into: other)
            noteEdit(of: other)
        } else {
            object._object.localID = row
            object._object.isInserted = false
            object._object.defaults = [:]
            noteUnifying(of: duplicate, into: object)
            map.insert(object, for: row)
            reload(survivor)
        }
    }

    /// Unsaved edits that reference the duplicate reference the survivor.
    private func redirectEdits(from duplicate: RecordID, to survivor: RowID) {
        let table = duplicate.table
        for object in unsavedObjects {
            let state = object._object
            for (index, edit) in state.edits where state.model[index].link?.target == table {
                if edit.value.row == duplicate.row { state.edits[index]?.value = StoredValue(survivor) }
                if edit.leaving == duplicate.row { state.edits[index]?.leaving = survivor }
            }
            for (index, list) in state.lists where list.isEdited && state.model[index].list?.target == table {
                var seen: Set<RowID> = []
                let members = list.members.map { $0 == duplicate.row ? survivor : $0 }
                state.lists[index]?.members = members.filter { seen.insert($0).inserted }
                state.lists[index]?.base = list.base?.map { $0 == duplicate.row ? survivor : $0 }
            }
        }
        // Lists of rows of the table, and with members in it, are read again.
        for owner in schema.roots {
            for list in owner.lists where list.target == table || owner.table == table { listVersions.advance(list.id) }
        }
    }
}
