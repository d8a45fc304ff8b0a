/// What a model class declares, as `@Model` writes it down. A store compiles it, with the conventions, into its schema.
public struct ModelDescription: Sendable {
    /// The class.
    public let type: any Model.Type
    /// The class's name, without its module.
    public let name: String
    /// The arguments of `@Model`.
    public let options: ModelOptions
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
    /// The class's name in an earlier version of the models; its table is renamed.
    public var renamedFrom: String?
    /// Whether the objects have no identity, and live in the one that leads to them.
    public var embedded: Bool
    /// What wraps an object and a list in a body.
    public var envelope: ModelEnvelope
    /// The `type` of the model's objects in JSON:API, where it is not the one that the conventions give.
    public var resourceType: String?

    /// As `@Model` takes them.
    public init(
        _ baseURL: String? = nil, key: String? = nil, identity: String..., table: String? = nil,
        renamedFrom: String? = nil, embedded: Bool = false, envelope: ModelEnvelope = .conventional,
        resourceType: String? = nil
    ) {
        self.baseURL = baseURL
        self.key = key
        self.identity = identity
        self.table = table
        self.renamedFrom = renamedFrom
        self.embedded = embedded
        self.envelope = envelope
        self.resourceType = resourceType
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

    /// The place among the properties of the class, in the order of their declaration, from 0.
    public let index: Int
    /// The name in Swift.
    public let name: String
    /// What kind of property it is.
    public let kind: Kind
    /// Whether an attribute can be nil: then JSON's `null` is nil, else the default.
    public var isOptional = false
    /// What binds a transformer to an attribute's type.
    var binding: TransformerBinding?
}
