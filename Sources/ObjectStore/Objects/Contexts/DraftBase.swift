/// The context under a draft (its parent), and the parent's unsaved edits that the draft shows.
///
/// The draft has copies of these edits, made again after each change in the parent (``ObjectContext/inherit(from:)``),
/// so it works as any context. An edit with a stamp of the parent's is a copy, any other is the draft's own.
final class DraftBase {
    struct Inherited {
        var edits: PropertyMap<ChangeStamp> = [:]
        /// The stamp of each list's last edit.
        var lists: PropertyMap<ChangeStamp?> = [:]
        var isInserted = false
        var isDeleted = false

        var isEmpty: Bool { edits.isEmpty && lists.isEmpty && !isInserted && !isDeleted }
    }

    let parent: ObjectContext
    fileprivate(set) var inherited: [RecordID: Inherited] = [:]
    /// New objects of the parent that were unified with a row since the draft last followed.
    private var unified: [RecordID] = []

    init(on parent: ObjectContext) { self.parent = parent }

    fileprivate func state(_ record: RecordID) -> ObjectState? { parent.liveObject(record)?._object.current }

    func value(_ index: PropertyIndex, of record: RecordID) -> StoredValue? { state(record)?.stored(index) }

    func isOwn(_ edit: Edit, of index: PropertyIndex, in record: RecordID) -> Bool {
        inherited[record]?.edits[index] != edit.stamp && state(record)?.edits[index]?.stamp != edit.stamp
    }

    /// Notes that the draft has dropped its own edit for the parent's.
    func follow(_ edit: Edit, of index: PropertyIndex, in record: RecordID) {
        inherited[record, default: .init()].edits[index] = edit.stamp
    }

    func isOwn(_ list: ObjectState.ListState, of index: PropertyIndex, in record: RecordID) -> Bool {
        guard list.isEdited else { return false }
        guard let stamp = list.stamp else { return true }
        return inherited[record]?.lists[index] != stamp && state(record)?.lists[index]?.stamp != stamp
    }

    /// Whether the parent has edited the property. The draft may then have an edit that equals the file.
    func isEdited(_ index: PropertyIndex, of record: RecordID) -> Bool {
        guard let state = state(record) else { return false }
        return state.edits[index] != nil || state.lists[index]?.isEdited == true
    }

    /// Whether the parent has added or removed the member, from either side.
    func isEdited(_ member: RowID, in list: List, _ index: PropertyIndex, of owner: RecordID) -> Bool {
        if state(owner)?.lists[index]?.toggles[member] != nil { return true }
        guard let inverse = list.inverse else { return false }
        return state(RecordID(table: list.target, row: member))?.lists[inverse]?.toggles[owner.row] != nil
    }

    func editedMembers(at index: PropertyIndex, in record: RecordID) -> [RowID]? {
        state(record).map { parent.members(of: $0, index) }
    }

    /// The members of a many-to-many list, as the parent shows it. Nil: the file has them.
    func members(of list: List, at index: PropertyIndex, in state: ObjectState) -> [RowID]? {
        guard case .join = list.storage, !parent.unsaved.isEmpty, !isOwnNew(state),
            let object = parent.object(for: state.record)
        else { return nil }
        return parent.members(of: object._object.current, index)
    }

    func noteUnified(_ record: RecordID) { unified.append(record) }

    fileprivate func takeUnified() -> [RecordID] {
        defer { unified = [] }
        return unified
    }

    func isOwnNew(_ state: ObjectState) -> Bool {
        state.isInserted && inherited[state.record]?.isInserted != true
    }

    func isOwnDeletion(_ state: ObjectState) -> Bool {
        state.isDeleted && inherited[state.record]?.isDeleted != true
    }
}

// MARK: - The draft's own edits

extension ObjectState {
    /// The edits, except copies of a parent's.
    var ownEdits: EditMap {
        guard let base = context?.base else { return edits }
        let record = record
        return edits.filter { base.isOwn($0.value, of: $0.key, in: record) }
    }

    /// The edited lists, except copies of a parent's.
    var ownEditedLists: [PropertyIndex] {
        let record = record
        return lists.filter { index, list in
            list.isEdited && context?.base?.isOwn(list, of: index, in: record) != false
        }.map(\.key)
    }

    /// Whether this context, rather than a parent, has made the object.
    var isNewHere: Bool { isInserted && context?.base?.isOwnNew(self) != false }

    func isEditedBelow(_ index: PropertyIndex) -> Bool { context?.base?.isEdited(index, of: record) ?? false }

    func editBelow(_ index: PropertyIndex) -> Edit? { context?.base?.state(record)?.edits[index] }

    /// The link's row beneath the draft's own edit.
    func linkedRowBelow(_ index: PropertyIndex) -> RowID? {
        editBelow(index).map(\.value.row) ?? snapshot.integer(index).map(RowID.init)
    }

    /// Whether the file has the value of an edit for good.
    fileprivate func isSettled(_ edit: Edit, at index: PropertyIndex) -> Bool {
        !isInserted && !isAtRisk(index) && !inFlight.has(index) && isStored(edit, at: index)
    }

    var hasChanges: Bool { hasOwnEdits || hasEditedParts }

    var hasEditedParts: Bool {
        guard mayHaveParts, !isDeleted else { return false }
        return model.properties.contains { property in
            editedEmbedding(property).contains { $0._object.current.hasOwnEdits }
        }
    }

    /// Whether a draft has edited an object that its parent has deleted.
    var hasEditsDeletedBelow: Bool {
        guard isDeleted, !isInserted, let base = context?.base, !base.isOwnDeletion(self) else { return false }
        return !ownEdits.isEmpty || !ownEditedLists.isEmpty
    }

    var hasOwnEdits: Bool {
        guard let base = context?.base else { return hasEdits }
        return !isDeleted && (base.isOwnNew(self) || !ownEdits.isEmpty || !ownEditedLists.isEmpty)
    }
}

extension ObjectContext {
    /// Of a draft, only its own changes count.
    var hasOwnChanges: Bool {
        guard let base else { return !unsaved.isEmpty }
        return unsavedObjects.contains { $0._object.current.hasOwnEdits || base.isOwnDeletion($0._object.current) }
    }
}

// MARK: - Following the parent

extension ObjectContext {
    func addDraft(_ draft: ObjectContext) {
        watch.addDraft(draft)
        for map in maps.all { map.watchAll() }
        catchUp()
        draft.inheritAll()
    }

    func inheritAll() {
        guard let base else { return }
        base.parent.catchUp()
        inherit(from: base.parent.unsavedObjects.map { $0._object.current })
    }

    func inherit(from states: [ObjectState]) {
        guard let base, !isEnded else { return }
        // Saved edits of the parent are in the file now.
        if handle.hasWaitingChanges { mergeOwnChanges() } else { catchUp() }
        for record in base.takeUnified() { keepRenamed(record, over: base) }
        // New objects come first: links may reference them.
        let states = states.map(\.current)
        for state in states where state.isInserted && !state.isDeleted { insertInherited(state) }
        for state in states { inherit(state, from: base) }
        notifyObservers()
    }

    /// Gives an object new in the draft a row of its own: the parent's was unified with a row whose identity the draft
    /// has changed.
    private func keepRenamed(_ record: RecordID, over base: DraftBase) {
        guard let object = liveObject(record), base.inherited[record]?.isInserted == true else { return }
        base.inherited[record] = nil
        forgetEdit(of: object)
        maps[record.table].remove(record.row)
        let row = newRows.next()
        survivors[record] = row
        _ = redirectEdits(from: [record])
        object._object.localID = row
        noteUnifying(of: record, into: object)
        insert(object)
    }

    private func insertInherited(_ state: ObjectState) {
        let record = state.record
        guard maps.contains(record.table), liveObject(record) == nil, object(for: record) == nil else { return }
        let object = state.model.type.init(_object: ObjectState(insertedAs: state, in: self))
        base?.inherited[record, default: .init()].isInserted = true
        insert(object)
    }

    private func inherit(_ state: ObjectState, from base: DraftBase) {
        let record = state.record
        let known = base.inherited[record]
        let isKnown = known != nil || liveObject(record)?._object.hasEdits == true
        guard isKnown || state.hasEdits || state.isDeleted else { return }
        guard let object = liveObject(record) ?? object(for: record) else {
            base.inherited[record] = nil
            return
        }
        let own = object._object.current
        if own.isWatched { own.noteTouch() }
        inheritDeletion(of: state, as: object, known)
        guard !own.isDeleted || !state.isInserted || !state.isDeleted else {
            base.inherited[record] = nil
            for history in watch.histories { history.forget(record) }
            return forget(object)
        }
        var inherited = DraftBase.Inherited(isInserted: state.isInserted, isDeleted: state.isDeleted)
        inherited.edits = inheritEdits(of: state, in: own, known)
        inherited.lists = inheritLists(of: state, in: own, known)
        base.inherited[record] = inherited.isEmpty ? nil : inherited
        noteEdit(of: object)
    }

    private func inheritDeletion(of state: ObjectState, as object: any Model, _ known: DraftBase.Inherited?) {
        let own = object._object.current
        if state.isDeleted, !own.isDeleted {
            guard state.isInserted, !own.inFlight.isEmpty else { return deleteAlone(object) }
            // The save or request in flight decides, as in the parent.
            noteRolledBack(own)
        } else if !state.isDeleted, own.isDeleted, known?.isDeleted == true {
            own.isDeleted = false
            advanceLists(ofMembersIn: own.model.table)
        }
    }

    private func inheritEdits(
        of state: ObjectState, in own: ObjectState, _ known: DraftBase.Inherited?
    ) -> PropertyMap<ChangeStamp> {
        guard let base else { return [:] }
        var inherited: PropertyMap<ChangeStamp> = [:]
        for (index, edit) in state.edits {
            if let present = own.edits[index], base.isOwn(present, of: index, in: state.record) {
                // An edit that leaves a list has an effect only while the link leads to its owner.
                guard let left = present.leaving, left != edit.value.row else { continue }
            }
            inherited[index] = edit.stamp
            guard own.edits[index]?.stamp != edit.stamp || own.edits[index]?.value != edit.value else { continue }
            replaceEdit(of: index, in: own, with: edit)
        }
        for (index, stamp) in known?.edits ?? [:] where state.edits[index] == nil && own.edits[index]?.stamp == stamp {
            replaceEdit(of: index, in: own, with: nil)
        }
        for (index, edit) in own.edits where state.edits[index] == nil {
            let isOver = edit.leaving.map { $0 != state.linkedRow(index) } ?? false
            guard isOver || own.isSettled(edit, at: index) else { continue }
            replaceEdit(of: index, in: own, with: nil)
        }
        return inherited
    }

    private func replaceEdit(of index: PropertyIndex, in own: ObjectState, with edit: Edit?) {
        let shown = own.isWatched ? own.stored(index) : nil
        own.edits[index] = edit
        if let shown, own.stored(index) != shown { own.noteChange() }
        advanceInverse(of: index, in: own.model)
    }

    private func advanceInverse(of index: PropertyIndex, in model: ModelSchema) {
        guard let link = model.linkEnds(of: index), let inverse = link.inverse, maps.contains(link.target),
            let list = schema[link.target][inverse].list
        else { return }
        listVersions.advance(list.id)
    }

    /// Many-to-many lists are read through the parent (``DraftBase/members(of:at:in:)``). Edits of lists of links are
    /// copied, for their order.
    private func inheritLists(
        of state: ObjectState, in own: ObjectState, _ known: DraftBase.Inherited?
    ) -> PropertyMap<ChangeStamp?> {
        var inherited: PropertyMap<ChangeStamp?> = [:]
        let edited = state.lists.filter { $0.value.isEdited }
        for index in Set(edited.map(\.key)).union(known?.lists.keys ?? []).sorted() {
            guard let list = own.model[index].list else { continue }
            if let theirs = state.lists[index], theirs.isEdited { inherited[index] = .some(theirs.stamp) }
            if own.isWatched, known?.lists[index] != inherited[index] { own.noteChange() }
            advance(list)
            if let present = own.lists[index] {
                guard base?.isOwn(present, of: index, in: state.record) != true else { continue }
                if present.isEdited { own.lists[index] = nil }
            }
            guard case .column = list.storage else { continue }
            own.lists[index] = state.lists[index].flatMap { $0.isEdited ? $0 : nil }
            // The next read then merges the copy with the members' links.
            own.lists[index]?.version = -1
        }
        return inherited
    }

    /// Makes the next read of a list, and of its inverse, read the file.
    private func advance(_ list: List) {
        listVersions.advance(list.id)
        if let inverse = list.inverse, let other = schema[list.target][inverse].list { listVersions.advance(other.id) }
    }
}

// MARK: - Sending

extension ObjectContext {
    /// Copies the parent's edits of many-to-many lists until the parent's next edit, since a request sends them as
    /// the draft shows them.
    package func prepareToSend(_ sent: any Model) {
        guard let base, !base.parent.unsaved.isEmpty else { return }
        var waiting = [sent]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(sent)]
        while let next = waiting.popLast() {
            let state = next._object.current
            copyEditedLists(to: state, from: base)
            for property in state.model.properties {
                // Besides embedded objects, only new ones are sent along.
                let isWhole = state.leadsToEmbedded(property)
                guard isWhole || property.list == nil || state.hasEdited(property) else { continue }
                for target in state.targets(of: property) where isWhole || target.isInserted {
                    if seen.insert(ObjectIdentifier(target)).inserted { waiting.append(target) }
                }
            }
        }
    }

    private func copyEditedLists(to own: ObjectState, from base: DraftBase) {
        guard let state = base.state(own.record), !state.isDeleted else { return }
        for (index, theirs) in state.lists where theirs.isEdited {
            guard case .join = state.model[index].list?.storage else { continue }
            let members = members(of: own, index)
            var copy = theirs.joined(with: own.lists[index])
            (copy.members, copy.version) = (members, own.lists[index]?.version ?? -1)
            // The draft's own edit stays its own.
            if let present = own.lists[index], base.isOwn(present, of: index, in: own.record) { copy.stamp = .now() }
            own.lists[index] = copy
            own.noteEdit()
        }
    }
}

extension ObjectState {
    /// Updates the parent's edit of a list after a draft's request has added or removed a single member.
    package func noteAccepted(_ member: RowID, in list: Property, isMember: Bool) {
        guard let parent = context?.base?.parent, isEditedBelow(list.index),
            let owner = parent.object(for: record)?._object.current
        else { return }
        owner.noteAccepted(member, in: list, isMember: isMember)
        let members = parent.members(of: owner, list.index).filter { $0 != member }
        parent.setMembers(list.index, of: owner, to: isMember ? members + [member] : members)
        parent.notifyObservers()
    }
}

// MARK: - Saving into the parent

extension ObjectContext {
    func saveDraft() throws(StoreError) {
        try checkSaving()
        guard let base, !base.parent.isEnded else { throw .endedContext }
        base.parent.catchUp()
        catchUp()
        try throwFailure()
        let objects = unsavedObjects.filter {
            $0._object.current.hasOwnEdits || base.isOwnDeletion($0._object.current)
        }
        try check(objects)
        dropEditsOfDeletedObjects(base)
        guard !objects.isEmpty else {
            if let error = StoreError(all: takeDeletions()) { throw error }
            return
        }
        // Histories record the edits before these move to the parent.
        notifyObservers()
        let parts = objects.map { DraftPart(of: $0, over: base) }
        for object in objects { dropOwnEdits(of: object._object.current, base) }
        for object in objects { noteEdit(of: object) }
        base.parent.take(parts)
        base.parent.notifyObservers()
        inherit(from: parts.compactMap { base.parent.liveObject($0.record)?._object.current })
        inheritAll()
        for history in watch.histories {
            for object in objects { history.forget(object._object.current.record) }
        }
        if let error = StoreError(all: takeDeletions()) { throw error }
    }

    /// Drops the edits of objects that the parent has deleted, which the save reports.
    private func dropEditsOfDeletedObjects(_ base: DraftBase) {
        for object in unsavedObjects {
            let state = object._object.current
            guard state.hasEditsDeletedBelow, !state.model.isEmbedded else { continue }
            noteDeletedByOthers(state.model)
            dropOwnEdits(of: state, base)
            noteEdit(of: object)
        }
    }

    fileprivate func dropOwnEdits(of state: ObjectState, _ base: DraftBase) {
        if state.isWatched { state.noteChange() }
        for (index, _) in state.ownEdits { state.edits[index] = nil }
        for index in state.ownEditedLists {
            state.lists[index] = nil
            noteListChange(of: state)
        }
        if base.isOwnNew(state) { base.inherited[state.record, default: .init()].isInserted = true }
        if base.isOwnDeletion(state) { base.inherited[state.record, default: .init()].isDeleted = true }
    }

    func rollBackDraft(_ base: DraftBase) {
        forgetFailures()
        for object in unsavedObjects {
            let state = object._object.current
            if base.isOwnNew(state) {
                rollBack(object)
                forgetEdit(of: object)
                if state.isRolledBack { unsaved.insert(object) }
            } else {
                let isOwnDeletion = base.isOwnDeletion(state)
                for (index, _) in state.ownEdits { watch.noteDiscardedEdit(index, of: state.record) }
                for index in state.ownEditedLists { watch.noteDiscardedEdit(index, of: state.record) }
                dropOwnEdits(of: state, base)
                if isOwnDeletion {
                    base.inherited[state.record]?.isDeleted = false
                    state.isDeleted = false
                }
                noteEdit(of: object)
            }
        }
        listVersions.advanceAll()
        inheritAll()
    }
}

private struct DraftPart {
    let record: RecordID
    let inserted: ObjectState?
    let isDeleted: Bool
    let edits: EditMap
    let lists: [(index: PropertyIndex, edit: ObjectState.ListState)]

    init(of object: any Model, over base: DraftBase) {
        let state = object._object.current
        record = state.record
        isDeleted = state.isDeleted
        inserted = base.isOwnNew(state) && !state.isDeleted ? state : nil
        edits = state.ownEdits
        lists = state.ownEditedLists.sorted().compactMap { index in
            guard let context = state.context, case let members = context.members(of: state, index),
                var list = state.lists[index]
            else { return nil }
            list.members = members
            return (index, list)
        }
    }
}

extension ObjectContext {
    /// Lists come after links, so they decide the order.
    fileprivate func take(_ parts: [DraftPart]) {
        for part in parts {
            if let state = part.inserted, liveObject(part.record) == nil {
                insert(state.model.type.init(_object: ObjectState(insertedAs: state, in: self)))
            }
        }
        let kept = parts.filter { !$0.isDeleted }.compactMap { part in
            object(for: part.record).map { (part, $0._object.current) }
        }
        for (part, state) in kept where !state.isDeleted { takeValues(part, in: state) }
        for (part, state) in kept where !state.isDeleted { takeLinks(part, in: state) }
        let left = leavers(in: parts)
        for (part, state) in kept where !state.isDeleted {
            for edited in part.lists {
                guard let list = state.model[edited.index].list else { continue }
                var edit = edited.edit
                // A later change of a member in this context stays.
                let own = state.lists[edited.index].flatMap { $0.isEdited ? $0.toggles : nil } ?? [:]
                edit.toggles = edit.toggles.filter { row, stamp in own[row].map { $0 < stamp } ?? true }
                var wanted = members(of: state, edited.index)
                if case .column(let link, _, _) = list.storage {
                    let link = UnsavedObjects.Reference(property: link, source: list.target, target: state.record)
                    let left = left[link] ?? []
                    wanted.removeAll(where: left.contains)
                }
                wanted = edit.members(over: wanted, in: list)
                setMembers(edited.index, of: state, to: wanted, isAssigned: edit.isAssigned)
                // The order then stays edited after the links were sent.
                if list.isOfLinks, !state.hasEditedList(edited.index) { noteEditOfList(edited.index, of: state.record) }
            }
        }
        for (part, state) in kept where !state.isDeleted {
            for (index, edit) in part.edits {
                if let owner = edit.leaving { leave(index, of: state, from: owner) }
            }
        }
        for part in parts where part.isDeleted { if let object = object(for: part.record) { delete(object) } }
    }

    /// Removes an object from the owner's list, if its link still leads there.
    private func leave(_ index: PropertyIndex, of state: ObjectState, from owner: RowID) {
        guard state.linkedRow(index) == owner, let link = state.model.linkEnds(of: index) else { return }
        unlink(index, of: state.record, from: owner)
        guard let inverse = link.inverse, maps.contains(link.target), schema[link.target][inverse].list != nil else {
            return
        }
        remove(state.record, fromLoaded: inverse, of: RecordID(table: link.target, row: owner))
    }

    /// The rows that edits of links have removed from lists.
    private func leavers(in parts: [DraftPart]) -> [UnsavedObjects.Reference: Set<RowID>] {
        var leavers: [UnsavedObjects.Reference: Set<RowID>] = [:]
        for part in parts {
            for (index, edit) in part.edits {
                guard let owner = edit.leaving, let table = schema[part.record.table].linkTarget(of: index) else {
                    continue
                }
                let target = RecordID(table: table, row: owner)
                leavers[.init(property: index, source: part.record.table, target: target), default: []]
                    .insert(part.record.row)
            }
        }
        return leavers
    }

    private func takeValues(_ part: DraftPart, in state: ObjectState) {
        for (index, edit) in part.edits where state.model.linkTarget(of: index) == nil {
            // The server may know the object by now, and accept fewer edits.
            if state.mayBeSet(index, to: edit.value) { state.setStored(index, to: edit.value) }
        }
    }

    private func takeLinks(_ part: DraftPart, in state: ObjectState) {
        for (index, edit) in part.edits where state.model.linkTarget(of: index) != nil && edit.leaving == nil {
            setLink(index, of: state, to: edit.value.row)
        }
    }
}
