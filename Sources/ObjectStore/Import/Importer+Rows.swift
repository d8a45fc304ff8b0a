import Conventions
import JSONBytes

struct StoredRow {
    let id: RowID
    let status: ImportPlan.RowStatus
    /// Whether the row is newer than the body. It stays then, with its relationships.
    var isNewer = false
    /// Whether the body has had the row before.
    var isAgain = false
    var isNew: Bool { status == .inserted }
}

// MARK: Identity

extension Importer {
    /// Takes missing parts from the container or the known row. Returns false, and rejects the object, if one remains
    /// unknown.
    mutating func completeIdentity(of object: ReadingObject, _ target: RowID?) throws -> Bool {
        let plan = object.plan
        for column in plan.identity where !object.frame.hasName(column) {
            let property = plan.model[column].property
            if plan.model[property].name == PropertyDescription.singularIdentityName {
                object.frame[column] = .integer(PropertyDescription.singularIdentity)
                continue
            }
            let found = object.frame.hasValue(column) ? "\"\"" : "null"
            if object.frame.hasValue(column) { object.frame[column] = .null }
            object.frame.failedColumns.remove(column.rawValue)
            if !object.frame.isPending(property), let container = container(for: column, of: plan.model) {
                counts.dependences += 1
                object.frame[column] = .row(container.row)
            } else if target == nil {
                unknownIdentity = try pendingKey(of: object)
                rejectWithoutIdentity(plan.model[property], of: plan.model)
                return false
            } else if object.frame.has(column), !object.frame.isPending(property) {
                // The known row keeps it.
                object.frame[column] = .absent
                noteMismatch(
                    of: property, in: plan, expected: "the identity of \(withArticle(plan.model.modelName))",
                    found: found)
            }
        }
        return true
    }

    /// The target of a missing link in the identity.
    func container(for column: ColumnIndex, of model: ModelSchema) -> RecordID? {
        guard let table = model[column].target else { return nil }
        return containers.last { $0.table == table }
    }

    /// The key of pending links to the object. The identity's targets may lack rows. Nil if a part is unknown.
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

    func find(_ object: ReadingObject) throws -> RowID? {
        if object.plan.mayBeRenamed { return try find(object.identity, in: object.plan) }
        for (n, column) in object.plan.identity.enumerated() {
            object.plan.find.bind(object.frame[column], at: Int32(n + 1))
        }
        return try foundRow(object.plan)
    }

    /// For an identity with one part.
    func find(_ identity: ImportSlot, in plan: ImportPlan) throws -> RowID? {
        if plan.mayBeRenamed { return try find([identity.stored], in: plan) }
        plan.find.bind(identity, at: 1)
        return try foundRow(plan)
    }

    /// Finds a row by its identity before or after a pending edit.
    ///
    /// - Throws: ``TwoNames`` if the body uses both.
    func find(_ identity: [StoredValue], in plan: ImportPlan) throws -> RowID? {
        let table = plan.model.table
        if let row = plan.takenNames[identity] { throw TwoNames(record: RecordID(table: table, row: row)) }
        guard let row = try writer.row(namedBy: identity, in: table, since: request.requestTime) else { return nil }
        guard let known = try writer.nameBeforeEdit(of: row, in: table) else { return row }
        let record = RecordID(table: table, row: row)
        if known == identity {
            plan.namedRows.insert(row)
            writer.operations.noteFormerIdentity(of: record, requestTime: request.requestTime)
        } else if plan.namedRows.contains(row) {
            throw TwoNames(record: record)
        } else {
            plan.takenNames[known] = row
        }
        return row
    }

    /// Rejects the object if an unsent edit gave its identity to another row.
    mutating func refusesClaimed(_ object: ReadingObject, _ target: RowID?) throws -> Bool {
        guard object.plan.mayBeRenamed,
            let claimant = try writer.claimant(
                of: object.identity, in: object.plan.model.table, evenIfSent: isNaming(target, by: object)),
            claimant != target
        else { return false }
        unknownIdentity = try pendingKey(of: object)
        reject(.claimedIdentity, of: object.plan.model)
        return true
    }

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
    mutating func store(_ object: ReadingObject, into target: RowID?) throws -> StoredRow {
        let plan = object.plan
        let row: StoredRow
        if isLate, let newer = try newerRow(of: object, target) { return newer }
        if let target {
            row = try storeTarget(object, target)
        } else if plan.looksUpRows || plan.expectsRows || isLate || plan.mayBeRenamed
            || !writer.unsentRows[plan.model.table].isEmpty,
            let known = try findToCompare(object)
        {
            row =
                known.isSame
                ? StoredRow(id: known.row, status: .unchanged)
                : try update(known.row, with: object, leaving: known.kept)
        } else {
            row = try upsert(object)
        }
        return try noting(row, of: object)
    }

    /// `kept` are indexed columns with the same values: to update those would write pages of their indexes.
    private func findToCompare(_ object: ReadingObject) throws -> (row: RowID, isSame: Bool, kept: ColumnMask)? {
        let plan = object.plan
        // Only `update` handles renamed rows and late bodies.
        if plan.mayBeRenamed || isLate { return try find(object).map { ($0, false, ColumnMask()) } }
        let statement = plan.comparison
        for (n, column) in plan.identity.enumerated() {
            statement.bind(object.frame[column], at: Int32(n + 1))
        }
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        let row = statement.row(0)
        if writer.unsentRows[plan.model.table].contains(row) { return (row, false, ColumnMask()) }
        if isUnchanged(object, by: statement) { return (row, true, ColumnMask()) }
        var kept = ColumnMask()
        let first = Int32(1 + plan.model.loadedColumns.count)
        for column in plan.indexedColumns where statement.has(object.frame[column], at: first + Int32(column.rawValue))
        {
            kept.insert(column.rawValue)
        }
        return (row, false, kept)
    }

    private func isUnchanged(_ object: ReadingObject, by statement: RawStatement) -> Bool {
        let (plan, frame) = (object.plan, object.frame)
        let present = frame.present
        let defaulted = frame.defaulted.intersection(present)
        let loaded = LoadedMask(columns: present.subtracting(defaulted), lists: object.receivedLists)
        return statement.has(loaded, unloading: defaulted, of: plan.model, at: 1)
            && frame.isUnchanged(by: statement, from: Int32(1 + plan.model.loadedColumns.count))
    }

    /// Whether the store has changes since the body's request.
    var isLate: Bool { writer.recentChanges.hasAny(since: request.requestTime) }

    /// The row, if it was acknowledged since the request.
    private func newerRow(of object: ReadingObject, _ target: RowID?) throws -> StoredRow? {
        guard let row = try target ?? find(object) else { return nil }
        let record = RecordID(table: object.plan.model.table, row: row)
        guard writer.recentChanges.hasChanged(record, since: request.requestTime) else { return nil }
        return StoredRow(id: row, status: .unchanged, isNewer: true)
    }

    /// Whether the object was deleted locally since the request, or has a queued deletion.
    ///
    /// - Parameter isTarget: whether the body is about the object.
    func wasDeleted(_ object: ReadingObject, isTarget: Bool) throws -> Bool {
        let (table, requestTime) = (object.plan.model.table, request.requestTime)
        guard isLate || writer.tablesOfQueuedDeletions.contains(table), !object.plan.isEmbedded,
            let key = try pendingKey(of: object)
        else { return false }
        // A confirmation's target is a new object with the deleted one's identity.
        if try writer.isDeletionQueued(key, in: table) { return !(request.isConfirmation && isTarget) }
        // The row may have been renamed before.
        let isGone =
            writer.recentChanges.hasDeleted(key, in: table, since: requestTime)
            || writer.recentChanges.row(formerlyNamed: object.identity, in: table, since: requestTime) != nil
        return try isGone && find(object) == nil
    }

    /// Whether the row has the object's values, and is free of pending edits.
    func isStored(_ object: ReadingObject, in row: RowID) throws -> Bool {
        let plan = object.plan
        if isLate || writer.unsentRows[plan.model.table].contains(row) { return false }
        let statement = plan.comparison
        statement.bind(row, at: 1)
        guard try statement.step() else { return false }
        defer { statement.reset() }
        return isUnchanged(object, by: statement)
    }

    mutating func storeEmbedded(_ object: ReadingObject, into known: RowID?, isSame: Bool?) throws -> StoredRow {
        guard let known else { return try noting(try insert(object), of: object) }
        let isStored = try isSame ?? isStored(object, in: known)
        let row = isStored ? StoredRow(id: known, status: .unchanged) : try update(known, with: object)
        return try noting(row, of: object)
    }

    /// The body is about this row, which may get its identity. Another row with the identity is unified with it.
    private mutating func storeTarget(_ object: ReadingObject, _ target: RowID) throws -> StoredRow {
        let isNamed = object.plan.identity.allSatisfy { object.frame.hasValue($0) }
        let isCalled = try isNamed && isCalled(target, by: object)
        // A confirmed identity is the target's, whichever row had it before.
        let found = isNamed && !(isCalled && request.isConfirmation) ? try find(object) : nil
        if found == target || found == nil && isCalled { return try update(target, with: object) }
        let isTarget = target == request.target && object.plan.model.table == request.table
        switch try identityState(of: target, in: object.plan) {
        case .missingRow:
            if let found { return try update(found, with: object) }
            guard isNamed else { throw StoreError.deletedObject(model: object.plan.model.modelName) }
            return try upsert(object)
        // The server names objects that it creates or renames.
        case .named where isTarget && isNamed && (request.isCreation || isRenaming(object.plan) || isCalled):
            fallthrough
        case .unnamed:
            guard let found else { return try update(target, with: object) }
            let record = RecordID(table: object.plan.model.table, row: target)
            try writer.unify(record, with: found, sent: isTarget ? request.sent : [], &progress)
            noteOverwriteOfAll()
            return try update(found, with: object)
        case .named:
            if !isNamed { return try update(target, with: object) }
            // The body is about another object.
            if let found { return try update(found, with: object) }
            return try upsert(object)
        }
    }

    /// Whether the object has the row's local identity, under which the server may know another row.
    func isCalled(_ target: RowID, by object: ReadingObject) throws -> Bool {
        guard object.plan.mayBeRenamed else { return false }
        return try object.plan.statements.values(of: object.plan.model.identityColumns, in: target) == object.identity
    }

    private func isRenaming(_ plan: ImportPlan) -> Bool {
        !request.sent.isEmpty && plan.model.identity.contains { request.sent.contains(plan.model[$0].name) }
    }

    private func insert(_ object: ReadingObject) throws -> StoredRow {
        let table = object.plan.model.table
        if object.plan.hasOneToOne { try leaveUnsentPartners(of: object, nil) }
        let row = writer.nextRows[table]
        try runInsertion(of: object, as: row)
        writer.nextRows[table] = row.next
        return StoredRow(id: row, status: .inserted)
    }

    private func runInsertion(of object: ReadingObject, as row: RowID) throws {
        let present = object.frame.present
        let insertion = try object.plan.statements.insertion(of: present)
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
        insertion.bind(
            LoadedMask(columns: present.subtracting(object.frame.defaulted), lists: object.receivedLists),
            unloading: object.frame.defaulted, of: object.plan.model)
        try statement.run()
    }

    private func upsert(_ object: ReadingObject) throws -> StoredRow {
        let (plan, table) = (object.plan, object.plan.model.table)
        if plan.hasOneToOne { try leaveUnsentPartners(of: object, nil) }
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
            // The upsert found the row, in the only transaction that writes.
            throw StoreError.file(
                .damaged("the index \(plan.model.tableName)_identity"), path: writer.connection.path)
        }
        return StoredRow(id: known, status: status)
    }

    private mutating func update(
        _ row: RowID, with object: ReadingObject, leaving kept: ColumnMask = ColumnMask()
    ) throws -> StoredRow {
        let plan = object.plan
        var unsent: UnsentChanges?
        // Columns with a pending edit and a server's value.
        var columnsBelowEdits = ColumnMask()
        if writer.unsentRows[plan.model.table].contains(row) {
            var changes = try unsentChanges(of: object, in: row)
            try writer.completeChoices(&changes, of: RecordID(table: plan.model.table, row: row))
            if !isLate { try confirmIdentity(of: object, in: row, &changes) }
            columnsBelowEdits = try updateBases(object, in: row, beneath: changes)
            unsent = changes
        }
        if plan.hasOneToOne { try leaveUnsentPartners(of: object, row) }
        var present = object.frame.present
        var lists = object.receivedLists
        if !plan.owningColumns.isEmpty { try noteOrphans(of: object, RecordID(table: plan.model.table, row: row)) }
        if let unsent {
            for list in plan.model.listProperties where unsent.contains(plan.model[list].name) {
                if let number = plan.model.number(ofList: list) { lists.remove(number) }
            }
            for column in plan.model.columns where unsent.contains(plan.model[column.property].name) {
                present.remove(column.index.rawValue)
                // The inverse and pending links stay, too.
                if column.target != nil, !plan.identity.contains(column.index) { object.frame[column.index] = .absent }
            }
        }
        leaveNewer(of: object, in: row, from: &present)
        if present.isEmpty, lists.isEmpty, columnsBelowEdits.isEmpty { return StoredRow(id: row, status: .unchanged) }
        try noteSentIdentity(of: object, in: row, writing: present)
        let update = try plan.statements.update(of: present.subtracting(kept))
        let statement = update.statement
        statement.bind(row, at: 1)
        for (n, column) in update.columns.enumerated() { statement.bind(object.frame[column], at: Int32(n + 2)) }
        let defaulted = object.frame.defaulted
        update.bind(
            LoadedMask(columns: present.union(columnsBelowEdits).subtracting(defaulted), lists: lists),
            unloading: defaulted.intersection(present), of: plan.model)
        try statement.run()
        return StoredRow(id: row, status: writer.connection.changes > 0 ? .updated : .unchanged)
    }

    /// Changed links may cost rows their owner.
    private mutating func noteOrphans(of object: ReadingObject, _ record: RecordID) throws {
        let model = object.plan.model
        for column in object.plan.owningColumns where object.frame.has(column) {
            try writer.noteOrphan(
                of: record, changing: model[column], to: object.frame[column].stored, &progress)
        }
    }

    // MARK: Bookkeeping

    private mutating func noting(_ row: StoredRow, of object: ReadingObject) throws -> StoredRow {
        let plan = object.plan
        var row = row
        if plan.keepsTexts || !object.frame.texts.isEmpty { try keepTexts(of: object, in: row) }
        if let earlier = plan.rows.set(row.status, for: row.id.rawValue) {
            row.isAgain = true
            // The bytes with earlier values are outdated.
            if row.status == .updated { noteOverwrite(in: plan) }
            if earlier == .inserted || (earlier == .updated && row.status == .unchanged) {
                plan.rows.set(earlier, for: row.id.rawValue)
            }
        }
        if plan.hasOneToOne { try keepOneToOne(of: object, row) }
        if !row.isNew, case let unread = object.frame.unread, !unread.isEmpty {
            try plan.statements.noteUnloaded(LoadedMask(columns: unread), of: row.id)
        }
        // Unchanged values are confirmed, too.
        if let requestTime = request.requestTime, hasOlderOpenRequest {
            let record = RecordID(table: plan.model.table, row: row.id)
            writer.recentChanges.note(
                receivedColumns(of: object), of: record, requestedAt: requestTime, isNew: row.status == .inserted)
        }
        guard row.status != .unchanged else { return row }
        if !plan.listedLinks.isEmpty {
            noteOverwrittenLists(by: object, row)
            if writer.hasAnswers { noteListOwners(by: object, row) }
        }
        if !plan.hasNotedLinks {
            plan.hasNotedLinks = true
            writer.noteLinks(plan.model.columns, of: plan.model, &progress.changes)
        }
        return row
    }

    /// The row's links may have added it to lists.
    private mutating func noteListOwners(by object: ReadingObject, _ row: StoredRow) {
        let record = RecordID(table: object.plan.model.table, row: row.id)
        for (column, target, list) in object.plan.listedLinks where object.frame.has(column) {
            relinked.insert(record)
            guard let owner = object.frame[column].row else { continue }
            progress.changes.listOwners.insert(ListOwner(list, of: RecordID(table: target, row: owner)))
        }
    }

    func noteChange(of row: RowID, in plan: ImportPlan) {
        if plan.rows[row.rawValue] != .inserted { plan.rows.set(.updated, for: row.rawValue) }
    }

    /// Makes the other side lead to this row alone.
    private mutating func keepOneToOne(of object: ReadingObject, _ row: StoredRow) throws {
        let record = RecordID(table: object.plan.model.table, row: row.id)
        for (column, target, inverse) in object.plan.oneToOneLinks where object.frame.has(column.index) {
            // A row's link to itself may have changed its inverse.
            let partner =
                target == record.table
                ? try object.plan.statements.value(of: column, in: row.id).row : object.frame[column.index].row
            if row.status == .unchanged, try writer.isKept(column, of: record, to: partner) { continue }
            let change = try writer.keepOneToOne(column, of: record, to: partner, &progress)
            if change.hasCleared {
                noteOverwrite(in: object.plan)
                if let plan = planInUse(target) { noteOverwrite(in: plan) }
            } else if change.hasSet {
                noteOverwrite(of: inverse, in: target)
            }
        }
    }

    /// Leaves a link alone if the other side has a contradicting pending edit.
    private func leaveUnsentPartners(of object: ReadingObject, _ known: RowID?) throws {
        let (plan, frame, table) = (object.plan, object.frame, object.plan.model.table)
        for (column, target, _) in plan.oneToOneLinks
        where frame.has(column.index) && !(writer.unsentRows[target].isEmpty && writer.unsentRows[table].isEmpty) {
            let old = try known.flatMap { try writer.statements[table].value(of: column, in: $0).row }
            let new = frame[column.index].row
            guard new != old, !plan.identity.contains(column.index) else { continue }
            let partners = [old, new].compactMap { $0 }
            guard try partners.contains(where: { try writer.isPartnerUnsent(of: column, in: (table, known), $0) })
            else { continue }
            frame[column.index] = .absent
            frame.pending.removeAll { $0.property == column.property }
        }
    }
}
