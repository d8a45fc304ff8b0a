// `owner` and `owner_id` may both stand in one object. The object wins, as it says more; where they lead to different ones,
// that is reported.

extension Importer {
    /// Where a link leads by one of its keys: to a row, to one that is not here yet, or nowhere.
    enum LinkTarget {
        case row(ImportSlot)
        case pending(ImportFrame.PendingLink)
    }

    /// What a link was found to lead to so far, taken out of the frame.
    func takeIdentity(_ column: Int, _ property: Int, _ frame: ImportFrame) -> LinkTarget? {
        guard frame.has(column) else { return nil }
        let slot = unsafe frame.slots[column]
        frame.set(column, .absent)
        guard let place = frame.pending.lastIndex(where: { $0.property == property }) else { return .row(slot) }
        return .pending(frame.pending.remove(at: place))
    }

    func putBack(_ target: LinkTarget, _ column: Int, _ property: Int, _ frame: ImportFrame) {
        switch target {
        case .row(let slot): frame.set(column, slot)
        case .pending(let link):
            frame.set(column, .null)
            frame.pending.append(link)
        }
    }

    /// Reports an identity that is not that of what the link leads to. A link of which nothing could be read takes it.
    mutating func compare(
        _ identity: LinkTarget, with column: Int, _ property: Int, _ plan: ImportPlan, _ frame: ImportFrame
    ) throws {
        guard frame.has(column) else { return putBack(identity, column, property, frame) }
        let pending = frame.pending.last { $0.property == property }?.identity
        let slot = unsafe frame.slots[column].stored
        let target = schema.tables[plan.targets[property]]
        let said: String?
        let other: String?
        switch identity {
        case .row(let slot): said = try key(of: slot.stored, target)
        case .pending(let link): said = link.identity
        }
        other = try pending ?? key(of: slot, target)
        guard said != other else { return }
        mismatch(
            plan, property, expected: "one \(target.modelName), \(other ?? "none"),",
            found: "\(said ?? "none") by its identity")
    }

    private func key(of value: StoredValue, _ table: ModelSchema) throws -> String? {
        guard case .integer(let id) = value else { return nil }
        return try writer.pendingKey(of: table, id)
    }

    // MARK: Lists

    /// The members of a list by one of its keys.
    struct ReadList {
        let property: Int
        let members: [Int64]
        let pending: [ImportFrame.PendingLink]
    }

    /// What a list was found to be so far, taken out of the frame; `nil` where it is to be read later or not there.
    func takeList(_ property: Int, _ frame: ImportFrame) -> ReadList? {
        guard !frame.lists.isEmpty, let place = frame.lists.lastIndex(where: { $0.property == property }) else {
            return nil
        }
        let pending = frame.pending.filter { $0.property == property }
        frame.pending.removeAll { $0.property == property }
        return ReadList(property: property, members: frame.lists.remove(at: place).members, pending: pending)
    }

    func putBack(_ list: ReadList, _ frame: ImportFrame) {
        frame.lists.append((list.property, list.members))
        frame.pending += list.pending
    }

    mutating func compare(
        _ identities: ReadList, with list: ReadList, _ property: Int, _ plan: ImportPlan
    ) throws {
        let areRows = identities.pending.isEmpty && list.pending.isEmpty
        let areSame =
            try areRows
            ? Set(identities.members) == Set(list.members) : members(of: identities, plan) == members(of: list, plan)
        guard !areSame else { return }
        mismatch(plan, property, expected: "the same members twice", found: "other ones by their identities")
    }

    /// By identity, as one that no row had when the identities were read may be an object's that was read since.
    private func members(of list: ReadList, _ plan: ImportPlan) throws -> Set<String> {
        let target = schema.tables[plan.targets[list.property]]
        var keys = Set(list.pending.map(\.identity))
        for member in list.members {
            if let key = try writer.pendingKey(of: target, member) { keys.insert(key) }
        }
        return keys
    }
}
