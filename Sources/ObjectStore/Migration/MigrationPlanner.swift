import Conventions

/// Compares what a file was made by with what the models declare now, and plans the way from one to the other. It reads and
/// writes nothing.
struct MigrationPlanner {
    let schema: Schema
    /// The tables that the file has, with what is known of the models that made them.
    let old: [DescribedTable]
    let oldLayout: FileLayout
    /// The tables that a new file would have.
    let newLayout: FileLayout
    let migrations: [Migration]

    private(set) var matches: [TableMatch] = []
    /// By the old names of tables that have others now.
    private var tableNames: [String: String] = [:]
    var plan = MigrationPlan()
    /// The links whose columns stay what they are, by table and column; a list that is their inverse does too.
    var keptColumns: Set<[String]> = []
    /// The tables in which rows may have one identity now.
    var unifiedTables: Set<TableID> = []

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
        refuseUnsent()
        for (from, to) in tableNames.sorted(by: { $0.key < $1.key }) { plan.steps.append(.renameTable(from, to: to)) }
        let tableSteps = matches.flatMap { columnSteps($0) }
        let joinSteps = joinSteps()
        unifyDependents()
        let keptMembers = membersToKeep()
        plan.steps += keptMembers.map(MigrationStep.keepMembers)
        dropIndexes()
        plan.steps += tableSteps + joinSteps
        plan.steps += keptMembers.map(MigrationStep.restoreMembers)
        updateNotes()
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
        plan.retired = old.filter { !taken.contains($0.name) && !discarded.contains($0.model) }
        for table in old where !taken.contains(table.name) && discarded.contains(table.model) {
            plan.steps += table.properties.compactMap(\.join).map(MigrationStep.dropTable)
            plan.steps.append(.dropTable(table.name))
        }
    }

    /// The old table that each model goes on from: the one of its name, or of an earlier one.
    private mutating func matchNames() -> [TableID: DescribedTable] {
        let names = Set(schema.roots.map(\.tableName))
        var olds: [TableID: DescribedTable] = [:]
        for model in schema.roots { olds[model.table] = old.first { $0.name == model.tableName } }
        var taken = Set(olds.values.map(\.name))
        for model in schema.roots where olds[model.table] == nil {
            let renamed = old.first { candidate in
                !names.contains(candidate.name) && !taken.contains(candidate.name)
                    && (model.renamedFrom == candidate.model || model.earlierTableName == candidate.name)
            }
            guard let renamed else { continue }
            olds[model.table] = renamed
            taken.insert(renamed.name)
            tableNames[renamed.name] = model.tableName
        }
        return olds
    }

    /// By a property's Swift name, the old one that it goes on from.
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
        // A declared rename goes before what merely has the name now.
        for property in model.properties where old.property(named: property.name) == nil {
            if let name = property.renamedFrom { match(property, with: name) }
        }
        for property in model.properties { match(property, with: property.name) }
        // A name may have changed in Swift alone, when both give one column.
        for property in model.properties where matched[property.name] == nil {
            guard let column = model.column(of: property.index)?.name,
                let same = old.properties.first(where: { $0.column == column })
            else { continue }
            match(property, with: same.name)
        }
        return matched
    }

    /// Tables that this library did not make.
    private mutating func checkForeignTables() {
        let known = Set(old.map(\.name) + old.flatMap { $0.properties.compactMap(\.join) })
        for name in newLayout.tables.keys.sorted() where !name.hasPrefix("_") {
            guard oldLayout.tables[name] != nil, !known.contains(name) else { continue }
            plan.problems.append("its table \"\(name)\" was not made by this library")
        }
    }

    /// The name that an old table has now.
    func newName(of table: String) -> String { tableNames[table] ?? table }

    /// The layout of an old table, its links referencing the tables by their new names.
    func layout(of name: String) -> TableLayout? {
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

    /// Whether a step in code takes an old property over, or discards it.
    private func isHandled(_ property: String, of match: TableMatch, in old: DescribedTable) -> Bool {
        let names = ["\(old.model).\(property)", "\(match.model.modelName).\(property)"]
        return migrations.contains { !$0.discarded.isDisjoint(with: names) }
            || rowSteps(of: match.model).contains { $0.replaced.contains(property) }
    }

    private mutating func updateNotes() {
        var pending = PendingLinksUpdate()
        for match in matches {
            let table = match.model.tableName
            let update = unsentUpdate(match)
            if !update.isEmpty { plan.steps.append(.updateUnsent(update)) }
            for (from, to) in match.renamed where match.properties[to]?.target != nil {
                pending.renamed.append((table, from, to))
            }
            pending.removed += match.removed.filter { $0.target != nil }.map { (table, $0.name) }
            if match.hasOtherIdentity { pending.lostTargets.append(table) }
        }
        pending.lostSources = plan.dropped
        pending.lostTargets += plan.dropped
        if !pending.isEmpty { plan.steps.append(.updatePendingLinks(pending)) }
    }

    private func unsentUpdate(_ match: TableMatch) -> UnsentUpdate {
        var update = UnsentUpdate(table: match.model.tableName)
        for (from, to) in match.renamed { update.renamed[from] = to }
        update.removed = Set(match.removed.map(\.name))
        for property in match.model.properties {
            guard let old = match.properties[property.name] else { continue }
            if let conversion = ValueConversion(from: old, to: property) {
                update.converted[old.name] = conversion
            } else if (old.list == nil) != (property.list == nil) {
                update.converted[old.name] = .some(nil)
            }
        }
        return update
    }

    // MARK: Identities

    /// Rows whose identity includes a link to what may become one may be the same then.
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

/// A model with the table in the file that it goes on from.
struct TableMatch: Sendable {
    let model: ModelSchema
    /// `nil` for a model that the file does not know, as ``before``.
    let old: DescribedTable?
    /// The table as the file has it, but that its links name the tables that they reference by their new names.
    let before: TableLayout?
    /// The table as a new file would have it.
    let after: TableLayout?
    /// By the property's Swift name, what it goes on from.
    let properties: [String: DescribedProperty]

    /// The old properties that nothing goes on from.
    var removed: [DescribedProperty] {
        let kept = Set(properties.values.map(\.name))
        return old?.properties.filter { !kept.contains($0.name) } ?? []
    }

    /// The old names of properties that have others now.
    var renamed: [(from: String, to: String)] {
        model.properties.compactMap { property in
            properties[property.name].flatMap { $0.name == property.name ? nil : ($0.name, property.name) }
        }
    }

    /// Whether rows are named by something else than before.
    var hasOtherIdentity: Bool {
        guard let old else { return false }
        return model.identityColumns.map { properties[model[$0.property].name]?.column } != old.identity
    }

    /// The property that a column keeps.
    func property(ofColumn name: String) -> Property? {
        model.columns.first { $0.name == name }.map { model[$0.property] }
    }
}

extension Schema {
    /// The models whose identity includes a link to a table's rows.
    func models(identifiedBy table: TableID) -> [ModelSchema] {
        roots.filter { model in model.identity.contains { model[$0].link?.target == table } }
    }
}
