// Two objects that turn out to be one: there is one for each identity in a context.

extension ObjectContext {
    /// An object that was made here and is not saved becomes the object of the row that has come to have its identity: the
    /// same instance, what was set in it are its edits, and what leads to it still does.
    func adoptNewObjects(of table: Int) {
        guard unsaved.containsOne(of: table), !schema.tables[table].isEmbedded else { return }
        for object in unsavedObjects {
            let state = object._object
            guard state.table.index == table, state.isInserted, !state.isDeleted, state.hasIdentity else { continue }
            let identity = state.table.identity.map(state.stored)
            guard let found = read({ reader in try reader.find(state.table, identity) }), let id = found,
                id != state.localID
            else { continue }
            unify(table, state.localID, with: id)
            reload(table, id)
        }
    }

    /// Two objects turned out to be one: who holds the old one reads and edits the row of the other from now on.
    func unify(_ table: Int, _ old: Int64, with new: Int64) {
        lead(table, from: old, to: new)
        guard let object = liveObject(table, old) else { return }
        maps[table].remove(old)
        let key = WriteBatch.Key(table: table, id: old)
        if let survivor = liveObject(table, new) {
            forgetEdit(of: object)
            object._object.become(survivor)
            noteFormerKey(key, of: survivor)
            noteEdit(of: survivor)
        } else {
            object._object.localID = new
            object._object.isInserted = false
            object._object.defaults = [:]
            noteFormerKey(key, of: object)
            maps[table].insert(object, for: new)
            reload(table, new)
        }
    }

    /// Unsaved edits that lead to the old object lead to the new one.
    private func lead(_ table: Int, from old: Int64, to new: Int64) {
        for object in unsavedObjects {
            let state = object._object
            for (index, value) in state.edits
            where value == .integer(old) && state.table.properties[index].link?.target == table {
                state.edits[index] = .integer(new)
            }
            for (index, list) in state.lists where list.isEdited && state.table.properties[index].list?.target == table
            {
                var seen: Set<Int64> = []
                let members = list.members.map { $0 == old ? new : $0 }
                state.lists[index]?.members = members.filter { seen.insert($0).inserted }
                state.lists[index]?.base = list.base?.map { $0 == old ? new : $0 }
            }
        }
        noteMembers(of: table)
    }

    /// Lists that lead to rows of the table, or from them, are read again.
    private func noteMembers(of table: Int) {
        for owner in schema.tables {
            for list in owner.lists where list.target == table || owner.index == table {
                listVersions[list.number] += 1
            }
        }
    }
}

extension Reader {
    /// The local key of the row of an identity.
    func find(_ table: ModelSchema, _ identity: [StoredValue]) throws -> Int64? {
        let statement = try findStatement(table)
        for (n, value) in identity.enumerated() { statement.bind(value, at: Int32(n + 1)) }
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return statement.integer(0)
    }
}
