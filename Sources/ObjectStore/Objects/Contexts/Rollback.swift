extension Model {
    /// Discards the unsaved edits of this object and of its embedded objects. A new object is deleted, with references
    /// to it. A deleted object comes back; those deleted with it don't.
    ///
    /// Inverse lists and links go back to the file's values, too. If a save or request in flight has an edit, the
    /// object later shows its result.
    ///
    /// - Complexity: linear in the object's edits and in the members of its edited lists.
    public func rollback() {
        context?.discard { $0.discard(self) }
    }

    /// Discards the unsaved edit of one property, which shows the file's value again.
    ///
    /// ```swift
    /// issue.rollback(\.title)
    /// ```
    ///
    /// For a relationship, the inverse edits of other objects are discarded, too: rolling back `repository.issues`
    /// returns each added or removed issue to its list in the file. So are edits of objects that the property embeds.
    /// In a new object, the property gets its default. Nothing happens if the object is deleted.
    public func rollback(_ property: KeyPath<Properties, some PropertyToken>) {
        rollBack(Self.properties[keyPath: property].description)
    }

    fileprivate func rollBack(_ property: PropertyDescription) {
        let state = _object.current
        guard !state.isDeleted, let index = state.model.index(of: property) else { return }
        context?.discard { $0.discard(index, of: state) }
    }
}

extension Submodel {
    /// Discards the unsaved edit of a submodel's own property. Nothing happens if the object is deleted.
    public func rollback(_ property: KeyPath<OwnProperties, some PropertyToken>) {
        rollBack(Self.ownProperties[keyPath: property].description)
    }
}

extension ObjectContext {
    fileprivate func discard(_ body: (inout Rollback) -> Void) {
        guard !isEnded else { return }
        catchUp()
        var rollback = Rollback(in: self)
        body(&rollback)
        inheritAll()
        notifyObservers()
    }
}

/// Discards edits that are one fact: a link, its inverse, and the links that were cleared because a one-to-one link
/// took their target.
private struct Rollback {
    private struct LinkEnd: Hashable {
        let property: PropertyIndex
        let record: RecordID
    }

    private let context: ObjectContext
    private var links: Set<LinkEnd> = []
    private var objects: Set<ObjectIdentifier> = []

    init(in context: ObjectContext) { self.context = context }

    // MARK: Objects

    mutating func discard(_ object: any Model) {
        let object = ObjectState.current(object)
        let state = object._object
        guard objects.insert(ObjectIdentifier(object)).inserted else { return }
        context.forgetRefusals(of: state.record)
        guard context.unsaved.contains(object) || state.hasEditedParts else { return }
        let isNew = state.isNewHere
        if isNew { discardReferences(to: state.record) }
        let wasDeleted = state.isDeleted
        state.isDeleted = isNew && wasDeleted
        let onTheWay = state.lists.filter { state.isInserted && state.inFlight.has($0.key) }
        for property in state.model.properties where state.hasEdits(of: property) {
            discard(property.index, of: state)
        }
        if isNew {
            for (index, list) in onTheWay {
                state.lists[index] = list
                state.lists[index]?.isRolledBack = true
            }
            return context.discardInsertion(of: object)
        }
        if wasDeleted { context.advanceLists(ofMembersIn: state.model.table) }
        context.noteEdit(of: object)
    }

    private mutating func discardReferences(to record: RecordID) {
        for source in context.schema.roots {
            for property in source.properties where property.target == record.table {
                let reference = UnsavedObjects.Reference(
                    property: property.index, source: source.table, target: record)
                for (object, reach) in context.unsaved.objects(referencing: reference) where reach == .joined {
                    if property.link != nil {
                        discardLink(property.index, of: object._object.current)
                    } else {
                        context.settle(record.row, in: property.index, of: object._object.record, isMember: false)
                    }
                }
            }
        }
    }

    // MARK: Properties

    mutating func discard(_ index: PropertyIndex, of state: ObjectState) {
        let property = state.model[index]
        for part in state.editedEmbedding(property) { discard(part) }
        switch property.kind {
        case .attribute: state.discardEdit(of: index)
        case .toOne: discardLink(index, of: state)
        case .toMany: discardList(index, of: state)
        }
    }

    /// - Parameter isAsked: whether the caller rolls back this link. Its partner in the file then returns, even from
    ///   another object. Otherwise it returns only if its link was cleared.
    private mutating func discardLink(_ index: PropertyIndex, of state: ObjectState, isAsked: Bool = true) {
        guard let link = state.model.linkEnds(of: index),
            links.insert(LinkEnd(property: index, record: state.record)).inserted
        else { return }
        let former = state.seenRow(index)
        state.discardEdit(of: index)
        guard let inverse = link.inverse, context.maps.contains(link.target) else { return }
        let stored = state.linkedRow(index)
        let isList = context.schema[link.target][inverse].list != nil
        for row in Set([former, stored].compactMap(\.self)) {
            let other = RecordID(table: link.target, row: row)
            if isList {
                context.settle(state.localID, in: inverse, of: other, isMember: row == stored)
            } else if let partner = context.liveObject(other)?._object.current, let edit = partner.edits[inverse] {
                let leadsHere = edit.value.row == state.localID
                guard leadsHere || row == stored && (isAsked || edit.value.isNull) else { continue }
                discardLink(inverse, of: partner, isAsked: false)
            }
        }
    }

    private mutating func discardList(_ index: PropertyIndex, of state: ObjectState) {
        guard let list = state.model[index].list else { return }
        let former = Set(context.members(of: state, index))
        let stored = Set(context.storedMembers(of: state, index) ?? [])
        state.lists[index] = nil
        context.noteListChange(of: state)
        context.listVersions.advance(list.id)
        for row in former.symmetricDifference(stored).sorted() {
            let member = RecordID(table: list.target, row: row)
            if case .column(let property, _, _) = list.storage {
                if let other = context.liveObject(member)?._object.current { discardLink(property, of: other) }
            } else if let inverse = list.inverse {
                context.settle(state.localID, in: inverse, of: member, isMember: stored.contains(row))
            }
        }
        state.noteEdit()
    }
}

extension ObjectContext {
    /// Discards the edit of one member. The list's other edits stay.
    ///
    /// - Parameter isMember: whether `member` is in the list after the rollback.
    fileprivate func settle(_ member: RowID, in index: PropertyIndex, of owner: RecordID, isMember: Bool) {
        guard let state = liveObject(owner)?._object.current, state.model[index].list != nil,
            var edited = state.lists[index]
        else { return }
        noteListChange(of: state)
        guard edited.isEdited else {
            // The next read of the list reads the file.
            state.lists[index] = nil
            return
        }
        let stored = storedMembers(of: state, index) ?? []
        edited.toggles[member] = nil
        if !isMember {
            edited.members.removeAll { $0 == member }
        } else if !edited.members.contains(member) {
            edited.members.insert(member, at: edited.members.place(of: member, asIn: stored))
        }
        let isSetBack = edited.members == stored && edited.dismissed.isEmpty && !edited.isAssigned
        state.lists[index] = isSetBack && !state.inFlight.has(index) ? nil : edited
        if let object = liveObject(owner) { noteEdit(of: object) }
    }

    /// Deletes a new object. One in flight stays if the save or request inserts it.
    fileprivate func discardInsertion(of object: any Model) {
        let state = object._object
        if !state.inFlight.isEmpty {
            noteRolledBack(state)
            unsaved.insert(object)
        } else {
            state.isDeleted = true
            advanceLists(ofMembersIn: state.model.table)
            forget(object)
        }
    }
}

extension ObjectState {
    /// In a new object, an edit in flight stays, and so do the initial values of its identity and its class.
    fileprivate func discardEdit(of index: PropertyIndex) {
        for part in model.choice(with: index)?.members ?? [index] { discardSingleEdit(part) }
    }

    private func discardSingleEdit(_ index: PropertyIndex) {
        guard edits.has(index) else { return }
        if isWatched { noteChange() }
        context?.watch.noteDiscardedEdit(index, of: record)
        edits[index] = isNewHere ? inFlight.edits[index] ?? firstEdit(of: index) : nil
        noteEdit()
    }

    private func firstEdit(of index: PropertyIndex) -> Edit? {
        if model.identity.contains(index), let value = defaults[index] { return Edit(value, at: .now()) }
        guard let family = model.family, model.hasSubmodels, family.discriminator == index,
            let value = family.values(of: model.submodel).first
        else { return nil }
        return Edit(value, at: .now())
    }

    fileprivate func hasEdits(of property: Property) -> Bool {
        edits.has(property.index) || hasEditedList(property.index) || !editedEmbedding(property).isEmpty
    }
}

extension [RowID] {
    /// The index behind the nearest row that precedes the row in `order`.
    fileprivate func place(of row: RowID, asIn order: [RowID]) -> Int {
        guard let end = order.firstIndex(of: row) else { return count }
        let places = Dictionary(zip(self, indices)) { first, _ in first }
        for former in order[..<end].reversed() { if let place = places[former] { return place + 1 } }
        return 0
    }
}
