import Conventions

/// A store's compiled and checked models.
package final class Schema: Sendable {
    /// By ``TableID``: each model, or its family's root.
    package let roots: [ModelSchema]
    /// The styles, by ``APIIndex``.
    package var styles: [SchemaStyle] { apis.all }
    private let apis: SchemaStyles
    /// By ``APIIndex``, for JSON:API documents.
    let resourceTypes: [ResourceTypes]
    /// Each class's place, by the address of the class.
    private let byClass: IntegerTable<ModelPlace>
    private let classes: [ModelSchema]
    /// By table and property.
    private let plainLinks: [[PlainLink?]]
    /// By table and property.
    private let backs: [[LinkBack?]]
    /// Join tables, by list from either side.
    private let joinTableIDs: [ListID: TableID]
    /// By table: whether links lead to it.
    private let areLinked: [Bool]
    /// By table: links in URLs of its rows.
    private let addresses: [Set<PropertyIndex>]
    /// By table: the links to owners that delete the row, by `onDelete: .cascade` or `owns`.
    private let ownerLinks: [[PropertyIndex]]
    let listCount: Int
    package let hasEmbedded: Bool
    /// Whether a reply may delete an object by omitting it: a relationship `owns` it, or its identity includes the
    /// owner.
    let deletesOmitted: Bool

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
        self.deletesOmitted = roots.contains { model in
            model.properties.contains(where: \.owns)
                || model.lists.contains { Self.namesMembers($0, among: roots) }
        }
        self.listCount = roots.reduce(0) { $0 + $1.lists.count }
        self.joinTableIDs = Self.joinTableIDs(of: roots)
    }

    package func style(of model: ModelSchema) -> SchemaStyle { apis.all[model.api.rawValue] }

    package func resourceTypes(ofAPIOf model: ModelSchema) -> ResourceTypes { resourceTypes[model.api.rawValue] }

    package func api(named name: String?) -> Result<APIIndex, UnknownAPI> { apis.index(of: name) }

    package func models(of api: APIIndex) -> [ModelSchema] { models.filter { $0.api == api } }

    func ownerLinks(of table: TableID) -> [PropertyIndex] {
        ownerLinks.indices.contains(table.rawValue) ? ownerLinks[table.rawValue] : []
    }

    /// Whether members have the owner in their identity. One that leaves the list is gone.
    package func namesMembers(_ list: List) -> Bool { Self.namesMembers(list, among: roots) }

    private static func namesMembers(_ list: List, among roots: [ModelSchema]) -> Bool {
        guard case .column(let link, _, _) = list.storage, roots.indices.contains(list.target.rawValue) else {
            return false
        }
        return roots[list.target.rawValue].identity.contains(link)
    }

    /// Whether URLs of the table's rows need the link.
    func isAddress(_ link: PropertyIndex, of table: TableID) -> Bool { addresses[table.rawValue].contains(link) }

    func hasLinks(to table: TableID) -> Bool { areLinked[table.rawValue] }

    /// The ID that stands for a join table among the tables that are read or changed. Nil for a list of links.
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

    /// Nil for an unknown class.
    package func model(for type: any Model.Type) -> ModelSchema? {
        byClass[Self.number(of: ObjectIdentifier(type))].map { classes[$0.model] }
    }

    func table(ofClass type: ObjectIdentifier) -> TableID? { byClass[Self.number(of: type)]?.table }

    private static func number(of type: ObjectIdentifier) -> Int64 {
        Int64(truncatingIfNeeded: Int(bitPattern: type))
    }

    /// Nil for other properties.
    func plainLink(_ property: PropertyIndex, of table: TableID) -> PlainLink? {
        guard plainLinks.indices.contains(table.rawValue),
            plainLinks[table.rawValue].indices.contains(property.rawValue)
        else { return nil }
        return plainLinks[table.rawValue][property.rawValue]
    }

    /// Nil for other properties.
    func back(of link: PropertyIndex, in table: TableID) -> LinkBack? { backs[table.rawValue][link.rawValue] }

    /// The table's model or family's root.
    @inline(__always)
    package subscript(table: TableID) -> ModelSchema { roots[table.rawValue] }

    package subscript(table: TableID, submodel: SubmodelIndex) -> ModelSchema { self[table].model(submodel) }

    package func contains(_ table: TableID) -> Bool { roots.indices.contains(table.rawValue) }

    /// Each root before its submodels.
    package var models: [ModelSchema] { roots.flatMap(\.models) }

    func models(identifiedBy table: TableID) -> [ModelSchema] {
        roots.filter { model in model.identity.contains { model[$0].link?.target == table } }
    }

    /// Nil for an attribute.
    package func target(of property: Property) -> ModelSchema? {
        property.link.map { self[$0.target, $0.submodel] } ?? property.list.map { self[$0.target, $0.submodel] }
    }

    /// Whether edits are sent by the inverse only.
    package func isSentByInverse(_ property: Property) -> Bool {
        guard property.sentAs == .never, let target = property.target, contains(target) else { return false }
        return inverse(of: property).map { $0.sentAs != .never } ?? false
    }

    /// Whether only the list that consists of it sends the link.
    func isSentByList(_ property: Property) -> Bool {
        property.link != nil && inverse(of: property)?.list != nil && isSentByInverse(property)
    }

    func inverse(of property: Property) -> Property? {
        guard let target = property.target, let inverse = property.inverse else { return nil }
        return self[target][inverse]
    }
}

private struct ModelPlace: BitwiseCopyable {
    let model: Int
    let table: TableID
}

/// A link to a table with one model, without other parts of ``Link``, to avoid copies.
struct PlainLink {
    let target: TableID
    let inverse: PropertyIndex?
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

/// The kind of a link's inverse. Avoids a copy of the property.
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
