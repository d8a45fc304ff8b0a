// Embedded objects with unsaved edits that a commit has deleted. The edit is later than the deletion, so they stay, as
// new objects of their owners. So does an embedded owner that was deleted.

extension ObjectContext {
    struct RevivedParts {
        /// The outermost ones, which have an owner in the file, with the former members of their lists.
        fileprivate var tops: [(part: ChangeSet.DeletedPart, former: [RowID])] = []
        /// Includes nested ones.
        fileprivate var parts: [RecordID: ChangeSet.DeletedPart] = [:]

        var isEmpty: Bool { tops.isEmpty }
        func contains(_ record: RecordID) -> Bool { parts[record] != nil }
    }

    func revivedParts(of lost: [ChangeSet.DeletedPart]) -> RevivedParts {
        var kept = RevivedParts()
        guard !lost.isEmpty, !unsaved.isEmpty else { return kept }
        let parts = Dictionary(lost.map { ($0.record, $0) }) { $1 }
        let confirmed = operations.confirmedEdits
        for part in lost where isEdited(part.record, but: confirmed) {
            guard let top = top(of: part, among: parts), !kept.contains(top.record) else { continue }
            let former = liveObject(top.owner.record)?._object.current.lists[top.owner.property]?.members
            kept.tops.append((top, former ?? []))
            add(top, to: &kept, among: parts)
        }
        return kept
    }

    private func isEdited(_ record: RecordID, but confirmed: Set<ChangeStamp>) -> Bool {
        guard let state = liveObject(record)?._object.current, !state.isDeleted else { return false }
        return state.edits.contains { !confirmed.contains($0.value.stamp) }
            || state.lists.values.contains { $0.isEdited && !$0.isAmong(confirmed) }
    }

    /// The outermost deleted object around a part. Nil: the owner is gone, or this context has removed the part.
    private func top(
        of part: ChangeSet.DeletedPart, among lost: [RecordID: ChangeSet.DeletedPart]
    ) -> ChangeSet.DeletedPart? {
        var top = part
        while leads(to: top) {
            guard let outer = lost[top.owner.record] else {
                let isThere = read { reader in try reader.row(top.owner.record) != nil } ?? false
                return isThere ? top : nil
            }
            top = outer
        }
        return nil
    }

    private func leads(to part: ChangeSet.DeletedPart) -> Bool {
        guard let owner = liveObject(part.owner.record)?._object.current else { return true }
        if let edit = owner.edits[part.owner.property] { return edit.value.row == part.record.row }
        if let list = owner.lists[part.owner.property], list.isEdited { return list.members.contains(part.record.row) }
        return !owner.isDeleted
    }

    private func add(
        _ part: ChangeSet.DeletedPart, to kept: inout RevivedParts, among lost: [RecordID: ChangeSet.DeletedPart]
    ) {
        kept.parts[part.record] = part
        for inner in lost.values
        where inner.owner.record == part.record && leads(to: inner) && !kept.contains(inner.record) {
            add(inner, to: &kept, among: lost)
        }
    }

    // MARK: Reviving

    func reviveParts(_ kept: RevivedParts) {
        // Edits are stamped and saved in this order, so it is the same in every process.
        let parts = kept.parts.values.sorted { left, right in
            (left.record.table, left.record.row) < (right.record.table, right.record.row)
        }
        for part in parts { recreate(part) }
        for (part, former) in kept.tops { reinsert(part, former) }
    }

    private func recreate(_ part: ChangeSet.DeletedPart) {
        let model = schema[part.record.table]
        let object =
            maps[part.record.table].any(part.record.row)
            ?? materialize(part.record, unsafe .empty)
        let state = object._object.current
        if !state.inFlight.isEmpty { hasKeptInFlight = true }
        operations.cancelWithdrawal(part.record)
        let back = schema[part.owner.record.table][part.owner.property].inverse
        state.becomeNew(
            part.values.filter { property, _ in schema.inverse(of: model[property])?.owns != true })
        if let back { state.edits[back] = Edit(StoredValue(part.owner.record.row), at: .now()) }
        for (index, members) in part.lists {
            guard let list = model[index].list, let version = listVersions[list.id] else { continue }
            guard state.hasEditedList(index) || !members.isEmpty else { continue }
            let stamp = ChangeStamp.now()
            var edited =
                state.lists[index].flatMap { $0.isEdited ? $0 : nil }
                ?? ObjectState.ListState(members: members, version: version, isEdited: true, stamp: stamp)
            for row in edited.members where edited.toggles[row] == nil { edited.toggles[row] = stamp }
            state.lists[index] = edited
        }
        noteEdit(of: object)
    }

    /// - Parameter former: the former members of the list that contained the part.
    private func reinsert(_ part: ChangeSet.DeletedPart, _ former: [RowID]) {
        let (index, row) = (part.owner.property, part.record.row)
        guard let owner = object(for: part.owner.record)?._object.current else { return }
        guard owner.model[index].list != nil else {
            if owner.linkedRow(index) != row { setLink(index, of: owner, to: row) }
            return
        }
        if let edited = owner.lists[index], edited.isEdited, edited.members.contains(row) {
            owner.lists[index]?.toggles[row] = .now()
            owner.noteEdit()
            return
        }
        let members = members(of: owner, index)
        let present = Set(members)
        let before = former.prefix { $0 != row }.last(where: present.contains)
        let position = before.flatMap(members.firstIndex).map { $0 + 1 } ?? (former.contains(row) ? 0 : members.count)
        setMembers(index, of: owner, to: members[..<position] + [row] + members[position...])
    }
}

extension ObjectState {
    /// Makes the object new, with the row's values beneath its edits.
    fileprivate func becomeNew(_ values: [PropertyIndex: StoredValue]) {
        snapshot = unsafe .empty
        isInserted = true
        isDeleted = false
        defaults = [:]
        for (index, value) in values where !value.isNull {
            if model[index].target == nil {
                defaults[index] = value
            } else if edits[index] == nil {
                edits[index] = Edit(value, at: .now())
            }
        }
    }
}
