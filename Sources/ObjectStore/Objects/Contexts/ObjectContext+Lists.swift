// Both sides of a relationship are one fact: an edit of a list also edits its members' links, or their lists.

extension ObjectContext {
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

    /// Keeps members that were read along with those of other lists.
    func takeMembers(_ stored: [RowID], of state: ObjectState, _ index: PropertyIndex) {
        guard let list = state.model[index].list, let version = listVersions[list.id], state.lists[index] == nil else {
            return
        }
        let stored = base?.members(of: list, at: index, in: state) ?? stored
        let members = withUnsavedEdits(stored, of: list, owner: state.record)
        state.lists[index] = ObjectState.ListState(members: members, version: version)
    }

    private func rebase(
        _ edited: ObjectState.ListState, _ index: PropertyIndex, of state: ObjectState, at version: Int
    ) -> [RowID] {
        guard let list = state.model[index].list, var stored = storedMembers(of: state, index) else {
            return edited.members
        }
        let createdRows = createdRows(of: edited, among: stored, as: index, of: state)
        let isSending = createdRows.values.contains { !$0.inFlight.isEmpty }
        // The reply to the request in flight decides about these rows.
        if isSending { stored.removeAll { createdRows[$0] != nil } }
        var rebased = isSending ? edited : merging(createdRows, into: edited)
        rebased.version = isSending ? edited.version : version
        // Others may have added members that this context has moved to another list.
        var current = withUnsavedEdits(stored, of: list, owner: state.record)
        if schema[list.target].isEmbedded {
            current.removeAll { liveObject(RecordID(table: list.target, row: $0))?._object.isDeleted == true }
        }
        rebased.members = rebased.members(over: current, in: list)
        if case .join = list.storage { removeResolved(in: &rebased, comparedWith: edited, of: list) }
        // A member that was moved into a list of links may have another place in the file than at the server.
        let mayDifferInOrder = list.isOfLinks && rebased.isOrdered && !rebased.toggles.isEmpty
        if !state.isInserted, !mayDifferInOrder, !staysPending(index, of: state) {
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

    /// Whether an edit of a list stays even if it equals the list beneath it.
    private func staysPending(_ index: PropertyIndex, of state: ObjectState) -> Bool {
        state.inFlight.has(index) || state.isAtRisk(index)
    }

    /// After a request with an unknown outcome, finds the rows that the server has made of added objects, by the values
    /// that were sent. Some objects may have been removed again.
    private func createdRows(
        of edited: ObjectState.ListState, among stored: [RowID], as index: PropertyIndex, of state: ObjectState
    ) -> [RowID: ObjectState] {
        guard let list = state.model[index].list, state.isAtRisk(index) || lostSends.contains(state.record),
            schema[list.target].isEmbedded || list.options.sentAs == .nested
        else { return [:] }
        let known = Set(edited.members)
        var arrived = stored.filter { !known.contains($0) && edited.toggles[$0] == nil }
        // Sent objects are compared first, even if they were removed since. Others may belong to a later request.
        func isSent(_ row: RowID) -> Bool { !operations.sentValues(of: RecordID(table: list.target, row: row)).isEmpty }
        let mine = edited.members.filter { edited.toggles[$0] != nil }
        let added = mine.filter(isSent) + edited.removed + mine.filter { !isSent($0) }
        // The rows have the order of the request, so in a long list only the first remaining one is compared.
        let isLong = arrived.count * added.count > 4096
        var createdRows: [RowID: ObjectState] = [:]
        for row in added where !arrived.isEmpty {
            guard let object = liveObject(RecordID(table: list.target, row: row)), object.isInserted,
                object._object.model.isEmbedded || object._object.leadsNowhere(but: list.inverse),
                let match = arrived.prefix(isLong ? 1 : arrived.count)
                    .firstIndex(where: { sentValues(of: object._object, madeInto: $0) != nil })
            else { continue }
            createdRows[arrived.remove(at: match)] = object._object
        }
        return createdRows
    }

    /// Replaces added objects by the rows that the server has made of them. If one was removed since, its row is, too.
    private func merging(
        _ createdRows: [RowID: ObjectState], into edited: ObjectState.ListState
    ) -> ObjectState.ListState {
        var edited = edited
        for (row, sentObject) in createdRows.sorted(by: { $0.key < $1.key }) {
            edited.toggles[sentObject.localID] = nil
            if let place = edited.members.firstIndex(of: sentObject.localID) {
                edited.members[place] = row
                keepEdits(sinceSending: sentObject, in: RecordID(table: sentObject.record.table, row: row))
            } else {
                edited.toggles[row] = .now()
                if let arrived = object(for: RecordID(table: sentObject.record.table, row: row)) {
                    deleteAlone(arrived)
                }
            }
            if let added = liveObject(sentObject.record) { deleteAlone(added) }
            operations.noteCreatedRow(row, of: sentObject.record)
        }
        return edited
    }

    /// Moves edits that a new object got after it was sent to the row that the server has made of it.
    private func keepEdits(sinceSending added: ObjectState, in record: RecordID) {
        let columns = added.model.attributeColumns
        guard let sent = sentValues(of: added, madeInto: record.row), let arrived = object(for: record)?._object else {
            return
        }
        for (column, (sent, value)) in zip(columns, zip(sent, added.attributeValues)) where value != sent {
            arrived.setStored(column.property, to: value)
        }
    }

    /// The values that were sent of a new object, if the server has made the row of them. The values that an earlier
    /// run has sent are unknown, so the current ones stand for them.
    private func sentValues(of state: ObjectState, madeInto row: RowID) -> [StoredValue]? {
        guard let made = read({ try $0.row(RecordID(table: state.model.table, row: row)) }) ?? nil else { return nil }
        let (columns, sent) = (state.model.attributeColumns, operations.sentValues(of: state.record))
        return state.model.source(
            of: columns.map { made.value($0.property) }, among: sent.isEmpty ? [state.attributeValues] : sent,
            in: columns)
    }

    /// Removes members whose keys the edit removed, and that have got rows since.
    private func removeResolved(
        in rebased: inout ObjectState.ListState, comparedWith edited: ObjectState.ListState, of list: List
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

    /// Applies unsaved edits of the inverse.
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
        // In the order of the edits, as in a list that was read before them.
        if joined.count > 1 { joined.sort { $0.stamp < $1.stamp } }
        return (stored + joined.lazy.map(\.row)).filter(known.contains)
    }

    /// Keeps members of another class than `type`, which the array leaves out.
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

    /// Edits the other side, too.
    ///
    /// - Parameters:
    ///   - isAssigned: whether the whole list is assigned, rather than single members changed.
    ///   - isUsers: whether to refuse a repeated member, which the next `save` reports.
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

    /// - Parameter wanted: the new members, each once.
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

    /// Whether a member was removed before, by this edit or by one of its link. Its place has changed then.
    private func isAddedAgain(_ row: RowID, to list: List, at index: PropertyIndex, of state: ObjectState) -> Bool {
        if state.lists[index]?.toggles[row] != nil { return true }
        guard list.isOfLinks, !state.isInserted, let link = list.inverse,
            let member = liveObject(RecordID(table: list.target, row: row))?._object.current, !member.isInserted
        else { return false }
        return member.snapshot.value(link).row == state.localID
    }

    /// Whether an edit of a list is in flight or at risk. Its request could undo an edit from the other side, unless
    /// the list is edited again.
    private func isEditUnderWay(_ index: PropertyIndex, of record: RecordID) -> Bool {
        let isSent = operations.isSent(index, of: record)
        guard let state = (isSent ? object(for: record) : liveObject(record))?._object.current else { return false }
        if state.hasEditedList(index) { return isSent || state.inFlight.has(index) }
        return isSent && state.savedUnsent.contains(state.model[index].name)
    }

    /// The list's toggles, including those through the members' own lists, which a request sends, too.
    func toggles(of property: PropertyIndex, in state: ObjectState) -> [RowID: ChangeStamp] {
        var toggles = state.lists[property].flatMap { $0.isEdited ? $0.toggles : nil } ?? [:]
        guard let list = state.model[property].list, case .join = list.storage, let inverse = list.inverse else {
            return toggles
        }
        let others = unsaved.objects(
            referencing: UnsavedObjects.Reference(property: inverse, source: list.target, target: state.record))
        for (object, reach) in others where reach != .unchanged {
            let other = object._object.current
            if toggles[other.localID] == nil { toggles[other.localID] = other.lists[inverse]?.toggles[state.localID] }
        }
        return toggles
    }

    /// A list's changes through its members' lists. Nil if the list is unchanged, or edited itself.
    package func changes(of property: Property, in state: ObjectState) -> WriteBatch.Membership? {
        let state = state.current
        guard !state.hasEditedList(property.index), case let toggles = toggles(of: property.index, in: state),
            !toggles.isEmpty
        else { return nil }
        return WriteBatch.Membership(
            members(of: state, property.index), of: ListOwner(property.index, of: state.record), toggling: toggles,
            stamp: toggles.values.max())
    }

    /// The keys of pending members that an edit removes, too, since it replaces all former members.
    private func dismissed(
        by wanted: [RowID], as index: PropertyIndex, of state: ObjectState, instead old: [RowID]
    ) -> Set<String> {
        if !wanted.isEmpty {
            let edited = state.lists[index].flatMap { $0.isEdited ? $0 : nil }
            let toggles = edited?.toggles ?? [:]
            // The usual edits keep the first member in its place, or only add members.
            let keepsFirst = old.first.map { $0 == wanted.first && toggles[$0] == nil } ?? true
            if keepsFirst || wanted.starts(with: old) { return [] }
            let former = old.filter { toggles[$0] == nil } + (edited?.removed ?? [])
            let kept = Set(wanted)
            guard !former.isEmpty, !former.contains(where: kept.contains) else { return [] }
        }
        return state.waitingMembers(of: state.model[index])
    }

    /// Whether an edit may restore the list in the file: after an earlier edit of the same members, from either side,
    /// or as an edit of the order alone.
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

    /// Sets the members on this side only.
    ///
    /// - Parameters:
    ///   - dismissed: the keys of removed pending members.
    ///   - isAssigned: whether a list is assigned as a whole, before it was ever fetched.
    ///   - isOrdered: whether members were moved, or inserted before others.
    ///   - mayBeSetBack: whether to drop the edit if it equals the file's list.
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
        // This leaves one reference to the edit, so it is changed in place.
        state.lists[index] = nil
        (edited.members, edited.version, edited.isEdited, edited.stamp) = (wanted, version, true, stamp)
        for row in toggled { edited.toggles[row] = stamp }
        if isOrdered { edited.orderStamp = stamp }
        edited.dismissed.formUnion(dismissed)
        edited.isAssigned = edited.isAssigned || isAssigned
        // While a request may move its members, the order stays edited.
        if mayBeSetBack, !state.isInserted, !edited.isWhole, !staysPending(index, of: state),
            !operations.isLinkAtRisk(of: wanted, in: list), !operations.isLinkAtRisk(of: toggled, in: list)
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
        // Edits of lists on the other side may have become redundant.
        listVersions.advance(other.id)
        for row in toggled {
            guard let member = liveObject(RecordID(table: list.target, row: row))?._object.current,
                member.hasEditedList(inverse)
            else { continue }
            _ = members(of: member, inverse)
        }
    }

    /// Drops the parts of an edit that equal the file's list.
    ///
    /// - Parameter toggled: the members that were just added or removed.
    /// - Complexity: linear in these while other members are changed, too; otherwise linear in the list.
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

    /// Whether a draft's edit of a list of links covers its parent's. Then it stays even if it equals the file's list.
    private func coversEdit(of list: List, at index: PropertyIndex, in state: ObjectState) -> Bool {
        list.isOfLinks && state.isEditedBelow(index)
    }

    /// Marks a list as edited after the other side was edited: the links or lists of its members.
    func noteEditOfList(_ index: PropertyIndex, of record: RecordID, toggling member: RowID? = nil) {
        guard let state = object(for: record)?._object.current else { return }
        setOwnMembers(index, of: state, to: members(of: state, index), toggling: member.map { [$0] } ?? [])
    }

    /// The members in the file, or those that a draft's parent shows.
    package func storedMembers(of state: ObjectState, _ index: PropertyIndex) -> [RowID]? {
        guard let list = state.model[index].list else { return [] }
        if let below = base?.members(of: list, at: index, in: state) { return below }
        return state.isInserted ? [] : read { reader in try reader.members(of: list, owner: state.localID) }
    }

    /// Whether the list has all rows beneath the context's own edits. Nil if the file is unreadable.
    ///
    /// - Complexity: one query for each row, independent of the length of the list.
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

    func noteListChange(of state: ObjectState) {
        watch.touchRelated()
        if state.isWatched { state.noteChange() }
    }

    // These change a loaded list after an edit from the other side. Other lists are read when needed, so the cost is
    // independent of their length.

    func append(_ member: RecordID, toLoaded index: PropertyIndex, of owner: RecordID) {
        guard let object = liveObject(owner), let known = object._object.lists[index] else { return }
        unsaved.work.add()
        if !known.isEdited, let list = object._object.model[index].list, case .column(let link, _, _) = list.storage,
            liveObject(member)?._object.current.edits[link] == nil
        {
            // The file has the member's place, so the list is read again.
            object._object.lists[index] = nil
            return noteListChange(of: object._object)
        }
        if let list = object._object.model[index].list, known.version != listVersions[list.id] {
            // Others may have removed the member from a list that was read earlier.
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
