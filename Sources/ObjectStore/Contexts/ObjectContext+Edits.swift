extension ObjectContext {
    func insert(_ object: some Model) {
        let state = object._object
        guard maps.indices.contains(state.table.index) else { return }
        maps[state.table.index].insert(object, for: state.localID)
        noteEdit(of: object)
    }

    /// Keeps an object that has edits, and lets go of one that has none any more.
    func noteEdit(of object: any Model) {
        let object = object._object.survivor ?? object
        if !isEnded, object._object.hasChanges || object._object.isDeleted {
            unsaved.insert(object)
        } else {
            forgetEdit(of: object)
        }
    }

    func forgetEdit(of object: any Model) { unsaved.remove(object) }

    /// The objects with edits, in the order in which they were first edited.
    var unsavedObjects: [any Model] { unsaved.inOrder }

    /// Deletes the object here, and what a relationship of it declared with `onDelete: .cascade` leads to. They are gone from
    /// queries and relationships at once, and from the file and other contexts with the next ``save()``; ``rollback()``
    /// brings them back. The server is not told: `object.delete()` does that.
    ///
    /// What a relationship `owns` is deleted by the save, and so is a relationship looked at that denies the deletion:
    /// ``StoreError/deleteDenied(model:identity:relationship:count:)``. Deleting an object that is deleted does nothing.
    public func delete(_ object: some Model) {
        guard owns(object) else { return }
        var waiting: [any Model] = [object._object.survivor ?? object]
        while let next = waiting.popLast() {
            guard !next._object.isDeleted else { continue }
            // Before it is deleted, as its lists are read no more then.
            waiting += cascade(from: next._object)
            deleteAlone(next)
        }
    }

    private func deleteAlone(_ object: any Model) {
        let state = object._object
        state.isDeleted = true
        guard maps.indices.contains(state.table.index) else { return }
        noteDeletion(in: state.table)
        // One that a save is about to insert is there to be deleted afterwards.
        if state.isInserted, state.inFlight.isEmpty {
            forget(object)
        } else {
            noteEdit(of: object)
        }
    }

    /// What goes with an object that is deleted.
    private func cascade(from state: ObjectState) -> [any Model] {
        guard state.table.hasDeleteRules else { return [] }
        return state.table.properties.filter { $0.deleteRule == .cascade }.flatMap(state.targets)
    }

    /// Whether the rules of its relationships allow the object to be deleted, as this context sees them: looked at before the
    /// server is asked to delete it.
    ///
    /// - Throws: ``StoreError/deleteDenied(model:identity:relationship:count:)``.
    package func checkDeletion(of object: some Model) throws(StoreError) {
        var doomed: Set<ObjectIdentifier> = []
        var denials: [(state: ObjectState, property: Property)] = []
        var waiting = [object._object.current]
        while let next = waiting.popLast() {
            guard next.table.hasDeleteRules || next.table.owns, doomed.insert(ObjectIdentifier(next)).inserted else {
                doomed.insert(ObjectIdentifier(next))
                continue
            }
            for property in next.table.properties {
                if property.deleteRule == .deny { denials.append((next, property)) }
                guard property.deleteRule == .cascade || property.owns else { continue }
                waiting += next.targets(property).map(\._object)
            }
        }
        for (state, property) in denials {
            let count = state.targets(property).count { !doomed.contains(ObjectIdentifier($0._object)) }
            guard count == 0 else {
                throw .deleteDenied(
                    model: state.table.modelName, identity: state.identityText, relationship: property.name,
                    count: count)
            }
        }
    }

    /// Lets go of an object that is deleted for good.
    func forget(_ object: any Model) {
        maps[object._object.table.index].remove(object._object.localID)
        forgetEdit(of: object)
    }

    /// Takes back all that was edited, inserted and deleted here and not saved. Inserted objects become deleted ones.
    public func rollback() {
        failure = nil
        refusal = nil
        for object in unsavedObjects {
            let state = object._object
            state.edits = [:]
            state.lists = [:]
            if state.isInserted {
                maps[state.table.index].remove(state.localID)
                state.isDeleted = true
            } else {
                state.isDeleted = false
            }
            noteDeletion(in: state.table)
        }
        unsaved.removeAll()
        // Lists that were read while they held such edits are read again.
        for index in listVersions.indices { listVersions[index] += 1 }
    }

    /// Takes back what was edited of one property, as something newer has been stored for it.
    package func forgetEdit(of property: Property, in object: any Model) {
        let state = object._object
        guard !state.isInserted, state.edits[property.index] != nil else { return }
        state.edits[property.index] = nil
        noteEdit(of: object)
        noteDeletion(in: state.table)
    }

    /// Lists that lead to rows of the table are read again.
    private func noteDeletion(in table: ModelSchema) {
        for owner in schema.tables {
            for list in owner.lists where list.target == table.index { listVersions[list.number] += 1 }
        }
    }
}
