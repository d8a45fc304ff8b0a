import Foundation

// Writes that wait in the file. An entry names a row, which has the values. It is made with its change, and ends with
// the acknowledgement, in one transaction each.

extension Writer {
    /// Call it after the batch's rows and lists were written. Queued deletions were applied with the deletion of their
    /// rows.
    func applyOutbox(of batch: WriteBatch, _ progress: inout WriteProgress) throws {
        for change in batch.outbox {
            let subject = survivor(of: change.subject)
            progress.changes.changesOutbox = true
            switch change {
            case .queue(.delete, _, _): continue
            case .queue(let action, _, let account): try queue(action, subject, account: account)
            case .end(_, let version): try end(subject, at: version, &progress)
            case .drop(_, let version):
                if try statements.queuedWrite(subject)?.version == version { try statements.deleteQueued(subject) }
            case .reject(_, let reason, let version):
                if try statements.queuedWrite(subject)?.version == version {
                    try statements.setRejection(reason, of: subject)
                }
            case .retry: try statements.setRejection(nil, of: subject)
            case .send(_, let sent): try statements.setSent(sent, of: subject)
            case .discard(_, let version): try discard(subject, at: version, &progress)
            case .discardEdits(_, let edits):
                guard try hasRow(subject.record) else { continue }
                try discardEdits(edits, of: subject.record, &progress)
                noteSettled(subject.record)
            case .revalidate(_, let validator):
                guard var rows = try statements.queuedWrite(subject)?.rows else { continue }
                rows.validator = validator
                try statements.setRows(rows, of: subject)
            case .settle: try settle(subject.record)
            case .address(_, let address):
                guard var rows = try statements.queuedWrite(subject)?.rows else { continue }
                rows.address = address
                try statements.setRows(rows, of: subject)
            case .edit(_, let values):
                guard try hasRow(subject.record) else { continue }
                let (model, unsent) = (schema[subject.record.table], try unsentChanges(of: subject.record))
                let values = values.filter { property, _ in !unsent.contains(model[property].name) }
                var edit = WriteProgress(WriteBatch(), after: progress.changes)
                try write(WriteBatch.Row(subject.record, values: values, isInsert: false), &edit)
                progress.changes = edit.changes
            }
            if try hasRow(subject.record) { progress.changes.noteUpdate(of: subject.record, keepsLinks: true) }
        }
    }

    func accountOfQueuedDeletion(of record: RecordID, in batch: WriteBatch) -> String? {
        for case .queue(.delete, let subject, let account) in batch.outbox where survivor(of: subject.record) == record
        {
            return account
        }
        return nil
    }

    func queue(_ action: QueuedWrite.Action, _ subject: QueuedSubject, account: String) throws {
        guard try hasRow(subject.record) else { return }
        if let membership = subject.membership {
            let list = schema[subject.record.table][membership.property].list
            guard let list, try hasRow(RecordID(table: list.target, row: membership.member)) else { return }
            try keepQueued(
                action == .add, membership.member, in: list, of: ListOwner(membership.property, of: subject.record))
            noteQueued(in: list.target)
            let member = QueuedSubject(RecordID(table: list.target, row: membership.member))
            // The list's request creates a new object, without an entry of its own.
            if action == .add, try !isAtServer(member.record), try statements.queuedWrite(member)?.sent == nil {
                try statements.deleteQueued(member)
            }
        } else if try isAtServer(subject.record) {
            // Without a pending edit, there is nothing to send.
            guard unsentRows[subject.record.table].contains(subject.record.row) else { return }
        } else if try isCreatedByList(subject.record) {
            return
        }
        try statements.queue(action, subject, account: account, since: Date().timeIntervalSince1970)
        noteQueued(in: subject.record.table)
    }

    /// Whether an entry of a list creates a new object. If so, it is queued again, with the object's newest edits.
    private func isCreatedByList(_ record: RecordID) throws -> Bool {
        guard tablesOfQueuedWrites.contains(record.table) else { return false }
        let entries = try statements.queuedSubjects(of: record).filter { $0.record != record }
            .compactMap { try statements.queuedWrite($0) }.filter { $0.action == .add }
        for entry in entries {
            try statements.queue(.add, entry.subject, account: entry.account, since: entry.since)
        }
        return !entries.isEmpty
    }

    /// Whether only this entry creates the object.
    private func isCreated(_ record: RecordID, byNoneBut subject: QueuedSubject) throws -> Bool {
        guard try hasRow(record), try !isAtServer(record) else { return false }
        return try !statements.queuedSubjects(of: record).contains { other in
            guard other != subject, other.record != record || other.membership == nil else { return false }
            return try statements.queuedWrite(other).map { $0.action == .add || $0.action == .save } ?? false
        }
    }

    func noteQueued(in table: TableID) {
        tablesOfQueuedWrites.insert(table)
    }

    /// Keeps a queued membership, if no list sends it, as a pending edit. Otherwise a fetched list would undo it.
    private func keepQueued(_ isMember: Bool, _ member: RowID, in list: List, of owner: ListOwner) throws {
        guard schema[owner.record.table][owner.property].isNeverSent, let pair = list.pair(owner.record.row, member),
            pairs[pair]?.sides ?? [] == []
        else { return }
        let base = pairs[pair]?.base ?? !isMember
        let edit = PairEdit(isMember: isMember, base: base, stamp: .now(), sides: [])
        pairs[pair] = edit
        try statements.set(edit, of: pair)
    }

    private func endQueued(_ membership: QueuedSubject.Membership, of record: RecordID) throws {
        guard let list = schema[record.table][membership.property].list,
            let pair = list.pair(record.row, membership.member), pairs[pair]?.sides == []
        else { return }
        pairs[pair] = nil
        try statements.set(nil, of: pair)
    }

    func end(
        _ subject: QueuedSubject, at version: QueuedWrite.Version, _ progress: inout WriteProgress
    ) throws {
        guard let entry = try statements.queuedWrite(subject), entry.number == version.number else { return }
        if let rows = entry.rows {
            if !rows.isUndecided { try deleteOther(than: rows, in: subject.record.table, &progress) }
            for record in records(of: rows) { try settle(record) }
        }
        if let membership = subject.membership {
            // The membership, or its opposite, was queued meanwhile.
            guard entry.version == version else { return }
            try endQueued(membership, of: subject.record)
            try statements.deleteQueued(subject)
            if entry.action == .add { try queueRest(of: membership, entry) }
            return
        } else if unsentRows[subject.record.table].contains(subject.record.row) {
            // Newer edits are sent with a body of their own.
            return try statements.setSent(nil, of: subject)
        }
        try statements.deleteQueued(subject)
    }

    /// Queues the member's edits that the list's request hasn't sent. A new member gets its identity later in the
    /// transaction.
    private func queueRest(of membership: QueuedSubject.Membership, _ entry: QueuedWrite) throws {
        guard let table = schema[entry.subject.record.table][membership.property].list?.target,
            case let member = RecordID(table: table, row: membership.member),
            unsentRows[table].contains(member.row)
        else { return }
        try queue(.save, QueuedSubject(member), account: entry.account)
    }

    /// Its entry is removed at the end of the transaction, unless edits are pending then.
    func noteSettled(_ record: RecordID) {
        guard tablesOfQueuedWrites.contains(record.table) else { return }
        settledQueue.insert(record)
    }

    func endSettledQueue(_ changes: inout ChangeSet) throws {
        for record in settledQueue where !unsentRows[record.table].contains(record.row) {
            guard try isAtServer(record), try statements.deleteQueued(QueuedSubject(record)) else { continue }
            changes.changesOutbox = true
            changes.noteUpdate(of: record, keepsLinks: true)
        }
        settledQueue = []
    }

    /// Removes entries about a deleted row. New objects that its lists would have created get entries of their own.
    func forgetQueued(of record: RecordID, _ changes: inout ChangeSet) throws {
        guard tablesOfQueuedWrites.contains(record.table) else { return }
        for subject in try statements.queuedSubjects(of: record) {
            guard let entry = try statements.queuedWrite(subject), try statements.deleteQueued(subject) else {
                continue
            }
            changes.changesOutbox = true
            guard entry.action == .add, subject.record == record, let member = self.member(of: subject),
                try hasRow(member), try !isAtServer(member)
            else { continue }
            try queue(.save, QueuedSubject(member), account: entry.account)
        }
    }

    func member(of subject: QueuedSubject) -> RecordID? {
        guard let membership = subject.membership,
            let target = schema[subject.record.table][membership.property].target
        else { return nil }
        return RecordID(table: target, row: membership.member)
    }

    func moveQueued(of duplicate: RecordID, to survivor: RowID) throws {
        guard tablesOfQueuedWrites.contains(duplicate.table) else { return }
        for subject in try statements.queuedSubjects(of: duplicate) {
            guard let entry = try statements.queuedWrite(subject), entry.action != .delete else { continue }
            var moved = subject
            if subject.record == duplicate {
                moved.record = RecordID(table: duplicate.table, row: survivor)
                noteSettled(moved.record)
            } else {
                moved.membership?.member = survivor
            }
            try statements.deleteQueued(subject)
            guard try statements.queuedWrite(moved) == nil else { continue }
            try statements.queue(entry.action, moved, account: entry.account, since: entry.since)
            if let rejection = entry.rejection { try statements.setRejection(rejection, of: moved) }
            if let sent = entry.sent { try statements.setSent(sent, of: moved) }
        }
    }

    func isDeletionQueued(_ key: String, in table: TableID) throws -> Bool {
        try tablesOfQueuedDeletions.contains(table) && statements.isDeletionQueued(key, in: table)
    }

    private func survivor(of subject: QueuedSubject) -> QueuedSubject {
        var subject = QueuedSubject(survivor(of: subject.record), subject.membership)
        if let membership = subject.membership,
            let target = schema[subject.record.table][membership.property].target
        {
            subject.membership?.member = survivor(of: membership.member, in: target)
        }
        return subject
    }
}

// MARK: Discarded entries

extension Writer {
    /// Discards an entry with its edits, new object, membership or deletion.
    private func discard(
        _ subject: QueuedSubject, at version: QueuedWrite.Version, _ progress: inout WriteProgress
    ) throws {
        guard let entry = try statements.queuedWrite(subject), entry.version == version else { return }
        try statements.deleteQueued(subject)
        switch entry.action {
        case .save:
            guard try isAtServer(subject.record) else { return try delete(subject.record, &progress) }
            try discardEdits(EditSelection(), of: subject.record, &progress)
        case .delete: if let rows = entry.rows { try restore(rows, &progress) }
        case .add, .remove:
            guard let membership = subject.membership,
                let list = schema[subject.record.table][membership.property].list
            else { return }
            if entry.action == .add, let member = member(of: subject), try isCreated(member, byNoneBut: subject) {
                return try delete(member, &progress)
            }
            let owner = ListOwner(membership.property, of: subject.record)
            try endQueued(membership, of: subject.record)
            if try !discardLink(by: entry.action, of: membership.member, in: list, of: owner, &progress) {
                try discardMemberships([membership.member: entry.action == .remove], in: list, of: owner, &progress)
            }
            try settle(owner)
        }
    }

    /// Returns the link of a member in a one-to-many list to its base. A later edit of the link stays.
    ///
    /// - Returns: false without a pending edit of the link.
    private func discardLink(
        by action: QueuedWrite.Action, of member: RowID, in list: List, of owner: ListOwner,
        _ progress: inout WriteProgress
    ) throws -> Bool {
        let record = RecordID(table: list.target, row: member)
        guard list.isOfLinks, let link = list.inverse, try isUnsent(link, of: record),
            let column = schema[list.target].column(of: link)
        else { return false }
        let target = try statements[list.target].value(of: column, in: member).row
        guard target == (action == .add ? owner.record.row : nil) else { return true }
        try discardEdits(EditSelection(names: [schema[list.target][link].name]), of: record, &progress)
        noteSettled(record)
        return true
    }

    private func discardEdits(
        _ selection: EditSelection, of record: RecordID, _ progress: inout WriteProgress
    ) throws {
        let (table, model) = (statements[record.table], schema[record.table])
        let selection = EditSelection(names: selection.names.map(model.factNames), stamps: selection.stamps)
        let unsent = try table.unsentChanges(of: record.row)
        var values: [(column: Column, value: StoredValue)] = []
        var rest = unsent
        for (name, entry) in unsent.entries {
            guard let property = model.property(named: name) else { continue }
            if let list = property.list {
                // Embedded objects and links have edits of their own.
                guard selection.names?.contains(name) ?? true, !list.isOfLinks else { continue }
                let owner = ListOwner(property.index, of: record)
                let edits = pairs.edits(of: list, record.row).filter { $0.value.sides.contains(list.side) }
                let chosen = edits.filter { selection.contains($0.value.stamp, of: name) }
                if chosen.count == edits.count, selection.contains(entry.stamp, of: name) {
                    rest.entries[name] = nil
                    try noteUnknown(entry, of: owner)
                }
                try discardMemberships(chosen.mapValues { $0.base ?? false }, in: list, of: owner, &progress)
            } else if let column = model.column(of: property.index), selection.contains(entry.stamp, of: name) {
                values.append((column, try restoredValue(entry.base, of: column, in: record)))
                rest.entries[name] = nil
                let inverse = property.target.flatMap { target in property.inverse.map { schema[target][$0] } }
                if let list = inverse?.list { progress.changes.lists.insert(list.id) }
            }
        }
        for property in model.properties where selection.names?.contains(property.name) ?? true {
            guard let list = property.list, case .column(let link, _, _) = list.storage,
                !schema[list.target].isEmbedded
            else { continue }
            try discardLinks(link, of: list.target, with: record, madeAt: selection.stamps, &progress)
            progress.changes.lists.insert(list.id)
            if let entry = unsent.entries[property.name], selection.contains(entry.stamp, of: property.name) {
                rest.entries[property.name] = nil
                try noteUnknown(entry, of: ListOwner(property.index, of: record))
            }
        }
        try table.update(values, in: record.row)
        // After the update, since it reads the row's identity.
        try set(rest, of: record)
        progress.changes.noteUpdate(of: record)
    }

    /// The discarded edit of a list that was never fetched made it known. Its members at the server are unknown again.
    private func noteUnknown(_ discarded: UnsentChanges.Entry, of owner: ListOwner) throws {
        guard discarded.list?.isAll == true else { return }
        try statements[owner.record.table].noteUnloaded(owner.property, of: owner.record.row)
    }

    private func discardLinks(
        _ link: PropertyIndex, of table: TableID, with record: RecordID, madeAt stamps: Set<ChangeStamp>?,
        _ progress: inout WriteProgress
    ) throws {
        guard let column = schema[table].column(of: link) else { return }
        let name = schema[table][link].name
        for row in unsentRows[table].sorted() {
            guard let entry = try statements[table].unsentChanges(of: row).entries[name],
                try entry.base.row == record.row || statements[table].value(of: column, in: row).row == record.row,
                case let member = RecordID(table: table, row: row), try isAtServer(member)
            else { continue }
            try discardEdits(EditSelection(names: [name], stamps: stamps), of: member, &progress)
            noteSettled(member)
        }
    }

    /// The base as a value. A link to a target without a row becomes pending.
    ///
    /// - Parameter base: a value, or the key of a link's target.
    private func restoredValue(
        _ base: StoredValue, of column: Column, in record: RecordID
    ) throws -> StoredValue {
        guard let target = column.target else { return base }
        if let row = base.row { return try hasRow(RecordID(table: target, row: row)) ? base : .null }
        guard case .text(let key) = base else { return .null }
        if let found = try row(withPendingKey: key, of: schema[target]) { return StoredValue(found) }
        try statements.deletePendingLinks(of: record, by: column.property)
        try remember(
            PendingLink(source: record, property: column.property, target: target, key: key, position: nil))
        return .null
    }

    /// - Parameter wanted: whether each row is a member then. Returning members come last, in the order of their rows.
    private func discardMemberships(
        _ wanted: [RowID: Bool], in list: List, of owner: ListOwner, _ progress: inout WriteProgress
    ) throws {
        for member in wanted.keys {
            guard let pair = list.pair(owner.record.row, member), pairs[pair] != nil else { continue }
            pairs[pair] = nil
            try statements.set(nil, of: pair)
        }
        let former = try statements.members(of: list, owner: owner.record.row)
        let returning = Set(wanted.filter(\.value).keys).subtracting(former)
        let members = former.filter { wanted[$0] != false } + returning.sorted()
        guard members != former else { return }
        _ = try statements.setMembers(of: list, owner: owner.record.row, to: members)
        progress.changes.lists.insert(list.id)
        if let inverse = list.inverse.flatMap({ schema[list.target][$0].list }) {
            progress.changes.lists.insert(inverse.id)
        }
        progress.changes.noteUpdate(of: owner.record, keepsLinks: true)
    }
}
