// Classes that moved to another table, have another discriminator, or gained or lost an identity. Their pending edits
// would be sent as another class, or stay.

extension MigrationPlanner {
    func unsentClasses() -> [UnsentClass] {
        let discarded = migrations.reduce(into: Set<String>()) { $0.formUnion($1.discarded) }
        let tables = matches.compactMap(\.old) + plan.retired
        return (matches.flatMap(unsentClasses) + plan.retired.flatMap(unsentClasses)).map { unsent in
            var unsent = unsent
            unsent.isDiscarded = discarded.contains(unsent.model)
            unsent.lists = tables.first { $0.name == unsent.table }?.joinedLists ?? []
            return unsent
        }
    }

    /// Classes in a table that still has a model.
    private func unsentClasses(_ match: TableMatch) -> [UnsentClass] {
        guard let old = match.old else { return [] }
        var classes: [UnsentClass] = []
        if old.identity.isEmpty != match.model.isEmbedded {
            classes.append(
                UnsentClass(
                    model: old.model, change: match.model.isEmbedded ? "is embedded now" : "is not embedded any more",
                    table: old.name, newTable: match.model.tableName))
        }
        guard let family = old.family, let column = old.property(named: family.discriminator)?.column else {
            return classes
        }
        let keepsValues = keepsDiscriminator(match)
        for submodel in family.submodels {
            let staying = rows(of: submodel.model, in: match.model)
            if let staying, keepsValues, Set(submodel.values).isSubset(of: staying.values) { continue }
            let change =
                staying.map { "is told by other values of \(match.model.modelName)'s \"\($0.column)\" now" }
                ?? "does not inherit from \(match.model.modelName) any more"
            classes.append(
                UnsentClass(
                    model: submodel.model, change: change, table: old.name, newTable: match.model.tableName,
                    rows: UnsentClass.Rows(column: column, values: submodel.values), staying: staying))
        }
        return classes
    }

    /// The rows of a submodel, by its name now or before, in the family of `model`.
    private func rows(of name: String, in model: ModelSchema) -> UnsentClass.Rows? {
        guard let family = model.family,
            let heir = model.submodels.first(where: { $0.modelName == name })
                ?? model.submodels.first(where: { $0.renamedFrom == name })
        else { return nil }
        return UnsentClass.Rows(column: model[family.column].name, values: family.texts(of: heir.submodel))
    }

    /// Whether each row keeps its discriminator in the same column.
    private func keepsDiscriminator(_ match: TableMatch) -> Bool {
        guard let family = match.model.family, let old = match.old?.family, rowSteps(of: match.model).isEmpty,
            let same = match.properties[match.model[family.discriminator].name]
        else { return false }
        return same.name == old.discriminator
            && ValueConversion(from: same, to: match.model[family.discriminator]) == nil
    }

    /// Classes that still exist, but lost this table. Its rows become invisible.
    private func unsentClasses(_ retired: DescribedTable) -> [UnsentClass] {
        let submodels = retired.family?.submodels ?? []
        let column = retired.family.flatMap { retired.property(named: $0.discriminator)?.column }
        let root = column.map { column in
            UnsentClass.Rows(column: column, values: submodels.flatMap(\.values), isOthers: true)
        }
        let classes =
            [(model: retired.model, rows: root)]
            + submodels.map { submodel in
                (submodel.model, column.map { UnsentClass.Rows(column: $0, values: submodel.values) })
            }
        return classes.compactMap { name, rows in
            let heir =
                schema.models.first { $0.modelName == name } ?? schema.models.first { $0.renamedFrom == name }
            // A model with a table of its own is another model than the one that had this table.
            guard let heir, name != retired.model || !heir.submodel.isRoot else { return nil }
            let change =
                heir.submodel.isRoot
                ? "is a model of its own now" : "inherits from \(schema[heir.table].modelName) now"
            return UnsentClass(
                model: name, change: change, table: retired.name, newTable: retired.name, rows: rows)
        }
    }
}

extension DescribedTable {
    fileprivate var joinedLists: [UnsentClass.JoinedList] {
        properties.compactMap { property in
            guard case .join(let join, let isReversed, _)? = property.list else { return nil }
            return UnsentClass.JoinedList(property: property.name, join: join, isReversed: isReversed)
        }
    }
}
