extension MigrationPlanner {
    /// What one model's table needs.
    mutating func columnSteps(_ match: TableMatch) -> [MigrationStep] {
        let name = match.table.name
        guard let layout = newLayout.tables[name] else { return [] }
        guard let oldName = match.old?.name, let before = self.layout(of: oldName) else {
            return [.addTable(name, statement: layout.statement)]
        }
        let sources = layout.columns.map { column in (name: column.name, source: source(of: column, match, before)) }
        noteIdentity(match, sources)
        for (column, source) in sources {
            if case .copy(let old) = source { keptColumns.insert([name, column, old]) }
        }
        let steps = migrations.flatMap(\.rowSteps).filter { step in
            match.table.models.contains { $0.type == step.model }
        }
        if steps.isEmpty, let small = alterations(match, sources, layout, before) { return small }
        return [
            .rebuild(
                TableRebuild(
                    table: name, model: match.table.modelName, statement: layout.statement, columns: sources,
                    index: match.table.models.first?.index ?? 0,
                    oldColumns: match.old?.properties.compactMap { property in
                        property.column.map { (property.name, $0) }
                    }
                        ?? [], steps: steps))
        ]
    }

    private func source(of column: ColumnLayout, _ match: TableMatch, _ before: TableLayout) -> ColumnSource {
        guard let property = match.table.property(ofColumn: column.name)?.property else {
            return extraSource(column.name, match, before)
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

    /// The key, the unsent changes, and a row's place in the list that is a link's inverse, which goes with the link.
    private func extraSource(_ name: String, _ match: TableMatch, _ before: TableLayout) -> ColumnSource {
        for (owner, property) in match.table.properties {
            guard let column = property.column, schema.positionColumn(of: owner.columns[column], in: owner) == name
            else { continue }
            guard let old = match.properties[property.name]?.column, before.column(old) != nil,
                let position = oldPosition(ofLink: old, in: match.old?.name ?? ""), before.column(position) != nil
            else { return .constant(.null) }
            return .copy(position)
        }
        return before.column(name) != nil && match.table.property(ofColumn: name) == nil
            ? .copy(name) : .constant(.null)
    }

    /// The column with the places in the old list that was the inverse of a link.
    private func oldPosition(ofLink column: String, in table: String) -> String? {
        old.flatMap(\.properties).lazy.compactMap { property -> String? in
            guard property.target == table, case .column(column, let position)? = property.list else { return nil }
            return position
        }.first
    }

    private mutating func noteIdentity(_ match: TableMatch, _ sources: [(name: String, source: ColumnSource)]) {
        let isConverted = sources.contains { column in
            guard case .convert = column.source else { return false }
            return match.table.identity.contains(column.name)
        }
        let hasSteps = migrations.flatMap(\.rowSteps).contains { step in
            match.table.models.contains { $0.type == step.model }
        }
        if hasOtherIdentity(match) || isConverted || hasSteps {
            unitedTables.formUnion(match.table.models.prefix(1).map(\.index))
        }
    }

    // MARK: Small changes

    /// The statements that change the table where it stands; `nil` where it must be written anew.
    private func alterations(
        _ match: TableMatch, _ sources: [(name: String, source: ColumnSource)], _ after: TableLayout,
        _ before: TableLayout
    ) -> [MigrationStep]? {
        let table = match.table.name
        var renames: [MigrationStep] = []
        var rest: [MigrationStep] = []
        var used: Set<String> = []
        for (name, source) in sources {
            guard let column = after.column(name) else { return nil }
            switch source {
            case .copy(let old), .fill(let old, _):
                guard used.insert(old).inserted, canStay(old, as: column, match, before) else { return nil }
                if old != name {
                    guard before.column(name) == nil else { return nil }
                    renames.append(.renameColumn(table: table, from: old, to: name))
                }
                if case .fill(_, let value) = source { rest.append(.fillNulls(table: table, column: name, value)) }
            case .constant(let value):
                guard canBeAdded(column, value), before.column(name) == nil else { return nil }
                rest.append(.addColumn(table: table, column, default: value))
            case .convert: return nil
            }
        }
        return used.count == before.columns.count ? renames + rest : nil
    }

    /// A column that was added with a default gives it to new rows also when the model has none any more.
    private func canStay(_ old: String, as column: ColumnLayout, _ match: TableMatch, _ before: TableLayout) -> Bool {
        guard let there = before.column(old), there.isLike(column) else { return false }
        return !there.hasDefault || !(match.table.property(ofColumn: column.name)?.property.defaultValue.isNull ?? true)
    }

    /// https://sqlite.org/lang_altertable.html#alter_table_add_column
    private func canBeAdded(_ column: ColumnLayout, _ value: StoredValue) -> Bool {
        guard !column.isRequired, !column.isKey, column.target == nil || value.isNull else { return false }
        return SQL.literal(value) != nil
    }
}

extension ModelTable {
    /// The property that a column keeps.
    func property(ofColumn name: String) -> (owner: ModelSchema, property: Property)? {
        properties.first { entry in entry.property.column.map { entry.owner.columns[$0].name } == name }
    }
}
