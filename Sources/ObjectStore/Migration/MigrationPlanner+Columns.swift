// What a model's table needs, column by column, and where the members of its relationships go.

extension MigrationPlanner {
    mutating func columnSteps(_ match: TableMatch) -> [MigrationStep] {
        guard let after = match.after else { return [] }
        let model = match.model
        guard let before = match.before else { return [.addTable(model.tableName, statement: after.statement)] }
        let steps = rowSteps(of: model)
        let sources = after.columns.map { column in (name: column.name, source: source(of: column, in: match, before)) }
        if match.hasOtherIdentity || !steps.isEmpty || convertsIdentity(of: model, sources) {
            unifiedTables.insert(model.table)
        }
        for (column, source) in sources {
            if case .copy(let old) = source { keptColumns.insert([model.tableName, column, old]) }
        }
        if steps.isEmpty, let small = alterations(of: match, sources, from: before, to: after) { return small }
        let oldColumns = match.old?.properties.compactMap { property in property.column.map { (property.name, $0) } }
        return [
            .rebuild(
                TableRebuild(
                    model: model, statement: after.statement, columns: sources, oldColumns: oldColumns ?? [],
                    steps: steps))
        ]
    }

    private func convertsIdentity(of model: ModelSchema, _ sources: [(name: String, source: ColumnSource)]) -> Bool {
        sources.contains { name, source in
            guard case .convert = source else { return false }
            return model.identityColumns.contains { $0.name == name }
        }
    }

    private func source(of column: ColumnLayout, in match: TableMatch, _ before: TableLayout) -> ColumnSource {
        guard let property = match.property(ofColumn: column.name) else {
            return extraSource(of: column.name, in: match, before)
        }
        guard let old = match.properties[property.name], let oldColumn = old.column,
            before.column(oldColumn) != nil
        else { return .constant(property.defaultValue) }
        if let conversion = ValueConversion(from: old, to: property) { return .convert(oldColumn, conversion) }
        let value = property.defaultValue
        if old.kind != nil, old.isOptional, !property.isOptional, !value.isNull {
            return .fill(oldColumn, value)
        }
        return .copy(oldColumn)
    }

    /// The key, the unsent changes, and a row's position in the list that is a link's inverse, which goes with the link.
    private func extraSource(of name: String, in match: TableMatch, _ before: TableLayout) -> ColumnSource {
        let model = match.model
        guard let link = model.columns.first(where: { schema.positionColumn(of: $0, in: model) == name }) else {
            return before.column(name) == nil ? .constant(.null) : .copy(name)
        }
        guard let old = match.properties[model[link.property].name]?.column, before.column(old) != nil,
            let position = oldPosition(ofLink: old, in: match.old?.name), before.column(position) != nil
        else { return .constant(.null) }
        return .copy(position)
    }

    /// The column with the positions in the old list that was the inverse of a link.
    private func oldPosition(ofLink column: String, in table: String?) -> String? {
        old.flatMap(\.properties).lazy.compactMap { property -> String? in
            guard property.target == table, case .column(column, let position)? = property.list else { return nil }
            return position
        }.first
    }

    // MARK: Small changes

    /// The statements that change the table as it stands; `nil` when it must be written anew.
    private func alterations(
        of match: TableMatch, _ sources: [(name: String, source: ColumnSource)], from before: TableLayout,
        to after: TableLayout
    ) -> [MigrationStep]? {
        let table = match.model.tableName
        var renames: [MigrationStep] = []
        var rest: [MigrationStep] = []
        var used: Set<String> = []
        for (name, source) in sources {
            guard let column = after.column(name) else { return nil }
            switch source {
            case .copy(let old), .fill(let old, _):
                guard used.insert(old).inserted, let there = before.column(old), canStay(there, as: column, in: match)
                else { return nil }
                if old != name {
                    guard before.column(name) == nil else { return nil }
                    renames.append(.renameColumn(table: table, from: old, to: name))
                }
                if case .fill(_, let value) = source { rest.append(.fillNulls(table: table, column: name, value)) }
            case .constant(let value):
                guard canBeAdded(column, default: value), before.column(name) == nil else { return nil }
                rest.append(.addColumn(table: table, column, default: value))
            case .convert: return nil
            }
        }
        return used.count == before.columns.count ? renames + rest : nil
    }

    /// A column that was added with a default gives it to new rows also when the model has none any more.
    private func canStay(_ old: ColumnLayout, as new: ColumnLayout, in match: TableMatch) -> Bool {
        guard old.isLike(new) else { return false }
        return !old.hasDefault || !(match.property(ofColumn: new.name)?.defaultValue.isNull ?? true)
    }

    /// https://sqlite.org/lang_altertable.html#alter_table_add_column
    private func canBeAdded(_ column: ColumnLayout, default value: StoredValue) -> Bool {
        guard !column.isRequired, !column.isKey, column.target == nil || value.isNull else { return false }
        return SQL.literal(value) != nil
    }
}

// MARK: Join tables

extension MigrationPlanner {
    /// The join tables that are made and dropped. One that stays what it is keeps its rows.
    func joinSteps() -> [MigrationStep] {
        let kept = keptJoins
        var steps = oldJoins.filter { !kept.contains($0) }.map(MigrationStep.dropTable)
        for join in schema.joinTables where !kept.contains(join.name) {
            guard let layout = newLayout.tables[join.name] else { continue }
            steps.append(.addTable(join.name, statement: layout.statement))
        }
        return steps
    }

    private var keptJoins: Set<String> { Set(schema.joinTables.filter(isKept).map(\.name)) }

    /// The join tables of models that are still there.
    private var oldJoins: [String] {
        let retired = Set(plan.retired.map(\.name))
        let discarded = plan.dropped
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
            for property in match.model.properties {
                guard case .join(let own, let isReversed)? = property.list?.storage, own.name == join.name,
                    let old = match.properties[property.name]
                else { continue }
                guard case .join(join.name, isReversed: isReversed, _)? = old.list else { return false }
                agreeing += 1
            }
        }
        return agreeing > 0
    }
}

// MARK: Members

extension MigrationPlanner {
    /// The relationships whose members move to another kind of storage.
    func membersToKeep() -> [KeptMembers] {
        let keptJoins = keptJoins
        var members: [KeptMembers] = []
        for match in matches {
            guard let table = match.old else { continue }
            for property in match.model.properties {
                guard let old = match.properties[property.name], let source = source(of: old, in: table),
                    let destination = destination(of: property, in: match.model, from: old, keptJoins: keptJoins)
                else { continue }
                members.append(
                    KeptMembers(
                        name: "_members_\(members.count)", property: "\(match.model.modelName).\(property.name)",
                        source: source, destination: destination))
            }
        }
        return members
    }

    /// Where members go; `nil` when they stay where they are.
    private func destination(
        of property: Property, in model: ModelSchema, from old: DescribedProperty, keptJoins: Set<String>
    ) -> MemberStorage? {
        if property.link != nil, let column = model.column(of: property.index) {
            return old.list == nil ? nil : .link(table: model.tableName, column: column.name)
        }
        guard let list = property.list else { return nil }
        switch list.storage {
        case .column(_, let column, let position):
            let target = schema[list.target].tableName
            if case .column(let before, _)? = old.list, keptColumns.contains([target, column, before]) { return nil }
            return .column(table: target, column: column, position: position)
        case .join(let join, let isReversed):
            return keptJoins.contains(join.name) ? nil : .join(join.name, isReversed: isReversed)
        }
    }

    /// Where the members of an old relationship are when the tables have their new names; `nil` when nowhere.
    private func source(of old: DescribedProperty, in table: DescribedTable) -> MemberStorage? {
        guard let target = old.target else { return nil }
        switch old.list {
        case nil: return old.column.map { .link(table: newName(of: table.name), column: $0) }
        case .column(let column, let position):
            guard let layout = oldLayout.tables[target], layout.column(column) != nil else { return nil }
            let hasPosition = layout.column(position) != nil
            return .column(table: newName(of: target), column: column, position: hasPosition ? position : nil)
        case .join(let name, let isReversed, _):
            return oldLayout.tables[name] == nil ? nil : .join(name, isReversed: isReversed)
        }
    }
}
