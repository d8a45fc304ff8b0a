import Conventions

/// The `type`s of JSON:API resources.
///
/// A model's type is declared, else the last segment of its base URL, else its plural. A received type selects the
/// model with exactly this type. Otherwise it is compared with URLs and names, singular or plural in any case, of
/// models without a declared type.
package struct ResourceTypes: Sendable {
    private var names: [TableID: String] = [:]
    private var exact: [String: TableID] = [:]
    private var loose: [String: TableID] = [:]

    init() {}

    /// - Parameter targets: models of other APIs. Documents have only linkage to their objects.
    init(
        _ models: [ModelSchema], linkedTo targets: [ModelSchema] = [], mapping: AttributeMapping,
        problems: inout [String]
    ) {
        var ambiguous: Set<String> = []
        let all = models + targets
        for model in all {
            let plural = mapping.listName(forModelNamed: model.modelName).name
            let name = model.options.resourceType ?? model.baseURL?.collectionName ?? plural
            names[model.table] = name
            // The relationship tells another API's object, so both APIs may use one type.
            guard !targets.contains(where: { $0.table == model.table }) else {
                if exact[name] == nil { exact[name] = model.table }
                continue
            }
            if let other = exact.updateValue(model.table, forKey: name) {
                problems.append(
                    "\(all.first { $0.table == other }?.modelName ?? "") and \(model.modelName) are both resources of type \"\(name)\"; "
                        + "name another with @Model(resourceType:)")
            }
            guard model.options.resourceType == nil else { continue }
            for key in Set([name, plural, model.modelName].map(InboundNames.looseKey))
            where loose.updateValue(model.table, forKey: key) != nil {
                ambiguous.insert(key)
            }
        }
        loose = loose.filter { !ambiguous.contains($0.key) }
        for model in all { addSubmodels(of: model) }
    }

    /// Values of the discriminator `type` are types, too.
    private mutating func addSubmodels(of model: ModelSchema) {
        guard let family = model.family, model[family.discriminator].documentPath == ["type"] else { return }
        for case .text(let value) in family.allValues where exact[value] == nil {
            exact[value] = model.table
        }
    }

    package func type(of table: TableID) -> String { names[table] ?? "" }

    package func type(of model: ModelSchema) -> String {
        guard let family = model.family, model[family.discriminator].documentPath == ["type"],
            case .text(let value)? = family.values(of: model.submodel).first
        else { return type(of: model.table) }
        return value
    }

    /// Nil for an unknown type.
    package func table(of type: String) -> TableID? {
        exact[type] ?? (loose.isEmpty ? nil : loose[InboundNames.looseKey(for: type)])
    }
}

extension Property {
    /// See JSON:API 1.1, "Resource Objects". Key paths in `links` or `meta` belong to the resource itself.
    var pathInResource: [String] {
        guard link == nil, list == nil, choice == nil else { return ["relationships"] + jsonPath + ["data"] }
        if jsonPath == ["id"] || jsonPath == ["type"] { return jsonPath }
        if jsonPath.count > 1, ["links", "meta"].contains(jsonPath[0]) { return jsonPath }
        return ["attributes"] + jsonPath
    }
}

extension SchemaCompiler {
    static func resourceProblems(_ models: [ModelSchema]) -> [String] {
        models.filter { model in
            !model.identity.isEmpty
                && model.identity.map { model[$0].documentPath } != [["id"]]
        }
        .map { model in
            let names = model.identity.map { model[$0].name }.joined(separator: ", ")
            return "\(model.modelName)'s identity is \(names), but JSON:API names resources by \"id\""
        }
    }
}
