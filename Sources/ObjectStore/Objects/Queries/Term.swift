/// A property as its class declares it.
struct PropertyReference: Hashable, Sendable {
    let index: PropertyIndex
    /// The declaring submodel. The index then counts only its own properties.
    let submodel: ObjectIdentifier?

    init(_ property: PropertyDescription) {
        index = PropertyIndex(property.index)
        submodel = property.submodel
    }

    init(_ index: PropertyIndex) { (self.index, submodel) = (index, nil) }
}

/// An untyped ``QueryValue``.
indirect enum Term: Sendable {
    case row
    case property(PropertyReference)
    /// NULL without a linked object.
    case linked(PropertyReference, Term)
    case count(PropertyReference, Condition?)
    case folded(Term)
    case aggregate(Aggregate, Term)
    case constant(StoredValue)
    /// Made by ``numbers(_:_:with:)``.
    case numbers(NumberPair)
    /// Deeper than ``Condition/maximumDepth``. The query throws an error.
    case tooDeep

    enum Aggregate: String, Sendable {
        case count, sum, average, minimum, maximum
    }

    var folded: Term { isFolded ? self : .folded(self) }
    var isFolded: Bool { if case .folded = self { true } else { false } }

    var depth: Int {
        switch self {
        case .row, .property, .constant: 0
        case .numbers(let pair): pair.depth
        case .linked(_, let term): 2 + term.depth
        case .count(_, let condition): 16 + (condition?.depth ?? 0)
        case .folded(let term), .aggregate(_, let term): 3 + term.depth
        case .tooDeep: Condition.maximumDepth + 1
        }
    }

    /// Whether the term reads only the row itself, so it can be evaluated in memory.
    var isOwn: Bool {
        switch self {
        case .row, .property, .constant, .tooDeep: true
        case .numbers(let pair): pair.left.isOwn && pair.right.isOwn
        case .folded(let term): term.isOwn
        case .linked, .count, .aggregate: false
        }
    }

    /// The links to a property and the property.
    var path: [PropertyReference]? {
        switch self {
        case .property(let property): [property]
        case .linked(let link, let term): term.path.map { [link] + $0 }
        case .row, .count, .folded, .aggregate, .constant, .numbers, .tooDeep: nil
        }
    }
}

// MARK: - By the schema

extension ModelSchema {
    /// `nil` if the table lacks the property.
    func index(of reference: PropertyReference) -> PropertyIndex? {
        guard let submodel = reference.submodel else { return contains(reference.index) ? reference.index : nil }
        let own = submodel == ObjectIdentifier(type) ? ownProperties : family?.ownProperties(of: submodel) ?? []
        return own.indices.contains(reference.index.rawValue) ? own[reference.index.rawValue] : nil
    }
}

extension Schema {
    /// `nil` for properties other than links.
    func destination(of link: PropertyReference, in model: ModelSchema) -> ModelSchema? {
        guard let index = model.index(of: link), let link = model[index].link, contains(link.target) else { return nil }
        return self[link.target, link.submodel]
    }

    /// `nil` unless the values are an attribute's, or decimals.
    func kind(of term: Term, in model: ModelSchema) -> AttributeKind? {
        switch term {
        case .property(let property): model.index(of: property).flatMap(model.attributeKind)
        case .linked(let link, let term): destination(of: link, in: model).flatMap { kind(of: term, in: $0) }
        case .aggregate(.minimum, let term), .aggregate(.maximum, let term): kind(of: term, in: model)
        // Constant texts are decimal numbers.
        case .constant(.text): .decimal
        case .numbers(let pair): decimal(kind(of: pair.left, in: model), kind(of: pair.right, in: model))
        case .row, .count, .folded, .aggregate, .constant, .tooDeep: nil
        }
    }

    private func decimal(_ left: AttributeKind?, _ right: AttributeKind?) -> AttributeKind? {
        left?.isDecimal == true || right?.isDecimal == true ? .decimal : nil
    }
}

// MARK: - For an object in memory

extension ObjectState {
    func value(of term: Term) -> StoredValue {
        switch term {
        case .row: return StoredValue(localID)
        case .property(let property):
            guard let index = model.index(of: property) else { return .null }
            let value = stored(index)
            // The target of an edited link may be deleted.
            guard edits[index] != nil, let row = value.row, isLost(row, at: index) else { return value }
            return .null
        case .folded(let term):
            guard case .text(let text) = value(of: term) else { return .null }
            return .text(TextFolding.folded(text))
        case .constant(let value): return value
        case .numbers(let pair):
            let (left, right) = (value(of: pair.left), value(of: pair.right))
            let isDecimal = model.kind(of: term)?.isDecimal == true
            return isDecimal ? pair.operation.decimal(left, right) : pair.operation.result(left, right)
        case .linked, .count, .aggregate, .tooDeep: return .null
        }
    }
}

// MARK: - Tables

/// The tables that a query reads, with the join tables of many-to-many relationships.
struct TablesRead {
    let schema: Schema
    var tables: Set<TableID> = []
    /// The targets of compared links. A link to a row with an unsaved deletion counts as nil.
    var targets: Set<TableID> = []
    var joins: [String: JoinTable] = [:]

    mutating func add(_ term: Term, _ model: ModelSchema) {
        tables.insert(model.table)
        switch term {
        case .row, .constant, .tooDeep: break
        case .numbers(let pair):
            add(pair.left, model)
            add(pair.right, model)
        case .property(let property):
            guard let index = model.index(of: property), let target = model.linkTarget(of: index),
                schema.contains(target)
            else { break }
            targets.insert(target)
            // A link to one of several models also reads the target's class.
            if model[index].link?.submodel.isRoot == false { tables.insert(target) }
        case .linked(let link, let term):
            if let destination = schema.destination(of: link, in: model) { add(term, destination) }
        case .count(let list, let condition): add(list, where: condition, model)
        case .folded(let term), .aggregate(_, let term): add(term, model)
        }
    }

    mutating func add(_ condition: Condition, _ model: ModelSchema) {
        tables.insert(model.table)
        switch condition {
        case .compare(let term, _, _), .among(let term, _), .text(let term, _, _), .object(let term, _, _):
            add(term, model)
        case .compareTerms(let left, _, let right):
            add(left, model)
            add(right, model)
        case .hasMember(let path, let list, let condition):
            var model = model
            for link in path {
                guard let destination = schema.destination(of: link, in: model) else { return }
                model = destination
                tables.insert(model.table)
            }
            add(list, where: condition, model)
        case .found: break
        case .isNot(let condition): add(condition, model)
        case .both(let pair):
            add(pair.left, model)
            add(pair.right, model)
        case .sql(let text): add(text)
        case .tooDeep: break
        }
    }

    /// Tables named in the text itself aren't tracked.
    private mutating func add(_ text: SQLText) {
        for part in text.parts {
            switch part {
            case .table(let type), .column(let type, _):
                if let table = schema.model(for: type)?.table { tables.insert(table) }
            case .text, .value: break
            }
        }
    }

    private mutating func add(_ list: PropertyReference, where condition: Condition?, _ model: ModelSchema) {
        guard let index = model.index(of: list), let list = model[index].list, schema.contains(list.target) else {
            return
        }
        tables.insert(list.target)
        if case .join(let join, _) = list.storage { joins[join.name] = join }
        if let table = schema.joinTable(of: list.id) { tables.insert(table) }
        if let condition { add(condition, schema[list.target, list.submodel]) }
    }
}
