/// Plans the migration of a file to the current models. The file stays untouched.
struct MigrationPlanner {
    let schema: Schema
    /// The old tables, with the known declarations of their models.
    private let old: [DescribedTable]
    private let oldLayout: FileLayout
    private let newLayout: FileLayout
    let migrations: [Migration]

    var matches: [TableMatch] = []
    private var tableNames: [String: String] = [:]
    var plan = MigrationPlan()
    /// Links with unchanged columns, by table and column. Lists of these links are unchanged, too.
    private var keptColumns: Set<[String]> = []
    /// Tables in which several rows may have one identity now.
    private var unifiedTables: Set<TableID> = []

    init(
        schema: Schema, old: [DescribedTable], oldLayout: FileLayout, newLayout: FileLayout, migrations: [Migration]
    ) {
        self.schema = schema
        self.old = old.filter { oldLayout.tables[$0.name] != nil }
        self.oldLayout = oldLayout
        self.newLayout = newLayout
        self.migrations = migrations
    }

    mutating func makePlan() -> MigrationPlan {
        matchTables()
        checkForeignTables()
        guard plan.problems.isEmpty else { return plan }
        let unsentClasses = unsentClasses()
        plan.steps += unsentClasses.map(MigrationStep.keepUnsent)
        refuseUnsent()
        plan.steps += tableRenames
        updateLoaded()
        let tableSteps = matches.flatMap { columnSteps($0) }
        let joinSteps = joinSteps()
        unifyDependents()
        let keptMembers = membersToKeep()
        plan.steps += keptMembers.map(MigrationStep.keepMembers)
        dropIndexes()
        plan.steps += tableSteps + joinSteps
        plan.steps += keptMembers.map(MigrationStep.restoreMembers)
        updateNotes()
        plan.steps += unsentClasses.filter { !$0.isDiscarded }.map(MigrationStep.refuseUnsentClass)
        if !unifiedTables.isEmpty { plan.steps.append(.unify(tables: unifiedTables.sorted())) }
        addIndexes()
        return plan
    }

    // MARK: Tables

    private mutating func matchTables() {
        let olds = matchNames()
        matches = schema.roots.map { model in
            let old = olds[model.table]
            return TableMatch(
                model: model, old: old, before: old.flatMap { layout(of: $0.name) },
                after: newLayout.tables[model.tableName],
                properties: old.map { matchProperties(of: model, with: $0) } ?? [:])
        }
        let taken = Set(olds.values.map(\.name))
        let discarded = migrations.reduce(into: Set<String>()) { $0.formUnion($1.discarded) }
        let retired = old.filter { !taken.contains($0.name) && !discarded.contains($0.model) }
        let gone = old.filter { !taken.contains($0.name) && discarded.contains($0.model) }
        let linked = linkedTables(from: retired, among: gone)
        for table in gone {
            plan.steps += table.properties.compactMap(\.join).map(MigrationStep.dropTable)
            plan.steps.append(linked.contains(table.name) ? .emptyTable(table.name) : .dropTable(table.name))
        }
        plan.retired = (retired + gone.filter { linked.contains($0.name) }).map(relinked)
    }

    /// The discarded tables to which tables without a model link. SQLite refuses many writes while the target of a
    /// foreign key is missing.
    private func linkedTables(from retired: [DescribedTable], among gone: [DescribedTable]) -> Set<String> {
        let names = Set(gone.map(\.name))
        let joins = Set(retired.flatMap(\.properties).compactMap(\.join))
            .subtracting(gone.flatMap(\.properties).compactMap(\.join))
        var linked: Set<String> = []
        var waiting = retired.map(\.name) + joins
        while let table = waiting.popLast() {
            let targets = oldLayout.tables[table]?.columns.compactMap(\.target) ?? []
            for target in targets where names.contains(target) && linked.insert(target).inserted {
                waiting.append(target)
            }
        }
        return linked
    }

    /// Renames the table's targets, so that they are found if the model returns.
    private func relinked(_ table: DescribedTable) -> DescribedTable {
        var table = table
        for index in table.properties.indices {
            table.properties[index].target = table.properties[index].target.map(newName)
        }
        return table
    }

    private mutating func matchNames() -> [TableID: DescribedTable] {
        let names = Set(old.map(\.name))
        var olds: [TableID: DescribedTable] = [:]
        var taken: Set<String> = []
        func match(_ model: ModelSchema, _ candidate: DescribedTable?) {
            guard olds[model.table] == nil, let candidate, taken.insert(candidate.name).inserted else { return }
            olds[model.table] = candidate
        }
        func matchRenamed(_ models: [ModelSchema]) {
            for model in models {
                let earlier = old.first { candidate in
                    !taken.contains(candidate.name)
                        && (model.renamedFrom == candidate.model || model.earlierTableName == candidate.name)
                }
                match(model, earlier)
            }
        }
        // A declared rename takes precedence over an equal name.
        matchRenamed(schema.roots.filter { !names.contains($0.tableName) })
        for model in schema.roots { match(model, old.first { $0.name == model.tableName }) }
        // A model's current name may have been another model's.
        matchRenamed(schema.roots)
        for model in schema.roots {
            guard let name = olds[model.table]?.name, name != model.tableName else { continue }
            tableNames[name] = model.tableName
        }
        return olds
    }

    /// Each table is renamed once its new name is free.
    private var tableRenames: [MigrationStep] {
        var rest = tableNames
        var steps: [MigrationStep] = []
        while let next = rest.filter({ rest[$0.value] == nil }).min(by: { $0.key < $1.key }) {
            steps.append(.renameTable(next.key, to: next.value))
            rest[next.key] = nil
        }
        return steps
    }

    /// The matching old properties, by Swift name.
    private func matchProperties(of model: ModelSchema, with old: DescribedTable) -> [String: DescribedProperty] {
        var matched: [String: DescribedProperty] = [:]
        var taken: Set<String> = []
        func match(_ property: Property, with name: String) {
            guard let candidate = old.property(named: name), !taken.contains(name) else { return }
            let target = property.target.map { schema[$0].tableName }
            guard candidate.target.map(newName) == target else { return }
            taken.insert(name)
            matched[property.name] = candidate
        }
        // A declared rename takes precedence over an equal name.
        for property in model.properties where old.property(named: property.name) == nil {
            if let name = property.renamedFrom { match(property, with: name) }
        }
        for property in model.properties where matched[property.name] == nil { match(property, with: property.name) }
        // A property's current name may have been another property's.
        for property in model.properties where matched[property.name] == nil {
            if let name = property.renamedFrom { match(property, with: name) }
        }
        for property in model.properties {
            for name in property.formerNames where matched[property.name] == nil { match(property, with: name) }
        }
        // The Swift name may have changed while the column's stayed.
        for property in model.properties where matched[property.name] == nil {
            guard let column = model.column(of: property.index)?.name,
                let same = old.properties.first(where: { $0.column == column })
            else { continue }
            match(property, with: same.name)
        }
        return matched
    }

    private mutating func checkForeignTables() {
        let known = Set(old.map(\.name) + old.flatMap { $0.properties.compactMap(\.join) })
        for name in newLayout.tables.keys.sorted() where !name.hasPrefix("_") {
            guard oldLayout.tables[name] != nil, !known.contains(name) else { continue }
            plan.problems.append("its table \"\(name)\" was not made by this library")
        }
    }

    private func newName(of table: String) -> String { tableNames[table] ?? table }

    /// The old layout, with links to the new names of tables.
    private func layout(of name: String) -> TableLayout? {
        guard var layout = oldLayout.tables[name] else { return nil }
        for index in layout.columns.indices {
            layout.columns[index].target = layout.columns[index].target.map(newName)
        }
        return layout
    }

    func rowSteps(of model: ModelSchema) -> [RowStep] {
        migrations.flatMap(\.rowSteps).filter { $0.model == model.type }
    }

    // MARK: Notes: unsent changes and pending links

    private mutating func refuseUnsent() {
        for match in matches {
            guard let old = match.old else { continue }
            let removed = match.removed.map(\.name).filter { !isHandled($0, of: match, in: old) }
            guard !removed.isEmpty else { continue }
            plan.steps.append(.refuseUnsent(table: old.name, model: match.model.modelName, properties: removed))
        }
    }

    private func isHandled(_ property: String, of match: TableMatch, in old: DescribedTable) -> Bool {
        isDiscarded(property, of: match, in: old)
            || rowSteps(of: match.model).contains { $0.replaced.contains(property) }
    }

    private func isDiscarded(_ property: String, of match: TableMatch, in old: DescribedTable) -> Bool {
        let names = ["\(old.model).\(property)", "\(match.model.modelName).\(property)"]
        return migrations.contains { !$0.discarded.isDisjoint(with: names) }
    }

    private mutating func updateNotes() {
        var pending = RelationshipNotesUpdate()
        var shapes = WireShapesUpdate()
        for match in matches {
            let table = match.model.tableName
            let update = unsentUpdate(match)
            if !update.isEmpty { plan.steps.append(.updateUnsent(update)) }
            for (from, to) in match.renamed {
                if match.properties[to]?.target != nil { pending.renamed.append((table, from, to)) }
                shapes.renamed.append((table, from, to))
            }
            shapes.removed += match.removed.map { (table, $0.name) }
            shapes.removed += update.converted.keys.sorted().map { (table, $0) }
            pending.removed += match.removed.filter { $0.target != nil }.map { (table, $0.name) }
            if match.hasOtherIdentity { pending.lostTargets.append(table) }
        }
        let lost = plan.dropped + plan.emptied
        pending.lostSources = lost
        pending.lostTargets += lost
        shapes.lostTables = lost
        if !pending.isEmpty { plan.steps.append(.updateRelationshipNotes(pending)) }
        if !shapes.isEmpty { plan.steps.append(.updateShapes(shapes)) }
    }

    private func unsentUpdate(_ match: TableMatch) -> UnsentUpdate {
        var update = UnsentUpdate(table: match.model.tableName)
        update.hasSteps = !rowSteps(of: match.model).isEmpty
        for (from, to) in match.renamed { update.renamed[from] = to }
        update.removed = Set(match.removed.map(\.name))
        for property in match.model.properties {
            guard let old = match.properties[property.name] else { continue }
            if let list = property.list, unifiedTables.contains(list.target) { update.renamedMembers.insert(old.name) }
            if let conversion = ValueConversion(from: old, to: property) {
                update.converted[old.name] = conversion
            } else if (old.list == nil) != (property.list == nil) {
                update.converted[old.name] = .some(nil)
            }
        }
        return update
    }

    // MARK: Identities

    /// Adds tables whose identity has a link to a unified table.
    private mutating func unifyDependents() {
        var waiting = Array(unifiedTables)
        while let table = waiting.popLast() {
            for model in schema.models(identifiedBy: table) where unifiedTables.insert(model.table).inserted {
                waiting.append(model.table)
            }
        }
    }

    private mutating func dropIndexes() {
        for match in matches {
            guard let before = match.before else { continue }
            let after = match.after?.indexes ?? [:]
            let identity = unifiedTables.contains(match.model.table) ? "\(match.model.tableName)_identity" : nil
            for (name, statement) in before.indexes.sorted(by: { $0.key < $1.key })
            where after[name] != statement || name == identity {
                plan.steps.append(.dropIndex(name))
            }
        }
    }

    private mutating func addIndexes() {
        var dropped: Set<String> = []
        func noteIndexes(of table: String) {
            dropped.formUnion(oldLayout.tables[table]?.indexes.keys.map(\.self) ?? [])
        }
        for step in plan.steps {
            switch step {
            case .dropIndex(let name): dropped.insert(name)
            case .rebuild(let rebuild):
                let table = rebuild.model.tableName
                noteIndexes(of: tableNames.first { $0.value == table }?.key ?? table)
            case .dropTable(let name): noteIndexes(of: name)
            default: break
            }
        }
        let present = Set(oldLayout.tables.values.flatMap(\.indexes.keys)).subtracting(dropped)
        let wanted = newLayout.tables.filter { !$0.key.hasPrefix("_") }.values.flatMap(\.indexes)
        for (name, statement) in wanted.sorted(by: { $0.key < $1.key }) where !present.contains(name) {
            plan.steps.append(.addIndex(name, statement: statement))
        }
    }
}

// MARK: Columns

extension MigrationPlanner {
    private mutating func columnSteps(_ match: TableMatch) -> [MigrationStep] {
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
        else { return property.hasVaryingDefault ? .each(of: property) : .constant(property.defaultValue) }
        if let conversion = ValueConversion(from: old, to: property) { return .convert(oldColumn, conversion) }
        let value = property.defaultValue
        guard old.kind != nil, old.isOptional, !property.isOptional, !value.isNull else { return .copy(oldColumn) }
        return property.hasVaryingDefault ? .fillEach(oldColumn, of: property) : .fill(oldColumn, value)
    }

    /// The source of a column without a property. Positions follow their links.
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

    private func oldPosition(ofLink column: String, in table: String?) -> String? {
        old.flatMap(\.properties).lazy.compactMap { property -> String? in
            guard property.target == table, case .column(column, let position)? = property.list else { return nil }
            return position
        }.first
    }

    // MARK: Small changes

    /// Nil if the table must be rebuilt.
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
            case .convert, .each, .fillEach: return nil
            }
        }
        return used.count == before.columns.count ? renames + rest : nil
    }

    /// A column added with a default would give it to new rows, even after the model has lost it.
    private func canStay(_ old: ColumnLayout, as new: ColumnLayout, in match: TableMatch) -> Bool {
        guard old.isLike(new) else { return false }
        return !old.hasDefault || !(match.property(ofColumn: new.name)?.defaultValue.isNull ?? true)
    }

    private func canBeAdded(_ column: ColumnLayout, default value: StoredValue) -> Bool {
        guard !column.isRequired, !column.isKey, column.target == nil || value.isNull else { return false }
        return SQL.literal(value) != nil
    }
}

// MARK: Join tables

extension MigrationPlanner {
    /// Unchanged join tables keep their rows.
    private func joinSteps() -> [MigrationStep] {
        let kept = keptJoins
        var steps = oldJoins.filter { !kept.contains($0) }.map(MigrationStep.dropTable)
        for join in schema.joinTables where !kept.contains(join.name) {
            guard let layout = newLayout.tables[join.name] else { continue }
            steps.append(.addTable(join.name, statement: layout.statement))
        }
        return steps
    }

    private var keptJoins: Set<String> { Set(schema.joinTables.filter(isKept).map(\.name)) }

    /// The join tables of models that still exist.
    private var oldJoins: [String] {
        let retired = Set(plan.retired.map(\.name))
        let discarded = plan.dropped
        let lists = old.filter { !retired.contains($0.name) && !discarded.contains($0.name) }.flatMap(\.properties)
        // A join table defined by a retired model stays with it.
        let foreign = Set(
            plan.retired.flatMap(\.properties).compactMap { property -> String? in
                guard case .join(let name, isReversed: false, _)? = property.list else { return nil }
                return name
            })
        let names = Set(lists.compactMap(\.join)).subtracting(foreign).subtracting(discarded)
        return names.filter { oldLayout.tables[$0] != nil }.sorted()
    }

    /// Whether the file has the table for the same lists.
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
    private func membersToKeep() -> [KeptMembers] {
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
                        formerProperty: "\(table.model).\(old.name)", owner: match.model.tableName,
                        formerName: old.name, source: source, destination: destination,
                        isDiscarded: isDiscarded(old.name, of: match, in: table)))
            }
        }
        return members
    }

    /// Nil if the members stay.
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

// MARK: Matches

struct TableMatch: Sendable {
    let model: ModelSchema
    /// Nil for a new model, like ``before``.
    let old: DescribedTable?
    /// The old layout, with links to the new names of tables.
    var before: TableLayout?
    let after: TableLayout?
    /// The old properties, by the new Swift name.
    let properties: [String: DescribedProperty]

    var removed: [DescribedProperty] {
        let kept = Set(properties.values.map(\.name))
        return old?.properties.filter { !kept.contains($0.name) } ?? []
    }

    var renamed: [(from: String, to: String)] {
        model.properties.compactMap { property in
            properties[property.name].flatMap { $0.name == property.name ? nil : ($0.name, property.name) }
        }
    }

    var hasOtherIdentity: Bool {
        guard let old else { return false }
        return model.identityColumns.map { properties[model[$0.property].name]?.column } != old.identity
    }

    func property(ofColumn name: String) -> Property? {
        model.columns.first { $0.name == name }.map { model[$0.property] }
    }
}
