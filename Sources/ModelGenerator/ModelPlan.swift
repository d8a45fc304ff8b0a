import Conventions
import GeneratedCode
import OpenAPIFiles

/// The classes to generate for a description.
struct ModelPlan {
    let description: OpenAPIDescription
    private(set) var classes: [ModelClass] = []
    private(set) var variants: ModelVariants
    private var indexes: [ModelKey: Int] = [:]
    private var names: Set<String> = []
    private let sightings: [Sighting]
    /// Within each embedded class.
    private var embedded: [ModelKey: Set<ModelKey>] = [:]

    init(_ description: OpenAPIDescription) {
        self.description = description
        variants = ModelVariants(description)
        sightings = Sighting.all(of: description, &variants)
        let routes = RouteChoice(sightings, description).routes
        for (key, routes) in routes { declare(key, routes: routes) }
        mapPaths()
        // A class appends others that it refers to.
        var next = 0
        while next < classes.count {
            fill(next)
            next += 1
        }
        listOwned()
        listRouted()
        for index in classes.indices { nameProperties(of: index) }
    }

    subscript(_ key: ModelKey) -> ModelClass? { indexes[key].map { classes[$0] } }

    // MARK: Classes

    private mutating func declare(_ key: ModelKey, routes: ModelRoutes? = nil) {
        guard indexes[key] == nil else { return }
        let schemas = variants.schemas(of: key)
        let about = schemas.compactMap { description.meaning(of: $0).about }.first
        var model = ModelClass(key: key, name: className(variants.name(of: key)), about: about)
        if let identity = variants.identity(of: schemas) ?? schemas.first.flatMap({ variants.identity(of: [$0]) }) {
            model.identity = [identity]
        }
        model.routes = routes
        indexes[key] = classes.count
        classes.append(model)
    }

    private mutating func className(_ words: String) -> String {
        let parts = SwiftName.words(of: words).map { $0.prefix(1).uppercased() + $0.dropFirst() }
        var base = parts.joined()
        if base.first?.isNumber ?? true { base = "Model" + base }
        if ReservedNames.types.contains(base) { base += "Model" }
        var (name, number) = (base, 2)
        while !names.insert(name).inserted {
            name = "\(base)\(number)"
            number += 1
        }
        return name
    }

    // MARK: Paths

    /// Owners first.
    private mutating func mapPaths() {
        let order = classes.indices.sorted { left, right in
            let depths = [left, right].map { classes[$0].routes?.item ?? classes[$0].routes?.collection ?? "" }
                .map(\.pathSegments.count)
            return (depths[0], left) < (depths[1], right)
        }
        for index in order {
            guard var routes = classes[index].routes else { continue }
            let properties = scalars(of: classes[index].key)
            PathMapper(plan: self, model: classes[index], properties: properties).map(&routes)
            classes[index].routes = routes
            if classes[index].identity.isEmpty, routes.base != nil {
                classes[index].identity = [routes.key].compactMap(\.self)
            }
            if routes.base == nil, classes[index].identity.first.map({ !properties.contains($0) }) ?? false {
                classes[index].identity = []
            }
            // A key that is unique only within its owner needs the owner in the identity.
            if let owner = routes.owner, let key = routes.key, classes[index].identity == [key],
                !OpenAPIDescription.identityNames.contains(key)
            {
                classes[index].identity = [owner.link, key]
            }
        }
    }

    /// Texts and whole numbers.
    func scalars(of key: ModelKey) -> [String] {
        var seen: Set<String> = []
        return variants.schemas(of: key).flatMap { description.meaning(of: $0).properties }.filter { property in
            let types = description.meaning(of: property.schema).types
            let isIdentity = OpenAPIDescription.identityNames.contains(property.name)
            // Some descriptions use `number` for whole identities.
            let scalars = isIdentity ? ["string", "integer", "number"] : ["string", "integer"]
            return !types.isEmpty && types.allSatisfy { scalars.contains($0) }
        }.map(\.name).filter { seen.insert($0).inserted }
    }

    func link(from key: ModelKey, to target: ModelKey) -> String? {
        var variants = variants
        let properties = variants.schemas(of: key).flatMap { description.meaning(of: $0).properties }
        return properties.first { property in
            let keys = variants.keys(of: property.schema, named: "")
            return keys == [target]
                && description.meaning(of: property.schema).types.contains("array") == false
        }?.name
    }

    func owner(at item: String) -> ModelClass? { classes.first { $0.routes?.item == item && $0.routes?.key != nil } }

    // MARK: Properties

    private mutating func fill(_ index: Int) {
        let model = classes[index]
        let writes = WrittenProperties(model.routes, description)
        var seen: Set<String> = []
        var properties: [ModelProperty] = []
        let schemas = variants.schemas(of: model.key)
        let declared = schemas.flatMap { description.meaning(of: $0).properties }
        let counts = Dictionary(declared.map { ($0.name, $0.isRequired ? 1 : 0) }, uniquingKeysWith: +)
        // The identity and the URL need these, whatever precedes them.
        let links = [model.routes?.key, model.routes?.owner?.link].compactMap(\.self)
        let needed = Set(model.identity + links + (model.routes?.collection ?? "").pathParameters)
        for property in declared where !property.name.isEmpty && seen.insert(property.name).inserted {
            guard properties.count < Self.maximumCount || needed.contains(property.name) else { continue }
            var made = self.property(property, of: model)
            made.isRequired = counts[property.name] == schemas.count
            if !model.identity.contains(property.name) {
                made.access = made.access ?? writes?.access(of: property.name)
            }
            properties.append(made)
        }
        if let owner = model.routes?.owner, !seen.contains(owner.link) {
            var link = ModelProperty(json: owner.link, kind: .toOne(owner.key), isRequired: false)
            link.isOfPath = true
            properties.append(link)
        }
        classes[index].properties = properties
    }

    /// Below the maximum of 256, with a margin.
    private static let maximumCount = 240

    private mutating func property(_ property: JSONMeaning.Property, of model: ModelClass) -> ModelProperty {
        let meaning = description.meaning(of: property.schema)
        let wrapped = meaning.types == ["object"] ? wrappedList(of: property, in: model) : nil
        var kind = wrapped?.kind ?? reference(of: property, meaning, of: model)
        var format: String?
        if kind == nil {
            let value = ValueType(meaning, in: description)
            format = value.format
            kind =
                value.cases.map { .enumeration(name: "", values: $0) }
                ?? .value(type: value.type, default: value.default)
            if model.identity.contains(property.name), value.type == "Double" {
                kind = .value(type: "Int", default: nil)
            }
        }
        var made = ModelProperty(
            json: property.name, kind: kind ?? .value(type: "JSONValue", default: nil),
            isRequired: property.isRequired && !meaning.isNullable, about: property.schema.about)
        made.format = format
        made.wrapper = wrapped?.key
        made.access = meaning.isReadOnly ? ".readOnly" : meaning.isWriteOnly ? ".writeOnly" : nil
        if model.identity.contains(property.name) { made.access = nil }
        return made
    }

    /// `{"data": […], "has_more": true}`.
    private mutating func wrappedList(
        of property: JSONMeaning.Property, in model: ModelClass
    ) -> (kind: ModelProperty.Kind, key: String)? {
        guard case .list(let schema, let wrapper?) = description.content(of: property.schema), !wrapper.contains(".")
        else { return nil }
        let name = Self.memberName("\(model.name)_\(property.name)")
        let keys = variants.keys(of: schema, named: name)
        guard keys.count == 1, let key = keys.first else { return nil }
        declare(key)
        if self[key]?.isEmbedded ?? true, !embed(key, in: model) { return nil }
        return (.toMany(key), wrapper)
    }

    /// For an object or a list of objects of one class.
    private mutating func reference(
        of property: JSONMeaning.Property, _ meaning: JSONMeaning, of model: ModelClass
    ) -> ModelProperty.Kind? {
        let name = "\(model.name)_\(property.name)"
        let isList = meaning.types == ["array"]
        guard isList || meaning.types.contains("object"), !meaning.types.contains("array") || isList else { return nil }
        let schema = isList ? meaning.items : property.schema
        guard let schema else { return nil }
        let single = isList ? Self.memberName(name) : name
        let keys = variants.keys(of: schema, named: single)
        guard keys.count == 1, let key = keys.first else { return nil }
        declare(key)
        let isEmbedded = self[key]?.isEmbedded ?? true
        // A scalar in place of the object is its identity.
        let hasScalar = description.meaning(of: schema).types != ["object"]
        if isEmbedded, hasScalar || !embed(key, in: model) { return nil }
        return isList ? .toMany(key) : .toOne(key)
    }

    /// It differs from the list's name, which may be a table's.
    private static func memberName(_ list: String) -> String {
        let single = AttributeMapping.singularizingLastWord(of: list)
        return single == list ? "\(list)_item" : single
    }

    /// Those with an identity, and those that they refer to. A store opens only if another class refers to each
    /// embedded class.
    var written: [ModelClass] {
        var reached = Set(classes.filter { !$0.isEmbedded }.map(\.key))
        var next = classes.filter { !$0.isEmbedded }
        while let model = next.popLast() {
            for property in model.properties {
                switch property.kind {
                case .toOne(let key), .toMany(let key):
                    if reached.insert(key).inserted, let target = self[key] { next.append(target) }
                case .value, .enumeration: break
                }
            }
        }
        return classes.filter { reached.contains($0.key) }
    }

    /// For a name that would collide with the table of another class's list: `Tag_History` and the `history` of `Tag`.
    func tableName(of model: ModelClass) -> String? {
        let name = AttributeMapping.tableName(forModelNamed: model.name).name
        let isTaken = classes.contains { owner in
            let table = AttributeMapping.tableName(forModelNamed: owner.name).name
            return owner.properties.contains { property in
                guard case .toMany = property.kind else { return false }
                return "\(table)_\(AttributeMapping.columnName(forPropertyNamed: property.name).name)" == name
            }
        }
        return isTaken ? "\(name)_objects" : nil
    }

    /// False if the class would contain itself.
    private mutating func embed(_ key: ModelKey, in owner: ModelClass) -> Bool {
        guard owner.isEmbedded else { return true }
        var (reached, next) = (Set<ModelKey>(), [key])
        while let current = next.popLast() {
            if current == owner.key { return false }
            if reached.insert(current).inserted { next += embedded[current] ?? [] }
        }
        embedded[owner.key, default: []].insert(key)
        return true
    }

    /// For objects at a path below their owner's.
    private mutating func listOwned() {
        for index in classes.indices {
            guard let routes = classes[index].routes, routes.base != nil, let owner = routes.owner,
                let ownerIndex = indexes[owner.key], let last = routes.collection?.pathSegments.last,
                last.soleParameter == nil, classes[ownerIndex].properties.count < Self.maximumCount,
                !classes[ownerIndex].properties.contains(where: { $0.json == last })
            else { continue }
            var list = ModelProperty(json: last, kind: .toMany(classes[index].key), isRequired: false)
            list.inverse = owner.link
            list.isOfPath = true
            classes[ownerIndex].properties.append(list)
        }
    }

    /// For a path below a class's own, if the members have another one themselves: `/accounts/{id}/statuses`.
    private mutating func listRouted() {
        for sighting in sightings where sighting.isList && sighting.operation.method == "GET" {
            let path = sighting.operation.path.withoutSlash
            let segments = path.pathSegments
            guard let noun = segments.last, noun.soleParameter == nil, self[sighting.key]?.isEmbedded == false,
                self[sighting.key]?.routes?.collection != path,
                let index = owner(at: "/" + segments.dropLast().joined(separator: "/")).flatMap({ indexes[$0.key] }),
                let template = classes[index].routes?.itemTemplate, classes[index].properties.count < Self.maximumCount
            else { continue }
            let name = noun.replacing("-", with: "_")
            guard !classes[index].properties.contains(where: { $0.json == name }) else { continue }
            var list = ModelProperty(json: name, kind: .toMany(sighting.key), isRequired: false)
            list.route = "\(template)/\(noun)"
            list.verbs = verbs(at: path)
            classes[index].properties.append(list)
        }
    }

    /// For `@Relationship(verbs:)`; nil for all.
    private func verbs(at path: String) -> String? {
        let adds = description.operations.contains { $0.method == "POST" && $0.path.withoutSlash == path }
        let deletes = description.operations.contains { operation in
            operation.method == "DELETE" && operation.path.pathSegments.dropLast() == path.pathSegments[...]
        }
        switch (adds, deletes) {
        case (true, true): return nil
        case (true, false): return "[.fetch, .add]"
        case (false, true): return "[.fetch, .delete]"
        case (false, false): return ".fetch"
        }
    }

    // MARK: Names

    private mutating func nameProperties(of index: Int) {
        var namer = PropertyNamer(isIdentity: Set(classes[index].identity), types: names)
        // `links` comes before `_links`, so that it gets the plain name.
        let order = classes[index].properties.indices.sorted { left, right in
            let isPrivate = [left, right].map { classes[index].properties[$0].json.hasPrefix("_") ? 1 : 0 }
            return (isPrivate[0], left) < (isPrivate[1], right)
        }
        for property in order { namer.name(&classes[index].properties[property]) }
        // By its Swift name.
        for property in classes[index].properties where property.isOfPath {
            guard case .toOne(let key) = property.kind, let owner = indexes[key] else { continue }
            setInverse(of: classes[index].key, in: owner, to: property.name)
        }
        if let owner = classes[index].routes?.owner, let ownerIndex = indexes[owner.key],
            let link = classes[index].properties.first(where: { $0.json == owner.link })
        {
            setInverse(of: classes[index].key, in: ownerIndex, to: link.name)
        }
    }

    private mutating func setInverse(of members: ModelKey, in owner: Int, to name: String) {
        for property in classes[owner].properties.indices {
            guard case .toMany(members) = classes[owner].properties[property].kind,
                classes[owner].properties[property].isOfPath
            else { continue }
            classes[owner].properties[property].inverse = name
        }
    }
}
