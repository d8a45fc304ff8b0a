import Conventions

/// The `type`s of JSON:API resources: what each model's is, and whose each is.
///
/// A model's is declared, or else the last segment of its base URL (JSON:API recommends that the two agree), or else its
/// plural. A type that comes in belongs to the model whose it is; one that no model has is found by the models' base URLs and
/// names, singular or plural, in any letter case, but not among the models that declare theirs.
package struct ResourceTypes: Sendable {
    /// By the table's index.
    private var names: [String] = []
    private var exact: [String: Int] = [:]
    private var loose: [String: Int] = [:]

    init() {}

    init(_ tables: [ModelSchema], _ mapping: AttributeMapping, _ problems: inout [String]) {
        var ambiguous: Set<String> = []
        for table in tables {
            let plural = mapping.listName(forModelNamed: table.modelName).name
            let name = table.options.resourceType ?? table.baseURL?.collectionName ?? plural
            names.append(name)
            if let other = exact.updateValue(table.index, forKey: name) {
                problems.append(
                    "\(tables[other].modelName) and \(table.modelName) are both resources of type \"\(name)\"; name another "
                        + "with @Model(resourceType:)")
            }
            guard table.options.resourceType == nil else { continue }
            for key in Set([name, plural, table.modelName].map(InboundNames.looseKey)) {
                if loose.updateValue(table.index, forKey: key) != nil { ambiguous.insert(key) }
            }
        }
        loose = loose.filter { !ambiguous.contains($0.key) }
        for table in tables { addSubmodels(of: table) }
    }

    /// Where the `type` tells the models of a family apart, what stands for each is a type of their table.
    private mutating func addSubmodels(of table: ModelSchema) {
        guard let family = table.family, table.properties[family.discriminator].documentPath == ["type"] else { return }
        for case .text(let value) in family.values.flatMap(\.self) where exact[value] == nil {
            exact[value] = table.index
        }
    }

    /// The `type` of a table's objects.
    package func type(of table: Int) -> String { names.indices.contains(table) ? names[table] : "" }

    /// The `type` of a model's objects.
    package func type(of table: ModelSchema) -> String {
        guard let family = table.family, table.properties[family.discriminator].documentPath == ["type"],
            case .text(let value)? = family.values[table.number].first
        else { return type(of: table.index) }
        return value
    }

    /// The table of the objects of a `type`; `nil` for one that no model has.
    package func table(of type: String) -> Int? {
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
    static func resourceProblems(_ tables: [ModelSchema]) -> [String] {
        tables.filter { table in
            !table.identity.isEmpty
                && table.identity.map { table.properties[$0].documentPath } != [["id"]]
        }
        .map { table in
            let names = table.identity.map { table.properties[$0].name }.joined(separator: ", ")
            return "\(table.modelName)'s identity is \(names), but JSON:API names resources by \"id\""
        }
    }
}
