/// The declaration of a model class, as `@Model` writes it.
@_documentation(visibility: internal)
public struct ModelDescription: Sendable {
    /// The class.
    public let type: any Model.Type
    /// The class's name, without its module.
    public let name: String
    /// The arguments of `@Model`.
    public internal(set) var options: ModelOptions
    /// The properties in the order of their declaration, then those that are derived: a singular model's identity, and
    /// the links of choices.
    public let properties: [PropertyDescription]

    /// Creates a description, for the code that `@Model` writes.
    public init<M: Model>(
        _ type: M.Type, _ name: String, _ options: ModelOptions, _ properties: [any PropertyToken]
    ) {
        self.type = type
        self.name = name
        self.options = options
        var properties = properties.map(\.description)
        if options.singular, options.identity.isEmpty, !properties.contains(where: { $0.isIdentityByName }) {
            properties.append(.singularIdentity(at: properties.count))
            self.options.identity = [PropertyDescription.singularIdentityName]
        }
        for property in properties where property.choice != nil {
            properties += property.choiceLinks(from: properties.count)
        }
        self.properties = properties
    }

    init(_ model: ModelDescription, _ properties: [PropertyDescription]) {
        type = model.type
        name = model.name
        options = model.options
        self.properties = properties
    }
}
