extension SchemaDescription {
    /// What the models of a store say.
    init(_ schema: Schema) {
        self.init(
            tables: schema.modelTables.map { DescribedTable($0, schema) },
            statements: schema.creationStatements + schema.ruleTriggers.values.sorted())
    }
}

/// A table in the file with the models whose rows it keeps: one, or several of a family.
struct ModelTable {
    let name: String
    let models: [ModelSchema]
    /// Each property once, with the model that declares it.
    let properties: [(owner: ModelSchema, property: Property)]

    init(_ models: [ModelSchema]) {
        name = models.first?.name ?? ""
        self.models = models
        var seen: Set<String> = []
        properties = models.flatMap { owner in owner.properties.map { (owner, $0) } }
            .filter { seen.insert($0.property.name).inserted }
    }

    var identity: [String] { models.first.map(SQL.identityColumns) ?? [] }
    var modelName: String { models.first?.modelName ?? name }
    /// The names of the class in earlier versions.
    var renamedFrom: [String] { models.compactMap(\.renamedFrom) }
}

extension Schema {
    /// The tables of the file, in the order of the models.
    var modelTables: [ModelTable] {
        var seen: Set<String> = []
        return tables.filter { seen.insert($0.name).inserted }.map { first in
            ModelTable(tables.filter { $0.name == first.name })
        }
    }
}

extension DescribedTable {
    init(_ table: ModelTable, _ schema: Schema) {
        self.init(
            name: table.name, model: table.modelName, identity: table.identity,
            properties: table.properties.map { DescribedProperty($0.property, of: $0.owner, schema) })
    }
}

extension DescribedProperty {
    init(_ property: Property, of table: ModelSchema, _ schema: Schema) {
        self.init(name: property.name, column: property.column.map { table.columns[$0].name })
        switch property.kind {
        case .attribute(let kind, let value, _):
            self.kind = kind.name
            if case .integer(let range) = kind { self.range = [range.lowerBound, range.upperBound] }
            isOptional = property.isOptional
            hasDefault = !value().isNull
        case .toOne(let link): target = schema.tables[link.target].name
        case .toMany(let list):
            target = schema.tables[list.target].name
            self.list =
                switch list.storage {
                case .column(_, let column, let position): .column(column, position: position)
                case .join(let join, let isReversed):
                    .join(join.name, isReversed: isReversed, isTwoSided: join.isTwoSided)
                }
        }
    }
}

extension AttributeKind {
    /// The name by which a file remembers the kind. A name that was once written keeps its meaning.
    var name: String {
        switch self {
        case .boolean: "boolean"
        case .integer: "integer"
        case .unsigned: "unsigned"
        case .wideInteger(let isSigned): isSigned ? "integer128" : "unsigned128"
        case .real: "real"
        case .float: "float"
        case .decimal: "decimal"
        case .text: "text"
        case .date: "date"
        case .data: "data"
        case .url: "url"
        case .uuid: "uuid"
        case .json: "json"
        case .list(let element): "list of \(element.name)"
        case .dictionary(let element): "dictionary of \(element.name)"
        }
    }
}

extension Property {
    /// The Swift name that the property had in an earlier version of the model.
    var renamedFrom: String? {
        switch kind {
        case .attribute(_, _, let options): options.renamedFrom
        case .toOne(let link): link.options.renamedFrom
        case .toMany(let list): list.options.renamedFrom
        }
    }

    /// What an attribute has where nothing was said.
    var defaultValue: StoredValue {
        if case .attribute(_, let value, _) = kind { value() } else { .null }
    }
}
