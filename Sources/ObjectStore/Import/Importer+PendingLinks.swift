import JSONBytes

// A link to an identity that no row has yet is kept in the file, and made the moment that a row gets it, from any import.

extension Importer {
    /// Keeps a link whose target is not here.
    mutating func remember(_ link: ImportFrame.PendingLink, _ plan: ImportPlan, of id: Int64) throws {
        let property = plan.table.properties[link.property]
        guard let target = property.link?.target ?? property.list?.target else { return }
        let statement = try writer.connection.statement(
            """
            INSERT OR REPLACE INTO _pending_link (source, source_id, relationship, target, target_identity, position) \
            VALUES (?, ?, ?, ?, ?, ?)
            """)
        statement.bind(.text(plan.table.name), at: 1)
        statement.bind(id, at: 2)
        statement.bind(.text(property.name), at: 3)
        statement.bind(.text(schema.tables[target].name), at: 4)
        statement.bind(.text(Self.identityText(link.identity)), at: 5)
        statement.bind(link.position.map { StoredValue.integer(Int64($0)) } ?? .null, at: 6)
        try statement.run()
        writer.pendingTargets.insert(target)
        writer.pendingSources.insert(plan.table.index)
        outcome.report.pendingLinks += 1
    }

    /// What the body says of a row's relationships replaces what was pending.
    func forgetPendingLinks(_ plan: ImportPlan, _ frame: ImportFrame, of id: Int64) throws {
        guard writer.pendingSources.contains(plan.table.index) else { return }
        var names = frame.lists.map { plan.table.properties[$0.property].name }
        for (index, column) in plan.table.columns.enumerated()
        where column.target != nil && frame.has(index) {
            names.append(plan.table.properties[column.property].name)
        }
        let statement = try writer.connection.statement(
            "DELETE FROM _pending_link WHERE source = ? AND source_id = ? AND relationship = ?")
        for name in names {
            statement.bind(.text(plan.table.name), at: 1)
            statement.bind(id, at: 2)
            statement.bind(.text(name), at: 3)
            try statement.run()
        }
    }

    /// Makes the links that waited for the row that has just got this identity.
    mutating func resolvePendingLinks(to plan: ImportPlan, _ frame: ImportFrame, _ id: Int64) throws {
        guard writer.pendingTargets.contains(plan.table.index), plan.hasSimpleIdentity, let column = plan.identity.first
        else { return }
        let identity = Self.identityText(unsafe frame.slots[column].stored)
        let read = try writer.connection.statement(
            """
            SELECT source, source_id, relationship, position FROM _pending_link \
            WHERE target = ? AND target_identity = ?
            """)
        read.bind(.text(plan.table.name), at: 1)
        read.bind(.text(identity), at: 2)
        var waiting: [(table: Table, id: Int64, property: Property, position: StoredValue)] = []
        while try read.step() {
            guard let table = schema.tables.first(where: { $0.name == read.text(0) }),
                let property = table.property(named: read.text(2))
            else { continue }
            waiting.append((table, read.integer(1), property, read.value(3)))
        }
        for link in waiting { try make(link.property, link.table, link.id, id, link.position) }
        let forget = try writer.connection.statement(
            "DELETE FROM _pending_link WHERE target = ? AND target_identity = ?")
        forget.bind(.text(plan.table.name), at: 1)
        forget.bind(.text(identity), at: 2)
        try forget.run()
    }

    private mutating func make(
        _ property: Property, _ table: Table, _ source: Int64, _ target: Int64, _ position: StoredValue
    ) throws {
        if let column = property.column {
            let name = SQL.quoted(table.columns[column].name)
            let link = try writer.connection.statement(
                "UPDATE \(SQL.quoted(table.name)) SET \(name) = ? WHERE _id = ? AND \(name) IS NULL")
            link.bind(target, at: 1)
            link.bind(source, at: 2)
            try link.run()
            writer.noteLinks(table, [table.columns[column]], &changes)
        } else if let list = property.list {
            var members = try writer.members(of: list, owner: source).filter { $0 != target }
            var place = members.count
            if case .integer(let wanted) = position { place = min(max(Int(clamping: wanted), 0), members.count) }
            members.insert(target, at: place)
            let membership = WriteBatch.Membership(
                table: table.index, property: property.index, owner: source, members: members)
            try writer.write(membership, &changes)
        }
        changes.tables[table.index].updated.append(source)
    }

    private static func identityText(_ value: StoredValue) -> String {
        switch value {
        case .integer(let value): String(value)
        case .text(let text): text
        case .real(let value): String(value)
        case .null, .blob: ""
        }
    }
}
