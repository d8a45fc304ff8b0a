package import Conventions

/// Makes the schema of the models' descriptions: names, tables, links, inverses. It collects every problem before it says
/// any, so that they are mended together.
struct SchemaCompiler {
    private let families: [ModelFamily]
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

    private func number(of type: any Model.Type) -> Int { places[ObjectIdentifier(type)]?.number ?? 0 }

    static func tableName(of description: ModelDescription) -> String {
        description.options.table ?? AttributeMapping.tableName(forModelNamed: description.name).name
    }

    // MARK: One model

    private mutating func compile(_ index: Int) -> Table {
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
        let table = Table(
            index: index, description: description, name: Self.tableName(of: description), properties: properties,
            declared: own, columns: columns, identity: identity(of: description, own), key: key(of: description, own),
            baseURL: baseURL(of: description), names: names[0],
            identityKeys: identityKeys(of: family.properties(of: 0), names[0]), family: compiled)
        guard compiled != nil else { return table }
        return Table(
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

    // MARK: Relationships

    private mutating func inverse(of property: PropertyDescription, _ inverse: Inverse, _ index: Int) -> Int? {
        guard let type = property.destination, let target = self.index(of: type) else { return nil }
        let other = descriptions[target]
        switch inverse {
        case .none: return nil
        case .named(let name):
            guard let partner = other.properties.first(where: { $0.name == name }) else {
                let near = nearestName(to: name, among: other.properties.map(\.name))
                problems.append(
                    "\(self.name(of: property, index)) names the inverse \"\(name)\", which "
                        + "\(other.name) does not have" + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
                return nil
            }
            guard target != index || partner.index != property.index else {
                problems.append(
                    "\(other.name).\(name) names itself as its inverse; leave it out with `inverse: nil`, or declare the "
                        + "other direction")
                return nil
            }
            guard let back = partner.destination, self.index(of: back) == index else {
                problems.append(
                    "\(self.name(of: property, index)) names the inverse \"\(name)\", but "
                        + "\(other.name).\(name) does not lead back to \(descriptions[index].name)")
                return nil
            }
            guard covers(property, index, partner, target) else {
                problems.append(
                    "\(self.name(of: property, index)) and \(self.name(of: partner, target)) can't be each other's "
                        + "inverse, as one of them leads to some only of the models that declare the other; declare "
                        + "both in the model that the others inherit from, or leave it out with `inverse: nil`")
                return nil
            }
            return partner.index
        case .inferred:
            if let named = other.properties.first(where: { isInverse($0, named: property, of: index, from: target) }) {
                return named.index
            }
            return inferredInverse(of: property, index, target)
        }
    }

    /// Whether the other side's relationship names this one as its inverse.
    private func isInverse(
        _ candidate: PropertyDescription, named property: PropertyDescription, of index: Int, from target: Int
    ) -> Bool {
        guard let type = candidate.destination, self.index(of: type) == index,
            case .named(property.name) = candidate.inverse, covers(property, index, candidate, target)
        else { return false }
        return !(target == index && candidate.index == property.index)
    }

    /// The one relationship that leads back, if this is the only one that leads there and neither says otherwise.
    private func inferredInverse(of property: PropertyDescription, _ index: Int, _ target: Int) -> Int? {
        guard index != target else { return nil }
        let there = descriptions[index].properties.filter { leads($0, to: target) && $0.inverse == .inferred }
        let back = descriptions[target].properties.filter { leads($0, to: index) && $0.inverse == .inferred }
        guard there.count == 1, back.count == 1, there[0].index == property.index,
            covers(property, index, back[0], target)
        else { return nil }
        return back[0].index
    }

    /// Whether each of two relationships leads to every model that declares the other: else what it says of the whole other
    /// side would be said of what it can't see.
    private func covers(
        _ property: PropertyDescription, _ index: Int, _ partner: PropertyDescription, _ target: Int
    ) -> Bool {
        leads(property, toDeclarersOf: partner, target) && leads(partner, toDeclarersOf: property, index)
    }

    private func leads(
        _ property: PropertyDescription, toDeclarersOf partner: PropertyDescription, _ target: Int
    ) -> Bool {
        let number = property.destination.map(number(of:)) ?? 0
        return number == 0 || families[target].declarers[partner.index] == [number]
    }

    /// `PushEvent.repository`.
    private func name(of property: PropertyDescription, _ index: Int) -> String {
        "\(families[index].declarer(of: property.index)).\(property.name)"
    }

    private func leads(_ property: PropertyDescription, to target: Int) -> Bool {
        property.destination.flatMap(index(of:)) == target
    }

    private func storage(
        of property: PropertyDescription, _ index: Int, _ target: Int, _ inverse: Int?
    ) -> List.Storage {
        let own = Self.tableName(of: descriptions[index])
        let name = AttributeMapping.columnName(forPropertyNamed: property.name).name
        guard let inverse else {
            return .join(
                JoinTable(name: "\(own)_\(name)", source: index, target: target, isTwoSided: false), isReversed: false)
        }
        let partner = descriptions[target].properties[inverse]
        let partnerName = AttributeMapping.columnName(forPropertyNamed: partner.name).name
        guard case .toMany = partner.kind else {
            return .column(
                property: inverse, column: partnerName + "_id", position: "_\(partnerName)_position")
        }
        // The side that is declared first makes the table.
        let isReversed = (target, inverse) < (index, property.index)
        let source = isReversed ? Self.tableName(of: descriptions[target]) + "_" + partnerName : "\(own)_\(name)"
        return .join(
            JoinTable(
                name: source, source: isReversed ? target : index, target: isReversed ? index : target,
                isTwoSided: true),
            isReversed: isReversed)
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

    private mutating func checkTableNames(_ tables: [Table]) {
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
