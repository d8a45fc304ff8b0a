import OpenAPIFiles

/// A class that is to be written.
struct ModelClass {
    let key: ModelKey
    let name: String
    let about: String?
    /// The JSON names of the properties that name an object.
    var identity: [String] = []
    var isEmbedded: Bool { identity.isEmpty }
    var routes: ModelRoutes?
    var properties: [ModelProperty] = []
}

/// Where the objects of a class are at the service.
struct ModelRoutes {
    /// The path of the collection, as the description has it; nil where one object alone has a path.
    let collection: String?
    /// The path of one object.
    let item: String?
    /// The JSON name of the property that stands for an object in its path.
    var key: String?
    /// What is declared, in the language of templates; nil where a name in the path stands for no property.
    var base: String?
    /// The same of one object, where it isn't the base with the key behind it.
    var object: String?
    /// The link to the owner, where the path goes through one.
    var owner: (link: String, key: ModelKey)?
    /// The operations at both paths.
    let operations: [OpenAPIOperation]
    /// At which key a list stands, where something wraps it.
    let listKey: String?
    /// At which key an object stands, where something wraps it.
    let objectKey: String?

    /// The names in a path that no property stands for.
    var unmapped: [String] { base == nil ? (collection ?? item ?? "").pathParameters : [] }

    func methods(at path: String?) -> Set<String> {
        Set(operations.filter { path != nil && $0.path.withoutSlash == path }.map(\.method))
    }
}

/// A property that is to be written.
struct ModelProperty {
    indirect enum Kind {
        /// A value, with the default that it has when it is never missing.
        case value(type: String, default: String?)
        /// An enum of texts within the class: its name and values.
        case enumeration(name: String, values: [String])
        case toOne(ModelKey)
        case toMany(ModelKey)
    }

    let json: String
    var name = ""
    var kind: Kind
    var isRequired: Bool
    var about: String?
    /// `.readOnly`, …; nil for the default.
    var access: String?
    /// `.epochSeconds`; nil for what is found out.
    var format: String?
    /// The key of the list within the value.
    var wrapper: String?
    /// Whether the name by conventions isn't the JSON name.
    var needsJSON = false
    /// The link of the members that leads back, of a list that the service has at a path.
    var inverse: String?
    /// The path of a list that isn't at the members' own, with braces.
    var route: String?
    /// What can be done there; nil for all.
    var verbs: String?
    /// Whether it stands for what is in the path, and in no schema.
    var isOfPath = false
}
