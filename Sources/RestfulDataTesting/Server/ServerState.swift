import Foundation
import RestfulData

struct ServerRow: Sendable {
    let number: Int
    let table: TableID
    /// The JSON except relationships, including undeclared keys.
    var fields: [String: JSONValue] = [:]
    /// The row numbers of the targets of to-one relationships.
    var links: [PropertyIndex: Int] = [:]
    var version = 0
    /// False for a row that is only referenced, until it is described.
    var isKnown = true
}

/// A request with an `Idempotency-Key`, and its reply.
struct ServerAnswer: Sendable {
    let line: String
    let body: [UInt8]
    let reply: TestServer.Reply
}

struct Refusal: Error {
    var status: Int
    var message: String
    /// The problems, by JSON key path.
    var fields: [(path: [String], message: String)] = []

    static func notFound(_ message: String) -> Refusal { Refusal(status: 404, message: message) }
    static func invalid(_ path: [String], _ message: String) -> Refusal {
        Refusal(status: 422, message: "Validation failed", fields: [(path, message)])
    }

    var text: String {
        fields.isEmpty
            ? message : fields.map { "\($0.path.joined(separator: ".")) \($0.message)" }.joined(separator: "; ")
    }
}

/// All objects of the server. A request changes a copy of this value, which is dropped if the request fails.
struct ServerState: Sendable {
    struct Pair: Sendable, Hashable {
        let source: Int
        let target: Int
    }

    let map: ServerMap
    private(set) var rows: [Int: ServerRow] = [:]
    /// The row numbers by table, in the order of creation.
    private var order: [TableID: [Int]] = [:]
    /// The row numbers by table and identity.
    private var numbers: [TableID: [String: Int]] = [:]
    /// The members of many-to-many relationships, by the name of their join table in a store.
    var pairs: [String: [Pair]] = [:]
    private var lastNumber = 0
    /// The last number given, by table and scope.
    private var lastIDs: [String: Int] = [:]
    var rules: ServerRules
    /// The successful requests by `Idempotency-Key`.
    var answers: [String: ServerAnswer] = [:]
    private(set) var removedPaths: Set<String> = []

    init(_ map: ServerMap) {
        self.map = map
        rules = ServerRules(of: map.conventions)
    }

    var schema: Schema { map.schema }

    // MARK: Finding

    /// The rows of a model and of models that inherit from it.
    func rows(of model: ModelSchema) -> [ServerRow] {
        let all = (order[model.table] ?? []).compactMap { rows[$0] }.filter(\.isKnown)
        return model.submodel.isRoot ? all : all.filter { self.model(of: $0).submodel == model.submodel }
    }

    /// The model of a row, by its discriminator if the models inherit.
    func model(of row: ServerRow) -> ModelSchema {
        let root = schema[row.table]
        guard let family = root.family,
            let text = row.fields.value(at: root[family.discriminator].jsonPath)?.scalarText
        else { return root }
        return root.models.first { family.values(of: $0.submodel).contains { $0.isText(text) } } ?? root
    }

    func row(_ identity: String, of model: ModelSchema) -> ServerRow? {
        numbers[model.table]?[identity].flatMap { rows[$0] }
    }

    /// The row in which a key path has a text, if there is exactly one.
    func row(_ model: ModelSchema, where keyPath: [String], is text: String) -> ServerRow? {
        let found = rows(of: model).filter { has(text, at: keyPath, in: $0) }
        return found.count == 1 ? found[0] : nil
    }

    /// The row with an identity or key.
    func row(keyed key: String, of model: ModelSchema) -> ServerRow? {
        if let row = row(key, of: model), row.isKnown { return row }
        guard let property = model.key.map({ model[$0] }) else { return nil }
        return row(model, where: property.jsonPath, is: key)
    }

    /// Whether the value at a row's key path has a text.
    func has(_ text: String, at keyPath: [String], in row: ServerRow) -> Bool {
        guard let (property, rest) = map.first(of: keyPath, in: model(of: row)) else { return false }
        if property.link != nil {
            guard let target = row.links[property.index].flatMap({ rows[$0] }) else { return false }
            return rest.isEmpty ? lastPart(ofIdentity: target) == text : has(text, at: rest, in: target)
        }
        guard let value = row.fields.value(at: property.jsonPath + rest)?.scalarText else { return false }
        return value == text || property.isURL && value.lastSegment == text
    }

    /// The rows of the links in a URL's path.
    ///
    /// - Throws: 404 if an owner is missing.
    func owners(_ values: [[String]: String], of model: ModelSchema) throws(Refusal) -> [PropertyIndex: Int] {
        var owners: [PropertyIndex: Int] = [:]
        for (link, parts) in map.owners(values, in: model) {
            guard let target = schema.target(of: link) else { continue }
            let owner = rows(of: target).first { row in
                parts.allSatisfy { part in
                    part.keyPath.isEmpty
                        ? lastPart(ofIdentity: row) == part.text : has(part.text, at: part.keyPath, in: row)
                }
            }
            guard let owner else {
                let keys = parts.map { "\($0.keyPath.joined(separator: ".")) \"\($0.text)\"" }
                throw .notFound("There is no \(target.modelName) with \(keys.joined(separator: " and "))")
            }
            owners[link.index] = owner.number
        }
        return owners
    }

    // MARK: Identities

    /// The parts of a row's identity, joined by slashes; nil if a part is missing.
    func identity(of row: ServerRow) -> String? {
        let model = schema[row.table]
        var parts: [String] = []
        for index in model.identity {
            let property = model[index]
            let part =
                property.link == nil
                ? row.fields.value(at: property.jsonPath)?.scalarText
                : row.links[index].flatMap { rows[$0] }.flatMap { identity(of: $0) }
            guard let part else { return nil }
            parts.append(part)
        }
        return parts.joined(separator: "/")
    }

    /// The last part of a row's identity, by which URLs and other objects refer to it.
    func lastPart(ofIdentity row: ServerRow) -> String? {
        let model = schema[row.table]
        guard let property = model.identity.last.map({ model[$0] }) else { return nil }
        guard property.link != nil else { return row.fields.value(at: property.jsonPath)?.scalarText }
        return row.links[property.index].flatMap { rows[$0] }.flatMap { lastPart(ofIdentity: $0) }
    }

    /// Returns a new number, greater than all numbers given or noted before.
    ///
    /// - Parameters:
    ///   - scope: The scope in which the number is unique.
    ///   - taken: Further numbers of existing rows.
    mutating func nextID(of table: TableID, within scope: String, beside taken: some Sequence<Int>) -> Int {
        let place = "\(table.rawValue) \(scope)"
        let next = max(lastIDs[place] ?? 0, taken.max() ?? 0).addingReportingOverflow(1).partialValue
        lastIDs[place] = next
        return next
    }

    // MARK: Changing

    mutating func add(to table: TableID) -> ServerRow {
        lastNumber += 1
        let row = ServerRow(number: lastNumber, table: table)
        rows[lastNumber] = row
        order[table, default: []].append(lastNumber)
        return row
    }

    /// Replaces a row.
    ///
    /// - Throws: 409 if another row has its identity.
    mutating func put(_ row: ServerRow) throws(Refusal) {
        let old = rows[row.number].flatMap { identity(of: $0) }
        let new = identity(of: row)
        if let new, let other = numbers[row.table]?[new], other != row.number {
            let model = schema[row.table]
            let path = model.identity.last.map { model[$0].jsonPath } ?? []
            throw Refusal(status: 409, message: "Conflict", fields: [(path, "has already been taken")])
        }
        let dependents = old == new ? [] : dependents(of: row)
        if let old, old != new { numbers[row.table]?[old] = nil }
        if let new { numbers[row.table, default: [:]][new] = row.number }
        rows[row.number] = row
        for (number, former) in dependents { reindex(number, named: former) }
        noteID(of: row)
    }

    /// The rows whose identity includes a row, at any depth, with their identities.
    private func dependents(of row: ServerRow) -> [(number: Int, identity: String?)] {
        var all: [(number: Int, identity: String?)] = []
        for model in schema.roots {
            let parts = model.identity.filter { model[$0].link?.target == row.table }
            guard !parts.isEmpty else { continue }
            for other in (order[model.table] ?? []).compactMap({ rows[$0] })
            where parts.contains(where: { other.links[$0] == row.number }) {
                all.append((other.number, identity(of: other)))
                all += dependents(of: other)
            }
        }
        return all
    }

    /// Records the number of an identity of one part, which stays reserved even after the row is removed.
    private mutating func noteID(of row: ServerRow) {
        let model = schema[row.table]
        guard model.identity.count == 1, let property = model.identity.first.map({ model[$0] }), property.link == nil,
            let number = row.fields.value(at: property.jsonPath)?.scalarText?.lastNumber
        else { return }
        let place = "\(row.table.rawValue) \(property.name)"
        lastIDs[place] = max(lastIDs[place] ?? 0, number)
    }

    /// Sets a to-one relationship and its inverse. The row keeps its version, and the rows of the inverse get another.
    mutating func link(_ property: Property, of number: Int, to target: Int?) {
        guard let row = rows[number], row.links[property.index] != target else { return }
        let former = identity(of: row)
        defer { reindex(number, named: former) }
        if let inverse = inverseLink(of: property) {
            if let former = row.links[property.index] { setOther(inverse.index, of: former, to: nil) }
            if let target {
                if let rival = rows[target]?.links[inverse.index] { setOther(property.index, of: rival, to: nil) }
                setOther(inverse.index, of: target, to: number)
            }
        }
        rows[number]?.links[property.index] = target
    }

    /// Sets a to-one relationship of a row that is otherwise unchanged.
    mutating func relink(_ property: Property, of number: Int, to target: Int?) {
        let former = rows[number]?.links[property.index]
        link(property, of: number, to: target)
        if former != target { rows[number]?.version += 1 }
    }

    /// Sets a link of another row than the written one, which then has another version.
    private mutating func setOther(_ link: PropertyIndex, of number: Int, to target: Int?) {
        rows[number]?.links[link] = target
        rows[number]?.version += 1
    }

    /// Updates the index of identities, because a link can be a part of an identity.
    private mutating func reindex(_ number: Int, named former: String?) {
        guard let row = rows[number], case let new = identity(of: row), new != former else { return }
        if let former, numbers[row.table]?[former] == number { numbers[row.table]?[former] = nil }
        if let new { numbers[row.table, default: [:]][new] = number }
    }

    private func inverseLink(of property: Property) -> Property? {
        guard let target = schema.target(of: property), let inverse = property.inverse, target[inverse].link != nil
        else { return nil }
        return target[inverse]
    }

    /// Removes a row, the rows that its relationships delete with it, and all references to it.
    ///
    /// - Throws: 409 if a relationship denies it.
    mutating func remove(_ number: Int) throws(Refusal) {
        var removed: Set<Int> = []
        try remove(number, after: &removed)
    }

    /// - Parameter removed: The rows whose removal has started. It ends cycles.
    private mutating func remove(_ number: Int, after removed: inout Set<Int>) throws(Refusal) {
        guard let row = rows[number], removed.insert(number).inserted else { return }
        for other in try rowsRemoved(with: row) { try remove(other, after: &removed) }
        // Rows whose identity includes this row are removed with it.
        let named = rows.values.filter { other in schema[other.table].identity.contains { other.links[$0] == number } }
        for other in named.sorted(by: { $0.number < $1.number }) { try remove(other.number, after: &removed) }
        forget(number)
    }

    /// The rows that a row's relationships delete with it.
    ///
    /// - Throws: 409 if a relationship denies it.
    private func rowsRemoved(with row: ServerRow) throws(Refusal) -> [Int] {
        let model = model(of: row)
        var all: [Int] = []
        for property in model.declared where property.target != nil && !map.isEmbedded(property) {
            guard let options = property.link?.options ?? property.list?.options else { continue }
            let link = row.links[property.index].map { [$0] } ?? []
            let others = property.list == nil ? link : members(of: property, row)
            if options.onDelete == .deny, !others.isEmpty {
                let name = property.jsonPath.joined(separator: ".")
                throw Refusal(status: 409, message: "The \(model.modelName) has \(name)")
            }
            if options.onDelete == .cascade || options.owns { all += others }
        }
        return all
    }

    private mutating func forget(_ number: Int) {
        guard let row = rows[number] else { return }
        let route = map.table.routes(of: model(of: row))?.object
        if let path = route.flatMap({ url($0, of: row) }) { removedPaths.insert(path) }
        if let identity = identity(of: row) { numbers[row.table]?[identity] = nil }
        rows[number] = nil
        order[row.table]?.removeAll { $0 == number }
        for name in pairs.keys.sorted() {
            for pair in pairs[name] ?? [] where pair.source == number || pair.target == number {
                removePair(pair, of: name)
            }
        }
        for (other, link) in rows.values.flatMap({ row in
            row.links.filter { $0.value == number }.map { (row.number, $0.key) }
        }) {
            setOther(link, of: other, to: nil)
        }
    }

    private mutating func removePair(_ pair: Pair, of join: String) {
        pairs[join]?.removeAll { $0 == pair }
        noteNewVersion(of: pair)
    }

    /// Both rows of a pair show it.
    private mutating func noteNewVersion(of pair: Pair) {
        for number in [pair.source, pair.target] { rows[number]?.version += 1 }
    }

    /// Moves a row to an index in its table. Lists are shown in this order.
    mutating func move(_ number: Int, to index: Int) {
        guard let table = rows[number]?.table, var numbers = order[table] else { return }
        numbers.removeAll { $0 == number }
        numbers.insert(number, at: min(max(0, index), numbers.count))
        order[table] = numbers
    }

    // MARK: Lists

    func members(of list: Property, _ owner: ServerRow) -> [Int] {
        switch list.list?.storage {
        case .column(let link, _, _):
            guard let target = list.target else { return [] }
            return (order[target] ?? []).filter { rows[$0]?.links[link] == owner.number }
        case .join(let join, let isReversed):
            let all = pairs[join.name] ?? []
            return isReversed
                ? all.filter { $0.target == owner.number }.map(\.source)
                : all.filter { $0.source == owner.number }.map(\.target)
        case nil: return []
        }
    }

    mutating func set(_ member: Int, isMember: Bool, of list: Property, _ owner: Int) {
        switch list.list?.storage {
        case .column(let index, _, _):
            guard let row = rows[member], isMember || row.links[index] == owner else { return }
            relink(schema[row.table][index], of: member, to: isMember ? owner : nil)
        case .join(let join, let isReversed):
            let pair = isReversed ? Pair(source: member, target: owner) : Pair(source: owner, target: member)
            let isThere = pairs[join.name]?.contains(pair) == true
            guard isThere != isMember else { return }
            guard isMember else { return removePair(pair, of: join.name) }
            pairs[join.name, default: []].append(pair)
            noteNewVersion(of: pair)
        case nil: return
        }
    }

    /// Makes rows the members of a list, in their order if the list has one.
    mutating func set(_ members: [Int], of list: Property, _ owner: Int) {
        guard let row = rows[owner] else { return }
        var known: Set<Int> = []
        let members = members.filter { known.insert($0).inserted }
        let former = self.members(of: list, row)
        for member in former where !members.contains(member) { set(member, isMember: false, of: list, owner) }
        for member in members { set(member, isMember: true, of: list, owner) }
        guard case .join(let join, let isReversed) = list.list?.storage, self.members(of: list, row) != members else {
            return
        }
        // The members are the same, in another order.
        pairs[join.name]?.removeAll { (isReversed ? $0.target : $0.source) == owner }
        for member in members {
            let pair = isReversed ? Pair(source: member, target: owner) : Pair(source: owner, target: member)
            pairs[join.name, default: []].append(pair)
        }
        rows[owner]?.version += 1
    }
}

extension Property {
    var isURL: Bool { if case .attribute(.url, _, _) = kind { true } else { false } }

    /// The access of an attribute; nil for a relationship.
    var access: AttributeAccess? { if case .attribute(_, _, let options) = kind { options.access } else { nil } }
}

extension StoredValue {
    fileprivate func isText(_ text: String) -> Bool {
        switch self {
        case .text(let own): own == text
        case .integer(let own): "\(own)" == text
        case .null, .real, .blob: false
        }
    }
}

extension String {
    /// The number that the text, or its last segment, represents; nil for other texts.
    var lastNumber: Int? { split { $0 == "/" || $0 == "-" }.last.flatMap { Int($0) } }

    /// The last segment of a URL's path, unescaped.
    fileprivate var lastSegment: String? {
        split(separator: "/").last.map { String($0).removingPercentEncoding ?? String($0) }
    }
}
