import Foundation
import RestfulData

enum ServerWriter {
    /// The test. Validation is skipped, and targets of relationships may be added later.
    case test
    /// A client that creates the object.
    case creation
    /// A client that changes the object.
    case change

    var isClient: Bool { if case .test = self { false } else { true } }
}

extension ServerState {
    /// Creates an object.
    ///
    /// - Parameters:
    ///   - body: Its flat JSON.
    ///   - links: The owners in its URL.
    /// - Returns: The number of its row.
    mutating func create(
        _ model: ModelSchema, _ body: [String: JSONValue], below links: [PropertyIndex: Int] = [:],
        by writer: ServerWriter
    ) throws(Refusal) -> Int {
        let number = add(to: model.table).number
        for (index, target) in links { link(model[index], of: number, to: target) }
        var body = (rules.defaults[model.modelName] ?? [:]).merging(deeply: body)
        if let family = model.family, case let path = model[family.discriminator].jsonPath, body.value(at: path) == nil,
            !model.submodel.isRoot, let value = family.values(of: model.submodel).first?.json
        {
            body.set(value, at: path[...])
        }
        try write(body, to: number, by: writer)
        try assignIdentity(to: number)
        try check(number, by: writer)
        return number
    }

    /// Creates or changes an object for the test.
    ///
    /// - Returns: The number of its row.
    mutating func seed(_ model: ModelSchema, _ body: [String: JSONValue]) throws(Refusal) -> Int {
        guard let row = row(describedBy: body, of: model) else {
            return try create(model, body, by: .test)
        }
        rows(set: row.number) { $0.isKnown = true }
        try write(body, to: row.number, by: .test)
        try assignIdentity(to: row.number)
        return row.number
    }

    private mutating func rows(set number: Int, _ change: (inout ServerRow) -> Void) {
        guard var row = rows[number] else { return }
        change(&row)
        // Safe: the identity is unchanged, so `put` finds no conflict.
        try? put(row)
    }

    /// Writes the properties in a body. All others stay.
    mutating func write(_ body: [String: JSONValue], to number: Int, by writer: ServerWriter) throws(Refusal) {
        guard let first = rows[number] else { return }
        var body = body
        // The discriminator determines the properties.
        if let family = schema[first.table].family, case let path = schema[first.table][family.discriminator].jsonPath,
            let value = body.value(at: path)
        {
            rows(set: number) { $0.fields.set(value, at: path[...]) }
        }
        guard let start = rows[number] else { return }
        let model = model(of: start)
        if writer.isClient { body = body.moved(in: model, from: \.clientPath, to: \.jsonPath) }
        for property in model.declared where property.target != nil && !map.isEmbedded(property) {
            try writeRelationship(property, of: number, from: &body, by: writer)
        }
        guard var row = rows[number] else { return }
        for property in model.declared where property.target == nil {
            guard let value = body.take(at: property.jsonPath[...]) else { continue }
            if model.relationshipsAtKeys[property.index] != nil { continue }
            if writer.isClient, !property.isTaken(by: writer, in: model) { continue }
            // An identity that is sent as text, as in JSON:API, stays a number.
            let isSame =
                model.identity.contains(property.index) && value.scalarText != nil
                && value.scalarText == row.fields.value(at: property.jsonPath)?.scalarText
            if isSame { continue }
            row.fields.set(value, at: property.jsonPath[...])
        }
        for property in model.declared where map.isEmbedded(property) && !property.isAtRoot {
            guard let value = body.take(at: property.jsonPath[...]) else { continue }
            row.fields.set(value, at: property.jsonPath[...])
        }
        row.fields = row.fields.merging(deeply: body)
        // Changed relationships have counted already.
        row.version = first.version + 1
        stampVersion(&row, model)
        try put(row)
    }

    private func stampVersion(_ row: inout ServerRow, _ model: ModelSchema) {
        guard case .attribute(let name) = map.conditions(of: model),
            let property = model.declared.first(where: { $0.name == name })
        else { return }
        let isNumber = if case .attribute(.integer, _, _) = property.kind { true } else { false }
        row.fields.set(isNumber ? .number("\(row.version)") : .string("\(row.version)"), at: property.jsonPath[...])
    }

    // MARK: Relationships

    private mutating func writeRelationship(
        _ property: Property, of number: Int, from body: inout [String: JSONValue], by writer: ServerWriter
    ) throws(Refusal) {
        guard let row = rows[number] else { return }
        let model = model(of: row)
        var received: (value: JSONValue, isOwn: Bool)?
        for path in map.identityPaths(of: property, in: model) {
            if let value = body.take(at: path[...]) { received = (value, false) }
        }
        if let value = body.take(at: property.jsonPath[...]) { received = (value, true) }
        guard let received else { return }
        guard property.list != nil else {
            let target = try targets(received.value, of: property, in: number, isOwnKey: received.isOwn, by: writer)
                .first
            return link(property, of: number, to: target)
        }
        guard case .array(let elements) = received.value else {
            if received.value.isNull { return set([], of: property, number) }
            throw .invalid(property.jsonPath, "must be an array")
        }
        var members: [Int] = []
        for element in elements {
            members += try targets(element, of: property, in: number, isOwnKey: received.isOwn, by: writer)
        }
        set(members, of: property, number)
    }

    /// The rows that a relationship's JSON names or describes.
    ///
    /// - Parameter isOwnKey: Whether the value is at the relationship's own key, where it can be another key than the
    ///   identity.
    mutating func targets(
        _ value: JSONValue, of property: Property, in owner: Int, isOwnKey: Bool = true, by writer: ServerWriter
    ) throws(Refusal) -> [Int] {
        guard let target = schema.target(of: property) else { return [] }
        switch value {
        case .null: return []
        case .array(let elements):
            var all: [Int] = []
            for element in elements { all += try targets(element, of: property, in: owner, by: writer) }
            return all
        case .object(let members): return [try described(members, of: property, target, in: owner, by: writer)]
        case .string, .number, .bool: break
        }
        let text = value.scalarText ?? ""
        if isOwnKey, case .key(let name) = map.sending(of: property) {
            return [try keyed(value, at: name, of: property, target, in: owner, by: writer)]
        }
        if let row = row(text, of: target) ?? row(target, where: lastPath(of: target), is: text) {
            return [row.number]
        }
        guard writer.isClient else { return [addUnknown(value, of: target)] }
        throw .invalid(property.jsonPath, "must exist")
    }

    private func lastPath(of model: ModelSchema) -> [String] { model.identity.last.map { model[$0].jsonPath } ?? [] }

    /// Adds a row of which only the identity is known.
    private mutating func addUnknown(_ identity: JSONValue, of model: ModelSchema) -> Int {
        var row = add(to: model.table)
        row.isKnown = false
        row.fields.set(identity, at: lastPath(of: model)[...])
        // Safe: no row has this identity, because the search for it found none.
        try? put(row)
        return row.number
    }

    private mutating func described(
        _ members: [String: JSONValue], of property: Property, _ target: ModelSchema, in owner: Int,
        by writer: ServerWriter
    ) throws(Refusal) -> Int {
        if let row = row(describedBy: members, of: target) {
            if !writer.isClient { return try seed(target, members) }
            if map.sending(of: property) == .nested { try write(members, to: row.number, by: .change) }
            return row.number
        }
        if !writer.isClient { return try seed(target, members) }
        guard map.sending(of: property) == .nested else { throw .invalid(property.jsonPath, "must exist") }
        return try create(target, members, below: shared(with: owner, by: target, property), by: .creation)
    }

    /// The row with the identity in an object's JSON.
    private func row(describedBy members: [String: JSONValue], of model: ModelSchema) -> ServerRow? {
        var parts: [String] = []
        for index in model.identity {
            let property = model[index]
            let paths = (property.link == nil ? [] : map.identityPaths(of: property, in: model)) + [property.jsonPath]
            let value = paths.lazy.compactMap { members.value(at: $0) }.first
            if case .object(let inner)? = value, let target = schema.target(of: property) {
                guard let row = row(describedBy: inner, of: target), let text = identity(of: row) else { return nil }
                parts.append(text)
            } else {
                guard let text = value?.scalarText else { return nil }
                parts.append(text)
            }
        }
        return parts.isEmpty ? nil : row(parts.joined(separator: "/"), of: model)
    }

    /// The row with a value at a key, such as a label's name, among the rows with the same owners.
    private mutating func keyed(
        _ value: JSONValue, at name: String, of property: Property, _ target: ModelSchema, in owner: Int,
        by writer: ServerWriter
    ) throws(Refusal) -> Int {
        let path = map.first(of: [name], in: target)?.property.jsonPath ?? [name]
        let shared = shared(with: owner, by: target, property)
        let found = rows(of: target).first { row in
            row.fields.value(at: path)?.scalarText == value.scalarText
                && shared.allSatisfy { row.links[$0.key] == $0.value }
        }
        if let found { return found.number }
        // A missing member of a list, such as a label, is created. A missing target of a link is an error for clients.
        guard property.list != nil || !writer.isClient else { throw .invalid(property.jsonPath, "must exist") }
        return try create(target, [name: value], below: shared, by: writer)
    }

    /// The links that a new target shares with the object that refers to it, such as the repository of an issue and its
    /// labels.
    private func shared(with owner: Int, by target: ModelSchema, _ property: Property) -> [PropertyIndex: Int] {
        guard let row = rows[owner] else { return [:] }
        var links: [PropertyIndex: Int] = [:]
        for link in target.declared where link.link != nil && link.index != property.inverse {
            let same = model(of: row).declared.first { $0.link?.target == link.link?.target }
            if let number = same.flatMap({ row.links[$0.index] }), isInURL(link, of: target) {
                links[link.index] = number
            }
        }
        if let inverse = property.inverse, property.list?.isOfLinks == true { links[inverse] = owner }
        return links
    }

    private func isInURL(_ link: Property, of model: ModelSchema) -> Bool {
        let placeholders = map.table.routes(of: model)?.base.placeholders ?? []
        return placeholders.contains { map.first(of: $0.keyPath, in: model)?.property.index == link.index }
    }
}

// MARK: - Identities

extension ServerState {
    /// Assigns the parts of the identity and the key that the client left out.
    ///
    /// - Throws: A validation error if the server is unable to create a value.
    mutating func assignIdentity(to number: Int) throws(Refusal) {
        guard var row = rows[number] else { return }
        let model = model(of: row)
        let key = model.key.map { [$0] } ?? []
        for index in model.identity + key.filter({ !model.identity.contains($0) }) {
            let property = model[index]
            guard case .attribute(let kind, _, _) = property.kind,
                row.fields.value(at: property.jsonPath)?.scalarText == nil
            else { continue }
            let isOnly = model.identity == [index]
            let scope = isOnly ? [] : row.links.filter { isInURL(model[$0.key], of: model) }.sorted { $0.key < $1.key }
            let within = scope.map { " \($0.key.rawValue) \($0.value)" }.joined()
            // The numbers of such identities are noted.
            let rivals =
                isOnly
                ? []
                : rows.values.filter { other in
                    other.table == row.table && scope.allSatisfy { other.links[$0.key] == $0.value }
                }
            let taken = rivals.compactMap { $0.fields.value(at: property.jsonPath)?.scalarText?.lastNumber }
            let next = nextID(of: row.table, within: property.name + within, beside: taken)
            guard let value = value(of: kind, counted: next, for: row, of: model, at: property) else {
                if model.identity.contains(index) { throw .invalid(property.jsonPath, "can't be blank") }
                continue
            }
            row.fields.set(value, at: property.jsonPath[...])
        }
        try put(row)
    }

    private func value(
        of kind: AttributeKind, counted number: Int, for row: ServerRow, of model: ModelSchema, at property: Property
    ) -> JSONValue? {
        switch kind {
        case .integer, .unsigned, .wideInteger, .decimal, .real, .float: .number("\(number)")
        case .uuid:
            .string(
                "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - "\(number)".count)) + "\(number)"
            )
        case .url:
            collection(of: row, model).map {
                .string("\(map.baseURL)\($0)/\(number)" + (map.conventions.urls.endInSlash ? "/" : ""))
            }
        case .text where map.conventions.urls.keysAreNames && model.key == property.index:
            collection(of: row, model).map { .string("\($0.dropFirst())/\(number)") }
        case .text where model.identity.contains(property.index): .string("\(number)")
        default: nil
        }
    }

    private func collection(of row: ServerRow, _ model: ModelSchema) -> String? {
        guard let text = map.table.routes(of: model).flatMap({ url($0.base, of: row) }) else { return nil }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// The path of a row by a template; nil if a value is missing.
    func url(_ template: RouteTemplate, of row: ServerRow) -> String? {
        try? template.expand { placeholder in text(at: placeholder.keyPath, of: row).map { RouteValue($0) } ?? .missing
        }
    }

    private func text(at keyPath: [String], of row: ServerRow) -> String? {
        guard let (property, rest) = map.first(of: keyPath, in: model(of: row)) else { return nil }
        guard property.link != nil else {
            let text = row.fields.value(at: property.jsonPath + rest)?.scalarText
            return property.isURL ? text?.split(separator: "/").last.map(String.init) : text
        }
        guard let target = row.links[property.index].flatMap({ rows[$0] }) else { return nil }
        return rest.isEmpty ? lastPart(ofIdentity: target) : text(at: rest, of: target)
    }
}

extension Property {
    /// Whether the server accepts the attribute from a client.
    fileprivate func isTaken(by writer: ServerWriter, in model: ModelSchema) -> Bool {
        let isCreation = if case .creation = writer { true } else { false }
        return switch access {
        case .readOnly: isCreation && model.identity.contains(index)
        case .createOnly: isCreation
        case .readWrite, .writeOnly, nil: true
        }
    }
}

extension StoredValue {
    fileprivate var json: JSONValue? {
        switch self {
        case .text(let text): .string(text)
        case .integer(let number): .number("\(number)")
        case .null, .real, .blob: nil
        }
    }
}
