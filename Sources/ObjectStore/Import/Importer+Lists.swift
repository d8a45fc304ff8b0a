import JSONBytes

// MARK: Relationships of a row

extension Importer {
    mutating func storeRelationships(of object: ReadingObject, from body: JSONReader, _ row: StoredRow) throws {
        try forgetPendingLinks(of: object, row)
        if !object.plan.listCounts.isEmpty { noteListCounts(of: object) }
        try storeLists(of: object, row)
        for postponed in object.frame.postponed { try readPostponed(postponed, of: object, from: body, row) }
    }

    mutating func storeLists(of object: ReadingObject, _ row: StoredRow) throws {
        let record = RecordID(table: object.plan.model.table, row: row.id)
        for list in object.frame.lists where !isPart(list.property, of: object, read: list.members.count) {
            // A list edited as a whole is sent with its pending members.
            if try writer.isAllEdited(ListOwner(list.property, of: record)) { continue }
            if isOvertaken(ListOwner(list.property, of: record)) { continue }
            if try forgetWaiting(for: ListOwner(list.property, of: record), object.plan), row.isAgain {
                noteOverwrite(in: object.plan)
            }
        }
        if !object.frame.pending.isEmpty {
            for link in object.frame.pending { try keep(link, of: record) }
            if row.isAgain { noteOverwrite(in: object.plan) }
        }
        for list in object.frame.lists {
            let isPart = isPart(list.property, of: object, read: list.members.count)
            let isRepeated = object.frame.repeatedLists.contains(list.property)
            try store(list.members, in: list.property, of: row, object.plan, isPart: isPart, isRepeated: isRepeated)
        }
    }

    /// - Parameter isRepeated: whether the JSON repeats a member that `read` has once.
    mutating func store(
        _ read: [RowID], in property: PropertyIndex, of row: StoredRow, _ plan: ImportPlan, isPart: Bool = false,
        isRepeated: Bool = false
    ) throws {
        guard let imported = plan.lists[property.rawValue] else { return }
        let owner = ListOwner(property, of: RecordID(table: plan.model.table, row: row.id))
        try noteCovered(imported.list, of: row.id, naming: read)
        let isWhole = !isPart && imported.merges != true
        let members = unique(read)
        let isRepeated = isRepeated || members.count < read.count
        if isRepeated { noteRepeatedMember(in: property, of: plan) }
        try receiveLinks(of: members, isWhole: isWhole, in: imported.list, of: owner)
        let isEmbedded = schema[imported.list.target].isEmbedded
        if isEmbedded, try writer.isUnsent(property, of: owner.record) {
            if isWhole { try storeEdited([], as: imported.list, of: owner, in: plan) }
            return try noteRepetition(isRepeated, isWhole: isWhole, of: owner)
        }
        if isWhole, !isEmbedded, try writer.isUnsent(property, of: owner.record) {
            try unifyMembersAtRisk(by: members, of: owner, in: imported.list)
        }
        try writer.updateBases(members, isWhole: isWhole, of: owner, in: imported.list, since: request.requestTime)
        try noteRepetition(isRepeated, isWhole: isWhole, of: owner)
        if !isWhole, try writer.isAllEdited(owner) { return }
        let old = row.isNew ? [] : try writer.statements.members(of: imported.list, owner: row.id)
        if isWhole, members == old, !hasOlderOpenRequest { return try writer.settle(owner) }
        try store(members, over: old, in: imported.list, of: row, by: owner.property, plan, isPart: isPart)
    }

    private mutating func store(
        _ members: [RowID], over known: [RowID], in list: List, of row: StoredRow, by property: PropertyIndex,
        _ plan: ImportPlan, isPart: Bool
    ) throws {
        let owner = ListOwner(property, of: RecordID(table: plan.model.table, row: row.id))
        let isWhole = !isPart && list.options.merges != true
        let isReply = isSent(property, of: row.id, plan)
        let old = try unifyingMembers(known, by: members, of: owner, in: list, isReply: isReply)
        if isPart { outcome.report.partialLists += 1 }
        let read = isWhole ? members : merged(members, into: old, placing: list.options.newMembers)
        if !isWhole {
            try notePart(
                of: owner, isNew: read.count > old.count, isCertain: isPart && !isReply)
        }
        let settled = try writer.inEditedOrder(
            settled(read, over: old, in: list, of: owner), over: old, of: owner)
        noteAnswer(naming: members, over: old, isWhole: isWhole, in: list, of: owner)
        guard settled != old else { return try writer.settle(owner) }
        let wanted =
            isWhole
            ? try writer.omitting(
                from: settled, over: old, in: list, of: owner.record, requestedAt: request.requestTime, &progress)
            : settled
        guard wanted != old else { return }
        try write(wanted, over: old, in: list, of: owner, isNew: row.isNew, isAgain: row.isAgain)
        try writer.settle(owner)
        noteChange(of: row.id, in: plan)
    }

    /// Whether the server repeats a member. A later reply takes precedence.
    ///
    /// - Parameter isWhole: whether all of the list was read. Only then can a repetition end.
    private mutating func noteRepetition(_ isRepeated: Bool, isWhole: Bool, of owner: ListOwner) throws {
        guard isRepeated || isWhole && !writer.repeatingSources.isEmpty else { return }
        try writer.noteRepetition(
            isRepeated, of: owner, since: isAnswered(owner.record) ? nil : request.begun ?? request.requestTime)
    }

    /// Whether a paging sign or an unreadable element makes the list a part.
    ///
    /// - Parameter count: the number of members with rows.
    func isPart(_ property: PropertyIndex, of object: ReadingObject, read count: Int) -> Bool {
        let frame = object.frame
        if frame.signs.isEmpty, frame.unreadLists.isEmpty { return false }
        guard let list = object.plan.model[property].list, list.options.merges != true else { return false }
        if frame.unreadLists.contains(property) { return true }
        if list.options.merges == false { return false }
        let waiting = frame.pending.count { $0.property == property }
        let extent = PageSigns.Extent(elements: count + waiting)
        return frame.signs.contains { entry in
            entry.list.concerns(property, in: object.plan.model) && !entry.signs.areOfWhole(extent)
        }
    }

    /// Uses attributes such as `comments_count` as totals.
    private func noteListCounts(of object: ReadingObject) {
        let (plan, frame) = (object.plan, object.frame)
        // Most bodies have the count alone.
        if frame.lists.isEmpty, frame.postponed.isEmpty { return }
        for (list, column) in plan.listCounts where frame.has(column) && frame.isRead(list) {
            guard case .integer(let count) = frame[column].stored else { continue }
            frame.noteSign(of: ListSigned(list: list, isNamed: true)) { $0.note(.total, .number(Int(count))) }
        }
    }

    mutating func readSign(
        _ reader: inout JSONReader, _ key: PageSigns.Key, of list: ListSigned, in object: ReadingObject
    ) throws {
        try object.frame.noteSign(of: list) { signs in try signs.read(key, &reader) }
    }

    /// - Parameter isUnderstood: whether all elements were read. Otherwise all members stay: a rejected one may be a
    ///   member.
    mutating func store(
        _ read: [RowID], in membership: ImportRequest.Membership, isUnderstood: Bool
    ) throws {
        let owner = membership.owner
        guard let list = schema[owner.record.table][owner.property].list else { return }
        let (members, requestTime) = (unique(read), request.begun ?? request.requestTime)
        let isRepeated = members.count < read.count
        if isRepeated { noteRepeatedMember() }
        let isWhole =
            membership.isWhole && isUnderstood && (membership.isSent || isWhole(list, membership.signs))
        let isRest = if case .following = membership.page { true } else { false }
        try receiveLinks(of: members, isWhole: isWhole && !isRest, in: list, of: owner)
        try writer.updateBases(members, isWhole: isWhole && !isRest, of: owner, in: list, since: requestTime)
        if !isWhole, try writer.isAllEdited(owner) {
            return isRepeated ? try noteRepetition(true, isWhole: false, of: owner) : ()
        }
        if !isWhole, isRepeated { try noteRepetition(true, isWhole: false, of: owner) }
        if case .following(let position) = membership.page {
            noteAnswer(naming: members, over: [], isWhole: false, in: list, of: owner)
            let isInFront = membership.isNarrowed && (membership.newMembers ?? list.options.newMembers) == .first
            let start = position.map { (position: $0, isInFront: isInFront) }
            return try add(settled(members, over: [], in: list, of: owner), at: start, to: list, of: owner)
        }
        var old = try writer.statements.members(of: list, owner: owner.record.row)
        old = try unifyingMembers(old, by: members, of: owner, in: list)
        // If an empty page ends the list, the last numbered page decides whether it is whole.
        let mayGoOn = membership.signs.endsEmpty
        if !isWhole, membership.isWhole, list.options.merges == nil, !mayGoOn { outcome.report.partialLists += 1 }
        if isWhole {
            try writer.noteWhole(owner, since: requestTime)
            try noteRepetition(isRepeated, isWhole: true, of: owner)
            try writer.forgetWaiting(for: owner, &progress)
        }
        var isInFront = false
        let isEdited = try writer.isUnsent(owner.property, of: owner.record)
        let isOrdered = try isEdited && writer.unsentEntry(of: owner)?.list?.isOrdered != false
        if case .front = membership.page { isInFront = !isWhole && !old.isEmpty && !isOrdered }
        let placing = membership.newMembers ?? list.options.newMembers
        let isNewInFront = !isWhole && !isInFront && placing == .first && !old.isEmpty && !isOrdered
        let named =
            isWhole ? members : isInFront ? merged(old, into: members) : merged(members, into: old, placing: placing)
        if !isWhole, membership.isListing {
            try notePart(of: owner, isNew: named.count > old.count, isCertain: membership.isWhole || membership.leadsOn)
        }
        var wanted = try writer.inEditedOrder(
            settled(named, over: old, in: list, of: owner), over: old, of: owner)
        noteAnswer(naming: members, over: old, isWhole: isWhole, in: list, of: owner)
        if isWhole, wanted != old {
            wanted = try writer.omitting(
                from: wanted, over: old, in: list, of: owner.record, requestedAt: requestTime, &progress)
        }
        if isInFront, wanted == named { return try putInFront(members, of: old, in: list, of: owner) }
        if isNewInFront, wanted == named {
            let addedMembers = addedMembers(in: members, besides: old)
            return addedMembers.isEmpty
                ? try leaveRoomInFront(of: list, of: owner) : try putInFront(addedMembers, of: old, in: list, of: owner)
        }
        if wanted != old || !hasPositions(list) { try write(wanted, over: old, in: list, of: owner, isNew: false) }
        if isEdited { try writer.settle(owner) }
    }

    private func isWhole(_ list: List, _ signs: PageSigns) -> Bool {
        if let merges = list.options.merges { return !merges }
        return signs.areOfWhole(PageSigns.Extent(elements: outcome.elementCount))
    }

    /// Applies pending edits, and changes made since the request.
    func settled(
        _ named: [RowID], over old: [RowID], in list: List, of owner: ListOwner
    ) throws -> [RowID] {
        let kept = try writer.keepingUnsent(
            writer.withoutDismissed(named, of: owner, in: list), over: old, in: list, of: owner.record)
        guard isLate else { return kept }
        return writer.recentChanges.settled(
            kept, over: old, in: list, of: owner, by: schema.linkColumn(of: list), since: request.requestTime)
    }

    /// Whether a later reply has the whole list. False for the reply to the owner's change.
    func isOvertaken(_ owner: ListOwner) -> Bool {
        isLate && writer.recentChanges.hasWhole(owner, since: request.requestTime) && !isAnswered(owner.record)
    }

    /// Updates the bases of edited links: the owner for members, nil for others.
    private mutating func receiveLinks(
        of members: [RowID], isWhole: Bool, in list: List, of owner: ListOwner
    ) throws {
        let (model, unsent) = (schema[list.target], writer.unsentRows[list.target])
        guard !unsent.isEmpty, case .column(let link, _, _) = list.storage, !model.isEmbedded,
            !model.identity.contains(link), !schema.isSentByList(model[link]), let column = model.column(of: link)
        else { return }
        let (row, requestTime, writer) = (owner.record.row, request.requestTime, writer)
        func isNewer(_ member: RowID) -> Bool {
            !writer.recentChanges.hasMoved(member, in: list, of: owner, by: column, since: requestTime)
        }
        for member in members where unsent.contains(member) && isNewer(member) {
            let record = RecordID(table: list.target, row: member)
            try writer.updateBases(StoredValue(row), of: column, in: record, since: requestTime)
        }
        guard isWhole else { return }
        let known = try rowsWithBase(in: list, by: link)[row] ?? []
        guard !known.isEmpty, case let named = Set(members) else { return }
        for member in known where !named.contains(member) && isNewer(member) {
            let record = RecordID(table: list.target, row: member)
            try writer.updateBases(.null, over: StoredValue(row), of: column, in: record, since: requestTime)
        }
    }

    /// By owner: the rows with an edited link whose base led to it before the import.
    private mutating func rowsWithBase(in list: List, by link: PropertyIndex) throws -> [RowID: [RowID]] {
        if let known = unsentLinks[list.id] { return known }
        let (table, name) = (writer.statements[list.target], schema[list.target][link].name)
        var rows: [RowID: [RowID]] = [:]
        guard let column = schema[list.target].column(of: link) else { return rows }
        for row in try table.rowsWithUnsentLink(column) {
            guard let owner = try table.unsentChanges(of: row).entries[name]?.base.row else { continue }
            rows[owner, default: []].append(row)
        }
        unsentLinks[list.id] = rows
        return rows
    }

    /// While an older request is open: protects the list, and the members' other sides, from its reply.
    func noteAnswer(
        naming members: [RowID], over old: [RowID], isWhole: Bool, in list: List, of owner: ListOwner
    ) {
        guard hasOlderOpenRequest, let requestTime = request.begun ?? request.requestTime, !isOvertaken(owner) else {
            return
        }
        writer.recentChanges.note(members, of: owner, isWhole: isWhole, requestedAt: requestTime)
        for row in Set(isWhole ? members + old : members) {
            let member = RecordID(table: list.target, row: row)
            if case .column(let property, _, _) = list.storage {
                guard let column = schema[list.target].column(of: property) else { return }
                var link = ColumnMask()
                link.insert(column.index.rawValue)
                writer.recentChanges.note(link, of: member, requestedAt: requestTime)
            } else {
                guard let inverse = list.inverse else { return }
                writer.recentChanges.note(
                    CollectionOfOne(owner.record.row), of: ListOwner(inverse, of: member), requestedAt: requestTime)
            }
        }
    }

    func merged(_ members: [RowID], into old: [RowID], placing: NewMembers = .last) -> [RowID] {
        let addedMembers = addedMembers(in: members, besides: old)
        return placing == .first ? addedMembers + old : old + addedMembers
    }

    private func addedMembers(in members: [RowID], besides old: [RowID]) -> [RowID] {
        let known = Set(old)
        return members.filter { !known.contains($0) }
    }

    /// Whether all members have positions. Links to the owner may lack one.
    private func hasPositions(_ list: List) -> Bool {
        if case .join = list.storage { true } else { false }
    }

    mutating func write(
        _ members: [RowID], over old: [RowID], in list: List, of owner: ListOwner, isNew: Bool, isAgain: Bool = false
    ) throws {
        let kept = old.isEmpty ? [] : Set(members)
        let left = old.filter { !kept.contains($0) }
        let known = Set(old)
        try noteOverwrites(
            by: list, of: owner, joined: old.isEmpty ? members : members.filter { !known.contains($0) },
            isAgain: isAgain)
        if case .join(let join, isReversed: false) = list.storage, !join.isTwoSided {
            // Only this side orders the rows.
            try writer.statements.writeMembers(
                of: list, owner: owner.record.row, members, isNew: isNew || old.isEmpty)
            if list.options.owns {
                progress.orphans += left.map { Orphan(record: RecordID(table: list.target, row: $0), former: owner) }
            }
            progress.changes.lists.insert(list.id)
            if !isNew { writer.noteOwner(owner, &progress.changes) }
        } else {
            try writer.write(WriteBatch.Membership(members, of: owner), &progress)
        }
        outcome.report.unlinked += left.count
    }

    private func unique(_ members: [RowID]) -> [RowID] {
        if members.count < 2 { return members }
        if members.count == 2 { return members[0] == members[1] ? [members[0]] : members }
        var seen: Set<RowID> = []
        return members.filter { seen.insert($0).inserted }
    }

    // MARK: Parts of lists

    /// - Parameters:
    ///   - isNew: whether the part has new members, so that the stored list was incomplete.
    ///   - isCertain: whether the server says that there are more members.
    private func notePart(of owner: ListOwner, isNew: Bool, isCertain: Bool) throws {
        guard isNew || isCertain, !isOvertaken(owner) else { return }
        try writer.notePart(of: owner, isNew: isNew)
    }

    /// Whether the request sent the whole list. Its reply may show less.
    func isSent(_ property: PropertyIndex, of row: RowID, _ plan: ImportPlan) -> Bool {
        guard !request.sent.isEmpty, plan.model.table == request.table, row == request.target else { return false }
        return request.sent.contains(plan.model[property].name)
    }

    // MARK: Pending links

    // A link to a missing row stays in the file until a row gets the identity (`Writer.resolvePendingLinks`).

    private mutating func keep(_ link: ImportFrame.PendingLink, of source: RecordID) throws {
        guard let target = schema[source.table][link.property].target,
            try !isDecided(link, of: source),
            link.position == nil || !isOvertaken(ListOwner(link.property, of: source))
        else { return }
        try writer.remember(
            PendingLink(
                source: source, property: link.property, target: target, key: link.key, position: link.position))
        outcome.report.pendingLinks += 1
    }

    /// Whether a pending edit overrules the link.
    private func isDecided(_ link: ImportFrame.PendingLink, of source: RecordID) throws -> Bool {
        guard let entry = try writer.unsentEntry(of: ListOwner(link.property, of: source)) else { return false }
        if link.position == nil || entry.isAll { return true }
        return entry.list?.dismissed.contains(link.key) ?? false
    }

    private mutating func forgetPendingLinks(of object: ReadingObject, _ row: StoredRow) throws {
        let model = object.plan.model
        guard writer.pendingSources.contains(model.table) else { return }
        let record = RecordID(table: model.table, row: row.id)
        for column in model.columns where column.target != nil && object.frame.has(column.index) {
            if try writer.statements.deletePendingLinks(of: record, by: column.property), row.isAgain {
                noteOverwrite(in: object.plan)
            }
        }
    }

    /// - Returns: whether there were pending members. False for a list that merges.
    private mutating func forgetWaiting(for owner: ListOwner, _ plan: ImportPlan) throws -> Bool {
        guard plan.lists[owner.property.rawValue]?.merges != true else { return false }
        try writer.noteRest(of: owner, since: request.requestTime)
        // In a join table, this list overrules pending memberships from the other side. In a list of links, the
        // members' own links do.
        if !progress.resolvedMembers.isEmpty || writer.pendingTargets.contains(owner.record.table),
            case .join? = schema[owner.record.table][owner.property].list?.storage
        {
            progress.receivedLists.insert(owner)
        }
        return try writer.forgetWaiting(for: owner, &progress)
    }

    /// Call it once the row has its identity.
    mutating func resolvePendingLinks(to object: ReadingObject, _ row: RowID) throws {
        let plan = object.plan
        let record = RecordID(table: plan.model.table, row: row)
        guard writer.pendingTargets.contains(record.table) else { return }
        let key: String?
        if plan.hasSimpleIdentity, let column = plan.identity.first {
            key = Writer.pendingText(object.frame[column].stored)
        } else if plan.mayBeRenamed, let known = try pendingKey(of: object) {
            key = known
        } else {
            key = try writer.pendingKey(of: record)
        }
        guard let key else { return }
        let hasCleared = try writer.resolvePendingLinks(
            to: record, key: key, unless: { [writer] in try object.denies($0, in: writer) }, &progress)
        if hasCleared { noteOverwriteOfAll() }
    }
}

extension ReadingObject {
    /// Whether the object's own link back has another target or none.
    fileprivate func denies(_ link: PendingLink, in writer: Writer) throws -> Bool {
        let schema = writer.schema
        guard let inverse = schema[link.source.table][link.property].inverse,
            let column = plan.model.column(of: inverse), column.target == link.source.table,
            frame.has(column.index)
        else { return false }
        if let own = frame.pending.last(where: { $0.property == inverse }) {
            return try own.key != writer.pendingKey(of: link.source) && own.key != writer.knownKey(of: link.source)
        }
        return frame[column.index].row != link.source.row
    }
}
