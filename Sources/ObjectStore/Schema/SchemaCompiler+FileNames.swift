import Conventions

// SQLite ignores letter case. Equal names would fail when the store opens, or make one trigger of two rules.

extension ModelSchema {
    var identityIndexName: String { "\(tableName)_identity" }

    func indexName(of column: Column) -> String { "\(tableName)_\(column.name)" }

    /// A link that begins the identity uses the identity's index.
    var indexedLinks: [Column] { columns.filter { $0.target != nil && identityColumns.first?.index != $0.index } }
}

extension JoinTable {
    var indexName: String { "\(name)_target" }
}

extension SchemaCompiler {
    mutating func checkFileNames(_ models: [ModelSchema]) {
        checkTableNames(models)
        for model in models { checkPositionColumns(of: model, among: models) }
        checkTriggerNames(models)
    }

    /// `ownerID` next to the link `owner` gets another name than `owner_id`.
    func columnName(ofAttribute name: String, beside description: ModelDescription) -> String {
        let isLink = description.properties.contains { property in
            guard case .toOne = property.kind else { return false }
            let link = AttributeMapping.columnName(forPropertyNamed: property.name).name + "_id"
            return link.lowercased() == name.lowercased()
        }
        return isLink ? name + "_value" : name
    }

    private struct FileName {
        let name: String
        /// The object's name in messages.
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

    /// Position columns order lists of links.
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

    /// Foreign keys express the other rules; see ``Schema/ruleTriggers``.
    private func hasTrigger(_ property: Property, _ models: [ModelSchema]) -> Bool {
        if case .join = property.list?.storage { return true }
        guard let link = property.link else { return false }
        return link.inverse.map { models[link.target.rawValue][$0].link == nil } ?? true
    }
}
