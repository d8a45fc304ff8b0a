package import Conventions

/// Makes the schema of the models' descriptions: names, tables, links, inverses. It collects all problems before it reports
/// any, so that they can be fixed together.
struct SchemaCompiler {
    let families: [ModelFamily]
    let descriptions: [ModelDescription]
    /// By class: its table, and which of the models of that it is.
    private let places: [ObjectIdentifier: (table: TableID, submodel: SubmodelIndex)]
    private let style: SchemaStyle
    private let mapping: AttributeMapping
    var problems: [String] = []
    private var listCount = 0

    /// A property with the table whose model declares it.
    struct Declared {
        let property: PropertyDescription
        let table: TableID
        var index: PropertyIndex { PropertyIndex(property.index) }
    }

    init(_ models: [any Model.Type], _ style: SchemaStyle) {
        var seen: Set<ObjectIdentifier> = []
        let all = models.filter { seen.insert(ObjectIdentifier($0)).inserted }.map { $0.modelDescription }
        families = ModelFamily.families(of: all, &problems)
        descriptions = families.map(\.description)
        places = Dictionary(
            uniqueKeysWithValues: families.enumerated().flatMap { table, family in
                family.classes.enumerated().map { (ObjectIdentifier($1.type), (TableID(table), SubmodelIndex($0))) }
            })
        self.style = style
        self.mapping = AttributeMapping(style.names)
    }

    mutating func compile() throws(StoreError) -> Schema {
        if let problem = style.values.dates.problem { problems.append("the API's date format is no use: \(problem)") }
        let models = descriptions.indices.map { compile(TableID($0)) }
        checkTableNames(models)
        for model in models where model.isEmbedded { checkEmbedding(of: model, among: models) }
        var resources = ResourceTypes()
        if style.document == .jsonAPI {
            resources = ResourceTypes(models, mapping: mapping, problems: &problems)
            problems += Self.resourceProblems(models)
        }
        guard problems.isEmpty else { throw .models(problems) }
        return Schema(roots: models, style: style, resources: resources)
    }

    func table(of type: any Model.Type) -> TableID? { places[ObjectIdentifier(type)]?.table }

    func submodel(of type: any Model.Type) -> SubmodelIndex { places[ObjectIdentifier(type)]?.submodel ?? .root }

    func description(of table: TableID) -> ModelDescription { descriptions[table.rawValue] }

    func family(of table: TableID) -> ModelFamily { families[table.rawValue] }

    static func tableName(of description: ModelDescription) -> String {
        description.options.table ?? AttributeMapping.tableName(forModelNamed: description.name).name
    }

    // MARK: One model

    private mutating func compile(_ table: TableID) -> ModelSchema {
        let description = description(of: table)
        let family = family(of: table)
        let names = family.classes.indices.map { attributeNames(of: SubmodelIndex($0), in: family) }
        var columns: [Column] = []
        let properties = description.properties.map { property in
            var property = compile(
                Declared(property: property, table: table),
                path: names[family.declarers[property.index][0].rawValue]?[property.index].path, &columns)
            if style.document == .jsonAPI, !description.options.embedded {
                let isEmbedded = referencesEmbedded(description.properties[property.index.rawValue])
                property.resourcePath = isEmbedded ? ["attributes"] + property.jsonPath : property.pathInResource
            }
            return property
        }
        checkColumnNames(columns, of: description)
        let own = Array(properties.prefix(family.ownCount))
        let compiled = self.family(family, own: own)
        let model = ModelSchema(
            table: table, description: description, tableName: Self.tableName(of: description), properties: properties,
            declared: own, columns: columns, identity: identity(of: description, own), key: key(of: description, among: own),
            baseURL: baseURL(of: description), names: names[0],
            identityKeys: identityKeys(of: family.properties(of: .root), names[0]), family: compiled)
        guard compiled != nil else { return model }
        return ModelSchema(
            model, description,
            with: family.submodels.indices.map {
                submodel(SubmodelIndex($0 + 1), of: family, root: model, names: names[$0 + 1])
            })
    }

    /// `nil` for names that collide, which is a problem of its own.
    private mutating func attributeNames(of submodel: SubmodelIndex, in family: ModelFamily) -> AttributeNames? {
        let properties = family.properties(of: submodel)
        let declared = properties.map { DeclaredName($0.name, keyPath: $0.jsonName) }
        for property in properties where property.isRoot {
            problems.append(
                "\(family.classes[submodel.rawValue].name).\(property.name) is to be the whole body (.root), which is for @ResponseBody "
                    + "types")
        }
        do {
            return try AttributeNames(
                of: family.classes[submodel.rawValue].name, declared, numbered: properties.map(\.index), mapping: mapping)
        } catch {
            problems.append("\(error)")
            return nil
        }
    }

    private mutating func compile(_ declared: Declared, path: [String]?, _ columns: inout [Column]) -> Property {
        let property = declared.property
        let path = path ?? [property.name]
        let name = AttributeMapping.columnName(forPropertyNamed: property.name).name
        let column = ColumnIndex(columns.count)
        switch property.kind {
        case .attribute(let kind, let value, let options):
            columns.append(
                Column(index: column, name: name, type: kind.columnType, property: declared.index, target: nil))
            return Property(
                index: declared.index, name: property.name, jsonPath: path,
                kind: .attribute(kind, default: value, options: options), isOptional: property.isOptional,
                format: wireFormat(of: declared), column: column)
        case .toOne(let type, let options):
            let target = target(type, of: declared)
            let inverse = inverse(of: declared, as: options.inverse)
            let rule = inverse.flatMap { self.rule(of: description(of: target).properties[$0.rawValue]) }
            columns.append(
                Column(
                    index: column, name: name + "_id", type: .integer, property: declared.index, target: target,
                    onTargetDeleted: rule ?? .nullify))
            let link = Link(
                target: target, submodel: submodel(of: type), inverse: inverse,
                options: self.options(options.resolved(by: style.relationships), referencing: target))
            return Property(
                index: declared.index, name: property.name, jsonPath: path, kind: .toOne(link), column: column)
        case .toMany(let type, let options):
            let target = target(type, of: declared)
            let inverse = inverse(of: declared, as: options.inverse)
            let storage = storage(of: declared, target: target, inverse: inverse)
            let sending = if case .column = storage { style.inverseLists } else { style.relationships }
            let list = List(
                id: ListID(listCount), target: target, submodel: submodel(of: type), inverse: inverse,
                storage: storage, options: self.options(options.resolved(by: sending), referencing: target))
            listCount += 1
            return Property(index: declared.index, name: property.name, jsonPath: path, kind: .toMany(list), column: nil)
        }
    }

    private mutating func wireFormat(of declared: Declared) -> WireFormat {
        let (format, found) = WireFormat.compile(declared.property, for: style.values)
        problems += found.map { "\(description(of: declared.table).name).\(declared.property.name) \($0)" }
        return format
    }

    private mutating func target(_ type: any Model.Type, of declared: Declared) -> TableID {
        if let target = table(of: type) { return target }
        problems.append("\(name(of: declared)) leads to \(type), which is not among the store's models")
        return declared.table
    }

    // MARK: Identity, key and URL

    /// By declaration, else the property `identifier` or `id`.
    private mutating func identity(of description: ModelDescription, _ properties: [Property]) -> [PropertyIndex] {
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
                problems.append(missing(name, as: "identity", of: description))
                return nil
            }
            return property.index
        }
    }

    mutating func key(of description: ModelDescription, among properties: [Property]) -> PropertyIndex? {
        guard let name = description.options.key else {
            // The last part of a composite identity is the one that differs below one base.
            let name = description.options.identity.last
            return properties.first { property in
                name.map { property.name == $0 } ?? ["identifier", "id"].contains(property.name)
            }?.index
        }
        guard let property = properties.first(where: { $0.name == name }), property.list == nil else {
            problems.append(missing(name, as: "key", of: description))
            return nil
        }
        return property.index
    }

    func missing(_ name: String, as use: String, of description: ModelDescription) -> String {
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
    func identityKeys(of properties: [PropertyDescription], _ names: AttributeNames?) -> [String: PropertyIndex] {
        var keys: [String: PropertyIndex] = [:]
        for property in properties {
            let explicit = property.jsonName
            if referencesEmbedded(property) { continue }
            switch property.kind {
            case .attribute: continue
            case .toOne: keys[mapping.foreignKeyName(for: property.name, explicitName: explicit).name] =
                PropertyIndex(property.index)
            case .toMany:
                keys[mapping.identifierListName(for: property.name, explicitName: explicit).name] =
                    PropertyIndex(property.index)
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
            let properties = same.map { description.properties[$0.property.rawValue].name }.joined(separator: " and ")
            problems.append("\(description.name): \(properties) would share the column \"\(name)\"; rename one")
        }
    }

    private mutating func checkTableNames(_ models: [ModelSchema]) {
        let joins = models.flatMap(\.lists).compactMap(\.joinTable).map(\.name)
        for (name, same) in Dictionary(grouping: models.map(\.tableName) + joins, by: { $0.lowercased() })
            .sorted(by: { $0.key < $1.key })
        where same.count > 1 || name.hasPrefix("sqlite_") || name.hasPrefix("_") {
            problems.append("the table name \"\(name)\" is taken; name another with @Model(table:)")
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
        self.init(roots: compiled.roots, style: style, resources: compiled.resources)
    }

    /// The same for plain bodies.
    package convenience init(
        models: [any Model.Type], conventions: NamingConventions, values: ValueFormats = ValueFormats()
    ) throws(StoreError) {
        try self.init(models: models, style: SchemaStyle(conventions, values: values))
    }
}
