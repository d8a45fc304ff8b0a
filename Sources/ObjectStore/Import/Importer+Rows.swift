import JSONBytes

/// A row that was written, or found as it is.
struct StoredRow {
    let id: RowID
    let status: ImportPlan.RowStatus
    /// Whether the body says what was before: the row and its relationships stay.
    var isNewer = false
    var isNew: Bool { status == .inserted }
}

// MARK: Identity

extension Importer {
    /// Takes the parts of the identity that the JSON leaves out from what the object is in, or from the row that it is known
    /// to be. `false` when a part can't be known: the object is rejected, never guessed.
    mutating func completeIdentity(of object: ReadingObject, _ target: RowID?) throws -> Bool {
        let plan = object.plan
        for column in plan.identity where !object.frame.hasValue(column) {
            let property = plan.model[column].property
            if !object.frame.isPending(property), let container = container(for: column, of: plan.model) {
                object.frame[column] = .row(container.row)
            } else if target == nil {
                unknownIdentity = try pendingKey(of: object)
                rejectWithoutIdentity(plan.model[property], of: plan.model)
                return false
            }
        }
        return true
    }

    /// What a link that is part of an identity references, if the object is in that.
    func container(for column: ColumnIndex, of model: ModelSchema) -> RecordID? {
        guard let table = model[column].target else { return nil }
        return containers.last { $0.table == table }
    }

    /// What an object is known by when all of it is known but what a link references, which has no row yet.
    func pendingKey(of object: ReadingObject) throws -> String? {
        let plan = object.plan
        var parts: [String] = []
        for column in plan.identity {
            let property = plan.property(of: column)
            if let part = try writer.pendingKeyPart(object.frame[column].stored, of: property) {
                parts.append(part)
            } else if let pending = object.frame.pending.last(where: { $0.property == property.index }) {
                parts.append(pending.key)
            } else if let container = container(for: column, of: plan.model),
                let part = try writer.pendingKey(of: container)
            {
                parts.append(part)
            } else {
                return nil
            }
        }
        return Writer.pendingKey(parts, of: plan.model)
    }

    /// The row of the object's identity.
    func find(_ object: ReadingObject) throws -> RowID? {
        for (n, column) in object.plan.identity.enumerated() {
            object.plan.find.bind(object.frame[column], at: Int32(n + 1))
        }
        return try foundRow(object.plan)
    }

    /// The row of an identity that is one value.
    func find(_ identity: ImportSlot, in plan: ImportPlan) throws -> RowID? {
        plan.find.bind(identity, at: 1)
        return try foundRow(plan)
    }

    /// The row of the identity that is bound.
    @inline(__always)
    func foundRow(_ plan: ImportPlan) throws -> RowID? {
        guard try plan.find.step() else { return nil }
        defer { plan.find.reset() }
        return plan.find.row(0)
    }

    private enum IdentityState {
        case missingRow, unnamed, named
    }

    private func identityState(of row: RowID, in plan: ImportPlan) throws -> IdentityState {
        guard let identity = try plan.statements.values(of: plan.model.identityColumns, in: row) else {
            return .missingRow
        }
        return identity.contains { $0.isNull } ? .unnamed : .named
    }
}

// MARK: Rows

extension Importer {
    /// Writes the row, unless it has these values already.
    ///
    /// - Parameter target: the row that the object is known to be about.
    mutating func store(_ object: ReadingObject, into target: RowID?) throws -> StoredRow {
        let plan = object.plan
        let row: StoredRow
        if isLate, let newer = try newerRow(of: object, target) { return newer }
        if let target {
            row = try storeTarget(object, target)
        } else if plan.looksUpRows || plan.expectsRows || !writer.unsentRows[plan.model.table].isEmpty,
            let known = try find(object)
        {
            row = try update(known, with: object)
        } else {
            row = try upsert(object)
        }
        note(row, in: plan)
        try keepOneToOne(of: object, row)
        return row
    }

    /// Whether something has happened here since the question was asked that the body answers.
    var isLate: Bool { request.asked != nil && !writer.recentChanges.isEmpty }

    /// The row of an object that the server has confirmed since it was asked for.
    private func newerRow(of object: ReadingObject, _ target: RowID?) throws -> StoredRow? {
        guard let row = try target ?? find(object) else { return nil }
        let record = RecordID(table: object.plan.model.table, row: row)
        guard writer.recentChanges.hasChanged(record, since: request.asked) else { return nil }
        return StoredRow(id: row, status: .unchanged, isNewer: true)
    }

    /// Whether an object was deleted here since it was asked for: it does not return.
    func wasDeleted(_ object: ReadingObject) throws -> Bool {
        guard isLate, !object.plan.isEmbedded, let key = try pendingKey(of: object),
            writer.recentChanges.hasDeleted(key, in: object.plan.model.table, since: request.asked)
        else { return false }
        return try find(object) == nil
    }

    /// Writes an embedded object into the row that was in its place, or a new one.
    mutating func storeEmbedded(_ object: ReadingObject, into known: RowID?) throws -> StoredRow {
        let row = if let known { try update(known, with: object) } else { try insert(object) }
        note(row, in: object.plan)
        try keepOneToOne(of: object, row)
        return row
    }

    /// Writes into the row that the body is known to be about. It may get its identity by this; when another row has that
    /// already, the two become one.
    private mutating func storeTarget(_ object: ReadingObject, _ target: RowID) throws -> StoredRow {
        let isNamed = object.plan.identity.allSatisfy { object.frame.hasValue($0) }
        let found = isNamed ? try find(object) : nil
        if found == target { return try update(target, with: object) }
        switch try identityState(of: target, in: object.plan) {
        case .missingRow:
            if let found { return try update(found, with: object) }
            guard isNamed else { throw StoreError.deletedObject(model: object.plan.model.modelName) }
            return try upsert(object)
        case .unnamed:
            guard let found else { return try update(target, with: object) }
            try writer.unify(RecordID(table: object.plan.model.table, row: target), with: found, &progress)
            return try update(found, with: object)
        case .named:
            if !isNamed { return try update(target, with: object) }
            // The body is about another object than was asked for: it is stored as that.
            if let found { return try update(found, with: object) }
            return try upsert(object)
        }
    }

    private func insert(_ object: ReadingObject) throws -> StoredRow {
        let table = object.plan.model.table
        let row = writer.nextRows[table]
        try runInsertion(of: object, as: row)
        writer.nextRows[table] = row.next
        return StoredRow(id: row, status: .inserted)
    }

    private func runInsertion(of object: ReadingObject, as row: RowID) throws {
        let insertion = try object.plan.statements.insertion(of: object.frame.present)
        let statement = insertion.statement
        statement.bind(row, at: 1)
        var parameter: Int32 = 2
        for column in insertion.columns {
            statement.bind(object.frame[column], at: parameter)
            parameter += 1
        }
        for value in insertion.defaults {
            statement.bind(value(), at: parameter)
            parameter += 1
        }
        try statement.run()
    }

    /// Inserts the row or, if the identity has one, updates that.
    private func upsert(_ object: ReadingObject) throws -> StoredRow {
        let (plan, table) = (object.plan, object.plan.model.table)
        let row = writer.nextRows[table]
        writer.connection.lastInsertedKey = 0
        try runInsertion(of: object, as: row)
        if writer.connection.lastInsertedKey != 0 {
            writer.nextRows[table] = row.next
            plan.expectsRows = false
            return StoredRow(id: row, status: .inserted)
        }
        let status: ImportPlan.RowStatus = writer.connection.changes > 0 ? .updated : .unchanged
        plan.expectsRows = true
        guard let known = try find(object) else {
            // The upsert met a row of this identity, and this transaction is the only writer.
            throw StoreError.file(
                .damaged("the index \(plan.model.tableName)_identity"), path: writer.connection.path)
        }
        return StoredRow(id: known, status: status)
    }

    private mutating func update(_ row: RowID, with object: ReadingObject) throws -> StoredRow {
        let plan = object.plan
        var present = object.frame.present
        if !plan.owningColumns.isEmpty { try noteOrphans(of: object, RecordID(table: plan.model.table, row: row)) }
        if writer.unsentRows[plan.model.table].contains(row) {
            // What was changed here and the server has not confirmed is kept.
            let unsent = try plan.statements.unsentChanges(of: row)
            for column in plan.model.columns where unsent.contains(plan.model[column.property].name) {
                present.remove(column.index.rawValue)
            }
        }
        let update = try plan.statements.update(of: present)
        guard !update.columns.isEmpty else { return StoredRow(id: row, status: .unchanged) }
        let statement = update.statement
        statement.bind(row, at: 1)
        for (n, column) in update.columns.enumerated() { statement.bind(object.frame[column], at: Int32(n + 2)) }
        try statement.run()
        return StoredRow(id: row, status: writer.connection.changes > 0 ? .updated : .unchanged)
    }

    /// Notes what loses its owner as the row's links change.
    private mutating func noteOrphans(of object: ReadingObject, _ record: RecordID) throws {
        let model = object.plan.model
        for column in object.plan.owningColumns where object.frame.has(column) {
            try writer.noteOrphan(
                of: record, changing: model[column], to: object.frame[column].stored, &progress)
        }
    }

    // MARK: Bookkeeping

    private mutating func note(_ row: StoredRow, in plan: ImportPlan) {
        if let earlier = plan.rows.updateValue(row.status, forKey: row.id) {
            // The object was here before in this body, and had other values: its earlier bytes are no longer what it is.
            if row.status == .updated { plan.repeats.removeAll(keepingCapacity: true) }
            if earlier == .inserted || (earlier == .updated && row.status == .unchanged) {
                plan.rows[row.id] = earlier
            }
        }
        guard row.status != .unchanged, !plan.hasNotedLinks else { return }
        plan.hasNotedLinks = true
        writer.noteLinks(plan.model.columns, of: plan.model, &progress.changes)
    }

    func noteChange(of row: RowID, in plan: ImportPlan) {
        if plan.rows[row] != .inserted { plan.rows[row] = .updated }
    }

    /// The target of a to-one link whose inverse is to-one references the row, and nothing else does.
    private mutating func keepOneToOne(of object: ReadingObject, _ row: StoredRow) throws {
        guard row.status != .unchanged, object.plan.hasOneToOne else { return }
        let model = object.plan.model
        for column in model.columns where column.target != nil && object.frame.has(column.index) {
            let record = RecordID(table: model.table, row: row.id)
            try writer.keepOneToOne(column, of: record, to: object.frame[column.index].row, &progress)
        }
    }
}

// MARK: Relationships of a row

extension Importer {
    /// Writes what of an object needs its row: pending links, lists, and relationships that are read only now.
    ///
    /// - Parameter body: stands before the object.
    mutating func storeRelationships(of object: ReadingObject, from body: JSONReader, _ row: StoredRow) throws {
        try forgetPendingLinks(of: object, row.id)
        try storeLists(of: object, row)
        for postponed in object.frame.postponed { try readPostponed(postponed, of: object, from: body, row) }
    }

    /// Keeps the pending links and writes the lists.
    mutating func storeLists(of object: ReadingObject, _ row: StoredRow) throws {
        for link in object.frame.pending {
            try keep(link, of: RecordID(table: object.plan.model.table, row: row.id))
        }
        for list in object.frame.lists { try store(list.members, in: list.property, of: row, object.plan) }
    }

    /// Makes the members the list of a row that was just written, or merges them in if it is so declared.
    mutating func store(
        _ read: [RowID], in property: PropertyIndex, of row: StoredRow, _ plan: ImportPlan
    ) throws {
        guard let list = plan.model[property].list else { return }
        let owner = ListOwner(property, of: RecordID(table: plan.model.table, row: row.id))
        if try writer.isUnsent(property, of: owner.record) { return }
        let members = unique(read)
        let old = row.isNew ? [] : try writer.statements.members(of: list, owner: row.id)
        let named = list.options.merges ? old + members.filter { !old.contains($0) } : members
        let wanted = writer.recentChanges.settled(named, over: old, in: list, of: owner, since: request.asked)
        guard wanted != old else { return }
        try write(wanted, over: old, in: list, of: owner, isNew: row.isNew)
        noteChange(of: row.id, in: plan)
    }

    /// The body's own objects are a list of somebody.
    ///
    /// - Parameter isUnderstood: whether every element of the body is among `read`; one that was rejected may have been a
    ///   member, so nothing is unlinked then.
    mutating func store(
        _ read: [RowID], in membership: ImportRequest.Membership, isUnderstood: Bool
    ) throws {
        let owner = membership.owner
        guard let list = schema[owner.record.table][owner.property].list else { return }
        if try writer.isUnsent(owner.property, of: owner.record) { return }
        let members = unique(read)
        if case .following(let position) = membership.page {
            let new = writer.recentChanges.settled(members, over: [], in: list, of: owner, since: request.asked)
            return try append(new, at: position, to: list, of: owner)
        }
        let old = try writer.statements.members(of: list, owner: owner.record.row)
        let isWhole = membership.isWhole && isUnderstood && !list.options.merges
        let known = Set(old)
        let named = isWhole ? members : old + members.filter { !known.contains($0) }
        let wanted = writer.recentChanges.settled(named, over: old, in: list, of: owner, since: request.asked)
        guard wanted != old || !hasPositions(list) else { return }
        try write(wanted, over: old, in: list, of: owner, isNew: false)
    }

    /// Puts those that are no members yet after the members, however many there are.
    ///
    /// - Parameter position: the position after the members; nil where it isn't known.
    private mutating func append(
        _ rows: [RowID], at position: Int?, to list: List, of owner: ListOwner
    ) throws {
        let statements = writer.statements
        let start = try position ?? statements.positionAfterMembers(of: list, owner: owner.record.row)
        var next = start
        for row in rows where try statements.add(row, to: list, owner: owner.record.row, at: next) {
            next += 1
            if case .column = list.storage { progress.changes.tables[list.target].updated.append(row) }
        }
        outcome.nextPosition = next
        if next > start { writer.noteChange(of: list, &progress.changes) }
    }

    /// Members of a list in a join table have positions; those of one that is links may have none yet.
    private func hasPositions(_ list: List) -> Bool {
        if case .join = list.storage { true } else { false }
    }

    private mutating func write(
        _ members: [RowID], over old: [RowID], in list: List, of owner: ListOwner, isNew: Bool
    ) throws {
        let kept = old.isEmpty ? [] : Set(members)
        let left = old.filter { !kept.contains($0) }
        if case .join(let join, isReversed: false) = list.storage, !join.isTwoSided {
            // Only this side orders the rows of the join table.
            try writer.statements.writeMembers(
                of: list, owner: owner.record.row, members, isNew: isNew || old.isEmpty)
            if list.options.owns { progress.orphans += left.map { RecordID(table: list.target, row: $0) } }
            progress.changes.lists.insert(list.id)
        } else {
            try writer.write(WriteBatch.Membership(members, of: owner), &progress)
        }
        outcome.report.unlinked += left.count
    }

    /// Each member once, at its first position.
    private func unique(_ members: [RowID]) -> [RowID] {
        if members.count < 2 { return members }
        if members.count == 2 { return members[0] == members[1] ? [members[0]] : members }
        var seen: Set<RowID> = []
        return members.filter { seen.insert($0).inserted }
    }

    // MARK: Pending links

    // A link to an identity that no row has yet is kept in the file, and made the moment that a row gets it: see
    // `Writer.resolvePendingLinks`.

    /// Keeps a link whose target is not here.
    private mutating func keep(_ link: ImportFrame.PendingLink, of source: RecordID) throws {
        guard let target = schema[source.table][link.property].target else { return }
        try writer.remember(
            PendingLink(
                source: source, property: link.property, target: target, key: link.key, position: link.position))
        outcome.report.pendingLinks += 1
    }

    /// What the body has of a row's relationships replaces what was pending.
    private func forgetPendingLinks(of object: ReadingObject, _ row: RowID) throws {
        let model = object.plan.model
        guard writer.pendingSources.contains(model.table) else { return }
        let links = model.columns.filter { $0.target != nil && object.frame.has($0.index) }
        for property in object.frame.lists.map(\.property) + links.map(\.property) {
            try writer.statements.deletePendingLinks(
                of: RecordID(table: model.table, row: row), by: property)
        }
    }

    /// Makes the links that waited for the row that has just got this identity.
    mutating func resolvePendingLinks(to object: ReadingObject, _ row: RowID) throws {
        let plan = object.plan
        let record = RecordID(table: plan.model.table, row: row)
        guard writer.pendingTargets.contains(record.table) else { return }
        let key: String?
        if plan.hasSimpleIdentity, let column = plan.identity.first {
            key = Writer.pendingText(object.frame[column].stored)
        } else {
            key = try writer.pendingKey(of: record)
        }
        if let key { try writer.resolvePendingLinks(to: record, key: key, &progress) }
    }
}
