package import Conventions

/// Compiles descriptions to a schema. All problems are reported together.
struct SchemaCompiler {
    let families: [ModelFamily]
    let descriptions: [ModelDescription]
    /// The place of each class.
    private let places: [ObjectIdentifier: (table: TableID, submodel: SubmodelIndex)]
    private let styles: SchemaStyles
    /// Each table's API.
    private let apis: [APIIndex]
    /// Each API's mapping.
    private let mappings: [AttributeMapping]
    var problems: [String] = []
    private var listCount = 0

    struct Declared {
        let property: PropertyDescription
        let table: TableID
        var index: PropertyIndex { PropertyIndex(property.index) }
    }

    init(_ models: [any Model.Type], _ styles: SchemaStyles) {
        var seen: Set<ObjectIdentifier> = []
        let all = models.filter { seen.insert(ObjectIdentifier($0)).inserted }.map { $0.modelDescription }
        families = ModelFamily.families(of: all, &problems)
        descriptions = families.map(\.description)
        places = Dictionary(
            uniqueKeysWithValues: families.enumerated().flatMap { table, family in
                family.classes.enumerated().map { (ObjectIdentifier($1.type), (TableID(table), SubmodelIndex($0))) }
            })
        self.styles = styles
        mappings = styles.all.map { AttributeMapping($0.names) }
        apis = APIAssignment(families, styles, problems: &problems).apis
    }

    mutating func compile() throws(StoreError) -> Schema {
        for problem in styles.all.compactMap(\.values.dates.problem) {
            problems.append("the API's date format is no use: \(problem)")
        }
        for description in descriptions {
            guard let problem = description.options.values?.dates.problem else { continue }
            problems.append("\(description.name)'s date format is no use: \(problem)")
        }
        let models = descriptions.indices.map { compile(TableID($0)) }
        checkInverses()
        checkFileNames(models)
        for model in models where model.isEmbedded { checkEmbedding(of: model, among: models) }
        for model in models where !model.choices.isEmpty { checkChoices(of: model, among: models) }
        let types = styles.all.indices.map { resourceTypes(of: APIIndex($0), models) }
        guard problems.isEmpty else { throw .models(problems) }
        return Schema(roots: models, apis: styles, resourceTypes: types)
    }

    /// For JSON:API documents, and plain bodies with a type key.
    private mutating func resourceTypes(of api: APIIndex, _ models: [ModelSchema]) -> ResourceTypes {
        let style = styles.all[api.rawValue]
        guard style.document == .jsonAPI || style.typeKey != nil else { return ResourceTypes() }
        let own = models.filter { $0.api == api && (style.document == .jsonAPI || !$0.isEmbedded) }
        if style.document == .jsonAPI { problems += Self.resourceProblems(own) }
        let linked = Set(own.flatMap(\.properties).compactMap(\.target))
        let others = models.filter { $0.api != api && !$0.isEmbedded && linked.contains($0.table) }
        return ResourceTypes(own, linkedTo: others, mapping: mappings[api.rawValue], problems: &problems)
    }

    func table(of type: any Model.Type) -> TableID? { places[ObjectIdentifier(type)]?.table }

    func submodel(of type: any Model.Type) -> SubmodelIndex { places[ObjectIdentifier(type)]?.submodel ?? .root }

    func description(of table: TableID) -> ModelDescription { descriptions[table.rawValue] }

    func family(of table: TableID) -> ModelFamily { families[table.rawValue] }

    static func tableName(of description: ModelDescription) -> String {
        description.options.table ?? AttributeMapping.tableName(forModelNamed: description.name).name
    }

    func mapping(of description: ModelDescription) -> AttributeMapping {
        description.options.names.map { AttributeMapping($0) } ?? mappings[api(of: description).rawValue]
    }

    private func api(of description: ModelDescription) -> APIIndex {
        table(of: description.type).map { apis[$0.rawValue] } ?? .main
    }

    func style(of table: TableID) -> SchemaStyle { styles.all[apis[table.rawValue].rawValue] }

    // MARK: One model

    private mutating func compile(_ table: TableID) -> ModelSchema {
        let description = description(of: table)
        let family = family(of: table)
        let names = family.classes.indices.map { attributeNames(of: SubmodelIndex($0), in: family) }
        let isInDocuments = style(of: table).document == .jsonAPI && !description.options.embedded
        var columns: [Column] = []
        let choices = choices(among: description.properties, at: table)
        var properties = description.properties.map { property in
            var property = compile(
                Declared(property: property, table: table),
                path: property.choiceName == nil
                    ? names[family.declarers[property.index][0].rawValue]?[property.index].path : nil, &columns)
            property.sentPath = description.properties[property.index.rawValue].sentKey?.keyPathKeys
            property.choice = choices[property.index]
            if isInDocuments {
                let isEmbedded = referencesEmbedded(description.properties[property.index.rawValue])
                property.resourcePath = isEmbedded ? ["attributes"] + property.jsonPath : property.pathInResource
            }
            return property
        }
        checkColumnNames(columns, and: properties.filter { $0.list != nil }, of: description)
        checkIndexes(of: description, properties)
        checkSingular(description)
        checkSearchable(properties, of: family)
        let identity = identity(of: description, Array(properties.prefix(family.ownCount)))
        let identityKeys = identityKeys(
            of: family.properties(of: .root), names[0], by: mapping(of: description))
        properties = leavingKeys(identityKeys, toRelationshipsAmong: properties, except: identity)
        properties = leavingKeys(to: choices.values, among: properties)
        let own = Array(properties.prefix(family.ownCount))
        checkSentKeys(of: .root, in: family, own, beside: identityKeys)
        let compiled = self.family(family, own: own)
        let model = ModelSchema(
            table: table, api: apis[table.rawValue], description: description,
            tableName: Self.tableName(of: description), properties: properties,
            declared: own, columns: columns, identity: identity,
            key: key(of: description, among: own),
            baseURL: baseURL(of: description), names: names[0],
            identityKeys: identityKeys, family: compiled)
        guard compiled != nil else { return model }
        return ModelSchema(
            model, description,
            with: family.submodels.indices.map {
                submodel(SubmodelIndex($0 + 1), of: family, root: model, names: names[$0 + 1])
            })
    }

    /// Nil, and reported, if names collide.
    private mutating func attributeNames(of submodel: SubmodelIndex, in family: ModelFamily) -> AttributeNames? {
        let properties = family.properties(of: submodel).filter { $0.choiceName == nil }
        let declared = properties.map { DeclaredName($0.name, keyPath: $0.jsonName) }
        for property in properties where property.isRoot && !isEmbeddedLink(property) {
            problems.append(
                "\(family.classes[submodel.rawValue].name).\(property.name) is to be the whole body (.root), which is for @ResponseBody "
                    + "types, and for a relationship to one embedded object, whose keys then stand among its owner's")
        }
        do {
            return try AttributeNames(
                of: family.classes[submodel.rawValue].name, declared, numbered: properties.map(\.index),
                mapping: mapping(of: family.description))
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
                Column(
                    index: column, name: columnName(ofAttribute: name, beside: description(of: declared.table)),
                    type: kind.columnType, property: declared.index, target: nil))
            return Property(
                index: declared.index, name: property.name, jsonPath: path,
                kind: .attribute(kind, default: value, options: options), isOptional: property.isOptional,
                hasConstantDefault: property.hasConstantDefault, isString: property.isString,
                format: wireFormat(of: declared), column: column)
        case .toOne(let type, let options):
            let target = target(type, of: declared)
            let inverse = inverse(of: declared, as: options.inverse)
            let name = property.choiceName.map { choiceColumnName(of: $0, to: type) } ?? name
            let rule = inverse.flatMap { self.rule(of: description(of: target).properties[$0.rawValue]) }
            columns.append(
                Column(
                    index: column, name: name + "_id", type: .integer, property: declared.index, target: target,
                    onTargetDeleted: rule ?? .nullify))
            let link = Link(
                target: target, submodel: submodel(of: type), inverse: inverse,
                options: self.options(
                    options.resolved(by: style(of: declared.table).relationships), referencing: target))
            var compiled = Property(
                index: declared.index, name: property.name, jsonPath: path, kind: .toOne(link), column: column)
            compiled.isAtRoot = property.isRoot && isEmbeddedLink(property)
            compiled.isChoiceLink = property.choiceName != nil
            compiled.formerNames = formerNames(ofChoiceLink: property, to: target)
            return compiled
        case .toMany(let type, let options):
            let target = target(type, of: declared)
            let inverse = inverse(of: declared, as: options.inverse)
            let storage = storage(of: declared, target: target, inverse: inverse)
            let style = style(of: declared.table)
            let sending = if case .column = storage { style.inverseLists } else { style.relationships }
            let list = List(
                id: ListID(listCount), target: target, submodel: submodel(of: type), inverse: inverse,
                storage: storage,
                options: self.options(options.resolved(by: sending), referencing: target, lists: style.lists))
            listCount += 1
            return Property(
                index: declared.index, name: property.name, jsonPath: path, kind: .toMany(list), column: nil)
        }
    }

    private func isEmbeddedLink(_ property: PropertyDescription) -> Bool {
        if case .toOne = property.kind { referencesEmbedded(property) } else { false }
    }

    private mutating func wireFormat(of declared: Declared) -> WireFormat {
        let (format, found) = WireFormat.compile(
            declared.property, for: description(of: declared.table).options.values ?? style(of: declared.table).values)
        problems += found.map { "\(description(of: declared.table).name).\(declared.property.name) \($0)" }
        return format
    }

    private mutating func target(_ type: any Model.Type, of declared: Declared) -> TableID {
        if let target = table(of: type) { return target }
        problems.append("\(name(of: declared)) leads to \(type), which is not among the store's models")
        return declared.table
    }

    // MARK: Identity, key and URL

    /// The declared identity, else `identifier` or `id`.
    private mutating func identity(of description: ModelDescription, _ properties: [Property]) -> [PropertyIndex] {
        let declared = description.options.identity
        if description.options.embedded { return [] }
        if declared.isEmpty {
            let found = PropertyDescription.identityNames.compactMap { name in properties.first { $0.name == name } }
                .first
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

    /// Reports names of unknown attributes.
    private mutating func checkIndexes(of description: ModelDescription, _ properties: [Property]) {
        for name in description.options.natural where !isAttribute(name, among: properties) {
            problems.append(missing(name, as: "natural key", of: description))
        }
        if case .attribute(let name) = description.options.conditionalWrites,
            !isAttribute(name, among: properties)
        {
            problems.append(missing(name, as: "validator", of: description))
        }
        for name in description.options.indexes.joined()
        where !properties.contains(where: { $0.name == name && $0.column != nil }) {
            problems.append(missing(name, as: "index", of: description))
        }
    }

    private mutating func checkSingular(_ description: ModelDescription) {
        let options = description.options
        guard options.singular else { return }
        if options.baseURL == nil {
            problems.append(
                "\(description.name) is singular, so it needs its URL, as in @Model(\"/account/preferences\", "
                    + "singular: true)")
        }
        if options.embedded || options.discriminator != nil {
            problems.append(
                "\(description.name) is singular, so it is neither embedded nor inherited from: leave out "
                    + (options.embedded ? "embedded:" : "discriminator:"))
        }
    }

    private func isAttribute(_ name: String, among properties: [Property]) -> Bool {
        properties.contains { $0.name == name && $0.column != nil && $0.link == nil }
    }

    mutating func key(of description: ModelDescription, among properties: [Property]) -> PropertyIndex? {
        guard let name = description.options.key else {
            let name = keyName(of: description, among: properties)
            return properties.first { property in
                name.map { property.name == $0 } ?? PropertyDescription.identityNames.contains(property.name)
            }?.index
        }
        guard let property = properties.first(where: { $0.name == name }), property.list == nil else {
            problems.append(missing(name, as: "key", of: description))
            return nil
        }
        return property.index
    }

    /// The part of the identity that the base URL lacks.
    private mutating func keyName(of description: ModelDescription, among properties: [Property]) -> String? {
        let identity = description.options.identity
        guard identity.count > 1, description.options.object == nil, let text = description.options.baseURL,
            let template = try? RouteTemplate(text)
        else { return identity.last }
        let used = Set(template.placeholders.map { InboundNames.looseKey(for: $0.keyPath[0]) })
        let parts = properties.filter { property in
            let names = [
                property.name, property.jsonPath[0], mapping(of: description).foreignKeyName(for: property.name).name,
            ]
            return identity.contains(property.name) && !names.contains { used.contains(InboundNames.looseKey(for: $0)) }
        }
        if parts.count != 1 {
            problems.append(
                "\(description.name)'s URL has \(parts.isEmpty ? "all" : "\(parts.count)") parts of the identity "
                    + "\(parts.isEmpty ? "already" : "to end in (\(parts.map(\.name).joined(separator: ", ")))"): "
                    + "name the one that is its key with @Model(key:)")
        }
        return parts.last?.name
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

    // MARK: Checks

    private mutating func checkColumnNames(
        _ columns: [Column], and lists: [Property], of description: ModelDescription
    ) {
        let count = columns.count + lists.count
        if count > ColumnMask.limit {
            problems.append(
                "\(description.name) has \(count) properties; \(ColumnMask.limit) is the most. Keep some of them together in a "
                    + "Codable value, or in a model of their own")
        }
        let own = ["_id", "_unsent"] + ModelSchema.loadedColumns(columns: columns.count, lists: lists.count)
        for (name, same) in Dictionary(grouping: columns, by: { $0.name.lowercased() }).sorted(by: { $0.key < $1.key })
        where same.count > 1 || own.contains(name) {
            let properties = same.map { description.properties[$0.property.rawValue].name }.joined(separator: " and ")
            guard same.count > 1 else {
                problems.append(
                    "\(description.name): \(properties) would have the column \"\(name)\", which is the store's own; rename it, "
                        + "and keep its JSON name with @Attribute")
                continue
            }
            let link = same.first { $0.target != nil }.map { description.properties[$0.property.rawValue].name }
            problems.append(
                "\(description.name): \(properties) would share the column \"\(name)\"; rename one"
                    + (link.map { ", or leave it out: `$\($0).identity` is what \($0) leads to" } ?? ""))
        }
    }
}

// MARK: Inverses and list storage

extension SchemaCompiler {
    mutating func inverse(of declared: Declared, as inverse: Inverse) -> PropertyIndex? {
        guard let type = declared.property.target, let target = table(of: type) else { return nil }
        switch inverse {
        case .none: return nil
        case .named(let name): return namedInverse(name, of: declared, in: target)
        case .inferred:
            let others = description(of: target).properties.map { Declared(property: $0, table: target) }
            if let named = others.first(where: { isInverse($0, named: declared) }) { return named.index }
            return inferredInverse(of: declared, in: target)
        }
    }

    private mutating func namedInverse(
        _ name: String, of declared: Declared, in target: TableID
    ) -> PropertyIndex? {
        let other = description(of: target)
        guard let found = other.properties.first(where: { $0.name == name }) else {
            let near = nearestName(to: name, among: other.properties.map(\.name))
            problems.append(
                "\(self.name(of: declared)) names the inverse \"\(name)\", which "
                    + "\(other.name) does not have" + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
            return nil
        }
        let partner = Declared(property: found, table: target)
        guard target != declared.table || partner.index != declared.index else {
            problems.append(
                "\(other.name).\(name) names itself as its inverse; leave it out with `inverse: nil`, or declare the "
                    + "other direction")
            return nil
        }
        if found.choice != nil {
            problems.append(
                "\(self.name(of: declared)) names the inverse \"\(name)\", but \(other.name).\(name) leads to one of several "
                    + "models, which has no inverse; say `inverse: nil`")
            return nil
        }
        guard let back = found.target, table(of: back) == declared.table else {
            problems.append(
                "\(self.name(of: declared)) names the inverse \"\(name)\", but "
                    + "\(other.name).\(name) does not lead back to \(description(of: declared.table).name)")
            return nil
        }
        guard covers(declared, partner) else {
            problems.append(
                "\(self.name(of: declared)) and \(self.name(of: partner)) can't be each other's "
                    + "inverse, as one of them leads to some only of the models that declare the other; declare "
                    + "both in the model that the others inherit from, or leave it out with `inverse: nil`")
            return nil
        }
        return partner.index
    }

    func isInverse(_ candidate: Declared, named declared: Declared) -> Bool {
        guard let type = candidate.property.target, table(of: type) == declared.table,
            case .named(declared.property.name) = candidate.property.inverse, covers(declared, candidate)
        else { return false }
        return !(candidate.table == declared.table && candidate.index == declared.index)
    }

    /// The only relationship back, if this is the only one there. Neither declares an inverse.
    func inferredInverse(of declared: Declared, in target: TableID) -> PropertyIndex? {
        guard declared.table != target else { return nil }
        let there = description(of: declared.table).properties.filter {
            references($0, target) && $0.inverse == .inferred
        }
        let back = description(of: target).properties.filter {
            references($0, declared.table) && $0.inverse == .inferred
        }
        guard there.count == 1, back.count == 1, there[0].index == declared.property.index,
            covers(declared, Declared(property: back[0], table: target))
        else { return nil }
        return PropertyIndex(back[0].index)
    }

    /// Whether each can refer to every model that declares the other, so that neither includes too many objects.
    func covers(_ declared: Declared, _ partner: Declared) -> Bool {
        coversDeclarers(of: partner, declared) && coversDeclarers(of: declared, partner)
    }

    private func coversDeclarers(of partner: Declared, _ declared: Declared) -> Bool {
        let submodel = declared.property.target.map(submodel(of:)) ?? .root
        return submodel.isRoot || family(of: partner.table).declarers[partner.property.index] == [submodel]
    }

    /// The name in messages: `PushEvent.repository`.
    func name(of declared: Declared) -> String {
        "\(family(of: declared.table).declarer(of: declared.index)).\(declared.property.name)"
    }

    private func references(_ property: PropertyDescription, _ target: TableID) -> Bool {
        property.target.flatMap(table(of:)) == target
    }

    func storage(of declared: Declared, target: TableID, inverse: PropertyIndex?) -> List.Storage {
        let own = Self.tableName(of: description(of: declared.table))
        let name = AttributeMapping.columnName(forPropertyNamed: declared.property.name).name
        guard let inverse else {
            return .join(
                JoinTable(name: "\(own)_\(name)", source: declared.table, target: target, isTwoSided: false),
                isReversed: false)
        }
        let partner = description(of: target).properties[inverse.rawValue]
        let partnerName = AttributeMapping.columnName(forPropertyNamed: partner.name).name
        guard case .toMany = partner.kind else {
            return .column(property: inverse, column: partnerName + "_id", position: "_\(partnerName)_position")
        }
        // The first declared side defines the join table.
        let isReversed = (target, inverse) < (declared.table, declared.index)
        let source = isReversed ? Self.tableName(of: description(of: target)) + "_" + partnerName : "\(own)_\(name)"
        return .join(
            JoinTable(
                name: source, source: isReversed ? target : declared.table,
                target: isReversed ? declared.table : target, isTwoSided: true),
            isReversed: isReversed)
    }
}

// MARK: Inheritance

extension SchemaCompiler {
    /// Nil without submodels or discriminator.
    mutating func family(_ family: ModelFamily, own: [Property]) -> Family? {
        let description = family.description
        guard let name = description.options.discriminator else {
            if let first = family.submodels.first?.description.name {
                problems.append(
                    "\(first) inherits from \(description.name), which has no discriminator: name the attribute that tells "
                        + "them apart with @Model(discriminator:)")
            }
            return nil
        }
        guard let property = own.first(where: { $0.name == name }), let column = property.column,
            property.link == nil
        else {
            problems.append(missing(name, as: "discriminator", of: description))
            return nil
        }
        guard let convert = property.discriminating else {
            problems.append("\(description.name)'s discriminator \"\(name)\" is neither text nor a whole number")
            return nil
        }
        guard !family.submodels.isEmpty else { return nil }
        if description.options.embedded {
            problems.append("\(description.name) is embedded, so no model inherits from it: give it an identity")
        }
        let values = [[]] + family.submodels.map { self.values(of: $0.description, convert) }
        checkValues(values, family)
        return Family(
            discriminator: property.index, column: column, values: values,
            ownProperties: Dictionary(
                uniqueKeysWithValues: family.submodels.map {
                    (ObjectIdentifier($0.description.type), $0.ownProperties)
                }))
    }

    private mutating func values(
        of submodel: ModelDescription, _ convert: (String) -> StoredValue?
    ) -> [StoredValue] {
        let declared = submodel.options.discriminatorValues
        let texts = declared.isEmpty ? AttributeMapping.discriminatorValues(forModelNamed: submodel.name) : declared
        let values = texts.compactMap(convert)
        if values.count < texts.count {
            problems.append(
                "\(submodel.name)'s discriminator is a whole number; name the one that stands for it with "
                    + "@Model(inherits:as:)")
        }
        return values
    }

    private mutating func checkValues(_ values: [[StoredValue]], _ family: ModelFamily) {
        var known: [StoredValue: String] = [:]
        for (submodel, values) in values.enumerated() {
            let name = family.classes[submodel].name
            for value in values {
                if let other = known.updateValue(name, forKey: value) {
                    problems.append(
                        "\(other) and \(name) both stand for the discriminator \(value); rename one with `as:`")
                }
            }
        }
    }

    mutating func submodel(
        _ submodel: SubmodelIndex, of family: ModelFamily, root: ModelSchema, names: AttributeNames?
    ) -> ModelSchema {
        var description = family.classes[submodel.rawValue]
        description.options.envelope = root.options.envelope
        let identityKeys = identityKeys(
            of: family.properties(of: submodel).map { family.property(PropertyIndex($0.index), of: submodel) }, names,
            by: mapping(of: family.description))
        let declared = leavingKeys(
            identityKeys,
            toRelationshipsAmong: family.properties(of: submodel).map { property in
                let index = PropertyIndex(property.index)
                return root[index].declared(as: family.property(index, of: submodel), names?[property.index].path)
            }, except: root.identity)
        checkSentKeys(of: submodel, in: family, declared, beside: identityKeys)
        var properties = root.properties
        for property in declared { properties[property.index.rawValue] = property }
        return ModelSchema(
            table: root.table, submodel: submodel, api: root.api, description: description, tableName: root.tableName,
            properties: properties, declared: declared, ownProperties: family.ownProperties(of: submodel),
            columns: root.columns, identity: root.identity,
            key: description.options.key == nil ? root.key : key(of: description, among: declared),
            baseURL: baseURL(of: description) ?? root.baseURL, names: names,
            identityKeys: identityKeys, family: root.family)
    }
}

extension Schema {
    /// - Throws: ``StoreError/models(_:)`` with all problems.
    package convenience init(models: [any Model.Type], styles: SchemaStyles) throws(StoreError) {
        var compiler = SchemaCompiler(models, styles)
        let compiled = try compiler.compile()
        self.init(roots: compiled.roots, apis: styles, resourceTypes: compiled.resourceTypes)
    }

    /// One style for all models, whichever API they name.
    package convenience init(models: [any Model.Type], style: SchemaStyle) throws(StoreError) {
        try self.init(models: models, styles: SchemaStyles(ofAll: style))
    }

    package convenience init(
        models: [any Model.Type], conventions: NamingConventions, values: ValueFormats = ValueFormats()
    ) throws(StoreError) {
        try self.init(models: models, style: SchemaStyle(conventions, values: values))
    }
}
