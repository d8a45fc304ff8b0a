package import Conventions

/// Makes the schema of the models' descriptions: names, tables, links, inverses. It collects every problem before it says
/// any, so that they are mended together.
struct SchemaCompiler {
    let families: [ModelFamily]
    let descriptions: [ModelDescription]
    /// By class: its table, and its number among the models of that.
    private let places: [ObjectIdentifier: (table: Int, number: Int)]
    private let style: SchemaStyle
    private let mapping: AttributeMapping
    var problems: [String] = []
    private var listNumber = 0

    init(_ models: [any Model.Type], _ style: SchemaStyle) {
        var seen: Set<ObjectIdentifier> = []
        let all = models.filter { seen.insert(ObjectIdentifier($0)).inserted }.map { $0.modelDescription }
        families = ModelFamily.families(of: all, &problems)
        descriptions = families.map(\.description)
        places = Dictionary(
            uniqueKeysWithValues: families.enumerated().flatMap { table, family in
                family.classes.enumerated().map { (ObjectIdentifier($1.type), (table, $0)) }
            })
        self.style = style
        self.mapping = AttributeMapping(style.names)
    }

    mutating func compile() throws(StoreError) -> Schema {
        if let problem = style.values.dates.problem { problems.append("the API's date format is no use: \(problem)") }
        let tables = descriptions.indices.map { compile($0) }
        checkTableNames(tables)
        for table in tables where table.isEmbedded { checkEmbedding(of: table, tables) }
        var resources = ResourceTypes()
        if style.document == .jsonAPI {
            resources = ResourceTypes(tables, mapping, &problems)
            problems += Self.resourceProblems(tables)
        }
        guard problems.isEmpty else { throw .models(problems) }
        return Schema(tables: tables, style: style, resources: resources)
    }

    func index(of type: any Model.Type) -> Int? { places[ObjectIdentifier(type)]?.table }

    func number(of type: any Model.Type) -> Int { places[ObjectIdentifier(type)]?.number ?? 0 }

    static func tableName(of description: ModelDescription) -> String {
        description.options.table ?? AttributeMapping.tableName(forModelNamed: description.name).name
    }

    // MARK: One model

    private mutating func compile(_ index: Int) -> ModelSchema {
        let description = descriptions[index]
        let family = families[index]
        let names = family.classes.indices.map { attributeNames(of: $0, in: family) }
        var columns: [Column] = []
        let properties = description.properties.map { property in
            var property = compile(
                property, of: index, names: names[family.declarers[property.index][0]], &columns)
            if style.document == .jsonAPI, !description.options.embedded {
                let isEmbedded = leadsToEmbedded(description.properties[property.index])
                property.resourcePath = isEmbedded ? ["attributes"] + property.jsonPath : property.pathInResource
            }
            return property
        }
        checkColumnNames(columns, of: description)
        let own = Array(properties.prefix(family.ownCount))
        let compiled = self.family(family, own, columns)
        let table = ModelSchema(
            index: index, description: description, name: Self.tableName(of: description), properties: properties,
            declared: own, columns: columns, identity: identity(of: description, own), key: key(of: description, own),
            baseURL: baseURL(of: description), names: names[0],
            identityKeys: identityKeys(of: family.properties(of: 0), names[0]), family: compiled)
        guard compiled != nil else { return table }
        return ModelSchema(
            table, description,
            with: family.submodels.indices.map { submodel($0 + 1, of: family, table, names[$0 + 1]) })
    }

    /// `nil` for names that collide, which is a problem of its own.
    private mutating func attributeNames(of number: Int, in family: ModelFamily) -> AttributeNames? {
        let properties = family.properties(of: number)
        let declared = properties.map { DeclaredName($0.name, keyPath: $0.jsonName) }
        for property in properties where property.isRoot {
            problems.append(
                "\(family.classes[number].name).\(property.name) is to be the whole body (.root), which is for @ResponseBody "
                    + "types")
        }
        do {
            return try AttributeNames(
                of: family.classes[number].name, declared, numbered: properties.map(\.index), mapping: mapping)
        } catch {
            problems.append("\(error)")
            return nil
        }
    }

    private mutating func compile(
        _ property: PropertyDescription, of index: Int, names: AttributeNames?, _ columns: inout [Column]
    ) -> Property {
        let path = names?[property.index].path ?? [property.name]
        let name = AttributeMapping.columnName(forPropertyNamed: property.name).name
        switch property.kind {
        case .attribute(let kind, let value, let options):
            columns.append(
                Column(name: name, type: kind.columnType, property: property.index, target: nil))
            return Property(
                index: property.index, name: property.name, jsonPath: path,
                kind: .attribute(kind, default: value, options: options), isOptional: property.isOptional,
                format: wireFormat(of: property, kind, options, in: descriptions[index]), column: columns.count - 1)
        case .toOne(let type, let options):
            let target = target(type, of: property, index)
            let inverse = inverse(of: property, options.inverse, index)
            columns.append(
                Column(
                    name: name + "_id", type: .integer, property: property.index, target: target,
                    onTargetDeleted: inverse.flatMap { rule(of: descriptions[target].properties[$0]) } ?? .nullify))
            let link = Link(
                target: target, submodel: number(of: type), inverse: inverse,
                options: self.options(options.resolved(by: style.relationships), leadingTo: target))
            return Property(
                index: property.index, name: property.name, jsonPath: path, kind: .toOne(link),
                column: columns.count - 1)
        case .toMany(let type, let options):
            let target = target(type, of: property, index)
            let inverse = inverse(of: property, options.inverse, index)
            let storage = storage(of: property, index, target, inverse)
            let sending = if case .column = storage { style.inverseLists } else { style.relationships }
            let list = List(
                number: listNumber, target: target, submodel: number(of: type), inverse: inverse, storage: storage,
                options: self.options(options.resolved(by: sending), leadingTo: target))
            listNumber += 1
            return Property(
                index: property.index, name: property.name, jsonPath: path, kind: .toMany(list), column: nil)
        }
    }

    private mutating func wireFormat(
        of property: PropertyDescription, _ kind: AttributeKind, _ options: AttributeOptions,
        in description: ModelDescription
    ) -> WireFormat {
        let (format, found) = WireFormat.compile(property, kind, options, style.values)
        problems += found.map { "\(description.name).\(property.name) \($0)" }
        return format
    }

    private mutating func target(_ type: any Model.Type, of property: PropertyDescription, _ index: Int) -> Int {
        if let target = self.index(of: type) { return target }
        problems.append(
            "\(name(of: property, index)) leads to \(type), which is not among the store's models")
        return index
    }

    // MARK: Identity, key and URL

    /// By declaration, else the property `identifier` or `id`.
    private mutating func identity(of description: ModelDescription, _ properties: [Property]) -> [Int] {
        let declared = description.options.identity
        if description.options.embedded { return [] }
        if declared.isEmpty {
            let found = ["identifier", "id"].compactMap { name in properties.first { $0.name == name } }.first
            if found == nil {
                problems.append("\(description.name) has no identity: name one with @Model(identity:)")
            }
            return found.map { [$0.index] } ?? []
        }
        return declared.compactMap { name in
            guard let property = properties.first(where: { $0.name == name }), property.column != nil else {
                problems.append(missing(name, "identity", description))
                return nil
            }
            return property.index
        }
    }

    mutating func key(of description: ModelDescription, _ properties: [Property]) -> Int? {
        guard let name = description.options.key else {
            // The last part of a composite identity is the one that differs below one base.
            let name = description.options.identity.last
            return properties.first { property in
                name.map { property.name == $0 } ?? ["identifier", "id"].contains(property.name)
            }?.index
        }
        guard let property = properties.first(where: { $0.name == name }), property.list == nil else {
            problems.append(missing(name, "key", description))
            return nil
        }
        return property.index
    }

    func missing(_ name: String, _ use: String, _ description: ModelDescription) -> String {
        let near = nearestName(to: name, among: description.properties.map(\.name))
        return "\(description.name) names \"\(name)\" as its \(use), which is no attribute or to-one relationship of it"
            + (near.map { "; did you mean \"\($0)\"?" } ?? "")
    }

    mutating func baseURL(of description: ModelDescription) -> RouteTemplate? {
        guard let text = description.options.baseURL else { return nil }
        do {
            return try RouteTemplate(text)
        } catch {
            problems.append("\(description.name)'s base URL: \(error)")
            return nil
        }
    }

    /// The JSON keys, or key paths with dots, that hold identities of what a relationship leads to, where no property has that
    /// name itself.
    func identityKeys(of properties: [PropertyDescription], _ names: AttributeNames?) -> [String: Int] {
        var keys: [String: Int] = [:]
        for property in properties {
            let explicit = property.jsonName
            if leadsToEmbedded(property) { continue }
            switch property.kind {
            case .attribute: continue
            case .toOne: keys[mapping.foreignKeyName(for: property.name, explicitName: explicit).name] = property.index
            case .toMany:
                keys[mapping.identifierListName(for: property.name, explicitName: explicit).name] = property.index
            }
        }
        return keys.filter { key, _ in
            let path = key.split(separator: ".").map(String.init)
            return names?.inbound.match(key) == nil && names?.inbound.match(path: path) == nil
        }
    }

    // MARK: Checks

    private mutating func checkColumnNames(_ columns: [Column], of description: ModelDescription) {
        if columns.count > ColumnMask.limit {
            problems.append(
                "\(description.name) has \(columns.count) attributes and to-one relationships; \(ColumnMask.limit) is the "
                    + "most. Keep some of them together in a Codable value, or in a model of their own")
        }
        for (name, same) in Dictionary(grouping: columns, by: { $0.name.lowercased() }).sorted(by: { $0.key < $1.key })
        where same.count > 1 || ["_id", "_unsent"].contains(name) {
            let properties = same.map { description.properties[$0.property].name }.joined(separator: " and ")
            problems.append("\(description.name): \(properties) would share the column \"\(name)\"; rename one")
        }
    }

    private mutating func checkTableNames(_ tables: [ModelSchema]) {
        let joins = Schema(tables: tables, style: style).joinTables.map(\.name)
        for (name, same) in Dictionary(grouping: tables.map(\.name) + joins, by: { $0.lowercased() })
            .sorted(by: { $0.key < $1.key })
        where same.count > 1 || name.hasPrefix("sqlite_") || name.hasPrefix("_") {
            problems.append("the table name \"\(name)\" is taken; name another with @Model(table:)")
        }
    }
}

extension PropertyDescription {
    /// The class that a relationship leads to.
    var destination: (any Model.Type)? {
        switch kind {
        case .attribute: nil
        case .toOne(let type, _), .toMany(let type, _): type
        }
    }

    var inverse: Inverse {
        switch kind {
        case .attribute: .none
        case .toOne(_, let options), .toMany(_, let options): options.inverse
        }
    }

    /// Whether it is said to be the whole of a response.
    var isRoot: Bool {
        switch kind {
        case .attribute(_, _, let options): options.isRoot
        case .toOne(_, let options), .toMany(_, let options): options.isRoot
        }
    }

    var onDelete: DeleteRule? {
        switch kind {
        case .attribute: nil
        case .toOne(_, let options), .toMany(_, let options): options.onDelete
        }
    }

    /// The explicit JSON key path.
    var jsonName: String? {
        switch kind {
        case .attribute(_, _, let options): options.json
        case .toOne(_, let options), .toMany(_, let options): options.json
        }
    }
}

extension Schema {
    /// Compiles the models, and checks them against each other.
    ///
    /// - Throws: ``StoreError/models(_:)`` with all problems of the declarations.
    package convenience init(models: [any Model.Type], style: SchemaStyle) throws(StoreError) {
        var compiler = SchemaCompiler(models, style)
        let compiled = try compiler.compile()
        self.init(tables: compiled.tables, style: style, resources: compiled.resources)
    }

    /// The same for plain bodies.
    package convenience init(
        models: [any Model.Type], conventions: NamingConventions, values: ValueFormats = ValueFormats()
    ) throws(StoreError) {
        try self.init(models: models, style: SchemaStyle(conventions, values: values))
    }
}
