import JSONBytes

// A link to an identity that no row has yet is kept in the file, and made the moment that a row gets it: see `Writer.resolvePendingLinks`.

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
        statement.bind(.text(link.identity), at: 5)
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
        for name in names { try writer.forgetPendingLink(plan.table, id, name) }
    }

    /// Makes the links that waited for the row that has just got this identity.
    mutating func resolvePendingLinks(to plan: ImportPlan, _ frame: ImportFrame, _ id: Int64) throws {
        guard writer.pendingTargets.contains(plan.table.index) else { return }
        let key: String?
        if plan.hasSimpleIdentity, let column = plan.identity.first {
            key = Writer.pendingText(unsafe frame.slots[column].stored)
        } else {
            key = try writer.pendingKey(of: plan.table, id)
        }
        if let key { try writer.resolvePendingLinks(to: plan.table, id, key, &changes) }
    }
}
