// Relationships in memory: both sides follow an edit at once, before anything is saved.

extension ObjectContext {
    /// Leads a to-one link elsewhere, and keeps its inverse.
    func setLink(of state: ObjectState, _ index: Int, to target: Int64?) {
        guard case .toOne(let link) = state.table.properties[index].kind else { return }
        let old = state.linkedID(index)
        guard old != target else {
            // Setting nil where nothing was ever said is still something to send.
            if state.isInserted { state.setStored(index, to: target.map(StoredValue.integer) ?? .null) }
            return
        }
        state.setStored(index, to: target.map(StoredValue.integer) ?? .null)
        guard let inverse = link.inverse, maps.indices.contains(link.target) else { return }
        switch schema.tables[link.target].properties[inverse].kind {
        case .toMany:
            if let old { editLoadedList(link.target, old, inverse) { $0.removeAll { $0 == state.localID } } }
            if let target { editLoadedList(link.target, target, inverse) { $0.append(state.localID) } }
        case .toOne:
            if let old, let partner = object(link.target, old)?._object, partner.linkedID(inverse) == state.localID {
                partner.setStored(inverse, to: .null)
            }
            if let target, let partner = object(link.target, target)?._object {
                if let other = partner.linkedID(inverse), let rival = object(state.table.index, other)?._object {
                    rival.setStored(index, to: .null)
                }
                partner.setStored(inverse, to: .integer(state.localID))
            }
        case .attribute: break
        }
    }

    /// The local keys of a list's members as this context sees them.
    func members(of state: ObjectState, _ index: Int) -> [Int64] {
        let state = state.current
        guard case .toMany(let list) = state.table.properties[index].kind, listVersions.indices.contains(list.number)
        else { return [] }
        let version = listVersions[list.number]
        if let loaded = state.lists[index], loaded.isEdited || loaded.version == version || isEnded || state.isDeleted {
            return loaded.members
        }
        guard !isEnded else { return [] }
        let members = withUnsavedEdits(storedMembers(of: state, list) ?? [], of: list, owner: state.localID)
        state.lists[index] = ObjectState.ListState(members: members, version: version)
        return members
    }

    /// The members in the file, less and more what unsaved edits of the other side take away and add.
    private func withUnsavedEdits(_ stored: [Int64], of list: List, owner: Int64) -> [Int64] {
        guard !unsaved.isEmpty, let inverse = list.inverse else { return stored }
        var members = stored
        var known = Set(stored)
        for object in unsavedObjects where object._object.table.index == list.target {
            let other = object._object
            let isMember: Bool
            switch schema.tables[list.target].properties[inverse].kind {
            case .toOne where other.edits[inverse] != nil: isMember = other.linkedID(inverse) == owner
            case .toMany:
                guard let edited = other.lists[inverse], edited.isEdited else { continue }
                isMember = edited.members.contains(owner)
            default: continue
            }
            if !isMember || other.isDeleted {
                known.remove(other.localID)
            } else if known.insert(other.localID).inserted {
                members.append(other.localID)
            }
        }
        return members.filter(known.contains)
    }

    /// Makes `members` the list, in their order, each once; the other side follows.
    func setMembers(of state: ObjectState, _ index: Int, to members: [Int64]) {
        guard case .toMany(let list) = state.table.properties[index].kind, listVersions.indices.contains(list.number)
        else { return }
        var seen: Set<Int64> = []
        let wanted = members.filter { seen.insert($0).inserted }
        let old = self.members(of: state, index)
        guard wanted != old || state.isInserted else { return }
        if let inverse = list.inverse {
            let kept = Set(old)
            for id in old where !seen.contains(id) { leave(list, inverse, member: id, owner: state.localID) }
            for id in wanted where !kept.contains(id) { join(list, inverse, member: id, owner: state) }
        }
        // Setting the members that the file holds takes the edit back.
        let stored = storedMembers(of: state, list)
        let isEdited = state.isInserted || state.inFlight[index] != nil || wanted != stored
        let earlier = state.lists[index].flatMap { $0.isEdited ? $0.base : nil }
        state.lists[index] = ObjectState.ListState(
            members: wanted, version: listVersions[list.number], isEdited: isEdited,
            base: isEdited ? earlier ?? stored : nil)
        state.noteEdit()
    }

    /// The members in the file.
    func storedMembers(of state: ObjectState, _ list: List) -> [Int64]? {
        state.isInserted ? [] : read { reader in try reader.members(of: list, owner: state.localID) }
    }

    private func leave(_ list: List, _ inverse: Int, member: Int64, owner: Int64) {
        if case .column = list.storage {
            guard let other = object(list.target, member)?._object, other.linkedID(inverse) == owner else { return }
            other.setStored(inverse, to: .null)
        } else {
            editLoadedList(list.target, member, inverse) { $0.removeAll { $0 == owner } }
        }
    }

    private func join(_ list: List, _ inverse: Int, member: Int64, owner: ObjectState) {
        if case .column(let property, _, _) = list.storage {
            guard let other = object(list.target, member)?._object else { return }
            setLink(of: other, property, to: owner.localID)
        } else {
            editLoadedList(list.target, member, inverse) { $0.append(owner.localID) }
        }
    }

    /// Changes a list that a live object has in memory; one that it has not is read with the edits when it is needed.
    private func editLoadedList(_ table: Int, _ id: Int64, _ index: Int, _ change: (inout [Int64]) -> Void) {
        guard let state = liveObject(table, id)?._object else { return }
        guard var list = state.lists[index] else { return }
        change(&list.members)
        state.lists[index] = list
    }
}
