// What was edited of one object, or of one property, is taken back; `ObjectContext.rollback()` takes back all.

extension Model {
    /// Takes back what was edited of this object here and not saved, what is embedded in it included. An object that
    /// was made here becomes a deleted one, to which nothing leads any more; one that was deleted here is there again,
    /// alone.
    ///
    /// Both sides of a link are one edit: lists and links that have followed it, or that it has followed, lead to where
    /// the file says again. Other edits of other objects stay. What a save or send has on its way is not called back:
    /// of that the object shows what comes of it.
    ///
    /// - Complexity: linear in what is edited of the object, and in the members of its edited lists.
    public func rollback() {
        context?.takeBack { $0.takeBack(self) }
    }

    /// Takes back what was edited of one property and not saved: it is what the file says, as far as that is still
    /// here.
    ///
    /// ```swift
    /// issue.rollback(\.title)
    /// issue.rollback(\.labels)
    /// ```
    ///
    /// Of a relationship, what had to follow on other objects follows back, likewise: rolling back `repository.issues`
    /// brings each issue that joined or left the list to where the file has it. What is embedded by the property is
    /// rolled back with it. Of a new object, the property has its default again.
    public func rollback(_ property: KeyPath<Properties, some PropertyToken>) {
        rollBack(Self.properties[keyPath: property].description)
    }

    fileprivate func rollBack(_ property: PropertyDescription) {
        let state = _object.current
        guard !state.isDeleted, let index = state.model.index(of: property) else { return }
        context?.takeBack { $0.takeBack(index, of: state) }
    }
}

extension Submodel {
    /// Takes back what was edited of a property that the class itself declares, and not saved.
    public func rollback(_ property: KeyPath<OwnProperties, some PropertyToken>) {
        rollBack(Self.ownProperties[keyPath: property].description)
    }
}

extension ObjectContext {
    fileprivate func takeBack(_ body: (inout Rollback) -> Void) {
        guard !isEnded else { return }
        catchUp()
        var rollback = Rollback(in: self)
        body(&rollback)
        inheritAll()
        tellWatchers()
    }
}

/// What is taken back together, as it is one fact: a link, its other direction, and the links that gave way to it.
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

    mutating func takeBack(_ object: any Model) {
        let object = ObjectState.current(object)
        let state = object._object
        guard objects.insert(ObjectIdentifier(object)).inserted else { return }
        context.forgetRefusals(of: state.record)
        guard context.unsaved.contains(object) || state.hasEditedParts else { return }
        let isNew = state.isNewHere
        if isNew { takeBackWhatLeads(to: state.record) }
        let wasDeleted = state.isDeleted
        state.isDeleted = isNew && wasDeleted
        let onTheWay = state.lists.filter { state.isInserted && state.inFlight.has($0.key) }
        for property in state.model.properties where state.hasEdits(of: property) {
            takeBack(property.index, of: state)
        }
        if isNew {
            for (index, list) in onTheWay {
                state.lists[index] = list
                state.lists[index]?.isRolledBack = true
            }
            return context.takeBackInsertion(of: object)
        }
        if wasDeleted { context.advanceLists(ofMembersIn: state.model.table) }
        context.noteEdit(of: object)
    }

    /// Nothing leads to what was made here.
    private mutating func takeBackWhatLeads(to record: RecordID) {
        for source in context.schema.roots {
            for property in source.properties where property.target == record.table {
                let reference = UnsavedObjects.Reference(
                    property: property.index, source: source.table, target: record)
                for (object, reach) in context.unsaved.objects(referencing: reference) where reach == .joined {
                    if property.link != nil {
                        takeBackLink(property.index, of: object._object.current)
                    } else {
                        context.settle(record.row, in: property.index, of: object._object.record, isMember: false)
                    }
                }
            }
        }
    }

    // MARK: Properties

    mutating func takeBack(_ index: PropertyIndex, of state: ObjectState) {
        let property = state.model[index]
        for part in state.editedEmbedding(property) { takeBack(part) }
        switch property.kind {
        case .attribute: state.takeBackEdit(of: index)
        case .toOne: takeBackLink(index, of: state)
        case .toMany: takeBackList(index, of: state)
        }
    }

    /// - Parameter isAsked: whether it is to lead where the file says, whoever was linked there here; else only what
    ///   gave way to this link comes back.
    private mutating func takeBackLink(_ index: PropertyIndex, of state: ObjectState, isAsked: Bool = true) {
        guard let link = state.model.linkEnds(of: index),
            links.insert(LinkEnd(property: index, record: state.record)).inserted
        else { return }
        let former = state.seenRow(index)
        state.takeBackEdit(of: index)
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
                takeBackLink(inverse, of: partner, isAsked: false)
            }
        }
    }

    private mutating func takeBackList(_ index: PropertyIndex, of state: ObjectState) {
        guard let list = state.model[index].list else { return }
        let former = Set(context.members(of: state, index))
        let stored = Set(context.storedMembers(of: state, index) ?? [])
        state.lists[index] = nil
        context.noteListChange(of: state)
        context.listVersions.advance(list.id)
        for row in former.symmetricDifference(stored).sorted() {
            let member = RecordID(table: list.target, row: row)
            if case .column(let property, _, _) = list.storage {
                if let other = context.liveObject(member)?._object.current { takeBackLink(property, of: other) }
            } else if let inverse = list.inverse {
                context.settle(state.localID, in: inverse, of: member, isMember: stored.contains(row))
            }
        }
        state.noteEdit()
    }
}

extension ObjectContext {
    /// A list that has followed its other direction follows it back, with its other edits.
    ///
    /// - Parameter isMember: whether `member` is one again.
    fileprivate func settle(_ member: RowID, in index: PropertyIndex, of owner: RecordID, isMember: Bool) {
        guard let state = liveObject(owner)?._object.current, state.model[index].list != nil,
            var edited = state.lists[index]
        else { return }
        noteListChange(of: state)
        guard edited.isEdited else {
            // It is read again when it is looked at.
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

    /// A new object whose edits were taken back is deleted; one that a save or send has is gone if that fails.
    fileprivate func takeBackInsertion(of object: any Model) {
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
    /// Of a new object, what is on its way to the file stays, and what names it from the start.
    fileprivate func takeBackEdit(of index: PropertyIndex) {
        guard edits.has(index) else { return }
        if isWatched { noteChange() }
        context?.watch.noteTakenBack(index, of: record)
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
    /// Where a row belongs that stands in another order of these: behind the nearest before it that is here.
    fileprivate func place(of row: RowID, asIn order: [RowID]) -> Int {
        guard let end = order.firstIndex(of: row) else { return count }
        let places = Dictionary(zip(self, indices)) { first, _ in first }
        for former in order[..<end].reversed() { if let place = places[former] { return place + 1 } }
        return 0
    }
}
