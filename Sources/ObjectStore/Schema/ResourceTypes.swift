import Conventions

/// The `type`s of JSON:API resources: what each model's is, and whose each is.
///
/// A model's is declared, or else the last segment of its base URL (JSON:API recommends that the two agree), or else
/// its plural. A type that comes in belongs to the model whose it is; one that no model has is found by the models'
/// base URLs and names, singular or plural, in any letter case, but not among the models that declare theirs.
package struct ResourceTypes: Sendable {
    private var names: [TableID: String] = [:]
    private var exact: [String: TableID] = [:]
    private var loose: [String: TableID] = [:]

    init() {}

    /// - Parameters:
    ///   - models: the models whose objects come in the documents.
    ///   - targets: those of other APIs that these lead to: they stand in the documents as linkage alone.
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
            // Linkage to another API's object is told by what it should be, so its type may be one of this API's, too.
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

    /// Where the `type` tells the models of a family apart, what stands for each is a type of their table.
    private mutating func addSubmodels(of model: ModelSchema) {
        guard let family = model.family, model[family.discriminator].documentPath == ["type"] else { return }
        for case .text(let value) in family.allValues where exact[value] == nil {
            exact[value] = model.table
        }
    }

    /// The `type` of a table's objects.
    package func type(of table: TableID) -> String { names[table] ?? "" }

    /// The `type` of a model's objects.
    package func type(of model: ModelSchema) -> String {
        guard let family = model.family, model[family.discriminator].documentPath == ["type"],
            case .text(let value)? = family.values(of: model.submodel).first
        else { return type(of: model.table) }
        return value
    }

    /// The table of the objects of a `type`; `nil` for one that no model has.
    package func table(of type: String) -> TableID? {
        exact[type] ?? (loose.isEmpty ? nil : loose[InboundNames.looseKey(for: type)])
    }
}

extension Property {
    /// Where the property stands in a resource object of JSON:API 1.1 ("Resource Objects").
    ///
    /// A key path that begins with `links` or `meta` is the resource's own, not an attribute's.
    var pathInResource: [String] {
        guard link == nil, list == nil else { return ["relationships"] + jsonPath + ["data"] }
        if jsonPath == ["id"] || jsonPath == ["type"] { return jsonPath }
        if jsonPath.count > 1, ["links", "meta"].contains(jsonPath[0]) { return jsonPath }
        return ["attributes"] + jsonPath
    }
}

extension SchemaCompiler {
    /// What JSON:API asks of models.
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
