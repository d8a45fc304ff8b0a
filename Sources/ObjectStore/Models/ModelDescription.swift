/// What a model class declares, as `@Model` writes it down. A store compiles it, with the conventions, into its schema.
public struct ModelDescription: Sendable {
    public let type: any Model.Type
    /// The class's name, without its module.
    public let name: String
    public let options: ModelOptions
    public let properties: [PropertyDescription]

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
    public var baseURL: String?
    public var key: String?
    public var identity: [String]
    public var table: String?

    public init(_ baseURL: String? = nil, key: String? = nil, identity: String..., table: String? = nil) {
        self.baseURL = baseURL
        self.key = key
        self.identity = identity
        self.table = table
    }
}

/// One declared property.
public struct PropertyDescription: Sendable {
    public enum Kind: Sendable {
        /// An attribute: how its JSON is read, what an absent value becomes (`.null` where it is optional).
        case attribute(AttributeKind, default: @Sendable () -> StoredValue, options: AttributeOptions)
        case toOne(any Model.Type, options: RelationshipOptions)
        case toMany(any Model.Type, options: RelationshipOptions)
    }

    /// The place among the properties of the class, in the order of their declaration, from 0.
    public let index: Int
    public let name: String
    public let kind: Kind
}
