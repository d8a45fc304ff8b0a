import RestfulData

// Writes objects as JSON.

extension ServerState {
    /// An object for the test: flat, with the identities of its targets.
    func flat(_ row: ServerRow) -> JSONValue { .object(plain(row, isWire: false, within: [row.number])) }

    /// An object as the API sends it.
    func wire(_ row: ServerRow) -> JSONValue {
        map.conventions.document == .jsonAPI ? resource(row) : .object(plain(row, isWire: true, within: [row.number]))
    }

    // MARK: Plain JSON

    private func plain(_ row: ServerRow, isWire: Bool, within outer: Set<Int>) -> [String: JSONValue] {
        let model = model(of: row)
        var object = row.fields
        if isWire {
            for property in model.declared where property.access == .writeOnly {
                object.take(at: property.jsonPath[...])
            }
        }
        for property in model.declared where property.target != nil && !map.isEmbedded(property) {
            add(property, of: row, to: &object, isWire: isWire, within: outer)
        }
        guard isWire else { return object }
        if let key = map.conventions.typeKey {
            object[key] = .string(schema.resourceTypes(ofAPIOf: model).type(of: model))
        }
        return map.omitsEmptyKeys(model) ? object.filter { !$0.value.isNothing } : object
    }

    private func add(
        _ property: Property, of row: ServerRow, to object: inout [String: JSONValue], isWire: Bool,
        within outer: Set<Int>
    ) {
        let model = model(of: row)
        let isNested = isWire && isNested(property, of: model)
        guard isNested || shows(property, isWire: isWire) else { return }
        let numbers = property.list == nil ? row.links[property.index].map { [$0] } ?? [] : members(of: property, row)
        let targets = numbers.compactMap { rows[$0] }
        let values = targets.compactMap { target -> JSONValue? in
            let isFurther = isNested && target.isKnown && !outer.contains(target.number) && outer.count < Self.depth
            return isFurther
                ? .object(plain(target, isWire: true, within: outer.union([target.number])))
                : isNested ? identityObject(of: target) : identityValue(of: target)
        }
        let path = isNested ? property.jsonPath : identityPath(of: property, in: model)
        object.set(property.list == nil ? values.first ?? .null : .array(values), at: path[...])
    }

    private static let depth = 4

    /// Whether a relationship's targets are nested in the object.
    private func isNested(_ property: Property, of model: ModelSchema) -> Bool {
        if rules.nested[model.modelName]?.contains(property.name) == true { return true }
        switch map.sending(of: property) {
        case .nested, .key: return true
        case .identities, .identitiesByName, .conventional, .never, nil: break
        }
        // Several values are needed to identify such a target.
        return property.link != nil && (schema.target(of: property)?.identity.count ?? 0) > 1
    }

    /// Whether the object includes a relationship. Lists with their own URL are left out.
    private func shows(_ property: Property, isWire: Bool) -> Bool {
        guard let list = property.list else { return true }
        guard case .join = list.storage else { return false }
        return !isWire || list.options.route == nil && list.options.sentAs != .never
    }

    private func identityPath(of property: Property, in model: ModelSchema) -> [String] {
        guard map.sending(of: property) != .identitiesByName, map.conventions.document == .plain else {
            return property.jsonPath
        }
        return map.identityPaths(of: property, in: model).first ?? property.jsonPath
    }

    /// The value by which other objects refer to a row.
    func identityValue(of row: ServerRow) -> JSONValue? {
        let model = schema[row.table]
        guard let property = model.identity.last.map({ model[$0] }) else { return nil }
        guard property.link != nil else { return row.fields.value(at: property.jsonPath) }
        return row.links[property.index].flatMap { rows[$0] }.flatMap { identityValue(of: $0) }
    }

    private func identityObject(of row: ServerRow) -> JSONValue {
        let model = schema[row.table]
        var object: [String: JSONValue] = [:]
        for property in model.identity.map({ model[$0] }) {
            guard property.link != nil else {
                object.set(row.fields.value(at: property.jsonPath) ?? .null, at: property.jsonPath[...])
                continue
            }
            let target = row.links[property.index].flatMap { rows[$0] }
            object.set(target.map { identityObject(of: $0) } ?? .null, at: property.jsonPath[...])
        }
        return .object(object)
    }

    // MARK: JSON:API

    /// A resource object (<https://jsonapi.org/format/1.1/#document-resource-objects>).
    private func resource(_ row: ServerRow) -> JSONValue {
        let model = model(of: row)
        var (object, fields) = (identifier(of: row).members, row.fields)
        for property in model.declared where property.target == nil {
            guard model.relationshipsAtKeys[property.index] == nil,
                let value = fields.take(at: property.jsonPath[...]), property.access != .writeOnly,
                ![["id"], ["type"]].contains(property.documentPath)
            else { continue }
            object.set(value, at: property.documentPath[...])
        }
        fields["type"] = nil
        if !fields.isEmpty {
            object["attributes"] = .object((object["attributes"]?.members ?? [:]).merging(deeply: fields))
        }
        for property in model.declared where property.target != nil && !map.isEmbedded(property) {
            guard shows(property, isWire: true) || isNested(property, of: model) else { continue }
            object.set(linkage(of: property, row), at: property.documentPath[...])
        }
        return .object(object)
    }

    /// The resource identifier: `{"type": "people", "id": "7"}`.
    private func identifier(of row: ServerRow) -> JSONValue {
        let type = schema.resourceTypes(ofAPIOf: schema[row.table]).type(of: model(of: row))
        return ["type": .string(type), "id": .string(lastPart(ofIdentity: row) ?? "")]
    }

    func linkage(of property: Property, _ row: ServerRow) -> JSONValue {
        guard property.list != nil else {
            return row.links[property.index].flatMap { rows[$0] }.map { identifier(of: $0) } ?? .null
        }
        return .array(members(of: property, row).compactMap { rows[$0] }.map { identifier(of: $0) })
    }

    /// The related resources that `include` names (<https://jsonapi.org/format/1.1/#fetching-includes>).
    func included(from some: [ServerRow], _ paths: [String]) -> [JSONValue] {
        var (found, numbers) = ([ServerRow](), Set(some.map(\.number)))
        for path in paths {
            var rows = some
            for key in path.split(separator: ".").map(String.init) {
                rows = rows.flatMap { targets(of: key, $0) }
                found += rows.filter { numbers.insert($0.number).inserted }
            }
        }
        return found.map { resource($0) }
    }

    private func targets(of key: String, _ row: ServerRow) -> [ServerRow] {
        guard let (property, _) = map.first(of: [key], in: model(of: row)), property.target != nil else { return [] }
        let numbers = property.list == nil ? row.links[property.index].map { [$0] } ?? [] : members(of: property, row)
        return numbers.compactMap { rows[$0] }.filter(\.isKnown)
    }

    // MARK: Bodies of requests

    /// The flat JSON of a resource object.
    func flattened(_ resource: [String: JSONValue], of model: ModelSchema) -> [String: JSONValue] {
        var flat = resource["attributes"]?.members ?? [:]
        for property in model.declared where property.target == nil && property.documentPath == ["id"] {
            if let id = resource["id"] { flat.set(id, at: property.jsonPath[...]) }
        }
        for property in model.declared where property.target != nil && !map.isEmbedded(property) {
            let path = property.sentPath(insteadOf: property.documentPath)
            guard let linkage = resource.value(at: path) else { continue }
            flat.set(linkage.identities, at: property.clientPath[...])
        }
        if let type = resource["type"], let family = model.family, model[family.discriminator].documentPath == ["type"]
        {
            flat.set(type, at: model[family.discriminator].jsonPath[...])
        }
        return flat
    }
}

extension JSONValue {
    var identities: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.identities))
        case .object(let members): members["id"] ?? .null
        default: self
        }
    }

    /// Whether the value is left out by conventions that leave out empty keys.
    fileprivate var isNothing: Bool {
        switch self {
        case .null: true
        case .array(let elements): elements.isEmpty
        default: false
        }
    }
}
