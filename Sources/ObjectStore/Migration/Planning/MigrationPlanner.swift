import Conventions

/// Compares what a file was made by with what the models say now, and plans the way from one to the other. It reads and
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
    private(set) var tableNames: [String: String] = [:]
    var plan = MigrationPlan()
    /// The links whose columns stay what they are, by table and column; a list that is their inverse does too.
    var keptColumns: Set<[String]> = []
    var unitedTables: Set<Int> = []
    private(set) var keptMembers: [KeptMembers] = []

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
        uniteDependents()
        keptMembers = membersToKeep()
        plan.steps += keptMembers.map(MigrationStep.keepMembers)
        dropIndexes()
        plan.steps += tableSteps + joinSteps
        plan.steps += keptMembers.map(MigrationStep.restoreMembers)
        noteRemovals()
        if !unitedTables.isEmpty { plan.steps.append(.unite(tables: unitedTables.sorted())) }
        addIndexes()
        return plan
    }

    // MARK: Tables

    private mutating func matchTables() {
        let tables = schema.modelTables
        let names = Set(tables.map(\.name))
        var taken: Set<String> = []
        var olds: [String: DescribedTable] = [:]
        for table in tables {
            guard let same = old.first(where: { $0.name == table.name }) else { continue }
            olds[table.name] = same
            taken.insert(same.name)
        }
        for table in tables where olds[table.name] == nil {
            let renamed = old.first { candidate in
                !names.contains(candidate.name) && !taken.contains(candidate.name)
                    && (table.renamedFrom.contains(candidate.model)
                        || table.earlierTableNames.contains(candidate.name))
            }
            guard let renamed else { continue }
            olds[table.name] = renamed
            taken.insert(renamed.name)
            tableNames[renamed.name] = table.name
        }
        matches = tables.map { TableMatch($0, old: olds[$0.name], tableNames, schema) }
        let discarded = migrations.reduce(into: Set<String>()) { $0.formUnion($1.discarded) }
        plan.retired = old.filter { !taken.contains($0.name) && !discarded.contains($0.model) }
        for table in old where !taken.contains(table.name) && discarded.contains(table.model) {
            for list in table.properties { if let join = list.join { plan.steps.append(.dropTable(join)) } }
            plan.steps.append(.dropTable(table.name))
        }
    }

    /// Tables that this library did not make.
    private mutating func checkForeignTables() {
        let known = Set(old.map(\.name) + old.flatMap { $0.properties.compactMap(\.join) })
        for name in newLayout.tables.keys.sorted() where !name.hasPrefix("_") {
            guard oldLayout.tables[name] != nil, !known.contains(name) else { continue }
            plan.problems.append("its table \"\(name)\" was not made by this library")
        }
    }

    /// The layout of an old table, its links leading to the tables' new names.
    func layout(of name: String) -> TableLayout? {
        guard var layout = oldLayout.tables[name] else { return nil }
        for index in layout.columns.indices {
            layout.columns[index].target = layout.columns[index].target.map { tableNames[$0] ?? $0 }
        }
        return layout
    }

    // MARK: What waits

    private mutating func refuseUnsent() {
        for match in matches {
            let removed = match.removed.map(\.name).filter { !isHandled($0, of: match) }
            guard let old = match.old, !removed.isEmpty else { continue }
            plan.steps.append(.refuseUnsent(table: old.name, model: match.table.modelName, properties: removed))
        }
    }

    private func isHandled(_ property: String, of match: TableMatch) -> Bool {
        migrations.contains { migration in
            migration.discarded.contains("\(match.old?.model ?? "").\(property)")
                || migration.discarded.contains("\(match.table.modelName).\(property)")
                || migration.rowSteps.contains { step in
                    step.replaced.contains(property) && match.table.models.contains { $0.type == step.model }
                }
        }
    }

    private mutating func noteRemovals() {
        var pending = PendingLinksUpdate()
        for match in matches {
            let update = unsentUpdate(match)
            if !update.isEmpty { plan.steps.append(.updateUnsent(update)) }
            for (from, to) in match.renamed where isRelationship(to, match) {
                pending.renamed.append((match.table.name, from, to))
            }
            pending.removed += match.removed.filter { $0.target != nil }.map { (match.table.name, $0.name) }
            if match.old != nil, hasOtherIdentity(match) { pending.lostTargets.append(match.table.name) }
        }
        let gone = plan.steps.compactMap { if case .dropTable(let name) = $0 { name } else { nil } }
        pending.lostSources = gone
        pending.lostTargets += gone
        if !pending.isEmpty { plan.steps.append(.updatePendingLinks(pending)) }
    }

    private func isRelationship(_ name: String, _ match: TableMatch) -> Bool {
        match.properties[name]?.target != nil
    }

    private func unsentUpdate(_ match: TableMatch) -> UnsentUpdate {
        var update = UnsentUpdate(table: match.table.name)
        for (from, to) in match.renamed { update.renamed[from] = to }
        update.removed = Set(match.removed.map(\.name))
        for (_, property) in match.table.properties {
            guard let old = match.properties[property.name] else { continue }
            if let conversion = ValueConversion(from: old, to: property) {
                update.converted[old.name] = conversion
            } else if (old.list == nil) != (property.list == nil) {
                update.converted[old.name] = .some(nil)
            }
        }
        return update
    }

    /// Whether rows are named by something else than before.
    func hasOtherIdentity(_ match: TableMatch) -> Bool {
        guard let old = match.old else { return false }
        let before = match.table.identity.map { column in
            match.table.properties.first { entry in
                entry.property.column.map { entry.owner.columns[$0].name } == column
            }.flatMap { match.properties[$0.property.name]?.column }
        }
        return before != old.identity
    }

    /// Rows whose identity includes a link to what may become one may be the same then.
    private mutating func uniteDependents() {
        var waiting = Array(unitedTables)
        while let index = waiting.popLast() {
            for table in schema.tables
            where table.identity.contains(where: { table.properties[$0].link?.target == index }) {
                if unitedTables.insert(table.index).inserted { waiting.append(table.index) }
            }
        }
    }

    // MARK: Indexes

    private mutating func dropIndexes() {
        for match in matches {
            guard let old = match.old, let before = oldLayout.tables[old.name] else { continue }
            let after = newLayout.tables[match.table.name]?.indexes ?? [:]
            let isUnited = unitedTables.contains { schema.tables[$0].name == match.table.name }
            for (name, statement) in before.indexes.sorted(by: { $0.key < $1.key })
            where after[name] != statement || (isUnited && name == "\(match.table.name)_identity") {
                plan.steps.append(.dropIndex(name))
            }
        }
    }

    private mutating func addIndexes() {
        var dropped: Set<String> = []
        for step in plan.steps {
            switch step {
            case .dropIndex(let name): dropped.insert(name)
            case .rebuild(let rebuild):
                let old = tableNames.first { $0.value == rebuild.table }?.key ?? rebuild.table
                dropped.formUnion(oldLayout.tables[old]?.indexes.keys.map(\.self) ?? [])
            case .dropTable(let name): dropped.formUnion(oldLayout.tables[name]?.indexes.keys.map(\.self) ?? [])
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

extension DescribedProperty {
    var join: String? { if case .join(let name, _, _)? = list { name } else { nil } }
}
