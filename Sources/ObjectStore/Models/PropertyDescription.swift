/// The declaration of a property.
@_documentation(visibility: internal)
public struct PropertyDescription: Sendable {
    /// The kind of a property.
    public enum Kind: Sendable {
        /// An attribute: the conversion of its JSON, and its default. The default of an optional attribute without one
        /// is `.null`.
        case attribute(AttributeKind, default: @Sendable () -> StoredValue, options: AttributeOptions)
        case toOne(any Model.Type, options: RelationshipOptions)
        case toMany(any Model.Type, options: RelationshipOptions)
    }

    /// The index among the properties that the class itself declares, from 0 in the order of declaration.
    public internal(set) var index: Int
    /// The Swift name.
    public let name: String
    /// The kind of property.
    public let kind: Kind
    /// Whether an attribute can be nil. JSON `null` then means nil, and otherwise the default.
    public var isOptional = false
    /// Whether each object has the same default.
    var hasConstantDefault = false
    /// Binds a transformer to the attribute's type.
    var binding: TransformerBinding?
    /// The submodel that declares the property. The index then doesn't count inherited properties. Nil for other
    /// classes.
    package var submodel: ObjectIdentifier?
    /// For a relationship to one of several models. Its kind is then an attribute: the name of the model, as the server
    /// writes it.
    var choice: ChoiceDescription?
    /// For a hidden link to one of these models: the name of the relationship.
    package var choiceName: String?

    /// The names of identities. A model that declares no identity has the first of these that it has.
    static let identityNames = ["identifier", "id"]
    /// Whether it is the identity of a model that declares none.
    var isIdentityByName: Bool { Self.identityNames.contains(name) }

    /// The name of a singular resource's identity, which exists only in the file.
    package static let singularIdentityName = "singularIdentity"
    /// The value of this identity. There is one object.
    static let singularIdentity: Int64 = 1

    /// The constant identity of a singular resource, which exists only in the file.
    static func singularIdentity(at index: Int) -> PropertyDescription {
        PropertyDescription(
            index: index, name: singularIdentityName,
            kind: .attribute(
                .integer(singularIdentity...singularIdentity), default: { .integer(singularIdentity) },
                options: AttributeOptions(access: .readOnly)),
            hasConstantDefault: true)
    }

    /// The hidden links of a relationship to one of several models, one for each model.
    ///
    /// - Parameter index: the index of the first one.
    func choiceLinks(from index: Int) -> [PropertyDescription] {
        guard let choice else { return [] }
        return choice.choices.types.enumerated().map { number, element in
            var options = choice.options
            options.inverse = .none
            options.sentAs = options.sentAs == .never ? .never : .identities
            options.renamedFrom = options.renamedFrom.map { Self.choiceLinkName($0, to: element.type) }
            (options.route, options.json, options.sentKey, options.owns) = (nil, nil, nil, false)
            var link = PropertyDescription(
                index: index + number, name: Self.choiceLinkName(name, to: element.type),
                kind: .toOne(element.type, options: options))
            link.submodel = submodel
            link.choiceName = name
            return link
        }
    }

    /// `subject.Post`. A Swift name has no dot unless it is in backticks.
    static func choiceLinkName(_ name: String, to type: any Model.Type) -> String { "\(name).\(type)" }

    /// The model of a relationship's targets.
    package var target: (any Model.Type)? {
        switch kind {
        case .attribute: nil
        case .toOne(let type, _), .toMany(let type, _): type
        }
    }

    /// Records the declaring class if it is a submodel.
    func declared<Owner: Model>(by owner: Owner.Type) -> PropertyDescription {
        guard let submodel = owner as? any Submodel.Type else { return self }
        var own = self
        own.submodel = ObjectIdentifier(submodel)
        return own
    }

    func moved(to index: Int) -> PropertyDescription {
        var moved = self
        moved.index = index
        return moved
    }
}

extension PropertyDescription {
    /// Declares a relationship to one of several models.
    init(index: Int, name: String, choosing choices: ModelChoices, _ options: RelationshipOptions) {
        self.init(
            index: index, name: name,
            kind: .attribute(
                .text, default: { .null }, options: AttributeOptions(options.json, renamedFrom: options.renamedFrom)),
            isOptional: true, hasConstantDefault: true)
        choice = ChoiceDescription(choices: choices, options: options)
    }

    var inverse: Inverse {
        switch kind {
        case .attribute: .none
        case .toOne(_, let options), .toMany(_, let options): options.inverse
        }
    }

    /// Whether it is an attribute of type `String`, optional or not.
    var isString: Bool { binding.map { ["\(String.self)", "\(String?.self)"].contains($0.type) } ?? false }

    /// Whether it takes the whole body of a response.
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

    /// The declared key path at which requests have the identities of a relationship's targets.
    var sentIdentityKey: String? {
        switch kind {
        case .attribute: nil
        case .toOne(_, let options), .toMany(_, let options):
            [.conventional, .identities, .identitiesByName].contains(options.sentAs) ? options.sentKey : nil
        }
    }

    /// The declared JSON key path.
    var jsonName: String? {
        switch kind {
        case .attribute(_, _, let options): options.json
        case .toOne(_, let options), .toMany(_, let options): options.json
        }
    }
}
