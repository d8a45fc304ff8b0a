import OpenAPIFiles

struct ModelClass {
    let key: ModelKey
    let name: String
    let about: String?
    /// The JSON names of the identity properties.
    var identity: [String] = []
    var isEmbedded: Bool { identity.isEmpty }
    var routes: ModelRoutes?
    var properties: [ModelProperty] = []
}

/// The paths of a class's objects at the service.
struct ModelRoutes {
    /// The path of the collection in the description; nil if only one object has a path.
    let collection: String?
    let item: String?
    /// The JSON name of the property that is the key in the path.
    var key: String?
    /// The base URL to declare, as a template; nil if a name in the path lacks a property.
    var base: String?
    /// The template of one object, if it differs from the base followed by the key.
    var object: String?
    /// The link to the owner, if the path contains one.
    var owner: (link: String, key: ModelKey)?
    let operations: [OpenAPIOperation]
    /// The key of a wrapped list; nil for plain arrays.
    let listKey: String?
    /// The key of a wrapped object; nil for plain objects.
    let objectKey: String?

    /// The names in a path that lack a property.
    var unmapped: [String] { base == nil ? (collection ?? item ?? "").pathParameters : [] }

    func methods(at path: String?) -> Set<String> {
        Set(operations.filter { path != nil && $0.path.withoutSlash == path }.map(\.method))
    }
}

struct ModelProperty {
    indirect enum Kind {
        /// A value, and the default that it gets if every reply has it.
        case value(type: String, default: String?)
        /// A nested enum of texts, with its name and values.
        case enumeration(name: String, values: [String])
        case toOne(ModelKey)
        case toMany(ModelKey)
    }

    let json: String
    var name = ""
    var kind: Kind
    var isRequired: Bool
    var about: String?
    /// `.readOnly`, for example; nil for the default.
    var access: String?
    /// `.epochSeconds`, for example; nil if the format is detected.
    var format: String?
    /// The key of a wrapped list within the value.
    var wrapper: String?
    /// Whether the conventions give another name than the JSON name.
    var needsJSON = false
    /// For a list with its own path, the members' link back.
    var inverse: String?
    /// The path of a list if it differs from the members' own, with braces.
    var route: String?
    /// The requests that the path supports; nil for all.
    var verbs: String?
    /// Whether only the path has it, and all schemas lack it.
    var isOfPath = false
}
