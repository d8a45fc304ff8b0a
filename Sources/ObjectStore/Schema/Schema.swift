package import Conventions

/// The compiled form of a store's models: what the conventions made of the declarations, checked and frozen.
package final class Schema: Sendable {
    package let tables: [ModelSchema]
    package let style: SchemaStyle
    package var conventions: NamingConventions { style.names }
    /// How values are written where an attribute does not say.
    var values: ValueFormats { style.values }
    /// The `type`s of the models' objects in JSON:API; of no use to plain bodies.
    package let resources: ResourceTypes
    private let byClass: [ObjectIdentifier: ModelSchema]
    /// How many to-many relationships there are in all tables; each has a number of its own, `List.number`.
    let listCount: Int
    /// Whether some model is embedded in others.
    package let hasEmbedded: Bool

    init(tables: [ModelSchema], style: SchemaStyle, resources: ResourceTypes = ResourceTypes()) {
        self.tables = tables
        self.style = style
        self.resources = resources
        self.byClass = Dictionary(
            uniqueKeysWithValues: tables.flatMap(\.models).map { (ObjectIdentifier($0.type), $0) })
        self.hasEmbedded = tables.contains { $0.isEmbedded }
        self.listCount = tables.reduce(0) { $0 + $1.lists.count }
    }

    /// The table of a model class; `nil` for a class that the store was not opened with.
    package func table(for type: any Model.Type) -> ModelSchema? {
        byClass[ObjectIdentifier(type)]
    }
}

/// A model's table: its columns, identity, links and lists, and the names that lead to them.
///
/// Models that inherit from one share its table: each has a `ModelSchema` of the same index, columns and properties, which says
/// what differs from one to the other: the class, the URL, which of the properties it has, and their JSON names.
package final class ModelSchema: Sendable {
    package let index: Int
    /// Which of the models of the table this is; 0 for the one that others inherit from, or that is alone.
    package let number: Int
    package let type: any Model.Type
    /// The class's name.
    package let modelName: String
    /// The table's name in SQL.
    package let name: String
    /// By the property's index; those that only other models of the family have are among them.
    package let properties: [Property]
    /// The properties that the model has, inherited ones first.
    package let declared: [Property]
    /// Of a submodel: the indexes of the properties that it declares itself.
    let places: [Int]
    /// The attributes and to-one links, in the order of their declaration.
    package let columns: [Column]
    /// The slot in a ``Snapshot`` of each column: the property's index.
    let slots: [Int]
    /// The properties (all with a column) that name an object at the server.
    package let identity: [Int]
    /// Whether the rows have no identity and belong to the one that leads to them.
    package let isEmbedded: Bool
    /// The property whose value names the object in its URL, below the base.
    package let key: Int?
    package let baseURL: RouteTemplate?
    /// The class's name in an earlier version of the models.
    package let renamedFrom: String?
    /// How the JSON keys of this model are found; `nil` for a class that the store does not know.
    package let names: AttributeNames?
    /// Keys such as `owner_id` and `label_ids`, with the relationship whose targets' identities they hold.
    package let identityKeys: [String: Int]
    /// `nil` where no model inherits from this one.
    package let family: Family?
    /// The models that inherit from this one.
    package let submodels: [ModelSchema]
    /// The arguments of `@Model`.
    package let options: ModelOptions

    init(
        index: Int, number: Int = 0, description: ModelDescription, name: String, properties: [Property],
        declared: [Property]? = nil, places: [Int] = [], columns: [Column], identity: [Int], key: Int?,
        baseURL: RouteTemplate?, names: AttributeNames?, identityKeys: [String: Int], family: Family? = nil,
        submodels: [ModelSchema] = []
    ) {
        self.index = index
        self.number = number
        self.type = description.type
        self.modelName = description.name
        self.name = name
        self.properties = properties
        self.declared = declared ?? properties
        self.places = places
        self.columns = columns
        self.slots = columns.map(\.property)
        self.identity = identity
        self.isEmbedded = description.options.embedded
        self.key = key
        self.baseURL = baseURL
        self.renamedFrom = description.options.renamedFrom
        self.names = names
        self.identityKeys = identityKeys
        self.family = family
        self.submodels = submodels
        self.owns = properties.contains { $0.owns }
        self.hasDeleteRules = properties.contains { $0.deleteRule != .nullify }
        self.options = description.options
    }

    /// The same with the models that inherit from it.
    convenience init(_ table: ModelSchema, _ description: ModelDescription, with submodels: [ModelSchema]) {
        self.init(
            index: table.index, description: description, name: table.name, properties: table.properties,
            declared: table.declared, columns: table.columns, identity: table.identity, key: table.key,
            baseURL: table.baseURL, names: table.names, identityKeys: table.identityKeys, family: table.family,
            submodels: submodels)
    }

    /// A stand-in for a class that the store was not opened with: its objects work in memory, and nowhere else.
    convenience init(unknown description: ModelDescription) {
        let inherited = description.options.parent?.modelDescription.properties ?? []
        let properties = (inherited + description.properties).enumerated().map { index, property in
            let kind: Property.Kind =
                switch property.kind {
                case .attribute(let kind, let value, let options): .attribute(kind, default: value, options: options)
                case .toOne(_, let options): .toOne(Link(target: -1, inverse: nil, options: options))
                case .toMany(_, let options):
                    .toMany(
                        List(
                            number: -1, target: -1, inverse: nil,
                            storage: .column(property: -1, column: "", position: ""), options: options))
                }
            return Property(
                index: index, name: property.name, jsonPath: [property.name], kind: kind, column: nil)
        }
        self.init(
            index: -1, description: description, name: description.name, properties: properties,
            places: Array(inherited.count..<properties.count), columns: [],
            identity: [], key: nil, baseURL: nil,
            names: nil, identityKeys: [:])
    }

    /// Whether the deletion of a row does more to others than to unlink them.
    let hasDeleteRules: Bool
    /// Whether some relationship of it owns what it leads to.
    let owns: Bool

    /// The to-many relationships.
    package var lists: [List] { properties.compactMap(\.list) }

    /// The property of that Swift name.
    package func property(named name: String) -> Property? { properties.first { $0.name == name } }
}

/// A property, compiled.
package struct Property: Sendable {
    package enum Kind: Sendable {
        case attribute(AttributeKind, default: @Sendable () -> StoredValue, options: AttributeOptions)
        case toOne(Link)
        case toMany(List)
    }

    package let index: Int
    package let name: String
    /// The value's name in the model's JSON: the key path by which routes, errors and the explanation speak of it.
    package internal(set) var jsonPath: [String]
    package internal(set) var kind: Kind
    /// Whether an attribute can be nil.
    package var isOptional = false
    /// What an attribute's declaration, or the API's, says of its JSON.
    package var format = WireFormat()
    /// The place in ``ModelSchema/columns``; `nil` for a to-many relationship.
    package let column: Int?
    /// Where the value stands in a resource object, for a schema of JSON:API documents.
    var resourcePath: [String]?

    /// Where the value stands in the object's JSON.
    package var documentPath: [String] { resourcePath ?? jsonPath }
    package var link: Link? { if case .toOne(let link) = kind { link } else { nil } }
    package var list: List? { if case .toMany(let list) = kind { list } else { nil } }

    /// The same as another model of the family declares it: under its JSON name, with its route.
    func declared(as other: PropertyDescription, _ path: [String]?) -> Property {
        var property = self
        property.jsonPath = path ?? jsonPath
        if resourcePath != nil { property.resourcePath = property.pathInResource }
        switch (kind, other.kind) {
        case (.toOne(var link), .toOne(_, let options)):
            link.options.route = options.route
            property.kind = .toOne(link)
        case (.toMany(var list), .toMany(_, let options)):
            list.options.route = options.route
            property.kind = .toMany(list)
        default: break
        }
        return property
    }

    /// Makes the value that stands for a model where this attribute tells the models apart; `nil` where it can't.
    var discriminating: ((String) -> StoredValue?)? {
        guard case .attribute(let kind, _, _) = self.kind else { return nil }
        switch kind {
        case .text: return { .text($0) }
        case .integer: return { Int64($0).map(StoredValue.integer) }
        default: return nil
        }
    }
}

/// A column of a model's table.
package struct Column: Sendable {
    package let name: String
    package let type: ColumnType
    /// The index of the property that it keeps.
    package let property: Int
    /// The table whose local key it holds, for a to-one link.
    package let target: Int?
    /// What the deletion of the target does to the row, by the rule of the relationship that is the link's inverse.
    package var onTargetDeleted = DeleteRule.nullify
}

/// A to-one relationship.
package struct Link: Sendable {
    package let target: Int
    /// The number of the target's only model that it leads to; 0 where it leads to any.
    package var submodel = 0
    /// The index of the inverse property in the target's table.
    package let inverse: Int?
    package var options: RelationshipOptions
}

/// A to-many relationship.
package struct List: Sendable {
    package enum Storage: Sendable {
        /// The inverse is a to-one link: the members are the target's rows whose `column` leads here, ordered by
        /// `position`, a column beside it.
        case column(property: Int, column: String, position: String)
        /// The members are rows of a table of their own. `isReversed` on the side that did not make the table.
        case join(JoinTable, isReversed: Bool)
    }

    /// Its place among all lists of the schema.
    package let number: Int
    package let target: Int
    /// The number of the target's only model whose objects are members; 0 where any are.
    package var submodel = 0
    package let inverse: Int?
    package let storage: Storage
    package var options: RelationshipOptions
}

/// The table of a many-to-many relationship: (source_id, target_id) with the place in each side's list.
package struct JoinTable: Sendable {
    package let name: String
    package let source: Int
    package let target: Int
    /// Whether the other side has a list too, with an order of its own.
    package let isTwoSided: Bool
}
