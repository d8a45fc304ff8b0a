/// A property as its class declares it; which of a table's it is, the schema knows.
struct PropertyReference: Hashable, Sendable {
    let index: PropertyIndex
    /// The submodel that declares it, whose inherited properties the index does not count.
    let submodel: ObjectIdentifier?

    init(_ property: PropertyDescription) {
        index = PropertyIndex(property.index)
        submodel = property.submodel
    }

    /// A property at its index in the table.
    init(_ index: PropertyIndex) { (self.index, submodel) = (index, nil) }
}

/// What a question reads of a row: a ``QueryValue`` without its types.
indirect enum Term: Sendable {
    /// The row's own key, which stands for the object.
    case row
    case property(PropertyReference)
    /// The same of the object that a to-one link leads to; NULL where it leads nowhere.
    case linked(PropertyReference, Term)
    /// How many members of a list the condition holds for.
    case count(PropertyReference, Condition?)
    /// A text as it is compared without regard to case and diacritics.
    case folded(Term)
    case aggregate(Aggregate, Term)
    /// A number that is the same for all rows.
    case constant(StoredValue)
    /// What two numbers come to; made by ``numbers(_:_:with:)``.
    case numbers(NumberPair)
    /// More links or functions within each other than ``Condition/maximumDepth``: every question is refused.
    case tooDeep

    /// What many rows come to.
    enum Aggregate: String, Sendable {
        case count, sum, average, minimum, maximum
    }

    /// A text as it is compared without regard to case and diacritics; one that is that already stays.
    var folded: Term { isFolded ? self : .folded(self) }
    var isFolded: Bool { if case .folded = self { true } else { false } }

    /// How deep it is; see ``Condition/depth``.
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

    /// Whether it reads nothing but the row that is asked about, so that memory can answer for an object.
    var isOwn: Bool {
        switch self {
        case .row, .property, .constant, .tooDeep: true
        case .numbers(let pair): pair.left.isOwn && pair.right.isOwn
        case .folded(let term): term.isOwn
        case .linked, .count, .aggregate: false
        }
    }

    /// The links to the property that it is, and that, where it is one.
    var path: [PropertyReference]? {
        switch self {
        case .property(let property): [property]
        case .linked(let link, let term): term.path.map { [link] + $0 }
        case .row, .count, .folded, .aggregate, .constant, .numbers, .tooDeep: nil
        }
    }
}

// MARK: - What it is, by the schema

extension ModelSchema {
    /// The index of a property in the table; `nil` when that has no such property.
    func index(of reference: PropertyReference) -> PropertyIndex? {
        guard let submodel = reference.submodel else { return contains(reference.index) ? reference.index : nil }
        let own = submodel == ObjectIdentifier(type) ? ownProperties : family?.ownProperties(of: submodel) ?? []
        return own.indices.contains(reference.index.rawValue) ? own[reference.index.rawValue] : nil
    }
}

extension Schema {
    /// The model that a to-one link leads to; `nil` for what is none.
    func destination(of link: PropertyReference, in model: ModelSchema) -> ModelSchema? {
        guard let index = model.index(of: link), let link = model[index].link, contains(link.target) else { return nil }
        return self[link.target, link.submodel]
    }

    /// How the values of a term are stored; `nil` for what is no attribute.
    func kind(of term: Term, in model: ModelSchema) -> AttributeKind? {
        switch term {
        case .property(let property): model.index(of: property).flatMap(model.attributeKind)
        case .linked(let link, let term): destination(of: link, in: model).flatMap { kind(of: term, in: $0) }
        case .aggregate(.minimum, let term), .aggregate(.maximum, let term): kind(of: term, in: model)
        // Numbers that are texts are decimals.
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
    /// The value of a term that reads the object alone.
    func value(of term: Term) -> StoredValue {
        switch term {
        case .row: return StoredValue(localID)
        case .property(let property):
            guard let index = model.index(of: property) else { return .null }
            let value = stored(index)
            // What an edited link led to may be gone.
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

// MARK: - The tables that it reads

/// The tables that a question reads, with those of many-to-many relationships.
struct TablesRead {
    let schema: Schema
    var tables: Set<TableID> = []
    /// Those of which it is asked whether a link leads there: it doesn't where the row is deleted here and not saved.
    var targets: Set<TableID> = []
    /// By their names.
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
            // Of a link to one of several models, the target's class is looked at.
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
        case .compare(let term, _, _), .isAmong(let term, _), .text(let term, _, _), .object(let term, _, _):
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

    /// SQL reads the tables that it names by their models; any other by its name.
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
