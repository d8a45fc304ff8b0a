/// A property, compiled.
package struct Property: Sendable {
    package enum Kind: Sendable {
        case attribute(AttributeKind, default: @Sendable () -> StoredValue, options: AttributeOptions)
        case toOne(Link)
        case toMany(List)
    }

    package let index: PropertyIndex
    package let name: String
    /// The value's name in the model's JSON: the key path by which routes, errors and the explanation speak of it.
    package internal(set) var jsonPath: [String]
    package internal(set) var kind: Kind
    /// Whether an attribute can be nil.
    package var isOptional = false
    /// What an attribute's declaration, or the API's, says of its JSON.
    package var format = WireFormat()
    /// The index in ``ModelSchema/columns``; `nil` for a to-many relationship.
    package let column: ColumnIndex?
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


extension Property {
    /// The table that a relationship references; `nil` for an attribute.
    package var target: TableID? { link?.target ?? list?.target }
    /// The property of the target that is the relationship's other direction.
    package var inverse: PropertyIndex? { link?.inverse ?? list?.inverse }
    /// Whether the relationship owns what it references.
    var owns: Bool { link?.options.owns ?? list?.options.owns ?? false }
    /// What the deletion of the object does to what the property references.
    var deleteRule: DeleteRule { link?.options.onDelete ?? list?.options.onDelete ?? .nullify }
}
