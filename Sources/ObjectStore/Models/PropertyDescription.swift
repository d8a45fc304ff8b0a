/// One declared property.
@_documentation(visibility: internal)
public struct PropertyDescription: Sendable {
    /// Whether the property is an attribute or a relationship.
    public enum Kind: Sendable {
        /// An attribute: how its JSON is read, what an absent value becomes (`.null` where it is optional).
        case attribute(AttributeKind, default: @Sendable () -> StoredValue, options: AttributeOptions)
        case toOne(any Model.Type, options: RelationshipOptions)
        case toMany(any Model.Type, options: RelationshipOptions)
    }

    /// The place among the properties that the class itself declares, in their order, from 0.
    public internal(set) var index: Int
    /// The name in Swift.
    public let name: String
    /// What kind of property it is.
    public let kind: Kind
    /// Whether an attribute can be nil: then JSON's `null` is nil, else the default.
    public var isOptional = false
    /// Whether an attribute's default is the same for each object.
    var hasConstantDefault = false
    /// What binds a transformer to an attribute's type.
    var binding: TransformerBinding?
    /// The submodel that declares it, whose inherited properties the index does not count; `nil` for any other class.
    package var submodel: ObjectIdentifier?

    /// The names of which the first that a model has is its identity, where it names none.
    static let identityNames = ["identifier", "id"]
    /// Whether it is the identity of a model that names none.
    var isIdentityByName: Bool { Self.identityNames.contains(name) }

    /// The name of the identity of a singular resource that has none at the server.
    package static let singularIdentityName = "singularIdentity"
    /// Its value: there is one such object.
    static let singularIdentity: Int64 = 1

    /// The identity of a singular resource that has none at the server: a constant, which is in no body.
    static func singularIdentity(at index: Int) -> PropertyDescription {
        PropertyDescription(
            index: index, name: singularIdentityName,
            kind: .attribute(
                .integer(singularIdentity...singularIdentity), default: { .integer(singularIdentity) },
                options: AttributeOptions(access: .readOnly)),
            hasConstantDefault: true)
    }

    /// The model that a relationship leads to.
    package var target: (any Model.Type)? {
        switch kind {
        case .attribute: nil
        case .toOne(let type, _), .toMany(let type, _): type
        }
    }

    /// The same for the class `Owner`.
    func declared<Owner: Model>(by owner: Owner.Type) -> PropertyDescription {
        guard let submodel = owner as? any Submodel.Type else { return self }
        var own = self
        own.submodel = ObjectIdentifier(submodel)
        return own
    }

    /// The same at another place.
    func moved(to index: Int) -> PropertyDescription {
        var moved = self
        moved.index = index
        return moved
    }
}

extension PropertyDescription {
    var inverse: Inverse {
        switch kind {
        case .attribute: .none
        case .toOne(_, let options), .toMany(_, let options): options.inverse
        }
    }

    /// Whether it is an attribute of the type `String`, optional or not.
    var isString: Bool { binding.map { ["\(String.self)", "\(String?.self)"].contains($0.type) } ?? false }

    /// Whether it is said to be the whole of a response.
    var isRoot: Bool {
        switch kind {
        case .attribute(_, _, let options): options.isRoot
        case .toOne(_, let options), .toMany(_, let options): options.isRoot
        }
    }

    var onDelete: DeleteRule? {
        switch kind {
        case .attribute: nil
        case .toOne(_, let options), .toMany(_, let options): options.onDelete
        }
    }

    /// The JSON key path of its own under which it is sent.
    var sentKey: String? {
        switch kind {
        case .attribute(_, _, let options): options.sentKey
        case .toOne(_, let options), .toMany(_, let options): options.sentKey
        }
    }

    /// The key path at which identities of what a relationship leads to are sent, where it is declared.
    var sentIdentityKey: String? {
        switch kind {
        case .attribute: nil
        case .toOne(_, let options), .toMany(_, let options):
            [.conventional, .identities, .identitiesByName].contains(options.sentAs) ? options.sentKey : nil
        }
    }

    /// The explicit JSON key path.
    var jsonName: String? {
        switch kind {
        case .attribute(_, _, let options): options.json
        case .toOne(_, let options), .toMany(_, let options): options.json
        }
    }
}
