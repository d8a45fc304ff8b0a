/// The declaration of a property.
@_documentation(visibility: internal)
public struct PropertyDescription: Sendable {
    /// The kind of a property.
    public enum Kind: Sendable {
        /// An attribute: the conversion of its JSON, and its default, which is `.null` for an optional attribute
        /// without one.
        case attribute(AttributeKind, default: @Sendable () -> StoredValue, options: AttributeOptions)
        case toOne(any Model.Type, options: RelationshipOptions)
        case toMany(any Model.Type, options: RelationshipOptions)
    }

    /// The index among the properties of the class itself, from 0 in the order of declaration.
    public internal(set) var index: Int
    /// The Swift name.
    public let name: String
    /// The kind of property.
    public let kind: Kind
    /// Whether an attribute can be nil. JSON `null` otherwise means the default.
    public var isOptional = false
    /// Whether each object has the same default.
    var hasConstantDefault = false
    /// Binds transformers to the attribute's type.
    var binding: TransformerBinding?
    /// The submodel that declares it. The index then leaves out inherited properties.
    package var submodel: ObjectIdentifier?
    /// For a relationship to one of several models. The kind is then an attribute, the model's name.
    var choice: ChoiceDescription?
    /// The relationship of a hidden link.
    package var choiceName: String?

    /// A model that leaves `identity:` out has the first of these that it declares.
    static let identityNames = ["identifier", "id"]
    /// Whether the name can make it the identity of a model that leaves `identity:` out.
    var isIdentityByName: Bool { Self.identityNames.contains(name) }

    /// The identity of a singular resource, in the file only.
    package static let singularIdentityName = "singularIdentity"
    /// The value of the identity of each singular resource.
    static let singularIdentity: Int64 = 1

    /// Declares the identity of a singular resource.
    static func singularIdentity(at index: Int) -> PropertyDescription {
        PropertyDescription(
            index: index, name: singularIdentityName,
            kind: .attribute(
                .integer(singularIdentity...singularIdentity), default: { .integer(singularIdentity) },
                options: AttributeOptions(access: .readOnly)),
            hasConstantDefault: true)
    }

    /// The hidden links of a choice, one for each model.
    ///
    /// - Parameter index: the first link's index.
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

    /// `subject.Post`. Only Swift names in backticks may have dots.
    static func choiceLinkName(_ name: String, to type: any Model.Type) -> String { "\(name).\(type)" }

    /// The target of a relationship.
    package var target: (any Model.Type)? {
        switch kind {
        case .attribute: nil
        case .toOne(let type, _), .toMany(let type, _): type
        }
    }

    /// Notes the owner, if it is a submodel.
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
    /// Describes a relationship to one of several models.
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

    /// Whether the type is `String` or `String?`.
    var isString: Bool { binding.map { ["\(String.self)", "\(String?.self)"].contains($0.type) } ?? false }

    /// Whether `.root` is declared.
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

    /// The declared key in requests.
    var sentKey: String? {
        switch kind {
        case .attribute(_, _, let options): options.sentKey
        case .toOne(_, let options), .toMany(_, let options): options.sentKey
        }
    }

    /// The declared key of the targets' identities in requests.
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
