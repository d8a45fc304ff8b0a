package import Conventions

/// The compiled form of a store's models: what the conventions made of the declarations, checked and frozen.
package final class Schema: Sendable {
    /// By ``TableID``: the model whose rows the table keeps, or the one that the others of the table inherit from.
    package let roots: [ModelSchema]
    package let style: SchemaStyle
    package var conventions: NamingConventions { style.names }
    /// How values are written where an attribute does not say.
    var values: ValueFormats { style.values }
    /// The `type`s of the models' objects in JSON:API; of no use to plain bodies.
    package let resources: ResourceTypes
    private let byClass: [ObjectIdentifier: ModelSchema]
    /// How many to-many relationships there are in all models; each has an id of its own, `List.id`.
    let listCount: Int
    /// Whether some model is embedded in others.
    package let hasEmbedded: Bool

    init(roots: [ModelSchema], style: SchemaStyle, resources: ResourceTypes = ResourceTypes()) {
        self.roots = roots
        self.style = style
        self.resources = resources
        self.byClass = Dictionary(
            uniqueKeysWithValues: roots.flatMap(\.models).map { (ObjectIdentifier($0.type), $0) })
        self.hasEmbedded = roots.contains { $0.isEmbedded }
        self.listCount = roots.reduce(0) { $0 + $1.lists.count }
    }

    /// The model of a class; `nil` for a class that the store was not opened with.
    package func model(for type: any Model.Type) -> ModelSchema? { byClass[ObjectIdentifier(type)] }

    /// The model of a table, or the one that the others of the table inherit from.
    @inline(__always)
    package subscript(table: TableID) -> ModelSchema { roots[table.rawValue] }

    package subscript(table: TableID, submodel: SubmodelIndex) -> ModelSchema { self[table].model(submodel) }

    package func contains(_ table: TableID) -> Bool { roots.indices.contains(table.rawValue) }

    /// Every model with its submodels, in the order in which they were given but for these.
    package var models: [ModelSchema] { roots.flatMap(\.models) }

    /// The model that a relationship references; `nil` for an attribute.
    package func target(of property: Property) -> ModelSchema? {
        property.link.map { self[$0.target, $0.submodel] } ?? property.list.map { self[$0.target, $0.submodel] }
    }

    /// Whether what is edited of a relationship is told to the server by its other direction: it is never sent itself, and
    /// that is.
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
