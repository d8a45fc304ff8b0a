// Pending edits of lists, one for each fact: the order, or the membership of one object, as a ``PairEdit`` or an edit
// of the member's link in a one-to-many list. Members without an edit follow the server.
//
// While something of a list is pending, the owner's row has an entry for it (``UnsentChanges/Entry``). An edit that
// equals its base, the last known server value, is redundant, unless the fact is at risk: a request with it is in
// flight, or has an unknown outcome. `FactRules` has the rules.

extension Writer {
    // MARK: Memberships

    /// Removes the edit if it is nil or redundant.
    private func set(_ edit: PairEdit?, of pair: Pair, isAtRisk: Bool) throws {
        let edit = edit.flatMap {
            FactRules.isRedundant($0.isMember, over: $0.base ?? false, isAtRisk: isAtRisk) ? nil : $0
        }
        guard pairs[pair] != edit else { return }
        pairs[pair] = edit
        try statements.set(edit, of: pair)
    }

    /// - Parameter isAnswered: whether the transaction stores the reply to the owner's own request.
    private func isAtRisk(_ member: RowID, in list: List, of owner: ListOwner, isAnswered: Bool = false) -> Bool {
        if !isAnswered, operations.isSent(owner.property, of: owner.record) { return true }
        guard let inverse = list.inverse else { return false }
        return operations.isSent(inverse, of: RecordID(table: list.target, row: member))
    }

    /// Stores an edit for each member that a saved list adds or removes.
    private func note(
        _ edit: WriteBatch.Membership, toggling toggled: Set<RowID>, over former: FormerList, in list: List
    ) throws {
        let (owner, wanted, present) = (edit.owner, Set(edit.members), Set(former.members))
        for member in toggled {
            guard let pair = list.pair(owner.record.row, member) else { return }
            let known = pairs[pair]
            let base =
                try (known ?? former.edits[member]).map(\.base)
                ?? base(of: member, in: list, of: owner, isMember: present.contains(member))
            let new = PairEdit(
                isMember: wanted.contains(member), base: base, stamp: edit.stamp ?? .now(),
                sides: list.side.union(known?.sides ?? []))
            try set(new, of: pair, isAtRisk: isAtRisk(member, in: list, of: owner))
            if let known, known.sides != list.side { try settleBack(member, in: list, of: owner) }
        }
    }

    /// Makes an acknowledged membership pending again, as the server must create the member first.
    func keepPending(_ member: RowID, in list: List, of owner: ListOwner) throws {
        guard let pair = list.pair(owner.record.row, member), pairs[pair] == nil else { return }
        let stamp = try unsentEntry(of: owner)?.stamp ?? .now()
        try set(
            PairEdit(isMember: true, base: false, stamp: stamp, sides: list.side), of: pair, isAtRisk: true)
        guard try unsentEntry(of: owner) == nil else { return }
        let entry = UnsentChanges.Entry(base: .null, stamp: stamp, list: UnsentChanges.ListChanges())
        try set(entry, of: owner)
    }

    /// The base of a membership without an edit. Nil: unknown.
    private func base(of member: RowID, in list: List, of owner: ListOwner, isMember: Bool) throws -> Bool? {
        if isMember { return true }
        guard try isPartial(owner) else { return false }
        guard let inverse = list.inverse else { return nil }
        return try isPartial(ListOwner(inverse, of: RecordID(table: list.target, row: member))) ? nil : false
    }

    /// Sets the bases of edited memberships to the server's values.
    ///
    /// - Parameters:
    ///   - named: the server's members.
    ///   - isWhole: whether these are all.
    ///   - requestTime: when the list was requested.
    private func rebase(
        _ named: Set<RowID>, isWhole: Bool, in list: List, of owner: ListOwner, since requestTime: ChangeStamp?
    ) throws {
        for (member, edit) in pairs.edits(of: list, owner.record.row) {
            guard isWhole || named.contains(member), let pair = list.pair(owner.record.row, member),
                !recentChanges.hasMoved(member, in: list, of: owner, by: nil, since: requestTime)
            else { continue }
            var edit = edit
            edit.base = named.contains(member)
            let isUnknown =
                try edit.isMember && unsentRows[list.target].contains(member)
                && !isAtServer(RecordID(table: list.target, row: member))
            try set(edit, of: pair, isAtRisk: isUnknown || isAtRisk(member, in: list, of: owner))
            if pairs[pair] == nil { try settleBack(member, in: list, of: owner) }
        }
    }

    /// Acknowledges a request about one member.
    ///
    /// - Parameter edits: those in the request.
    /// - Returns: whether to write the change. False: a newer edit of the membership is pending.
    func take(
        _ change: WriteBatch.Membership.Change, of member: RowID, in list: List, of owner: ListOwner,
        taking edits: Set<ChangeStamp>
    ) throws -> Bool {
        guard schema.hasPairs(list), let pair = list.pair(owner.record.row, member) else { return true }
        guard let edit = pairs[pair] else {
            guard let entry = try unsentEntry(of: owner), entry.isAll else { return true }
            return edits.contains(entry.stamp)
        }
        var newer = edit
        newer.base = change == .joins
        try set(edits.contains(edit.stamp) ? nil : newer, of: pair, isAtRisk: false)
        try settle(owner)
        try settleBack(member, in: list, of: owner)
        return pairs[pair] == nil
    }

    private func settleBack(_ member: RowID, in list: List, of owner: ListOwner) throws {
        guard let inverse = list.inverse else { return }
        try settle(ListOwner(inverse, of: RecordID(table: list.target, row: member)))
    }

    // MARK: Deleted and unified rows

    /// - Returns: the lists to settle after the row's deletion, as only then they lack it.
    func forgetPairs(of record: RecordID) throws -> [ListOwner] {
        let edited = editedPairs(of: record)
        for (pair, _) in edited { try set(nil, of: pair, isAtRisk: false) }
        return edited.compactMap(\.other)
    }

    /// Of two edits of one membership, the later one stays.
    func movePairs(of duplicate: RecordID, to survivor: RowID) throws {
        for (pair, other) in editedPairs(of: duplicate) {
            guard let edit = pairs[pair] else { continue }
            try set(nil, of: pair, isAtRisk: false)
            let isSource = pair.source == duplicate.row && schema.joinTable(named: pair.join)?.source == duplicate.table
            let moved = Pair(
                join: pair.join, source: isSource ? survivor : pair.source, target: isSource ? pair.target : survivor)
            if let own = pairs[moved], own.stamp >= edit.stamp { continue }
            try set(edit, of: moved, isAtRisk: true)
            if let other { try settle(other) }
        }
    }

    /// Makes a membership pending again, with entries for the lists that send it.
    func restore(_ edit: PairEdit, of pair: Pair) throws {
        guard pairs[pair] == nil, let join = schema.joinTable(named: pair.join),
            try statements[join.source].contains(pair.source), try statements[join.target].contains(pair.target)
        else { return }
        try set(edit, of: pair, isAtRisk: true)
        let ends: [(record: RecordID, side: PairEdit.Sides)] = [
            (RecordID(table: join.source, row: pair.source), .source),
            (RecordID(table: join.target, row: pair.target), .target),
        ]
        for (record, side) in ends where edit.sides.contains(side) {
            for property in schema[record.table].properties {
                guard let list = property.list, case .join(let other, _) = list.storage, other.name == join.name,
                    list.side == side, case let owner = ListOwner(property.index, of: record),
                    try unsentEntry(of: owner) == nil
                else { continue }
                let changes = UnsentChanges.ListChanges()
                try set(UnsentChanges.Entry(base: .null, stamp: edit.stamp, list: changes), of: owner)
            }
        }
    }

    /// The row's edited memberships, with the other side's list.
    func editedPairs(of record: RecordID) -> [(pair: Pair, other: ListOwner?)] {
        guard !pairs.isEmpty else { return [] }
        var found: [(Pair, ListOwner?)] = []
        for model in schema.roots {
            for property in model.properties {
                guard let list = property.list, list.joinTable != nil else { continue }
                if model.table == record.table {
                    found += pairs.edits(of: list, record.row).keys.compactMap { member in
                        let other = list.inverse.map {
                            ListOwner($0, of: RecordID(table: list.target, row: member))
                        }
                        return list.pair(record.row, member).map { ($0, other) }
                    }
                }
                if list.target == record.table {
                    found += pairs.owners(of: list, record.row).compactMap { owner in
                        let other = ListOwner(property.index, of: RecordID(table: model.table, row: owner))
                        return list.pair(owner, record.row).map { ($0, other) }
                    }
                }
            }
        }
        return found
    }

    // MARK: Lists

    /// Whether a pending edit replaces the whole list, which was assigned before it was ever fetched.
    func isAllEdited(_ owner: ListOwner) throws -> Bool {
        try unsentEntry(of: owner)?.isAll ?? false
    }

    func unsentEntry(of owner: ListOwner) throws -> UnsentChanges.Entry? {
        guard unsentRows[owner.record.table].contains(owner.record.row) else { return nil }
        let name = schema[owner.record.table][owner.property].name
        return try statements[owner.record.table].unsentChanges(of: owner.record.row).entries[name]
    }

    private func set(_ entry: UnsentChanges.Entry?, of owner: ListOwner) throws {
        let record = owner.record
        var unsent = try statements[record.table].unsentChanges(of: record.row)
        let name = schema[record.table][owner.property].name
        guard unsent.entries[name] != entry else { return }
        unsent.entries[name] = entry
        try set(unsent, of: record)
        try markSent(of: record)
        settledInTransaction.insert(record)
    }

    func noteSaved(
        _ edit: WriteBatch.Membership, over former: FormerList, writing members: [RowID], in list: List
    ) throws {
        let owner = edit.owner
        let stamp = edit.stamp ?? .now()
        let known = try unsentEntry(of: owner)
        let toggled = edit.toggled(over: former.members)
        let isAll = edit.isAssigned || known?.isAll ?? false
        let order = known == nil || known?.list?.isOrdered == false ? serverOrder(of: former) : nil
        if schema.hasPairs(list) { try note(edit, toggling: toggled, over: former, in: list) }
        var entry = known ?? UnsentChanges.Entry(base: isAll ? order ?? .null : .null, stamp: stamp)
        entry.stamp = stamp
        guard !isAll else {
            let name = schema[owner.record.table][owner.property].name
            let isSetBack =
                try !pairs.hasEdits(by: list, owner.record.row)
                && FactRules.isRedundant(
                    UnsentChanges.digest(of: members), over: entry.base,
                    isAtRisk: !isBaseCertain(on: name, of: owner.record))
            let isOrdered = known?.list?.isOrdered == true || edit.members.count > 1
            entry.list = UnsentChanges.ListChanges(isOrdered: isOrdered, isAll: true)
            return try set(isSetBack ? nil : entry, of: owner)
        }
        var changed = entry.list ?? UnsentChanges.ListChanges()
        let isInOrder =
            try !edit.isOrdered && !isAddedAgain(toggled.intersection(edit.members), by: edit, to: list, over: known)
        if let order, known.map({ $0.base.isNull && !isInOrder }) ?? true { entry.base = order }
        // The server may choose other places for members that join the list, so its order is unknown.
        if known == nil, list.isOfLinks, !isInOrder, !toggled.isEmpty { entry.base = .null }
        // A request in flight may send another order.
        let isSent = operations.isSent(owner.property, of: owner.record)
        changed.isOrdered = changed.isOrdered || !isInOrder || isSent
        changed.dismissed.formUnion(edit.dismissed)
        if list.options.owns {
            // A removed member's row is about to be deleted, so its key is kept.
            for row in toggled { changed.dismissed.remove(try key(ofMember: row, in: list)) }
            for row in toggled.subtracting(edit.members) { changed.dismissed.insert(try key(ofMember: row, in: list)) }
        }
        entry.list = changed
        if list.isOfLinks, known == nil, try areSetBack(edit, over: former.members, in: list) { return }
        try set(isRedundant(entry, of: owner, in: list, members) ? nil : entry, of: owner)
    }

    /// Whether a save adds a member that an earlier save has removed. Its place then differs from the server's.
    ///
    /// - Parameter known: the list's pending entry. A many-to-many list without one has lost the member by an edit of
    ///   the other side, which keeps the place.
    private func isAddedAgain(
        _ added: Set<RowID>, by edit: WriteBatch.Membership, to list: List, over known: UnsentChanges.Entry?
    ) throws -> Bool {
        guard edit.members.count > 1, list.isOfLinks || known != nil else { return false }
        return try added.contains { try isInBase($0, of: edit.owner, in: list) }
    }

    private func isInBase(_ member: RowID, of owner: ListOwner, in list: List) throws -> Bool {
        if let pair = list.pair(owner.record.row, member) { return pairs[pair].map { $0.base == true } ?? true }
        guard list.isOfLinks, let link = list.inverse else { return false }
        let name = schema[list.target][link].name
        let unsent = try unsentChanges(of: RecordID(table: list.target, row: member))
        return unsent.entries[name].map { $0.base.row == owner.record.row } ?? true
    }

    /// The digest of the server's order. Null: unknown, since a member that the server has was removed locally.
    private func serverOrder(of list: FormerList) -> StoredValue {
        if list.edits.values.contains(where: { !$0.isMember && $0.base == true }) { return .null }
        return UnsentChanges.digest(of: list.members.filter { list.edits[$0].map { $0.base == true } ?? true })
    }

    /// Whether this side sends no edit of a membership, and the order equals the base.
    ///
    /// - Parameter isAnswered: whether the transaction stores the reply to the owner's own request.
    private func isRedundant(
        _ entry: UnsentChanges.Entry, of owner: ListOwner, in list: List, _ members: [RowID], isAnswered: Bool = false
    ) throws -> Bool {
        guard let edit = entry.list, !edit.isAll, edit.dismissed.isEmpty else { return false }
        if schema.hasPairs(list) {
            if pairs.hasEdits(by: list, owner.record.row) { return false }
            if !edit.isOrdered { return true }
        }
        let name = schema[owner.record.table][owner.property].name
        return try FactRules.isRedundant(
            UnsentChanges.digest(of: members), over: entry.base,
            isAtRisk: !isAnswered && !isBaseCertain(on: name, of: owner.record)
                || operations.isLinkAtRisk(of: members, in: list))
    }

    /// Removes a list's entry if it is redundant.
    func settle(_ owner: ListOwner) throws {
        // The members are read only once the last pending membership has ended.
        guard let list = schema[owner.record.table][owner.property].list, !schema[list.target].isEmbedded,
            let entry = try unsentEntry(of: owner), !pairs.hasEdits(by: list, owner.record.row)
        else { return }
        let members = try statements.members(of: list, owner: owner.record.row)
        if try isRedundant(entry, of: owner, in: list, members) { try set(nil, of: owner) }
    }

    /// Acknowledges a request with the list, or with its owner's creation. The sent list becomes the base, and the
    /// carried edits go.
    ///
    /// - Parameters:
    ///   - sent: the members in the request. Nil: it had no list.
    ///   - edits: those in the request.
    ///   - unsent: the owner's pending edits, which are changed.
    /// - Returns: whether newer edits of the list are pending.
    func confirm(
        _ sent: [RowID]?, of owner: ListOwner, in list: List, taking edits: Set<ChangeStamp>,
        _ unsent: inout UnsentChanges
    ) throws -> Bool {
        let name = schema[owner.record.table][owner.property].name
        let entry = unsent.entries[name]
        let isTaken = entry.map { edits.contains($0.stamp) } ?? true
        let sentMembers = sent.map { Set($0.map { survivor(of: $0, in: list.target) }) }
        let members = try statements.members(of: list, owner: owner.record.row)
        if schema.hasPairs(list) {
            if let entry, !isTaken, entry.isAll, let sentMembers {
                try notePairs(of: members, over: sentMembers, in: list, of: owner, at: entry.stamp)
            }
            for (member, edit) in pairs.edits(of: list, owner.record.row) {
                guard let pair = list.pair(owner.record.row, member) else { continue }
                var newer = edit
                if let sentMembers { newer.base = sentMembers.contains(member) }
                let isOver = edits.contains(edit.stamp) || edit.stamp == entry?.stamp && isTaken
                try set(
                    isOver ? nil : newer, of: pair,
                    isAtRisk: isAtRisk(member, in: list, of: owner, isAnswered: true))
                if pairs[pair] == nil { try settleBack(member, in: list, of: owner) }
            }
        }
        var rest = isTaken ? nil : entry
        if let sent, rest != nil {
            rest?.base = UnsentChanges.digest(of: sent.map { survivor(of: $0, in: list.target) })
            if rest?.list == nil { rest?.list = UnsentChanges.ListChanges(isOrdered: true) }
            rest?.list?.isAll = false
        }
        if rest == nil, schema.hasPairs(list), pairs.hasEdits(by: list, owner.record.row) {
            rest = UnsentChanges.Entry(base: .null, stamp: entry?.stamp ?? .now(), list: UnsentChanges.ListChanges())
        }
        if let newer = rest, try isRedundant(newer, of: owner, in: list, members, isAnswered: true) { rest = nil }
        unsent.entries[name] = rest
        return rest != nil
    }

    /// Divides an edit of a whole list into memberships, relative to the server's members.
    private func notePairs(
        of members: [RowID], over sentMembers: Set<RowID>, in list: List, of owner: ListOwner, at stamp: ChangeStamp
    ) throws {
        let present = Set(members)
        for member in present.symmetricDifference(sentMembers) {
            guard let pair = list.pair(owner.record.row, member), pairs[pair] == nil else { continue }
            let edit = PairEdit(
                isMember: present.contains(member), base: sentMembers.contains(member), stamp: stamp, sides: list.side)
            try set(edit, of: pair, isAtRisk: false)
        }
    }

    /// Sets the bases of a list's facts to the server's list, before the members are written.
    func updateBases(
        _ named: [RowID], isWhole: Bool, of owner: ListOwner, in list: List, since requestTime: ChangeStamp?
    ) throws {
        guard !schema[list.target].isEmbedded, !isWhole || !recentChanges.hasWhole(owner, since: requestTime) else {
            return
        }
        if schema.hasPairs(list) { try rebase(Set(named), isWhole: isWhole, in: list, of: owner, since: requestTime) }
        guard isWhole, var entry = try unsentEntry(of: owner), !recentChanges.hasNewer(owner, since: requestTime) else {
            return
        }
        if entry.isAll {
            let members = try statements.members(of: list, owner: owner.record.row)
            if schema.hasPairs(list) {
                try notePairs(of: members, over: Set(named), in: list, of: owner, at: entry.stamp)
            }
            if entry.list == nil { entry.list = UnsentChanges.ListChanges(isOrdered: true) }
            entry.list?.isAll = false
        }
        entry.base = UnsentChanges.digest(of: named)
        try set(entry, of: owner)
        try noteWhole(owner, since: requestTime)
    }

    /// Leaves out members that were removed and deleted locally, and that the server has sent again.
    func withoutDismissed(_ members: [RowID], of owner: ListOwner, in list: List) throws -> [RowID] {
        guard let dismissed = try unsentEntry(of: owner)?.list?.dismissed, !dismissed.isEmpty else { return members }
        return try members.filter { try !dismissed.contains(key(ofMember: $0, in: list)) }
    }

    /// Applies a pending edit of the order.
    ///
    /// - Parameter old: the members in the file, in the edited order.
    func inEditedOrder(_ members: [RowID], over old: [RowID], of owner: ListOwner) throws -> [RowID] {
        guard let entry = try unsentEntry(of: owner), entry.list?.isOrdered == true else { return members }
        return old.order(of: members)
    }

    /// Whether only members whose links equal their bases again were removed from a one-to-many list. Then nothing is
    /// sent.
    private func areSetBack(
        _ membership: WriteBatch.Membership, over current: [RowID], in list: List
    ) throws -> Bool {
        guard case .column(let link, _, _) = list.storage, !schema[list.target][link].isNeverSent,
            membership.dismissed.isEmpty, !membership.isOrdered
        else { return false }
        let left = membership.toggled(over: current)
        guard !left.isEmpty, left.isDisjoint(with: membership.members) else { return false }
        return try left.allSatisfy { row in
            let member = RecordID(table: list.target, row: row)
            return try statements[list.target].contains(row) && !isUnsent(link, of: member)
        }
    }
}

extension UnsentChanges.Entry {
    var isAll: Bool { list?.isAll ?? true }
}
