import Conventions
import JSONBytes

/// A row that was written, or found as it is.
struct StoredRow {
    let id: RowID
    let status: ImportPlan.RowStatus
    /// Whether the body says what was before: the row and its relationships stay.
    var isNewer = false
    /// Whether the body has said something of the row before.
    var isAgain = false
    var isNew: Bool { status == .inserted }
}

// MARK: Identity

extension Importer {
    /// Takes the parts of the identity that the JSON leaves out from what the object is in, or from the row that it is
    /// known to be. `false` when a part can't be known: the object is rejected, never guessed.
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
            object.frame.leftOut.remove(column.rawValue)
            if !object.frame.isPending(property), let container = container(for: column, of: plan.model) {
                counts.dependences += 1
                object.frame[column] = .row(container.row)
            } else if target == nil {
                unknownIdentity = try pendingKey(of: object)
                rejectWithoutIdentity(plan.model[property], of: plan.model)
                return false
            } else if object.frame.has(column), !object.frame.isPending(property) {
                // No object loses its name by what is said of it.
                object.frame[column] = .absent
                noteMismatch(
                    of: property, in: plan, expected: "the identity of \(withArticle(plan.model.modelName))",
                    found: found)
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
        if object.plan.mayBeRenamed { return try find(object.identity, in: object.plan) }
        for (n, column) in object.plan.identity.enumerated() {
            object.plan.find.bind(object.frame[column], at: Int32(n + 1))
        }
        return try foundRow(object.plan)
    }

    /// The row of an identity that is one value.
    func find(_ identity: ImportSlot, in plan: ImportPlan) throws -> RowID? {
        if plan.mayBeRenamed { return try find([identity.stored], in: plan) }
        plan.find.bind(identity, at: 1)
        return try foundRow(plan)
    }

    /// The same in a table with rows that the server may mean by another identity.
    ///
    /// - Throws: ``TwoNames``.
    func find(_ identity: [StoredValue], in plan: ImportPlan) throws -> RowID? {
        let table = plan.model.table
        if let row = plan.takenNames[identity] { throw TwoNames(record: RecordID(table: table, row: row)) }
        guard let row = try writer.row(namedBy: identity, in: table, since: request.asked) else { return nil }
        guard let known = try writer.nameBeforeEdit(of: row, in: table) else { return row }
        let record = RecordID(table: table, row: row)
        if known == identity {
            plan.namedRows.insert(row)
            writer.underway.noteFormerIdentity(of: record, asked: request.asked)
        } else if plan.namedRows.contains(row) {
            throw TwoNames(record: record)
        } else {
            plan.takenNames[known] = row
        }
        return row
    }

    /// Whether an object has the identity that an unsent edit has given to another row: then it is left out.
    ///
    /// - Parameter target: the row that the object is known to be about.
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

    /// The row of the object's identity, and whether it has all that the object says, so that there is nothing to
    /// update; else what it has of the columns in indexes. An update of these writes the pages of their indexes though
    /// they stay as they were.
    private func findToCompare(_ object: ReadingObject) throws -> (row: RowID, isSame: Bool, kept: ColumnMask)? {
        let plan = object.plan
        // An update does more than to write where the server's word is not the last one, or was an older one.
        if plan.mayBeRenamed || isLate { return try find(object).map { ($0, false, ColumnMask()) } }
        let statement = plan.comparison
        for (n, column) in plan.identity.enumerated() {
            statement.bind(object.frame[column], at: Int32(n + 1))
        }
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        let row = statement.row(0)
        if writer.unsentRows[plan.model.table].contains(row) { return (row, false, ColumnMask()) }
        if isSaid(object, by: statement) { return (row, true, ColumnMask()) }
        var kept = ColumnMask()
        let first = Int32(1 + plan.model.saidColumns.count)
        for column in plan.indexedColumns where statement.has(object.frame[column], at: first + Int32(column.rawValue))
        {
            kept.insert(column.rawValue)
        }
        return (row, false, kept)
    }

    /// Whether the row that a statement for comparisons stands on has all that the object says.
    private func isSaid(_ object: ReadingObject, by statement: RawStatement) -> Bool {
        let (plan, frame) = (object.plan, object.frame)
        let present = frame.present
        let defaulted = frame.defaulted.intersection(present)
        let said = SaidMask(columns: present.subtracting(defaulted), lists: object.saidLists)
        return statement.has(said, unsaying: defaulted, of: plan.model, at: 1)
            && frame.isSaid(by: statement, from: Int32(1 + plan.model.saidColumns.count))
    }

    /// Whether something has happened here since the question was asked that the body answers.
    var isLate: Bool { writer.recentChanges.hasAny(since: request.asked) }

    /// The row of an object that the server has confirmed since it was asked for.
    private func newerRow(of object: ReadingObject, _ target: RowID?) throws -> StoredRow? {
        guard let row = try target ?? find(object) else { return nil }
        let record = RecordID(table: object.plan.model.table, row: row)
        guard writer.recentChanges.hasChanged(record, since: request.asked) else { return nil }
        return StoredRow(id: row, status: .unchanged, isNewer: true)
    }

    /// Whether an object was deleted here since it was asked for, or its deletion is queued: it does not return.
    ///
    /// - Parameter isTarget: whether the body is about it, rather than naming it.
    func wasDeleted(_ object: ReadingObject, isTarget: Bool) throws -> Bool {
        let (table, asked) = (object.plan.model.table, request.asked)
        guard isLate || writer.tablesOfQueuedDeletions.contains(table), !object.plan.isEmbedded,
            let key = try pendingKey(of: object)
        else { return false }
        // An object that was made with its identity since is another one.
        if try writer.isDeletionQueued(key, in: table) { return !(request.isConfirmation && isTarget) }
        // One that was renamed since may have gone by its new name.
        let isGone =
            writer.recentChanges.hasDeleted(key, in: table, since: asked)
            || writer.recentChanges.row(formerlyNamed: object.identity, in: table, since: asked) != nil
        return try isGone && find(object) == nil
    }

    /// Whether the row of an embedded object has all that the object says, and nothing of it waits to be sent, so that
    /// there is nothing to update.
    func isStored(_ object: ReadingObject, in row: RowID) throws -> Bool {
        let plan = object.plan
        if isLate || writer.unsentRows[plan.model.table].contains(row) { return false }
        let statement = plan.comparison
        statement.bind(row, at: 1)
        guard try statement.step() else { return false }
        defer { statement.reset() }
        return isSaid(object, by: statement)
    }

    /// Writes an embedded object into the row that was in its place, or a new one.
    ///
    /// - Parameter isSame: whether that has all of it; `nil` where they were not compared.
    mutating func storeEmbedded(_ object: ReadingObject, into known: RowID?, isSame: Bool?) throws -> StoredRow {
        guard let known else { return try noting(try insert(object), of: object) }
        let isStored = try isSame ?? isStored(object, in: known)
        let row = isStored ? StoredRow(id: known, status: .unchanged) : try update(known, with: object)
        return try noting(row, of: object)
    }

    /// Writes into the row that the body is known to be about. It may get its identity by this; when another row has
    /// that already, the two become one.
    private mutating func storeTarget(_ object: ReadingObject, _ target: RowID) throws -> StoredRow {
        let isNamed = object.plan.identity.allSatisfy { object.frame.hasValue($0) }
        let isCalled = try isNamed && isCalled(target, by: object)
        // What the server confirms has the name, whichever row had it before.
        let found = isNamed && !(isCalled && request.isConfirmation) ? try find(object) : nil
        if found == target || found == nil && isCalled { return try update(target, with: object) }
        let isTarget = target == request.target && object.plan.model.table == request.table
        switch try identityState(of: target, in: object.plan) {
        case .missingRow:
            if let found { return try update(found, with: object) }
            guard isNamed else { throw StoreError.deletedObject(model: object.plan.model.modelName) }
            return try upsert(object)
        // The server has the last word on the name of what it creates or renames, and on which row it means by a name.
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
            // The body is about another object than was asked for: it is stored as that.
            if let found { return try update(found, with: object) }
            return try upsert(object)
        }
    }

    /// Whether an object has the name that a row has here, where the server may mean another row by that.
    func isCalled(_ target: RowID, by object: ReadingObject) throws -> Bool {
        guard object.plan.mayBeRenamed else { return false }
        return try object.plan.statements.values(of: object.plan.model.identityColumns, in: target) == object.identity
    }

    /// Whether the server was just told another name of the body's object.
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
            SaidMask(columns: present.subtracting(object.frame.defaulted), lists: object.saidLists),
            unsaying: object.frame.defaulted, of: object.plan.model)
        try statement.run()
    }

    /// Inserts the row or, if the identity has one, updates that.
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
            // The upsert met a row of this identity, and this transaction is the only writer.
            throw StoreError.file(
                .damaged("the index \(plan.model.tableName)_identity"), path: writer.connection.path)
        }
        return StoredRow(id: known, status: status)
    }

    /// - Parameter kept: columns of which the row is known to have what the object says.
    private mutating func update(
        _ row: RowID, with object: ReadingObject, leaving kept: ColumnMask = ColumnMask()
    ) throws -> StoredRow {
        let plan = object.plan
        var unsent: UnsentChanges?
        // What is said of properties whose values stay as they are here.
        var heard = ColumnMask()
        if writer.unsentRows[plan.model.table].contains(row) {
            var changes = try unsentChanges(of: object, in: row)
            if !isLate { try takeName(of: object, in: row, &changes) }
            heard = try receive(object, in: row, beneath: changes)
            unsent = changes
        }
        if plan.hasOneToOne { try leaveUnsentPartners(of: object, row) }
        var present = object.frame.present
        var lists = object.saidLists
        if !plan.owningColumns.isEmpty { try noteOrphans(of: object, RecordID(table: plan.model.table, row: row)) }
        if let unsent {
            // What was changed here and the server has not confirmed is kept.
            for list in plan.model.listProperties where unsent.contains(plan.model[list].name) {
                if let number = plan.model.number(ofList: list) { lists.remove(number) }
            }
            for column in plan.model.columns where unsent.contains(plan.model[column.property].name) {
                present.remove(column.index.rawValue)
                // So that nothing else comes of it: no upkeep of the other side, no pending link.
                if column.target != nil, !plan.identity.contains(column.index) { object.frame[column.index] = .absent }
            }
        }
        leaveNewer(of: object, in: row, from: &present)
        if present.isEmpty, lists.isEmpty, heard.isEmpty { return StoredRow(id: row, status: .unchanged) }
        try noteSentName(of: object, in: row, writing: present)
        let update = try plan.statements.update(of: present.subtracting(kept))
        let statement = update.statement
        statement.bind(row, at: 1)
        for (n, column) in update.columns.enumerated() { statement.bind(object.frame[column], at: Int32(n + 2)) }
        let defaulted = object.frame.defaulted
        update.bind(
            SaidMask(columns: present.union(heard).subtracting(defaulted), lists: lists),
            unsaying: defaulted.intersection(present), of: plan.model)
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

    /// Notes what became of a row, for the report, for what is read later of the body, and for the rows at the other
    /// ends of its links.
    private mutating func noting(_ row: StoredRow, of object: ReadingObject) throws -> StoredRow {
        let plan = object.plan
        var row = row
        if plan.keepsTexts || !object.frame.texts.isEmpty { try keepTexts(of: object, in: row) }
        if let earlier = plan.rows.set(row.status, for: row.id.rawValue) {
            row.isAgain = true
            // The object was here before in this body, and had other values: its earlier bytes are no longer what it
            // is.
            if row.status == .updated { noteOverwrite(in: plan) }
            if earlier == .inserted || (earlier == .updated && row.status == .unchanged) {
                plan.rows.set(earlier, for: row.id.rawValue)
            }
        }
        if plan.hasOneToOne { try keepOneToOne(of: object, row) }
        if !row.isNew, case let unread = object.frame.unread, !unread.isEmpty {
            try plan.statements.noteUnsaid(SaidMask(columns: unread), of: row.id)
        }
        // What is as it was has been said anew.
        if let asked = request.asked, hasOlderQuestion {
            let record = RecordID(table: plan.model.table, row: row.id)
            writer.recentChanges.note(
                saidColumns(of: object), of: record, askedAt: asked, isNew: row.status == .inserted)
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

    /// The row may have come into lists by its links.
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

    /// The target of a to-one link whose inverse is to-one references the row, and nothing else does.
    private mutating func keepOneToOne(of object: ReadingObject, _ row: StoredRow) throws {
        let record = RecordID(table: object.plan.model.table, row: row.id)
        for (column, target, inverse) in object.plan.oneToOneLinks where object.frame.has(column.index) {
            // Of a row that leads to itself one link's upkeep may have changed the other.
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

    /// Leaves a one-to-one link as it is where what waits to be sent of the other side says otherwise.
    ///
    /// - Parameter known: the row that is about to be written; `nil` for a new one.
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
