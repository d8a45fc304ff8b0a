// A link to an identity that no row has yet is kept in the file, and made the moment that a row gets it: by an import, a
// save, or the reply that names an object.

extension Writer {
    /// What the target of a pending link is known by: the value of a simple identity; of one with several parts, or a
    /// relationship, those of its parts in their order, a relationship by the key of what it leads to.
    ///
    /// - Returns: `nil` where a part is missing.
    func pendingKey(of table: ModelSchema, _ id: Int64) throws -> String? {
        var parts: [String] = []
        for index in table.identity {
            let property = table.properties[index]
            guard let column = property.column else { return nil }
            let value = try value(of: table.columns[column], table, id)
            guard let part = try pendingKeyPart(value, property) else { return nil }
            parts.append(part)
        }
        return Self.pendingKey(parts, of: table)
    }

    func pendingKeyPart(_ value: StoredValue, _ property: Property) throws -> String? {
        if value.isNull { return nil }
        guard case .integer(let id) = value, let link = property.link else { return Self.pendingText(value) }
        return try pendingKey(of: schema.tables[link.target], id)
    }

    static func pendingKey(_ parts: [String], of table: ModelSchema) -> String {
        if parts.count == 1, table.properties[table.identity[0]].link == nil { return parts[0] }
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

    /// A row was written by a save: links that wait for it are made, and what it says of its own links replaces what was
    /// pending.
    func notePendingLinks(
        _ table: ModelSchema, _ row: WriteBatch.Row, _ id: Int64, isInsert: Bool, _ changes: inout ChangeSet
    ) throws {
        if pendingSources.contains(table.index) {
            for index in row.values.keys where row.edited?.contains(index) != false {
                let property = table.properties[index]
                if property.link != nil { try forgetPendingLink(table, id, property.name) }
            }
        }
        guard pendingTargets.contains(table.index),
            isInsert || table.identity.contains(where: { row.values[$0] != nil }),
            let key = try pendingKey(of: table, id)
        else { return }
        try resolvePendingLinks(to: table, id, key, &changes)
    }

    func forgetPendingLink(_ table: ModelSchema, _ id: Int64, _ name: String) throws {
        let statement = try connection.statement(
            "DELETE FROM _pending_link WHERE source = ? AND source_id = ? AND relationship = ?")
        statement.bind(.text(table.name), at: 1)
        statement.bind(id, at: 2)
        statement.bind(.text(name), at: 3)
        try statement.run()
    }

    /// Makes the links that waited for the row that has just got this identity.
    func resolvePendingLinks(to table: ModelSchema, _ id: Int64, _ key: String, _ changes: inout ChangeSet) throws {
        let read = try connection.statement(
            """
            SELECT source, source_id, relationship, position FROM _pending_link \
            WHERE target = ? AND target_identity = ? ORDER BY source, source_id, relationship, position
            """)
        read.bind(.text(table.name), at: 1)
        read.bind(.text(key), at: 2)
        var waiting: [(table: ModelSchema, id: Int64, property: Property, position: StoredValue)] = []
        while try read.step() {
            guard let table = schema.tables.first(where: { $0.name == read.text(0) }),
                let property = table.property(named: read.text(2))
            else { continue }
            waiting.append((table, read.integer(1), property, read.value(3)))
        }
        guard !waiting.isEmpty else { return }
        for link in waiting { try makeLink(link.property, link.table, link.id, id, link.position, &changes) }
        let forget = try connection.statement("DELETE FROM _pending_link WHERE target = ? AND target_identity = ?")
        forget.bind(.text(table.name), at: 1)
        forget.bind(.text(key), at: 2)
        try forget.run()
    }

    private func makeLink(
        _ property: Property, _ table: ModelSchema, _ source: Int64, _ target: Int64, _ position: StoredValue,
        _ changes: inout ChangeSet
    ) throws {
        if let column = property.column {
            let name = SQL.quoted(table.columns[column].name)
            let link = try connection.statement(
                "UPDATE \(SQL.quoted(table.name)) SET \(name) = ? WHERE _id = ? AND \(name) IS NULL")
            link.bind(target, at: 1)
            link.bind(source, at: 2)
            try link.run()
            if connection.changes > 0 { try leadBack(table, table.columns[column], source, target, &changes) }
            noteLinks(table, [table.columns[column]], &changes)
        } else if let list = property.list {
            var members = try members(of: list, owner: source).filter { $0 != target }
            var place = members.count
            if case .integer(let wanted) = position { place = min(max(Int(clamping: wanted), 0), members.count) }
            members.insert(target, at: place)
            var orphans: [WriteBatch.Key] = []
            try write(
                WriteBatch.Membership(table: table.index, property: property.index, owner: source, members: members),
                &changes, &orphans)
        }
        changes.tables[table.index].updated.append(source)
    }
}
