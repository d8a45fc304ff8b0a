extension Writer {
    /// Applies acknowledgements and batches.
    ///
    /// - Throws: as ``apply(_:_:)``.
    func apply(
        _ batches: [WriteBatch], confirming confirmations: [WriteBatch.Confirmation], _ changes: inout ChangeSet
    ) throws {
        if !operations.hasSaves { confirmedEdits = [] }
        if recentChanges.noteCount > operations.noteLimit {
            operations.endPausedOperations()
            recentChanges.beginCounting()
        }
        recentChanges.forget(before: operations.oldestRequestStart)
        var batches = batches.map { survivor(of: $0) }
        for confirmation in confirmations {
            let record = survivor(of: confirmation.record)
            let newer = try confirm(confirmation, of: record, &changes)
            guard !newer.isEmpty else { continue }
            for index in batches.indices { batches[index].remove(newer, of: record, in: schema) }
        }
        try write(batches, &changes)
        try keepPartsUnsent(besides: confirmations, &changes)
        for confirmation in confirmations {
            try noteSent(confirmation)
            try keepUnknownTargets(confirmation)
        }
        try linkRenamed(confirmations, &changes)
    }

    private func linkRenamed(_ confirmations: [WriteBatch.Confirmation], _ changes: inout ChangeSet) throws {
        guard !pendingTargets.isEmpty else { return }
        var progress = WriteProgress(after: changes)
        for confirmation in confirmations {
            let (record, model) = (survivor(of: confirmation.record), schema[confirmation.record.table])
            guard model.identity.contains(where: { confirmation.properties.contains(model[$0].name) }),
                renamedRows[record.table][record.row] == nil
            else { continue }
            try resolvePendingLinks(toRenamed: record, &progress)
        }
        try placeResolvedMembers(&progress)
        changes = progress.changes
    }

    /// Writes a batch. Links to rows deleted meanwhile become nil.
    ///
    /// - Throws: ``StoreError/duplicateIdentity(model:identity:)``,
    ///   ``StoreError/deleteDenied(model:identity:relationship:count:)``; the caller ends the transaction.
    func apply(_ batch: WriteBatch, _ changes: inout ChangeSet) throws { try write([batch], &changes) }

    /// Writes all rows first, since links can lead to rows of other batches. Lists and deletions follow.
    private func write(_ batches: [WriteBatch], _ changes: inout ChangeSet) throws {
        var parts: [WriteProgress] = []
        for batch in batches.map({ survivor(of: $0) }) {
            var progress = WriteProgress(batch, after: changes)
            for membership in batch.memberships where membership.isAssigned { try noteWhole(membership.owner) }
            progress.formerLists = try formerLists(of: batch)
            try noteEditedParts(of: batch, &progress)
            for row in batch.rows { try write(survivor(of: row), &progress) }
            changes = progress.changes
            parts.append(progress)
        }
        for (batch, var progress) in zip(batches, parts) {
            progress.changes = changes
            try finish(survivor(of: batch), &progress)
            changes = progress.changes
        }
        for batch in batches { try clearBrokenLinks(of: survivor(of: batch)) }
    }

    /// The edited lists in the file, before links or inverse lists change them.
    private func formerLists(of batch: WriteBatch) throws -> [ListOwner: FormerList] {
        guard !batch.isConfirmed, !batch.memberships.isEmpty else { return [:] }
        var lists: [ListOwner: FormerList] = [:]
        for owner in batch.memberships.map(\.owner) {
            let property = schema[owner.record.table][owner.property]
            guard let list = property.list, !property.isNeverSent else { continue }
            lists[owner] = try FormerList(
                members: statements.members(of: list, owner: owner.record.row),
                edits: pairs.edits(of: list, owner.record.row))
        }
        return lists
    }

    /// The base of an edited list: a digest of its members in the file, or the keys of embedded objects.
    func digest(of list: List, _ owner: ListOwner, members: [RowID]? = nil) throws -> StoredValue {
        let members = try members ?? statements.members(of: list, owner: owner.record.row)
        return schema[list.target].isEmbedded
            ? UnsentChanges.members(members.map(Self.partKey)) : UnsentChanges.digest(of: members)
    }

    private func finish(_ batch: WriteBatch, _ progress: inout WriteProgress) throws {
        try keepOneToOneLinks(of: batch, &progress)
        // Rows may have been unified with others meanwhile.
        for membership in batch.memberships { try writeEdited(survivor(of: membership), &progress) }
        try placeResolvedMembers(&progress)
        for deletion in survivingDeletions(of: batch) {
            if try batch.isPruning && !mayPrune(deletion, requestedAt: batch.requestTime, keeping: batch.kept) {
                continue
            }
            if let account = accountOfQueuedDeletion(of: deletion, in: batch) {
                try deleteQueued(deletion, account: account, &progress)
            } else {
                try delete(deletion, &progress)
            }
        }
        try deleteOmitted(&progress)
        if batch.isPruning { progress.changes.hasServerDeletions = true }
        try deleteOrphans(&progress, isLeftOut: batch.isPruning, keeping: batch.kept)
        if !batch.outbox.isEmpty { try applyOutbox(of: batch, &progress) }
        for (record, validator) in batch.validators {
            let record = survivor(of: record)
            // The server has changed the object after this request.
            if recentChanges.hasChanged(record, since: batch.requestTime) { continue }
            try setValidator(validator, of: record)
        }
        if schema.hasEmbedded { try checkEmbedding(batch, &progress) }
        try progress.rules.check(self)
    }

    // MARK: Acknowledgements

    /// - Returns: the properties with newer edits.
    func confirm(
        _ confirmation: WriteBatch.Confirmation, of record: RecordID, _ changes: inout ChangeSet
    ) throws -> Set<PropertyIndex> {
        operationsInTransaction.confirmed.formUnion(confirmation.edits)
        if try confirmDeleted(confirmation, of: record) { return [] }
        if operations.oldestRequestStart != nil { recentChanges.note(record) }
        try noteSentLists(confirmation, of: record)
        try unmark(confirmation, of: record)
        guard unsentRows[record.table].contains(record.row) || !pairs.isEmpty else { return [] }
        let (statements, model) = (statements[record.table], schema[record.table])
        var unsent = try statements.unsentChanges(of: record.row)
        var newer: Set<PropertyIndex> = []
        var newerNames: Set<String> = []
        var ended: Set<String> = []
        for name in confirmation.properties {
            guard let property = model.property(named: name) else { continue }
            if let list = property.list, !schema[list.target].isEmbedded {
                let owner = ListOwner(property.index, of: record)
                let isNewer = try confirm(
                    confirmation.lists[property.index], of: owner, in: list, taking: confirmation.edits, &unsent)
                if isNewer { newer.insert(property.index) }
                continue
            }
            guard let entry = unsent.entries[name] else { continue }
            unsent.entries[name] = nil
            guard !confirmation.edits.contains(entry.stamp) else {
                // The server's list isn't the one that the object was removed from. The move stays pending.
                if let left = confirmation.left, !entry.base.isNull, entry.base.row != left {
                    unsent.entries[name] = entry
                }
                continue
            }
            newer.insert(property.index)
            newerNames.insert(name)
            // A newer edit that equals the sent value ends, too.
            let sent = confirmation.values[property.index]
            if let sent, try comparable(property, of: record) == sent { ended.insert(name) }
            unsent.entries[name] = entry
            unsent.entries[name]?.rebase(onto: base(of: entry, sent: sent), from: .decided)
        }
        for name in droppable(ended, of: newerNames, in: model) { unsent.entries[name] = nil }
        try setTaken(unsent, of: record)
        changes.noteUpdate(of: record, keepsLinks: true)
        return newer
    }

    /// The file's value. Nil: it can't be compared.
    private func comparable(_ property: Property, of record: RecordID) throws -> StoredValue? {
        // An embedded object keeps its row when its values change.
        if let target = property.target, schema[target].isEmbedded { return nil }
        if let column = schema[record.table].column(of: property.index) {
            return try statements[record.table].value(of: column, in: record.row)
        }
        return nil
    }

    // MARK: Rows

    func write(_ row: WriteBatch.Row, _ progress: inout WriteProgress) throws {
        let (table, model) = (statements[row.record.table], schema[row.record.table])
        let isConfirmed = progress.isConfirmed
        let isInsert = try row.isInsert && !hasRow(row.record)
        if isInsert, operations.isWithdrawn(row.record) { return }
        if !isInsert, recentChanges.hasChanged(row.record, since: progress.requestTime) { return }
        var row = isInsert ? row : try remaining(of: row, isConfirmed: isConfirmed)
        if progress.isPruning { row.values = try row.values.filter { try !isPartnerUnsent($0, of: row.record) } }
        let values = row.columnValues(in: model)
        guard isInsert || !values.isEmpty else { return }
        if !isInsert { try noteOrphans(of: row, &progress) }
        var bases = progress.identities.bases(of: row.record)
        // Replies match a new embedded row by the sent values, which become its bases.
        if isInsert, model.isEmbedded, let sent = operations.sentValues(of: row.record).last {
            for (column, value) in zip(model.attributeColumns, sent) {
                bases[column.property] = value
            }
        }
        if !isConfirmed, !isInsert {
            try noteUnsent(try unsentEdits(in: row, bases), of: row.record)
            if model.isEmbedded { try keepSent(ofNew: row.record) }
        }
        let unsent = !isConfirmed && isInsert ? unsentText(ofNew: row, in: table, bases) : nil
        let known = isConfirmed && !isInsert ? try identity(changedBy: row) : nil
        let record = try freeingIdentity(for: row, isInsert: isInsert, &progress) {
            if isInsert {
                try table.insert(values, as: row.record.row, unsent: unsent)
            } else {
                try table.update(values, in: row.record.row)
            }
        }
        if let known { noteFormerIdentity(known, of: record) }
        if isInsert, record == row.record {
            if unsent != nil { unsentRows[record.table].insert(record.row) }
            if newestMade[record.table] < record.row { newestMade[record.table] = record.row }
            if !isConfirmed { try markSent(of: record) }
            progress.changes.tables[record.table].inserted.append(record.row)
        } else {
            let keepsLinks = record == row.record && !row.values.contains { isListed($0.key, of: model) }
            progress.changes.noteUpdate(of: record, keepsLinks: keepsLinks)
        }
        if model.hasLinks { noteLinks(row.values, of: model, &progress.changes) }
        try settlePendingLinks(of: row, writtenTo: record, isInsert: isInsert, &progress)
    }

    private func isPartnerUnsent(
        _ value: (key: PropertyIndex, value: StoredValue), of record: RecordID
    ) throws -> Bool {
        guard let column = schema[record.table].column(of: value.key), column.target != nil else { return false }
        let former = try statements[record.table].value(of: column, in: record.row).row
        return try [former, value.value.row].contains { target in
            guard let target, former != value.value.row else { return false }
            return try isPartnerUnsent(of: column, in: (record.table, record.row), target)
        }
    }

    private func identity(changedBy row: WriteBatch.Row) throws -> [StoredValue]? {
        let model = schema[row.record.table]
        guard model.identity.contains(where: { row.values[$0] != nil }) else { return nil }
        let identity = try statements[row.record.table].values(of: model.identityColumns, in: row.record.row)
        guard let identity, !identity.contains(.null) else { return nil }
        let changed = zip(model.identity, identity).map { property, value in row.values[property] ?? value }
        return changed == identity ? nil : identity
    }

    /// Numbers of new objects mostly grow, so few need a query.
    func hasRow(_ record: RecordID) throws -> Bool {
        if record.row.isOfNewObject, newestMade[record.table] < record.row { return false }
        return try statements[record.table].contains(record.row)
    }

    /// The values of a row in the file that are still to be written. These are left out:
    ///
    /// - defaults of a new object that another save or a reply has inserted meanwhile
    /// - edits that were acknowledged meanwhile
    /// - links set to nil because the object left a list, if they lead elsewhere by now
    func remaining(of row: WriteBatch.Row, isConfirmed: Bool) throws -> WriteBatch.Row {
        if row.hasNewerOwnerEdit { return try leavingNewer(of: row) }
        if !row.isInsert, row.leaving.isEmpty, confirmedEdits.isEmpty { return row }
        var row = row
        if let edited = row.edited, case let newer = try isConfirmed ? [] : editsStored(since: edited, of: row) {
            row.values = row.values.filter { property, _ in
                guard let stamp = edited[property]?.stamp else { return !row.isInsert }
                return isConfirmed || !confirmedEdits.contains(stamp) && !newer.contains(property)
            }
        }
        for (property, owner) in row.leaving {
            guard let column = schema[row.record.table].column(of: property) else { continue }
            let current = try statements[row.record.table].value(of: column, in: row.record.row)
            if current.row != owner, try !isCutOff(current, column, from: owner) { row.values[property] = nil }
        }
        return row
    }

    /// Whether a link is nil because its target was deleted, rather than by an edit.
    private func isCutOff(_ value: StoredValue, _ column: Column, from owner: RowID) throws -> Bool {
        guard value.isNull, let target = column.target else { return false }
        return try !statements[target].contains(owner)
    }

    /// The acknowledged values of an embedded object whose owner has a newer edit, without those that the file has
    /// changed since the request.
    private func leavingNewer(of row: WriteBatch.Row) throws -> WriteBatch.Row {
        let (table, model) = (statements[row.record.table], schema[row.record.table])
        var rest = row
        rest.leaving = [:]
        rest.values = try row.values.filter { property, _ in
            guard let column = model.column(of: property), column.target == nil else { return false }
            return try table.value(of: column, in: row.record.row) == row.former[property]
        }
        return rest
    }

    /// - Parameter bases: the values before the row's identity was cleared for another row.
    private func unsentText(
        ofNew row: WriteBatch.Row, in table: TableStatements, _ bases: PropertyMap<StoredValue>
    ) -> String? {
        if bases.isEmpty, let text = unsentText(ofNew: row, in: table) { return text }
        var entries: [(name: String, entry: UnsentChanges.Entry)] = []
        entries.reserveCapacity(row.values.count)
        for (property, _) in row.values where row.isEdited(property) {
            guard let name = unsentName(of: property, in: table) else { continue }
            let stamp = row.edited?[property]?.stamp ?? .now()
            entries.append((name, UnsentChanges.Entry(base: bases[property] ?? .null, stamp: stamp)))
        }
        return UnsentChanges.text(of: entries)
    }

    /// The names and stamps of the edits, if all bases are null. Nil for a row without edits.
    private func unsentText(ofNew row: WriteBatch.Row, in table: TableStatements) -> String? {
        guard let edited = row.edited else { return nil }
        var entries: [(name: String, stamp: ChangeStamp)] = []
        entries.reserveCapacity(edited.count)
        for (property, edit) in edited where row.values.has(property) {
            guard let name = unsentName(of: property, in: table) else { continue }
            entries.append((name, edit.stamp))
        }
        return UnsentChanges.text(ofNew: entries)
    }

    /// The row's edits. Their bases are the values in the file.
    ///
    /// - Parameter bases: the values before the row's identity was cleared for another row.
    private func unsentEdits(
        in row: WriteBatch.Row, _ bases: PropertyMap<StoredValue>
    ) throws -> [String: UnsentEdit] {
        let model = schema[row.record.table]
        let edited = row.editedColumnValues(in: model)
        guard let known = try self.bases(of: edited.map(\.column), in: row.record) else { return [:] }
        var edits: [String: UnsentEdit] = [:]
        for (column, value) in edited {
            let property = column.property
            guard let name = unsentName(of: property, in: statements[row.record.table]) else { continue }
            let edit = row.edited?[property]
            // A link to a deleted target has no value to compare.
            edits[name] = UnsentEdit(
                from: bases[property] ?? known[property] ?? .null, to: edit?.isCutOff == true ? nil : value,
                edit?.stamp ?? .now())
        }
        return edits
    }

    /// The values in the file of columns that are about to change. Nil: the row is deleted.
    func bases(of columns: [Column], in record: RecordID) throws -> PropertyMap<StoredValue>? {
        guard !columns.isEmpty else { return [:] }
        let values = try statements[record.table].values(of: columns, in: record.row)
        guard let values else { return nil }
        var bases = PropertyMap(uniqueKeysWithValues: zip(columns.map(\.property), values))
        guard pendingSources.contains(record.table) else { return bases }
        // A pending link's base is its target's identity as text.
        for column in columns where column.target != nil && bases[column.property]?.isNull == true {
            guard let link = try statements.pendingLinks(of: record, by: column.property).first else { continue }
            bases[column.property] = .text(link.key)
        }
        return bases
    }

    private func noteLinks(
        _ values: PropertyMap<StoredValue>, of model: ModelSchema, _ changes: inout ChangeSet
    ) {
        for (property, _) in values {
            if case .list(let list) = schema.back(of: property, in: model.table) { changes.lists.insert(list) }
        }
        if hasAnswers { noteListOwners(by: values, of: model, &changes) }
    }

    func noteLinks(_ columns: [Column], of model: ModelSchema, _ changes: inout ChangeSet) {
        for column in columns where column.target != nil {
            guard let list = schema.inverse(of: model[column.property])?.list else { continue }
            changes.lists.insert(list.id)
        }
    }

    // MARK: Memberships

    /// Writes a list of the server's. Rows that leave an owning list become orphans, deleted at the end without another
    /// owner.
    func write(_ membership: WriteBatch.Membership, _ progress: inout WriteProgress) throws {
        let owner = membership.owner
        guard let list = schema[owner.record.table][owner.property].list else { return }
        try write(membership, as: list, &progress)
    }

    /// - Returns: the removed members, orphans if the list owns them.
    @discardableResult private func write(
        _ membership: WriteBatch.Membership, as list: List, _ progress: inout WriteProgress
    ) throws -> [RowID] {
        let owner = membership.owner
        let change = try statements.setMembers(of: list, owner: owner.record.row, to: membership.members)
        progress.changes.tables[list.target].updated += change.updated
        noteOwner(owner, &progress.changes)
        if hasAnswers { noteOwners(of: list, with: membership.members + change.left, &progress.changes) }
        if list.options.owns {
            progress.orphans += change.left.map { Orphan(record: RecordID(table: list.target, row: $0), former: owner) }
        }
        noteChange(of: list, &progress.changes)
        return change.left
    }

    func noteChange(of list: List, _ changes: inout ChangeSet) {
        changes.lists.insert(list.id)
        guard let inverse = list.inverse, let other = schema[list.target][inverse].list else { return }
        changes.lists.insert(other.id)
    }

    private func writeEdited(_ membership: WriteBatch.Membership, _ progress: inout WriteProgress) throws {
        let (record, property) = (membership.owner.record, membership.owner.property)
        let model = schema[record.table]
        guard let list = model[property].list, try statements[record.table].contains(record.row) else { return }
        if let change = membership.change {
            if membership.isRepeated { try noteRepetition(true, of: membership.owner) }
            return try write(
                change, of: membership.members[0], in: list, of: membership.owner,
                requestedAt: membership.stamp ?? .earliest, taking: membership.taken, &progress)
        }
        if progress.isConfirmed { return try writeConfirmed(membership, of: list, &progress) }
        if let stamp = membership.stamp, confirmedEdits.contains(stamp) { return }
        try settleWaiting(for: membership, &progress)
        var current = try statements.members(of: list, owner: record.row)
        let isEmbedded = schema[list.target].isEmbedded
        let left = Set(membership.toggles?.keys.map(\.self) ?? []).subtracting(membership.members)
        if isEmbedded { current.removeAll(where: left.contains) }
        let members = try withoutResolved(membership.edited(in: list, over: current), of: membership, in: list)
        if isEmbedded { noteWritten(membership) }
        try write(WriteBatch.Membership(members, of: membership.owner), as: list, &progress)
        guard !model[property].isNeverSent, !membership.isTaken else { return }
        let former =
            progress.formerLists[membership.owner]
            ?? FormerList(members: current, edits: pairs.edits(of: list, record.row))
        guard isEmbedded else { return try noteSaved(membership, over: former, writing: members, in: list) }
        // The rows of embedded objects stay the same.
        let edit = UnsentEdit(
            from: try digest(of: list, membership.owner, members: former.members), to: nil, membership.stamp ?? .now())
        try noteUnsent([model[property].name: edit], of: record)
        try keepDigests(membership.owner, keeping: members, in: list.target, removing: left)
    }

    /// Writes a list that the server has sent or acknowledged. Newer pending edits stay on top.
    private func writeConfirmed(
        _ membership: WriteBatch.Membership, of list: List, _ progress: inout WriteProgress
    ) throws {
        let (owner, record) = (membership.owner, membership.owner.record)
        let isWhole = membership.toggles == nil
        if isWhole {
            try updateBases(membership.members, isWhole: true, of: owner, in: list, since: progress.requestTime)
        }
        let isEdited = try isUnsent(owner.property, of: record)
        if isEdited, list.isOfLinks, !isWhole { return }
        if isEdited, schema[list.target].isEmbedded { return try writeSent(membership, of: list, &progress) }
        if isWhole, recentChanges.hasWhole(owner, since: progress.requestTime) { return }
        try settleWaiting(for: membership, &progress)
        if isWhole { try noteWhole(membership, since: progress.requestTime) }
        let former = try statements.members(of: list, owner: record.row)
        var acknowledged = membership
        // The acknowledged edit changes single members.
        if !isWhole, schema.hasPairs(list) { acknowledged.members = membership.acknowledged(over: former) }
        let settled = try withResolved(
            settled(acknowledged, in: list, since: progress.requestTime), of: membership, in: list)
        let members = try inEditedOrder(settled, over: former, of: owner)
        noteAnswer(membership, requestedAt: progress.requestTime)
        try noteRecentChange(to: acknowledged, of: list, unless: progress.requestTime)
        let listed = try omittingWherePruned(from: members, over: former, in: list, of: record, &progress)
        if listed != former { try write(WriteBatch.Membership(listed, of: owner), &progress) }
        if isEdited { try settle(owner) }
    }

    /// Writes an acknowledged change of one membership. Newer edits of it, or of the member's link, stay.
    ///
    /// - Parameters:
    ///   - requestTime: when the request was sent.
    ///   - edits: those that it carried.
    func write(
        _ change: WriteBatch.Membership.Change, of member: RowID, in list: List, of owner: ListOwner,
        requestedAt requestTime: ChangeStamp, taking edits: Set<ChangeStamp>, _ progress: inout WriteProgress
    ) throws {
        if progress.requestTime == nil, operations.oldestRequestStart != nil {
            noteRecentChange(of: [member], in: list, of: owner)
        }
        let (row, record) = (owner.record.row, RecordID(table: list.target, row: member))
        guard try statements[list.target].contains(member),
            try mayWrite(record, in: list, to: change, requestedAt: requestTime),
            try take(change, of: member, in: list, of: owner, taking: edits),
            try statements.contains(member, in: list, owner: row) != (change == .joins)
        else { return }
        switch change {
        case .joins:
            guard try statements.append(member, to: list, owner: row) else {
                let members = try statements.members(of: list, owner: row)
                return try write(WriteBatch.Membership(members + [member], of: owner), &progress)
            }
        case .leaves:
            try statements.remove(member, from: list, owner: row)
            try forgetFormerOwner(of: record, in: list)
        }
        if case .column = list.storage { progress.changes.tables[list.target].updated.append(member) }
        noteOwner(owner, &progress.changes)
        if hasAnswers { noteOwners(of: list, with: [member], &progress.changes) }
        if list.options.owns, change == .leaves { progress.orphans.append(Orphan(record: record, former: owner)) }
        noteChange(of: list, &progress.changes)
    }

    /// Applies an acknowledged edit beneath a newer edit of a list of embedded objects, whose added and removed members
    /// stay so.
    private func writeSent(
        _ membership: WriteBatch.Membership, of list: List, _ progress: inout WriteProgress
    ) throws {
        guard membership.isDifference, case .join = list.storage else { return }
        try settleWaiting(for: membership, &progress)
        let current = try statements.members(of: list, owner: membership.owner.record.row)
        var sent = membership
        let written = operations.toggles(of: membership.owner)
            .merging(operationsInTransaction.toggles[membership.owner] ?? [:], uniquingKeysWith: max)
        sent.toggles = membership.toggles?.filter { row, stamp in written[row].map { $0 < stamp } ?? true }
        let members = try withoutResolved(sent.edited(in: list, over: current), of: membership, in: list)
        guard members != current else { return }
        try write(WriteBatch.Membership(members, of: membership.owner), &progress)
    }

    /// Embedded objects that a save adds or removes while their owner is in flight stay so after the reply.
    private func noteWritten(_ membership: WriteBatch.Membership) {
        guard let toggles = membership.toggles, operations.isBeingSent(membership.owner.record) else { return }
        operationsInTransaction.toggles[membership.owner, default: [:]].merge(toggles) { max($0, $1) }
    }
}

extension WriteBatch.Membership {
    /// - Parameter former: the members before, if the edit is the whole list.
    func toggled(over former: [RowID]) -> Set<RowID> {
        toggles.map { Set($0.keys) } ?? Set(members).symmetricDifference(former)
    }

    /// Applies an acknowledged edit in the order that was sent. Other members keep their places.
    fileprivate func acknowledged(over former: [RowID]) -> [RowID] {
        let (toggled, present, sent) = (toggled(over: former), Set(former), Set(members))
        let named = members.filter { present.contains($0) || toggled.contains($0) }
        return named.with(Set(former.filter { !sent.contains($0) && !toggled.contains($0) }), placedAsIn: former)
    }

    /// - Parameter current: after the links of the batch were written.
    fileprivate func edited(in list: List, over current: [RowID]) -> [RowID] {
        guard let toggles else { return members }
        return switch list.storage {
        case .column: members.order(of: current)
        case .join: members.edited(over: current) { toggles[$0] != nil }
        }
    }
}

extension WriteBatch.Row {
    fileprivate func columnValues(in model: ModelSchema) -> [ColumnValue] {
        var found: [ColumnValue] = []
        found.reserveCapacity(values.count)
        for (property, value) in values {
            if let column = model.columnIndex(of: property) { found.append((column, value)) }
        }
        return found
    }

    func isEdited(_ property: PropertyIndex) -> Bool { edited?.has(property) ?? true }

    func editedColumnValues(in model: ModelSchema) -> [(column: Column, value: StoredValue)] {
        values.compactMap { property, value in
            isEdited(property) ? model.column(of: property).map { ($0, value) } : nil
        }
    }
}
