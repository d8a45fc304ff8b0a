extension MigrationPlanner {
    /// The join tables that are made and dropped. One that stays what it is keeps its rows.
    func joinSteps() -> [MigrationStep] {
        let kept = Set(schema.joinTables.filter(isKept).map(\.name))
        var steps = oldJoins.filter { !kept.contains($0) }.map(MigrationStep.dropTable)
        for join in schema.joinTables where !kept.contains(join.name) {
            guard let layout = newLayout.tables[join.name] else { continue }
            steps.append(.addTable(join.name, statement: layout.statement))
        }
        return steps
    }

    /// The join tables of models that are still there.
    private var oldJoins: [String] {
        let retired = Set(plan.retired.map(\.name))
        let discarded = plan.steps.compactMap { if case .dropTable(let name) = $0 { name } else { nil } }
        let lists = old.filter { !retired.contains($0.name) && !discarded.contains($0.name) }.flatMap(\.properties)
        // A table that a retired model made stays with that.
        let foreign = Set(
            plan.retired.flatMap(\.properties).compactMap { property -> String? in
                guard case .join(let name, isReversed: false, _)? = property.list else { return nil }
                return name
            })
        let names = Set(lists.compactMap(\.join)).subtracting(foreign).subtracting(discarded)
        return names.filter { oldLayout.tables[$0] != nil }.sorted()
    }

    /// Whether the file has the table already, for the same lists.
    private func isKept(_ join: JoinTable) -> Bool {
        guard let before = layout(of: join.name), let after = newLayout.tables[join.name],
            before.columns.count == after.columns.count,
            after.columns.allSatisfy({ column in before.column(column.name)?.isLike(column) ?? false })
        else { return false }
        var agreeing = 0
        for match in matches {
            for (_, property) in match.table.properties {
                guard case .join(join.name, let isReversed)? = property.list?.namedStorage,
                    let old = match.properties[property.name]
                else { continue }
                guard case .join(join.name, isReversed: isReversed, _)? = old.list else { return false }
                agreeing += 1
            }
        }
        return agreeing > 0
    }

    /// The relationships whose members move to another kind of storage.
    func membersToKeep() -> [KeptMembers] {
        let kept = Set(schema.joinTables.filter(isKept).map(\.name))
        var members: [KeptMembers] = []
        for match in matches {
            for (owner, property) in match.table.properties {
                guard let old = match.properties[property.name], let table = match.old,
                    let query = query(old, table),
                    let destination = destination(property, of: owner, from: old, table, kept)
                else { continue }
                members.append(
                    KeptMembers(
                        name: "_members_\(members.count)", property: "\(match.table.modelName).\(property.name)",
                        query: query, destination: destination))
            }
        }
        return members
    }

    /// Where members go; `nil` where they stay where they are.
    private func destination(
        _ property: Property, of owner: ModelSchema, from old: DescribedProperty, _ table: DescribedTable,
        _ kept: Set<String>
    ) -> KeptMembers.Destination? {
        if property.link != nil, let column = property.column {
            return old.list == nil ? nil : .link(table: owner.name, column: owner.columns[column].name)
        }
        guard let list = property.list else { return nil }
        switch list.storage {
        case .column(_, let column, let position):
            let target = schema.tables[list.target].name
            if case .column(let before, _)? = old.list, keptColumns.contains([target, column, before]) { return nil }
            return .column(table: target, column: column, position: position)
        case .join(let join, let isReversed):
            return kept.contains(join.name) ? nil : .join(join.name, isReversed: isReversed)
        }
    }

    /// The members of an old relationship: owner, member, place.
    private func query(_ property: DescribedProperty, _ table: DescribedTable) -> String? {
        guard let target = property.target else { return nil }
        switch property.list {
        case nil:
            guard let column = property.column.map(SQL.quoted) else { return nil }
            let name = SQL.quoted(tableNames[table.name] ?? table.name)
            return "SELECT _id, \(column), 0 FROM \(name) WHERE \(column) IS NOT NULL"
        case .column(let column, let position):
            guard let layout = oldLayout.tables[target], layout.column(column) != nil else { return nil }
            let name = SQL.quoted(tableNames[target] ?? target)
            let place = layout.column(position) == nil ? "NULL" : SQL.quoted(position)
            return "SELECT \(SQL.quoted(column)), _id, \(place) FROM \(name) WHERE \(SQL.quoted(column)) IS NOT NULL"
        case .join(let name, let isReversed, _):
            guard oldLayout.tables[name] != nil else { return nil }
            return isReversed
                ? "SELECT target_id, source_id, inverse_position FROM \(SQL.quoted(name))"
                : "SELECT source_id, target_id, position FROM \(SQL.quoted(name))"
        }
    }
}

extension List {
    /// The storage with the join table's name alone.
    fileprivate enum NamedStorage {
        case column
        case join(String, Bool)
    }

    fileprivate var namedStorage: NamedStorage {
        switch storage {
        case .column: .column
        case .join(let join, let isReversed): .join(join.name, isReversed)
        }
    }
}
