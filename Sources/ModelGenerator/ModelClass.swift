import OpenAPIFiles

struct ModelClass {
    let key: ModelKey
    let name: String
    let about: String?
    /// By JSON name.
    var identity: [String] = []
    var isEmbedded: Bool { identity.isEmpty }
    var routes: ModelRoutes?
    var properties: [ModelProperty] = []
}

struct ModelRoutes {
    /// As in the description; nil if only one object has a path.
    let collection: String?
    let item: String?
    /// The JSON name of the key in the path.
    var key: String?
    /// As a template; nil if a name in the path lacks a property.
    var base: String?
    /// A template, if it differs from the base followed by the key.
    var object: String?
    /// If the path contains one.
    var owner: (link: String, key: ModelKey)?
    let operations: [OpenAPIOperation]
    /// Nil for plain arrays.
    let listKey: String?
    /// Nil for plain objects.
    let objectKey: String?

    /// Names in the path that lack a property.
    var unmapped: [String] { base == nil ? (collection ?? item ?? "").pathParameters : [] }

    func methods(at path: String?) -> Set<String> {
        Set(operations.filter { path != nil && $0.path.withoutSlash == path }.map(\.method))
    }
}

struct ModelProperty {
    indirect enum Kind {
        /// The default is for a value that every reply has.
        case value(type: String, default: String?)
        /// A nested enum of texts.
        case enumeration(name: String, values: [String])
        case toOne(ModelKey)
        case toMany(ModelKey)
    }

    let json: String
    var name = ""
    var kind: Kind
    var isRequired: Bool
    var about: String?
    /// `.readOnly`, for example.
    var access: String?
    /// `.epochSeconds`, for example; nil if it is detected.
    var format: String?
    /// The key of a wrapped list.
    var wrapper: String?
    /// Whether the conventions give another JSON name.
    var needsJSON = false
    /// The members' link back to a list with its own path.
    var inverse: String?
    /// Of a list, with braces, if it differs from the members' own.
    var route: String?
    /// The requests that the path supports; nil for all.
    var verbs: String?
    /// Whether it is in the path, and in no schema.
    var isOfPath = false
}
