import Conventions

/// The compiled form of a store's models: what the conventions made of the declarations, checked and frozen.
package final class Schema: Sendable {
    /// By ``TableID``: the model whose rows the table keeps, or the one that the others of the table inherit from.
    package let roots: [ModelSchema]
    /// By ``APIIndex``.
    package var styles: [SchemaStyle] { apis.all }
    private let apis: SchemaStyles
    /// The `type`s of the models' objects in JSON:API, by ``APIIndex``; of no use to plain bodies.
    let resourceTypes: [ResourceTypes]
    /// By the address of the class.
    private let byClass: IntegerTable<ModelPlace>
    private let classes: [ModelSchema]
    /// By table and property.
    private let plainLinks: [[PlainLink?]]
    /// By table and property: the other direction of a link.
    private let backs: [[LinkBack?]]
    /// By many-to-many relationship, either side of it: what stands for the table of its own.
    private let joinTableIDs: [ListID: TableID]
    /// By table: whether links of some model lead to it.
    private let areLinked: [Bool]
    /// By table: the links that stand in the URL of one of its rows.
    private let addresses: [Set<PropertyIndex>]
    /// By table: the links to an owner whose deletion deletes the row, by `onDelete: .cascade` or `owns`.
    private let ownerLinks: [[PropertyIndex]]
    /// How many to-many relationships there are in all models; each has an id of its own, `List.id`.
    let listCount: Int
    /// Whether some model is embedded in others.
    package let hasEmbedded: Bool

    init(roots: [ModelSchema], apis: SchemaStyles, resourceTypes: [ResourceTypes]) {
        self.roots = roots
        self.apis = apis
        self.resourceTypes = resourceTypes
        self.classes = roots.flatMap(\.models)
        self.byClass = IntegerTable(
            classes.enumerated().map { index, model in
                (Self.number(of: ObjectIdentifier(model.type)), ModelPlace(model: index, table: model.table))
            })
        self.plainLinks = roots.map { model in model.properties.map { PlainLink($0, among: roots) } }
        self.backs = roots.map { model in model.properties.map { LinkBack(of: $0, among: roots) } }
        let targets = Set(roots.flatMap(\.columns).compactMap(\.target))
        self.areLinked = roots.map { targets.contains($0.table) }
        self.addresses = roots.map { root in
            Set(
                root.models.flatMap { model in model.declared.filter { $0.link != nil && model.needsInURL($0) } }.map(
                    \.index))
        }
        self.ownerLinks = roots.map { model in
            model.isEmbedded
                ? []
                : model.properties.filter { property in
                    guard let link = property.link, let inverse = link.inverse,
                        let owner = roots.first(where: { $0.table == link.target })?[inverse]
                    else { return false }
                    return owner.deleteRule == .cascade || owner.owns
                }.map(\.index)
        }
        self.hasEmbedded = roots.contains { $0.isEmbedded }
        self.listCount = roots.reduce(0) { $0 + $1.lists.count }
        self.joinTableIDs = Self.joinTableIDs(of: roots)
    }

    /// How a model's API writes its objects.
    package func style(of model: ModelSchema) -> SchemaStyle { apis.all[model.api.rawValue] }

    /// The `type`s in the JSON:API documents that a model's objects come in.
    package func resourceTypes(beside model: ModelSchema) -> ResourceTypes { resourceTypes[model.api.rawValue] }

    /// The API of a name, as models and response types declare it.
    package func api(named name: String?) -> Result<APIIndex, UnknownAPI> { apis.index(of: name) }

    /// The models of one API, with their submodels.
    package func models(of api: APIIndex) -> [ModelSchema] { models.filter { $0.api == api } }

    /// The links of a table's rows to an owner whose deletion deletes the row.
    func ownerLinks(of table: TableID) -> [PropertyIndex] {
        ownerLinks.indices.contains(table.rawValue) ? ownerLinks[table.rawValue] : []
    }

    /// Whether a list's members are named by the link that it is kept as: what is not in the list is nowhere else.
    package func namesMembers(_ list: List) -> Bool {
        guard case .column(let link, _, _) = list.storage, contains(list.target) else { return false }
        return self[list.target].identity.contains(link)
    }

    /// Whether a link stands in the URL of a table's rows.
    func isAddress(_ link: PropertyIndex, of table: TableID) -> Bool { addresses[table.rawValue].contains(link) }

    /// Whether columns of some model reference the table's rows.
    func hasLinks(to table: TableID) -> Bool { areLinked[table.rawValue] }

    /// What stands for the table that keeps a many-to-many relationship among the tables that are read or changed: no
    /// model's rows are there. `nil` for a list that is kept as links.
    func joinTable(of list: ListID) -> TableID? { joinTableIDs[list] }

    private static func joinTableIDs(of roots: [ModelSchema]) -> [ListID: TableID] {
        var (known, byName): ([ListID: TableID], [String: TableID]) = ([:], [:])
        for list in roots.flatMap(\.lists) {
            guard case .join(let join, _) = list.storage else { continue }
            let table = byName[join.name] ?? TableID(roots.count + byName.count)
            (byName[join.name], known[list.id]) = (table, table)
        }
        return known
    }

    /// The model of a class; `nil` for a class that the store was not opened with.
    package func model(for type: any Model.Type) -> ModelSchema? {
        byClass[Self.number(of: ObjectIdentifier(type))].map { classes[$0.model] }
    }

    /// Its table.
    func table(ofClass type: ObjectIdentifier) -> TableID? { byClass[Self.number(of: type)]?.table }

    private static func number(of type: ObjectIdentifier) -> Int64 {
        Int64(truncatingIfNeeded: Int(bitPattern: type))
    }

    /// A link whose targets are all of one class; `nil` for any other property.
    func plainLink(_ property: PropertyIndex, of table: TableID) -> PlainLink? {
        guard plainLinks.indices.contains(table.rawValue),
            plainLinks[table.rawValue].indices.contains(property.rawValue)
        else { return nil }
        return plainLinks[table.rawValue][property.rawValue]
    }

    /// The other direction of a link; `nil` where it has none, and for any other property.
    func back(of link: PropertyIndex, in table: TableID) -> LinkBack? { backs[table.rawValue][link.rawValue] }

    /// The model of a table, or the one that the others of the table inherit from.
    @inline(__always)
    package subscript(table: TableID) -> ModelSchema { roots[table.rawValue] }

    package subscript(table: TableID, submodel: SubmodelIndex) -> ModelSchema { self[table].model(submodel) }

    package func contains(_ table: TableID) -> Bool { roots.indices.contains(table.rawValue) }

    /// Every model with its submodels, in the order in which they were given but for these.
    package var models: [ModelSchema] { roots.flatMap(\.models) }

    /// The models whose identity includes a link to a table's rows.
    func models(identifiedBy table: TableID) -> [ModelSchema] {
        roots.filter { model in model.identity.contains { model[$0].link?.target == table } }
    }

    /// The model that a relationship references; `nil` for an attribute.
    package func target(of property: Property) -> ModelSchema? {
        property.link.map { self[$0.target, $0.submodel] } ?? property.list.map { self[$0.target, $0.submodel] }
    }

    /// Whether what is edited of a relationship is told to the server by its other direction: it is never sent itself,
    /// and that is.
    package func isSentByInverse(_ property: Property) -> Bool {
        guard property.sentAs == .never, let target = property.target, contains(target) else { return false }
        return inverse(of: property).map { $0.sentAs != .never } ?? false
    }

    /// Whether a link is what a list is kept as that goes out itself, while the link doesn't.
    func isSentByList(_ property: Property) -> Bool {
        property.link != nil && inverse(of: property)?.list != nil && isSentByInverse(property)
    }

    /// A relationship's other direction; `nil` when it has none.
    func inverse(of property: Property) -> Property? {
        guard let target = property.target, let inverse = property.inverse else { return nil }
        return self[target][inverse]
    }
}

/// Where a class is: among the models, and in which table.
private struct ModelPlace: BitwiseCopyable {
    let model: Int
    let table: TableID
}

/// What a link is to who follows it to a live object, without a copy of all that is known of it: one to a table with
/// one model.
struct PlainLink {
    let target: TableID
    let inverse: PropertyIndex?
    /// Whether the inverse is such a link too.
    let isOneToOne: Bool

    fileprivate init?(_ property: Property, among roots: [ModelSchema]) {
        guard let link = property.link, roots.indices.contains(link.target.rawValue),
            case let model = roots[link.target.rawValue], !model.hasSubmodels
        else { return nil }
        target = link.target
        inverse = link.inverse
        isOneToOne = link.inverse.map { model[$0].link != nil } ?? false
    }
}

/// What the other direction of a link is, without a copy of all that is known of it.
enum LinkBack {
    case link
    case list(ListID)

    fileprivate init?(of property: Property, among roots: [ModelSchema]) {
        guard let link = property.link, let inverse = link.inverse, roots.indices.contains(link.target.rawValue) else {
            return nil
        }
        switch roots[link.target.rawValue][inverse].kind {
        case .attribute: return nil
        case .toOne: self = .link
        case .toMany(let list): self = .list(list.id)
        }
    }

    var isLink: Bool { if case .link = self { true } else { false } }
}
