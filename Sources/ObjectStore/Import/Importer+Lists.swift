import JSONBytes

extension Importer {
    /// Makes the members the list of a row that was just written, or merges them in where it is so declared.
    mutating func store(_ read: [Int64], _ index: Int, _ plan: ImportPlan, of row: StoredRow) throws {
        guard let list = plan.table.properties[index].list else { return }
        if try isUnsent(plan.table, row.id, plan.table.properties[index].name) { return }
        let members = unique(read)
        let old = row.isNew ? [] : try writer.members(of: list, owner: row.id)
        let wanted = list.options.merges ? old + members.filter { !old.contains($0) } : members
        guard wanted != old else { return }
        try write(wanted, old, list, plan.table, index, row.id, isNew: row.isNew)
        noteChange(row.id, plan)
    }

    /// The body's own objects are a list of somebody.
    ///
    /// - Parameter isUnderstood: whether every element of the body is among `read`; one that was rejected may have been a
    ///   member, so nothing is unlinked then.
    mutating func store(
        _ read: [Int64], in membership: ImportRequest.Membership, isUnderstood: Bool
    ) throws {
        let table = schema.tables[membership.table]
        guard let list = table.properties[membership.property].list else { return }
        if try isUnsent(table, membership.owner, table.properties[membership.property].name) { return }
        let members = unique(read)
        let old = try writer.members(of: list, owner: membership.owner)
        let isWhole = membership.isWhole && isUnderstood && !list.options.merges
        let known = Set(old)
        let wanted = isWhole ? members : old + members.filter { !known.contains($0) }
        guard wanted != old || !hasPlaces(list) else { return }
        try write(wanted, old, list, table, membership.property, membership.owner, isNew: false)
    }

    /// Members of a list in a join table have places; those of one that is links may have none yet.
    private func hasPlaces(_ list: List) -> Bool {
        if case .join = list.storage { true } else { false }
    }

    private mutating func write(
        _ wanted: [Int64], _ old: [Int64], _ list: List, _ table: ModelSchema, _ index: Int, _ owner: Int64, isNew: Bool
    ) throws {
        if case .join(let join, isReversed: false) = list.storage, !join.isTwoSided {
            try rewrite(wanted, join, owner, isNew: isNew || old.isEmpty)
            if list.options.owns, !old.isEmpty {
                let kept = Set(wanted)
                orphans += old.filter { !kept.contains($0) }.map { WriteBatch.Key(table: list.target, id: $0) }
            }
            changes.lists.insert(list.number)
        } else {
            let membership = WriteBatch.Membership(
                table: table.index, property: index, owner: owner, members: wanted)
            try writer.write(membership, &changes, &orphans)
        }
        if !old.isEmpty {
            let kept = Set(wanted)
            outcome.report.unlinked += old.count { !kept.contains($0) }
        }
    }

    /// The rows of a join table that only this side orders.
    private mutating func rewrite(_ members: [Int64], _ join: JoinTable, _ owner: Int64, isNew: Bool) throws {
        let statements = try joinStatements(join)
        if !isNew {
            statements.clear.bind(owner, at: 1)
            try statements.clear.run()
        }
        for (place, member) in members.enumerated() {
            statements.insert.bind(owner, at: 1)
            statements.insert.bind(member, at: 2)
            statements.insert.bind(Int64(place), at: 3)
            try statements.insert.run()
        }
    }

    private mutating func joinStatements(_ join: JoinTable) throws -> (clear: RawStatement, insert: RawStatement) {
        if let known = joins[join.name] { return known }
        let name = SQL.quoted(join.name)
        let statements = (
            clear: try writer.connection.statement("DELETE FROM \(name) WHERE source_id = ?"),
            insert: try writer.connection.statement(
                "INSERT INTO \(name) (source_id, target_id, position) VALUES (?, ?, ?)")
        )
        joins[join.name] = statements
        return statements
    }

    func isUnsent(_ table: ModelSchema, _ id: Int64, _ name: String) throws -> Bool {
        guard writer.unsentRows[table.index].contains(id) else { return false }
        return try writer.unsentChanges(table, id).bases[name] != nil
    }

    /// Each member once, where it stands first.
    private func unique(_ members: [Int64]) -> [Int64] {
        if members.count < 2 { return members }
        if members.count == 2 { return members[0] == members[1] ? [members[0]] : members }
        var seen: Set<Int64> = []
        return members.filter { seen.insert($0).inserted }
    }
}
