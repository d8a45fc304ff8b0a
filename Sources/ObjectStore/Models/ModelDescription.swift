/// What a model class declares, as `@Model` writes it down. A store compiles it, with the conventions, into its schema.
public struct ModelDescription: Sendable {
    /// The class.
    public let type: any Model.Type
    /// The class's name, without its module.
    public let name: String
    /// The arguments of `@Model`.
    public internal(set) var options: ModelOptions
    /// In the order of their declaration.
    public let properties: [PropertyDescription]

    /// For the code that `@Model` writes.
    public init<M: Model>(
        _ type: M.Type, _ name: String, _ options: ModelOptions, _ properties: [any PropertyToken]
    ) {
        self.type = type
        self.name = name
        self.options = options
        self.properties = properties.map(\.description)
    }

    /// The same with other properties.
    init(_ model: ModelDescription, _ properties: [PropertyDescription]) {
        type = model.type
        name = model.name
        options = model.options
        self.properties = properties
    }
}

/// The arguments of `@Model`.
public struct ModelOptions: Sendable {
    /// The template of the collection's URL.
    public var baseURL: String?
    /// The property that stands for the object in its URL; the identity where nothing is said.
    public var key: String?
    /// The properties that together name the object at the server; `identifier` or `id` where nothing is said.
    public var identity: [String]
    /// The table's name, where it is not the one that the conventions give.
    public var table: String?
    /// The attribute whose value says which of the models that inherit from this one an object is.
    public var discriminator: String?
    /// The model that this one inherits from.
    public var parent: (any Model.Type)?
    /// The values of the parent's discriminator that stand for this model; the forms of its name where nothing is said.
    public var discriminatorValues: [String] = []
    /// The class's name in an earlier version of the models; its table is renamed.
    public var renamedFrom: String?
    /// Whether the objects have no identity, and live in the one that leads to them.
    public var embedded: Bool
    /// What wraps an object and a list in a body.
    public var envelope: ModelEnvelope
    /// The `type` of the model's objects in JSON:API, where it is not the one that the conventions give.
    public var resourceType: String?
    /// How the server takes changes of such an object; the API's way where nothing is said.
    public var saveMethod: SaveMethod?

    /// As `@Model` takes them.
    public init(
        _ baseURL: String? = nil, key: String? = nil, identity: String..., table: String? = nil,
        renamedFrom: String? = nil, embedded: Bool = false, envelope: ModelEnvelope = .conventional,
        resourceType: String? = nil, discriminator: String? = nil, saveMethod: SaveMethod? = nil
    ) {
        self.baseURL = baseURL
        self.key = key
        self.identity = identity
        self.table = table
        self.renamedFrom = renamedFrom
        self.embedded = embedded
        self.envelope = envelope
        self.resourceType = resourceType
        self.discriminator = discriminator
        self.saveMethod = saveMethod
    }

    /// As the `@Model` of a class that inherits from another model takes them.
    public init(
        _ baseURL: String? = nil, inherits parent: any Model.Type, as values: String..., key: String? = nil,
        identity: String...
    ) {
        self.init(baseURL, key: key)
        self.identity = identity
        self.parent = parent
        self.discriminatorValues = values
    }
}

/// One declared property.
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
    /// What binds a transformer to an attribute's type.
    var binding: TransformerBinding?
    /// The submodel that declares it, whose inherited properties the index does not count; `nil` for any other class.
    package var submodel: ObjectIdentifier?

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
