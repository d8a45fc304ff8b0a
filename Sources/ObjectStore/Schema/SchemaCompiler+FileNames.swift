import Conventions

// What a schema makes in a file has names, and SQLite compares them without regard to letter case: two that are equal
// would end in an error of SQL when the store opens, or in one trigger for two rules.

extension ModelSchema {
    var identityIndexName: String { "\(tableName)_identity" }

    /// The index of a link.
    func indexName(of column: Column) -> String { "\(tableName)_\(column.name)" }

    /// The links that have an index of their own, rather than begin the identity's.
    var indexedLinks: [Column] { columns.filter { $0.target != nil && identityColumns.first?.index != $0.index } }
}

extension JoinTable {
    /// The index of the members.
    var indexName: String { "\(name)_target" }
}

extension SchemaCompiler {
    /// Finds tables, indexes, columns and triggers that would have one name.
    mutating func checkFileNames(_ models: [ModelSchema]) {
        checkTableNames(models)
        for model in models { checkPositionColumns(of: model, among: models) }
        checkTriggerNames(models)
    }

    /// The column of an attribute: `ownerID` beside the link `owner`, whose column is `owner_id`, has one of another
    /// name.
    func columnName(ofAttribute name: String, beside description: ModelDescription) -> String {
        let isLink = description.properties.contains { property in
            guard case .toOne = property.kind else { return false }
            let link = AttributeMapping.columnName(forPropertyNamed: property.name).name + "_id"
            return link.lowercased() == name.lowercased()
        }
        return isLink ? name + "_value" : name
    }

    /// Something with a name in the file.
    private struct FileName {
        let name: String
        /// What it is, in words.
        let what: String
        var isTable = false
    }

    private mutating func checkTableNames(_ models: [ModelSchema]) {
        let names = models.flatMap(Self.names)
        for (name, same) in Dictionary(grouping: names, by: { $0.name.lowercased() }).sorted(by: { $0.key < $1.key }) {
            let tables = same.filter(\.isTable)
            if tables.count > 1 || !tables.isEmpty && (name.hasPrefix("sqlite_") || name.hasPrefix("_")) {
                problems.append("the table name \"\(name)\" is taken; name another with @Model(table:)")
            } else if same.count > 1 {
                let all = same.map(\.what).sorted().joined(separator: " and ")
                problems.append(
                    "\(all) would share the name \"\(name)\" in the file; name another table with @Model(table:)")
            }
        }
    }

    private static func names(of model: ModelSchema) -> [FileName] {
        var names = [FileName(name: model.tableName, what: "the table of \(model.modelName)", isTable: true)]
        if !model.identity.isEmpty {
            names.append(FileName(name: model.identityIndexName, what: "the index of \(model.modelName)'s identity"))
        }
        names += model.indexedLinks.map {
            FileName(name: model.indexName(of: $0), what: "the index of \(model.modelName).\(model[$0.property].name)")
        }
        for property in model.properties {
            guard let join = property.list?.joinTable else { continue }
            let list = "\(model.modelName).\(property.name)"
            names.append(FileName(name: join.name, what: "the table of \(list)", isTable: true))
            names.append(FileName(name: join.indexName, what: "the index of \(list)"))
        }
        return names
    }

    /// The columns beside links that keep the order of the lists which they are.
    private mutating func checkPositionColumns(of model: ModelSchema, among models: [ModelSchema]) {
        var lists: [String: String] = [:]
        for owner in models {
            for property in owner.properties {
                guard let list = property.list, list.target == model.table,
                    case .column(_, _, let position) = list.storage
                else { continue }
                let name = "\(owner.modelName).\(property.name)"
                if let other = lists.updateValue(name, forKey: position) {
                    problems.append(
                        "\(other) and \(name) have the same inverse, which makes one list of them; say `inverse: nil` in one "
                            + "of them")
                }
                guard let column = model.columns.first(where: { $0.name.lowercased() == position.lowercased() })
                else { continue }
                problems.append(
                    "\(model.modelName): \(model[column.property].name) would share the column \"\(column.name)\" with "
                        + "the order of \(name); rename it")
            }
        }
    }

    private mutating func checkTriggerNames(_ models: [ModelSchema]) {
        let rules = models.flatMap { model in
            model.properties.filter { $0.deleteRule != .nullify && hasTrigger($0, models) }.map {
                (name: "\(model.tableName)_\($0.name)", what: "\(model.modelName).\($0.name)")
            }
        }
        for (_, same) in Dictionary(grouping: rules, by: { $0.name.lowercased() }).sorted(by: { $0.key < $1.key })
        where same.count > 1 {
            let all = same.map(\.what).sorted().joined(separator: " and ")
            problems.append(
                "the triggers of the delete rules of \(all) would share a name; name another table with @Model(table:)")
        }
    }

    /// Whether no foreign key expresses the rule: see ``Schema/ruleTriggers``.
    private func hasTrigger(_ property: Property, _ models: [ModelSchema]) -> Bool {
        if case .join = property.list?.storage { return true }
        guard let link = property.link else { return false }
        return link.inverse.map { models[link.target.rawValue][$0].link == nil } ?? true
    }
}
