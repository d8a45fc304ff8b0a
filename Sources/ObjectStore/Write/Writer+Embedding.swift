// Embedded objects have no identity, belong to one owner each, and are sent with it.
//
// An embedded row's own `_unsent` has the pending edits of it and its lists. Each owner up to the object that is sent
// has an entry for the relationship towards it, so fetched values become the bases of the edits.
//
// The base of an edited list is a list of keys: the rows that the server has, and digests of the values of elements
// that were removed locally.

extension Writer {
    // MARK: Edits within embedded rows

    /// Marks each relationship that leads to an edited embedded row as pending. Call it before the batch is written.
    func noteEditedParts(of batch: WriteBatch, _ progress: inout WriteProgress) throws {
        guard schema.hasEmbedded, !batch.isConfirmed else { return }
        var waiting: [RecordID] = []
        for row in batch.rows where !row.isInsert && schema[row.record.table].isEmbedded {
            if try !remaining(of: row, isConfirmed: false).values.isEmpty { waiting.append(row.record) }
        }
        waiting += batch.memberships.map(\.owner.record).filter { schema[$0.table].isEmbedded }
        // Before ``checkEmbedding(_:_:)``, objects may own each other in a circle.
        var seen: Set<ListOwner> = []
        while let next = waiting.popLast() {
            for owner in try owners(of: next) where seen.insert(owner).inserted {
                let property = schema[owner.record.table][owner.property]
                if schema[owner.record.table].isEmbedded { waiting.append(owner.record) }
                if property.isNeverSent { continue }
                try noteUnsent([property.name: UnsentEdit(from: try embeddingBase(owner))], of: owner.record)
                progress.changes.noteUpdate(of: owner.record)
            }
        }
    }

    private func keepUnsent(partIn record: RecordID, _ changes: inout ChangeSet) throws {
        guard unsentRows[record.table].contains(record.row) else { return }
        var waiting = [record]
        var seen: Set<ListOwner> = []
        while let next = waiting.popLast() {
            for owner in try owners(of: next) where seen.insert(owner).inserted {
                let property = schema[owner.record.table][owner.property]
                if schema[owner.record.table].isEmbedded { waiting.append(owner.record) }
                let unsent = try statements[owner.record.table].unsentChanges(of: owner.record.row)
                if property.isNeverSent || unsent.contains(property.name) { continue }
                try noteUnsent([property.name: UnsentEdit(from: try embeddingBase(owner))], of: owner.record)
                changes.noteUpdate(of: owner.record)
            }
        }
    }

    /// Marks the relationships that lead to rows edited during the acknowledged requests as pending.
    func keepPartsUnsent(besides confirmations: [WriteBatch.Confirmation], _ changes: inout ChangeSet) throws {
        guard schema.hasEmbedded else { return }
        for confirmation in confirmations {
            let record = survivor(of: confirmation.record)
            for property in confirmation.properties.compactMap(schema[record.table].property) {
                guard let target = property.target, schema[target].isEmbedded else { continue }
                for part in try targets(of: property, in: record) { try keepUnsent(partIn: part, &changes) }
            }
        }
    }

    private func embeddingBase(_ owner: ListOwner) throws -> StoredValue {
        let model = schema[owner.record.table]
        if let list = model[owner.property].list { return try digest(of: list, owner) }
        return try model.column(of: owner.property).map {
            try statements[owner.record.table].value(of: $0, in: owner.record.row)
        } ?? .null
    }

    /// The pending edit's name. Nil: the property is never sent, or leads from an embedded object to its owner.
    func unsentName(of property: PropertyIndex, in table: TableStatements) -> String? {
        let model = table.model
        if model.isEmbedded, model.linkTarget(of: property) != nil,
            schema.inverse(of: model[property])?.owns == true
        {
            return nil
        }
        // A link that only a list sends is pending by its own name.
        return model.sentName(of: property) ?? table.sentByLists[property]
    }

    /// Whether a link equals its base, so that only the embedded object was edited.
    func isKnown(_ property: Property, of record: RecordID, as row: RowID?) throws -> Bool {
        let entry = try statements[record.table].unsentChanges(of: record.row).entries[property.name]
        return row != nil && entry?.base.row == row
    }

    // MARK: Edited lists

    struct EditedParts {
        /// The server's members, in its order.
        var known: [RowID]
        /// Digests of removed members' values.
        var left: [String]
        /// The keys of both, in the server's order.
        let base: [String]
        let unsent: UnsentChanges
    }

    /// - Parameter members: those in the file.
    /// - Returns: nil if the base is unknown, and no member has pending edits. The edit is the whole list then.
    func editedParts(_ owner: ListOwner, of members: [RowID], in table: TableID) throws -> EditedParts? {
        let unsent = try statements[owner.record.table].unsentChanges(of: owner.record.row)
        let name = schema[owner.record.table][owner.property].name
        guard let keys = unsent.entries[name].flatMap({ UnsentChanges.keys(in: $0.base) }) else {
            guard members.contains(where: unsentRows[table].contains) else { return nil }
            return EditedParts(known: members, left: [], base: members.map(Self.partKey), unsent: unsent)
        }
        let present = Dictionary(members.map { (Self.partKey($0), $0) }) { first, _ in first }
        return EditedParts(
            known: keys.compactMap { present[$0] }, left: keys.filter { $0.hasPrefix(Self.leftMark) }, base: keys,
            unsent: unsent)
    }

    /// - Parameters:
    ///   - serverKeys: of the server's elements.
    ///   - isSame: whether the edited list equals the server's.
    func keep(_ parts: EditedParts, of owner: ListOwner, serverKeys: [String], isSame: Bool) throws {
        var unsent = parts.unsent
        let name = schema[owner.record.table][owner.property].name
        if isSame, parts.left.isEmpty {
            unsent.entries[name] = nil
        } else {
            unsent.entries[name]?.base = UnsentChanges.members(serverKeys)
        }
        if unsent != parts.unsent { try set(unsent, of: owner.record) }
    }

    /// Keeps digests of removed members that the server may have. Their rows are about to be deleted.
    func keepDigests(
        _ owner: ListOwner, keeping members: [RowID], in table: TableID, removing removed: Set<RowID>
    ) throws {
        var unsent = try statements[owner.record.table].unsentChanges(of: owner.record.row)
        let name = schema[owner.record.table][owner.property].name
        guard let entry = unsent.entries[name], let keys = UnsentChanges.keys(in: entry.base) else { return }
        let kept = Set(members.map(Self.partKey))
        var changed = keys
        for (index, key) in keys.enumerated() where !kept.contains(key) {
            guard let row = Self.partRow(key), let values = try serverValues(of: row, in: table) else { continue }
            changed[index] = leftKey(of: values, in: table)
            // The server may have values sent since.
            for sent in operations.sentValues(of: RecordID(table: table, row: row)) {
                let key = leftKey(of: sent, in: table)
                if !changed.contains(key) { changed.append(key) }
            }
        }
        let columns = schema[table].attributeColumns
        for row in removed.sorted() where operations.isSent(owner.property, of: owner.record) {
            var sent = operations.sentValues(of: RecordID(table: table, row: row))
            if sent.isEmpty, let values = try statements[table].values(of: columns, in: row) { sent = [values] }
            for key in sent.map({ leftKey(of: $0, in: table) }) where !changed.contains(key) { changed.append(key) }
        }
        guard changed != keys else { return }
        unsent.entries[name]?.base = UnsentChanges.members(changed)
        try set(unsent, of: owner.record)
    }

    /// The base of a newer edit after an earlier one was accepted: the sent value, with the digests of members removed
    /// since.
    func base(of entry: UnsentChanges.Entry, sent: StoredValue?) -> StoredValue {
        guard let sent, let keys = UnsentChanges.keys(in: sent), let former = UnsentChanges.keys(in: entry.base) else {
            return sent ?? entry.base
        }
        return UnsentChanges.members(keys + former.filter { $0.hasPrefix(Self.leftMark) })
    }

    /// By digest (``leftKey(of:in:)``): whether each of the server's elements with these values, in its order, was
    /// removed locally.
    func elementsByValues(_ parts: EditedParts, in table: TableID) throws -> [String: [Bool]] {
        var elements: [String: [Bool]] = [:]
        let known = Set(parts.known)
        for key in parts.base {
            if key.hasPrefix(Self.leftMark) {
                elements[key, default: []].append(true)
            } else if let row = Self.partRow(key), known.contains(row),
                let values = try serverValues(of: row, in: table)
            {
                elements[leftKey(of: values, in: table), default: []].append(false)
            }
        }
        return elements
    }

    private static let leftMark = "left "

    /// Recognizes an element after its row is gone, by the values that a reply repeats (``Property/isRepeated``), or
    /// else all.
    ///
    /// - Parameter values: of the attributes that have columns.
    func leftKey(of values: [StoredValue], in table: TableID) -> String {
        let columns = schema[table].attributeColumns
        let own = zip(columns, values).filter { schema[table][$0.0.property].isRepeated }.map(\.1)
        return Self.leftMark + UnsentChanges.digest(ofValues: own.isEmpty ? values : own)
    }

    static func partKey(_ row: RowID) -> String { "row \(row.rawValue)" }

    private static func partRow(_ key: String) -> RowID? {
        key.hasPrefix("row ") ? Int64(key.dropFirst(4)).map { RowID($0) } : nil
    }

    func serverValues(of row: RowID, in table: TableID) throws -> [StoredValue]? {
        let (table, model) = (statements[table], schema[table])
        let columns = model.attributeColumns
        guard var values = try table.values(of: columns, in: row) else { return nil }
        guard unsentRows[model.table].contains(row) else { return values }
        let unsent = try table.unsentChanges(of: row).entries
        for (index, column) in columns.enumerated() {
            if let entry = unsent[model[column.property].name] { values[index] = entry.base }
        }
        return values
    }

    /// The values that were sent before the row was saved or edited again.
    func sentValues(ofNew row: RowID, in table: TableID) throws -> [StoredValue]? {
        let model = schema[table]
        let entries = try statements[table].unsentChanges(of: row).entries
        let edited = model.attributeColumns.map { model[$0.property] }.compactMap { property in
            entries[property.name].map { (base: $0.base, isOptional: property.defaultValue.isNull) }
        }
        // A base is null only if nothing was sent, or if the attribute can be null.
        guard edited.contains(where: { !$0.base.isNull }),
            !edited.contains(where: { $0.base.isNull && !$0.isOptional })
        else { return nil }
        return try serverValues(of: row, in: table)
    }

    /// Keeps the sent values of a new embedded row as bases of its further edits, by which replies match it. If an
    /// earlier run has sent it, they are the values in the file.
    func keepSent(ofNew record: RecordID) throws {
        let model = schema[record.table]
        guard unsentRows[record.table].contains(record.row),
            try sentValues(ofNew: record.row, in: record.table) == nil,
            let sent = try operations.sentValues(of: record).last
                ?? (wasSentBefore(record)
                    ? statements[record.table].values(of: model.attributeColumns, in: record.row) : nil)
        else { return }
        var unsent = try statements[record.table].unsentChanges(of: record.row)
        for (column, value) in zip(model.attributeColumns, sent) {
            unsent.entries[model[column.property].name]?.base = value
        }
        try set(unsent, of: record)
    }

    /// Keeps digests of all other sent values as removed elements of the list, also for a restart, because the server
    /// may have any of them.
    private func keepOthersSent(ofNew record: RecordID, in owner: ListOwner) throws {
        let sent = operations.sentValues(of: record)
        guard !sent.isEmpty, unsentRows[record.table].contains(record.row) else { return }
        var unsent = try statements[owner.record.table].unsentChanges(of: owner.record.row)
        let (table, name) = (record.table, schema[owner.record.table][owner.property].name)
        guard let entry = unsent.entries[name], let keys = UnsentChanges.keys(in: entry.base),
            !keys.contains(Self.partKey(record.row)),
            let current = try statements[table].values(of: schema[table].attributeColumns, in: record.row)
        else { return }
        let own = try [current, serverValues(of: record.row, in: table) ?? current].map { leftKey(of: $0, in: table) }
        let others = Set(sent.map { leftKey(of: $0, in: table) }).subtracting(own + keys)
        guard !others.isEmpty else { return }
        unsent.entries[name]?.base = UnsentChanges.members(keys + others.sorted())
        try set(unsent, of: owner.record)
    }

    func wasSentBefore(_ record: RecordID) throws -> Bool {
        var waiting = [record]
        var seen: Set<RecordID> = []
        while let next = waiting.popLast() {
            for owner in try owners(of: next).map(\.record) where seen.insert(owner).inserted {
                if operations.hasUnknownOutcomeElsewhere(owner) { return true }
                if schema[owner.table].isEmbedded { waiting.append(owner) }
            }
        }
        return false
    }

    // MARK: Lost rows

    /// Adds an embedded row, with the rows in it, to the lost parts before it is deleted.
    func noteDeletedPart(_ orphan: Orphan, _ progress: inout WriteProgress) throws {
        guard let former = orphan.former, schema[orphan.record.table].isEmbedded else { return }
        var waiting = [(record: orphan.record, owner: former)]
        var seen: Set<RecordID> = []
        while let (record, owner) = waiting.popLast() {
            let (table, model) = (statements[record.table], schema[record.table])
            guard seen.insert(record).inserted, let values = try table.values(of: model.columns, in: record.row) else {
                continue
            }
            var lists: [PropertyIndex: [RowID]] = [:]
            for property in model.properties where property.list != nil {
                lists[property.index] = try targets(of: property, in: record).map(\.row)
            }
            progress.changes.deletedParts.append(
                ChangeSet.DeletedPart(
                    record: record, owner: owner,
                    values: Dictionary(zip(model.columns.map(\.property), values)) { first, _ in first }, lists: lists))
            for property in model.properties where property.owns {
                waiting += try targets(of: property, in: record).map { ($0, ListOwner(property.index, of: record)) }
            }
        }
    }

    // MARK: Owners

    /// Deletes embedded rows without an owner after a batch, and marks new ones as pending with their owner.
    ///
    /// - Throws: ``StoreError/sharedObject(model:)`` if a row has two owners.
    func checkEmbedding(_ batch: WriteBatch, _ progress: inout WriteProgress) throws {
        let new = batch.isConfirmed ? [] : Set(batch.rows.lazy.filter(\.isInsert).map(\.record))
        for record in embeddedRecords(of: batch) {
            let owners = try owners(of: record)
            if owners.count > 1 { throw StoreError.sharedObject(model: schema[record.table].modelName) }
            guard let owner = owners.first else {
                try delete(record, &progress)
                continue
            }
            // A new owner's relationships are pending already.
            if new.contains(record), !new.contains(owner.record) {
                try keepUnsent(partIn: record, &progress.changes)
            }
            if !batch.isConfirmed { try keepOthersSent(ofNew: record, in: owner) }
        }
    }

    private func embeddedRecords(of batch: WriteBatch) -> Set<RecordID> {
        var records: Set<RecordID> = []
        for row in batch.rows {
            let model = schema[row.record.table]
            if model.isEmbedded { records.insert(row.record) }
            for (property, value) in row.values {
                guard let link = model[property].link, schema[link.target].isEmbedded, let target = value.row else {
                    continue
                }
                records.insert(RecordID(table: link.target, row: target))
            }
        }
        for membership in batch.memberships {
            let owner = membership.owner
            guard let list = schema[owner.record.table][owner.property].list, schema[list.target].isEmbedded else {
                continue
            }
            for member in membership.members { records.insert(RecordID(table: list.target, row: member)) }
        }
        return records
    }
}
