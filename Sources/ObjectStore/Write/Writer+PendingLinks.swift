// A link to an identity that no row has yet is kept in the file, and made the moment that a row gets it: by an import, a
// save, or the reply that names an object. Links that are the inverse of links, and those to rows that are gone.

extension Writer {
    /// What the target of a pending link is known by: the value of a simple identity; of one with several parts, or a
    /// relationship, those of its parts in their order, a relationship by the key of what it references.
    ///
    /// - Returns: `nil` when a part is missing.
    func pendingKey(of record: RecordID) throws -> String? {
        let model = schema[record.table]
        var parts: [String] = []
        for index in model.identity {
            guard let column = model.column(of: index) else { return nil }
            let value = try statements[record.table].value(of: column, in: record.row)
            guard let part = try pendingKeyPart(value, of: model[index]) else { return nil }
            parts.append(part)
        }
        return Self.pendingKey(parts, of: model)
    }

    /// The part of a key that a property of the identity is.
    func pendingKeyPart(_ value: StoredValue, of property: Property) throws -> String? {
        if value.isNull { return nil }
        guard let row = value.row, let link = property.link else { return Self.pendingText(value) }
        return try pendingKey(of: RecordID(table: link.target, row: row))
    }

    static func pendingKey(_ parts: [String], of model: ModelSchema) -> String {
        if parts.count == 1, model[model.identity[0]].link == nil { return parts[0] }
        let escaped = parts.map { part in
            part.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
                .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/")
        }
        return escaped.joined(separator: "/")
    }

    static func pendingText(_ value: StoredValue) -> String {
        switch value {
        case .integer(let value): String(value)
        case .text(let text): text
        case .real(let value): String(value)
        case .null, .blob: ""
        }
    }

    /// Keeps a link whose target has no row.
    func remember(_ link: PendingLink) throws {
        try statements.insert(link)
        pendingTargets.insert(link.target)
        pendingSources.insert(link.source.table)
    }

    /// Makes the links that waited for the row which has just got the identity of that key.
    func resolvePendingLinks(to target: RecordID, key: String, _ progress: inout WriteProgress) throws {
        let links = try statements.pendingLinks(to: target.table, key: key)
        guard !links.isEmpty else { return }
        for link in links { try make(link, to: target.row, &progress) }
        try statements.deletePendingLinks(to: target.table, key: key)
    }

    private func make(_ link: PendingLink, to target: RowID, _ progress: inout WriteProgress) throws {
        let (source, model) = (link.source, schema[link.source.table])
        if let column = model.column(of: link.property) {
            if try statements[source.table].fill(column, with: target, in: source.row) {
                try keepOneToOne(column, of: source, to: target, &progress)
            }
            noteLinks([column], of: model, &progress.changes)
        } else if let list = model[link.property].list {
            var members = try statements.members(of: list, owner: source.row).filter { $0 != target }
            let position = link.position.map { min(max($0, 0), members.count) } ?? members.count
            members.insert(target, at: position)
            try write(WriteBatch.Membership(members, of: ListOwner(link.property, of: source)), &progress)
        }
        progress.changes.noteUpdate(of: source)
    }

    /// A row was written by a save: links that wait for it are made, and what it says of its own links replaces what was
    /// pending.
    func settlePendingLinks(
        of row: WriteBatch.Row, writtenTo record: RecordID, isInsert: Bool, _ progress: inout WriteProgress
    ) throws {
        let model = schema[record.table]
        if pendingSources.contains(record.table) {
            for property in row.values.keys where row.isEdited(property) && model[property].link != nil {
                try statements.deletePendingLinks(of: record, by: property)
            }
        }
        guard pendingTargets.contains(record.table),
            isInsert || model.identity.contains(where: { row.values[$0] != nil }),
            let key = try pendingKey(of: record)
        else { return }
        try resolvePendingLinks(to: record, key: key, &progress)
    }

    // MARK: One-to-one

    /// A to-one link whose inverse is to-one is referenced back, and by nothing else: called when the link of `source` has
    /// come to reference `target`, or nothing.
    func keepOneToOne(
        _ column: Column, of source: RecordID, to target: RowID?, _ progress: inout WriteProgress
    ) throws {
        guard let link = schema[source.table][column.property].link, let inverse = link.inverse,
            let back = schema[link.target].column(of: inverse)
        else { return }
        progress.changes.tables[link.target].updated +=
            try statements[link.target].clear(back, referencing: source.row, exceptIn: target)
        guard let target else { return }
        progress.changes.tables[source.table].updated +=
            try statements[source.table].clear(column, referencing: target, exceptIn: source.row)
        if try statements[link.target].set(back, to: source.row, in: target) {
            progress.changes.tables[link.target].updated.append(target)
        }
    }

    // MARK: Broken links

    /// Clears what a batch links to rows that another context has deleted since the batch was made.
    func clearBrokenLinks(of batch: WriteBatch) throws {
        for row in batch.rows {
            let model = schema[row.record.table]
            for (property, value) in row.values {
                guard let target = value.row, let link = model[property].link, let column = model.column(of: property),
                    try !statements[link.target].contains(target)
                else { continue }
                try statements[row.record.table].clear(column, in: row.record.row)
            }
        }
        for membership in batch.memberships { try clearBrokenLinks(of: membership) }
    }

    private func clearBrokenLinks(of membership: WriteBatch.Membership) throws {
        let (owner, property) = (membership.owner.record, membership.owner.property)
        guard let list = schema[owner.table][property].list else { return }
        let hasOwner = try statements[owner.table].contains(owner.row)
        switch list.storage {
        case .column(let property, _, _):
            guard !hasOwner, let column = schema[list.target].column(of: property) else { return }
            try statements[list.target].clear(column, referencing: owner.row)
        case .join where hasOwner: try statements.removeBrokenMembers(of: list, owner: owner.row)
        case .join: try statements.removeMembers(of: list, owner: owner.row)
        }
    }
}
