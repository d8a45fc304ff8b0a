// The members of lists in this context, and their edits. Both sides of a relationship are one fact: an edit of a list
// also edits its members' links, or their lists.

extension ObjectContext {
    /// The rows of a list's members in this context.
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

    /// Keeps members of the file that were read together with those of other lists.
    func takeMembers(_ stored: [RowID], of state: ObjectState, _ index: PropertyIndex) {
        guard let list = state.model[index].list, let version = listVersions[list.id], state.lists[index] == nil else {
            return
        }
        let stored = base?.members(of: list, at: index, in: state) ?? stored
        let members = withUnsavedEdits(stored, of: list, owner: state.record)
        state.lists[index] = ObjectState.ListState(members: members, version: version)
    }

    /// Applies an edited list to the changed list in the file (`rebased(from:onto:)`).
    private func rebase(
        _ edited: ObjectState.ListState, _ index: PropertyIndex, of state: ObjectState, at version: Int
    ) -> [RowID] {
        guard let list = state.model[index].list, var stored = storedMembers(of: state, index) else {
            return edited.members
        }
        let twins = twins(of: edited, among: stored, as: index, of: state)
        let isSending = twins.values.contains { !$0.inFlight.isEmpty }
        // The reply to the request in flight decides about these. If none comes, they are compared again.
        if isSending { stored.removeAll { twins[$0] != nil } }
        var rebased = isSending ? edited : merging(twins, into: edited)
        rebased.version = isSending ? edited.version : version
        // A member that others added is left out if it was moved to another list here.
        var current = withUnsavedEdits(stored, of: list, owner: state.record)
        if schema[list.target].isEmbedded {
            current.removeAll { liveObject(RecordID(table: list.target, row: $0))?._object.isDeleted == true }
        }
        rebased.members = rebased.members(over: current, in: list)
        if case .join = list.storage { forgetArrivals(in: &rebased, beside: edited, of: list) }
        // The file has a place for a member that was moved into a list of links. It needn't be the server's.
        let isPlaced = list.isOfLinks && rebased.isOrdered && !rebased.toggles.isEmpty
        if !state.isInserted, !isPlaced, !isOpen(index, of: state) {
            // Others, or edits of the members' links, may have made the same change.
            rebased.prune(over: stored) { row in base?.isEdited(row, in: list, index, of: state.record) == true }
            let isStored =
                rebased.toggles.isEmpty && !rebased.isWhole && rebased.members == stored
                && !coversEdit(of: list, at: index, in: state)
            if isStored, !state.waits(for: index, amongKeys: edited.dismissed) { rebased.isEdited = false }
        }
        if rebased.members != edited.members { noteListChange(of: state) }
        state.lists[index] = rebased
        state.noteEdit()
        return rebased.members
    }

    /// Whether an edit of a list stays although it equals the list beneath it.
    private func isOpen(_ index: PropertyIndex, of state: ObjectState) -> Bool {
        state.inFlight.has(index) || state.isAtRisk(index)
    }

    /// Finds the rows in the file that the server has made of objects which were added here, after a request with an
    /// unknown outcome: they have the values that were sent. The objects may have been removed again since.
    ///
    /// - Returns: the added objects by these rows.
    private func twins(
        of edited: ObjectState.ListState, among stored: [RowID], as index: PropertyIndex, of state: ObjectState
    ) -> [RowID: ObjectState] {
        guard let list = state.model[index].list, state.isAtRisk(index) || lostSends.contains(state.record),
            schema[list.target].isEmbedded || list.options.sentAs == .nested
        else { return [:] }
        let known = Set(edited.members)
        var arrived = stored.filter { !known.contains($0) && edited.toggles[$0] == nil }
        // Objects that were sent first are compared first, also if they were removed since. Objects that were added
        // since may have been sent by a later request.
        func isSent(_ row: RowID) -> Bool { !underway.sentValues(of: RecordID(table: list.target, row: row)).isEmpty }
        let mine = edited.members.filter { edited.toggles[$0] != nil }
        let added = mine.filter(isSent) + edited.removed + mine.filter { !isSent($0) }
        // In a long list, only the next row is compared: the rows have the order of the request.
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

    /// Replaces added objects of an edited list by the rows that the server has made of them, and leaves out removed
    /// ones.
    private func merging(_ twins: [RowID: ObjectState], into edited: ObjectState.ListState) -> ObjectState.ListState {
        var edited = edited
        for (row, twin) in twins.sorted(by: { $0.key < $1.key }) {
            edited.toggles[twin.localID] = nil
            if let place = edited.members.firstIndex(of: twin.localID) {
                edited.members[place] = row
                keepEdits(sinceSending: twin, in: RecordID(table: twin.record.table, row: row))
            } else {
                edited.toggles[row] = .now()
                if let arrived = object(for: RecordID(table: twin.record.table, row: row)) { deleteAlone(arrived) }
            }
            if let added = liveObject(twin.record) { deleteAlone(added) }
            underway.noteMade(row, of: twin.record)
        }
        return edited
    }

    /// Makes edits of a new object since it was sent edits of the row that the server has made of it.
    private func keepEdits(sinceSending added: ObjectState, in record: RecordID) {
        let columns = added.model.attributeColumns
        guard
            let sent = underway.sentValues(of: added.record).last(where: {
                mayBeMade(record.row, of: added, sentAs: $0)
            }),
            let arrived = object(for: record)?._object
        else { return }
        for (column, (sent, value)) in zip(columns, zip(sent, added.attributeValues)) where value != sent {
            arrived.setStored(column.property, to: value)
        }
    }

    /// Whether the server may have made a row of a new object: it has the values that were sent, or the current ones if
    /// those aren't known.
    private func mayBeMade(_ row: RowID, of state: ObjectState) -> Bool {
        let sent = underway.sentValues(of: state.record)
        return (sent.isEmpty ? [state.attributeValues] : sent).contains { mayBeMade(row, of: state, sentAs: $0) }
    }

    private func mayBeMade(_ row: RowID, of state: ObjectState, sentAs sent: [StoredValue]) -> Bool {
        guard let made = read({ try $0.row(RecordID(table: state.model.table, row: row)) }) ?? nil else { return false }
        let columns = state.model.attributeColumns
        let said = columns.map { made.value($0.property) }
        return sent == said || state.model.mayBeMade(said, of: sent, in: columns)
    }

    /// Leaves out members that the edit removed while they had no rows, and whose rows were stored since.
    private func forgetArrivals(
        in rebased: inout ObjectState.ListState, beside edited: ObjectState.ListState, of list: List
    ) {
        guard !edited.dismissed.isEmpty else { return }
        let known = Set(edited.members)
        let arrived = rebased.members.filter { row in
            let record = RecordID(table: list.target, row: row)
            guard !known.contains(row), let key = read({ try $0.pendingKey(of: record) }) else { return false }
            return key.map(edited.dismissed.contains) ?? false
        }
        for row in arrived { rebased.toggles[row] = edited.stamp }
        rebased.members.removeAll(where: Set(arrived).contains)
    }

    /// Applies unsaved edits of the other side to the members in the file.
    func withUnsavedEdits(_ stored: [RowID], of list: List, owner: RecordID) -> [RowID] {
        unsaved.work.add(stored.count)
        guard let inverse = list.inverse else { return stored }
        let edited = unsaved.objects(
            referencing: UnsavedObjects.Reference(property: inverse, source: list.target, target: owner))
        guard !edited.isEmpty else { return stored }
        var known = Set(stored)
        var joined: [(row: RowID, stamp: ChangeStamp)] = []
        for (object, reach) in edited {
            let state = object._object.current
            let row = state.localID
            if reach == .left || state.isDeleted {
                known.remove(row)
            } else if reach == .joined, known.insert(row).inserted {
                let stamp = state.edits[inverse]?.stamp ?? state.lists[inverse]?.toggles[owner.row]
                joined.append((row, stamp ?? .earliest))
            }
        }
        // In the order in which they were added, as in a list that was read before.
        if joined.count > 1 { joined.sort { $0.stamp < $1.stamp } }
        return (stored + joined.lazy.map(\.row)).filter(known.contains)
    }

    /// Adds the members that have become objects of another class than the list's. An array of that class can't contain
    /// them, so it doesn't remove them.
    func membersWithHidden<D: Model>(
        of type: D.Type, besides rows: [RowID], in state: ObjectState, _ index: PropertyIndex
    ) -> [RowID] {
        guard let list = state.model[index].list, maps.contains(list.target),
            case let target = schema[list.target], target.hasSubmodels,
            ObjectIdentifier(target.type) != ObjectIdentifier(type)
        else { return rows }
        let members = members(of: state, index)
        let hidden = members.filter { row in
            object(for: RecordID(table: list.target, row: row)).map { !($0 is D) && !$0._object.isDeleted } ?? false
        }
        return rows.with(Set(hidden), placedAsIn: members)
    }

    /// Sets the members of a list, each once, in their order, and edits the other side.
    ///
    /// - Parameters:
    ///   - isAssigned: whether they are the whole list, rather than a change of its members.
    ///   - isUsers: whether a user sets them. A list with a repeated member is then refused, which the next `save` reports,
    ///     as a list can't keep both places.
    func setMembers(
        _ index: PropertyIndex, of state: ObjectState, to members: [RowID], isAssigned: Bool = false,
        isUsers: Bool = false
    ) {
        catchUp()
        let state = state.current
        guard state.model[index].list != nil else { return }
        var seen: Set<RowID> = []
        let wanted = members.filter { seen.insert($0).inserted }
        if isUsers, wanted.count < members.count {
            let property = state.model[index]
            return refuse(
                .repeatedMember(model: state.model.modelName, property: property.name), editing: state.record)
        }
        let old = self.members(of: state, index)
        let kept = Set(old)
        setMembers(
            index, of: state, from: old, to: wanted, left: old.filter { !seen.contains($0) },
            joined: wanted.filter { !kept.contains($0) }, isAssigned: isAssigned)
    }

    /// Sets the members of a list whose changes are known.
    ///
    /// - Parameters:
    ///   - old: the members before.
    ///   - wanted: the new members, each once.
    ///   - left: the removed members.
    ///   - joined: the added members.
    func setMembers(
        _ index: PropertyIndex, of state: ObjectState, from old: [RowID], to wanted: [RowID], left: [RowID],
        joined: [RowID], isAssigned: Bool = false
    ) {
        guard let list = state.model[index].list else { return }
        let dismissed = dismissed(by: wanted, as: index, of: state, instead: old)
        let isAssigned = isAssigned && !wanted.isEmpty && state.mayBeAssigned(state.model[index], over: old)
        guard wanted != old || state.isInserted || !dismissed.isEmpty || isAssigned else { return }
        for history in watch.histories { history.note(old, of: index, in: state) }
        let mayBeSetBack = mayBeSetBack(index, of: state, toggling: left + joined)
        if let inverse = list.inverse {
            for row in left { leave(list, inverse, member: row, owner: state.record) }
            for row in joined { join(list, inverse, member: row, owner: state.record) }
        }
        let gone = Set(left)
        let kept = gone.isEmpty ? old : old.filter { !gone.contains($0) }
        let toggled = left + joined
        let isMoved =
            !wanted.starts(with: kept) || joined.contains { isAddedAgain($0, to: list, at: index, of: state) }
        setOwnMembers(
            index, of: state, to: wanted, toggling: toggled, dismissing: dismissed, isAssigned: isAssigned,
            isOrdered: isMoved, mayBeSetBack: mayBeSetBack)
        // The links of a list of links were edited above.
        guard case .join = list.storage, let inverse = list.inverse else { return }
        let isSentByInverse = schema.isSentByInverse(state.model[index])
        for member in (left + joined).map({ RecordID(table: list.target, row: $0) })
        where isSentByInverse || isEditUnderWay(inverse, of: member) {
            noteEditOfList(inverse, of: member, toggling: state.localID)
        }
    }

    /// Whether a member that is added to a list was removed from it before, by this edit or by one of its link. So it
    /// has another place than beneath the edit.
    private func isAddedAgain(_ row: RowID, to list: List, at index: PropertyIndex, of state: ObjectState) -> Bool {
        if state.lists[index]?.toggles[row] != nil { return true }
        guard list.isOfLinks, !state.isInserted, let link = list.inverse,
            let member = liveObject(RecordID(table: list.target, row: row))?._object.current, !member.isInserted
        else { return false }
        return member.snapshot.value(link).row == state.localID
    }

    /// Whether an edit of a list is in flight or at risk. Its request would undo an edit of the other side at the
    /// server, unless that is a newer edit of the same list.
    private func isEditUnderWay(_ index: PropertyIndex, of record: RecordID) -> Bool {
        let isSent = underway.isSent(index, of: record)
        guard let state = (isSent ? object(for: record) : liveObject(record))?._object.current else { return false }
        if state.hasEditedList(index) { return isSent || state.inFlight.has(index) }
        return isSent && state.savedUnsent.contains(state.model[index].name)
    }

    /// The members that a list adds and removes, with those that it shows or lacks since their own lists were edited. A
    /// request with the list sends these, too.
    func toggles(of property: PropertyIndex, in state: ObjectState) -> [RowID: ChangeStamp] {
        var toggles = state.lists[property].flatMap { $0.isEdited ? $0.toggles : nil } ?? [:]
        guard let list = state.model[property].list, case .join = list.storage, let inverse = list.inverse else {
            return toggles
        }
        let others = unsaved.objects(
            referencing: UnsavedObjects.Reference(property: inverse, source: list.target, target: state.record))
        for (object, reach) in others where reach != .stayed {
            let other = object._object.current
            if toggles[other.localID] == nil { toggles[other.localID] = other.lists[inverse]?.toggles[state.localID] }
        }
        return toggles
    }

    /// The unsaved changes in a list that isn't edited itself: its members' own lists are. Nil: there are none.
    package func changes(of property: Property, in state: ObjectState) -> WriteBatch.Membership? {
        let state = state.current
        guard !state.hasEditedList(property.index), case let toggles = toggles(of: property.index, in: state),
            !toggles.isEmpty
        else { return nil }
        return WriteBatch.Membership(
            members(of: state, property.index), of: ListOwner(property.index, of: state.record), toggling: toggles,
            stamp: toggles.values.max())
    }

    /// The keys of members without rows that an edit removes as well. Only an edit that keeps none of the former
    /// members removes them: one that adds or removes some can't refer to members that aren't here.
    private func dismissed(
        by wanted: [RowID], as index: PropertyIndex, of state: ObjectState, instead old: [RowID]
    ) -> Set<String> {
        if !wanted.isEmpty {
            let edited = state.lists[index].flatMap { $0.isEdited ? $0 : nil }
            let toggles = edited?.toggles ?? [:]
            // Most edits keep the first member in its place, or only add members.
            let keepsFirst = old.first.map { $0 == wanted.first && toggles[$0] == nil } ?? true
            if keepsFirst || wanted.starts(with: old) { return [] }
            let former = old.filter { toggles[$0] == nil } + (edited?.removed ?? [])
            let kept = Set(wanted)
            guard !former.isEmpty, !former.contains(where: kept.contains) else { return [] }
        }
        return state.waitingMembers(of: state.model[index])
    }

    /// Whether changes of members may restore the list in the file. They do only if some of them were changed before,
    /// here or by their other side, or if only the order is changed.
    private func mayBeSetBack(_ index: PropertyIndex, of state: ObjectState, toggling toggled: [RowID]) -> Bool {
        let toggles = state.lists[index].flatMap { $0.isEdited ? $0.toggles : nil } ?? [:]
        if toggled.isEmpty { return toggles.isEmpty }
        guard let list = state.model[index].list else { return false }
        return toggled.contains { row in
            if toggles[row] != nil { return true }
            guard let inverse = list.inverse,
                let member = liveObject(RecordID(table: list.target, row: row))?._object.current
            else { return false }
            return member.edits.mayContain(inverse) || member.lists[inverse]?.toggles[state.localID] != nil
        }
    }

    /// Sets the members of a list without its other side. An edit that equals the list in the file is removed.
    ///
    /// - Parameters:
    ///   - toggled: the added and removed members.
    ///   - dismissed: the keys of removed members without rows.
    ///   - isAssigned: whether they are the whole of a list that was never fetched.
    ///   - isOrdered: whether members were moved, or inserted before others.
    ///   - mayBeSetBack: whether the list is compared with the one in the file.
    private func setOwnMembers(
        _ index: PropertyIndex, of state: ObjectState, to wanted: [RowID], toggling toggled: [RowID],
        dismissing dismissed: Set<String> = [], isAssigned: Bool = false, isOrdered: Bool = false,
        mayBeSetBack: Bool = true
    ) {
        guard let list = state.model[index].list, let version = listVersions[list.id] else { return }
        let wasEdited = state.hasEditedList(index)
        let stamp = ChangeStamp.now()
        var edited =
            (wasEdited ? state.lists[index] : nil) ?? ObjectState.ListState(members: [], version: version)
        // The edit is changed in place, without a copy.
        state.lists[index] = nil
        (edited.members, edited.version, edited.isEdited, edited.stamp) = (wanted, version, true, stamp)
        for row in toggled { edited.toggles[row] = stamp }
        if isOrdered { edited.orderStamp = stamp }
        edited.dismissed.formUnion(dismissed)
        edited.isAssigned = edited.isAssigned || isAssigned
        // An order isn't set back while a request in flight may move its members.
        if mayBeSetBack, !state.isInserted, !edited.isWhole, !isOpen(index, of: state),
            !underway.isLinkAtRisk(of: wanted, in: list), !underway.isLinkAtRisk(of: toggled, in: list)
        {
            compare(&edited, changing: toggled, as: index, of: state)
        }
        let isEdited = edited.isEdited
        state.lists[index] = edited
        noteListChange(of: state)
        state.noteEdit()
        guard wasEdited || mayBeSetBack, !isEdited, let inverse = list.inverse,
            let other = schema[list.target][inverse].list
        else { return }
        // Members that were removed and added again have their former places, also in the lists on the other side. An
        // edit of these may have been the same one.
        listVersions.advance(other.id)
        for row in toggled {
            guard let member = liveObject(RecordID(table: list.target, row: row))?._object.current,
                member.hasEditedList(inverse)
            else { continue }
            _ = members(of: member, inverse)
        }
    }

    /// Drops what an edited list has in common with the list in the file.
    ///
    /// - Parameter toggled: the members that were just added or removed.
    /// - Complexity: linear in these as long as other members are changed, too, else in the list.
    private func compare(
        _ edited: inout ObjectState.ListState, changing toggled: [RowID], as index: PropertyIndex,
        of state: ObjectState
    ) {
        guard let list = state.model[index].list else { return }
        let changed = Set(toggled)
        if edited.toggles.count > changed.count, changed.count < 16 {
            for row in toggled where storesMembers([row], of: state, index) == edited.members.contains(row) {
                edited.toggles[row] = nil
            }
            guard edited.toggles.isEmpty else { return }
        }
        guard let stored = storedMembers(of: state, index) else { return }
        edited.prune(over: stored) { row in
            !changed.contains(row) && base?.isEdited(row, in: list, index, of: state.record) == true
        }
        guard edited.toggles.isEmpty else { return }
        let shown = coversEdit(of: list, at: index, in: state) ? base?.editedMembers(at: index, in: state.record) : nil
        if shown == nil, edited.members == stored {
            guard !stored.isEmpty || edited.dismissed.isEmpty else { return }
            edited = ObjectState.ListState(members: stored, version: edited.version)
        } else if !changed.isEmpty, edited.orderStamp == nil {
            // A member that was removed and added again may have another place.
            let former = shown ?? stored
            let (present, beneath) = (Set(edited.members), Set(former))
            let isMoved = edited.members.filter(beneath.contains) != former.filter(present.contains)
            if isMoved { edited.orderStamp = edited.stamp }
        }
    }

    /// Whether a draft's edit of a list of links is over an edit of its parent. Then it stays also if it equals the
    /// list in the file: such a list is shown over the file, with copies of the parent's edits.
    private func coversEdit(of list: List, at index: PropertyIndex, in state: ObjectState) -> Bool {
        list.isOfLinks && state.isEditedBelow(index)
    }

    /// Makes a list that shows its members' links, or its other direction, edited itself.
    ///
    /// - Parameter member: the member that was added or removed.
    func noteEditOfList(_ index: PropertyIndex, of record: RecordID, toggling member: RowID? = nil) {
        guard let state = object(for: record)?._object.current else { return }
        setOwnMembers(index, of: state, to: members(of: state, index), toggling: member.map { [$0] } ?? [])
    }

    /// The members in the file. Of a draft: the members in the context that it was made of.
    package func storedMembers(of state: ObjectState, _ index: PropertyIndex) -> [RowID]? {
        guard let list = state.model[index].list else { return [] }
        if let below = base?.members(of: list, at: index, in: state) { return below }
        return state.isInserted ? [] : read { reader in try reader.members(of: list, owner: state.localID) }
    }

    /// Whether all of the rows are among these members. Nil: the file can't be read.
    ///
    /// - Complexity: a query for each of the rows, however long the list is.
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

    /// Notes that a list of the object has other members.
    func noteListChange(of state: ObjectState) {
        watch.touchRelated()
        if state.isWatched { state.noteChange() }
    }

    // A list in memory is changed. A list that isn't in memory is read with the edits when it is needed. The cost
    // doesn't grow with the list. The membership is one fact, which is edited from the other side now. So an earlier
    // edit from this side goes.

    func append(_ member: RecordID, toLoaded index: PropertyIndex, of owner: RecordID) {
        guard let object = liveObject(owner), let known = object._object.lists[index] else { return }
        unsaved.work.add()
        if !known.isEdited, let list = object._object.model[index].list, case .column(let link, _, _) = list.storage,
            liveObject(member)?._object.current.edits[link] == nil
        {
            // The file has its place.
            object._object.lists[index] = nil
            return noteListChange(of: object._object)
        }
        if let list = object._object.model[index].list, known.version != listVersions[list.id] {
            // The list may still have the member, which others have removed.
            unsaved.work.add(known.members.count)
            object._object.lists[index]?.members.removeAll { $0 == member.row }
        }
        object._object.lists[index]?.members.append(member.row)
        object._object.lists[index]?.toggles[member.row] = nil
        noteListChange(of: object._object)
        if object._object.hasEditedList(index) { unsaved.note(member, in: index, of: object, isMember: true) }
    }

    func remove(_ member: RecordID, fromLoaded index: PropertyIndex, of owner: RecordID) {
        guard let object = liveObject(owner), let list = object._object.lists[index] else { return }
        noteListChange(of: object._object)
        if list.isEdited || object._object.isDeleted {
            for history in watch.histories { history.note(list.members, ofFollowing: index, in: object._object) }
            unsaved.work.add(list.members.count)
            object._object.lists[index]?.members.removeAll { $0 == member.row }
            object._object.lists[index]?.toggles[member.row] = nil
            unsaved.note(member, in: index, of: object, isMember: false)
        } else {
            object._object.lists[index] = nil
        }
    }
}
