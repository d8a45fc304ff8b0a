/// The declaration of a response type, as `@ResponseBody` writes it.
@_documentation(visibility: internal)
public struct ResponseDescription: Sendable {
    /// The type's name, without its module.
    public let name: String
    /// The name of the response's API; nil for the store's first.
    public let api: String?
    let parts: [ResponsePartDescription]

    /// Creates a description, for the code that `@ResponseBody` writes.
    public init(_ name: String, api: String? = nil, _ parts: [any ResponsePartToken]) {
        (self.name, self.api) = (name, api)
        self.parts = parts.map(\.description)
    }
}

/// A place of a part in a response, other than a key path.
public enum ResponsePlace: Sendable, Hashable {
    /// The whole body, for example an array of models.
    case root
}

/// The typed name of a part of a response type.
@_documentation(visibility: internal)
public protocol ResponsePartToken: Sendable {
    /// The declaration of the part, without its type.
    var description: ResponsePartDescription { get }
}

/// The declaration of a response type's property.
@_documentation(visibility: internal)
public struct ResponsePartDescription: Sendable {
    enum Kind: Sendable {
        /// A value, declared like an attribute of a model.
        case value(PropertyDescription)
        case object(any Model.Type)
        case list(any Model.Type)
        case mixed(ModelChoices, isList: Bool)
        case body(any ResponseBody.Type)
        case bodies(any ResponseBody.Type)
    }

    /// The index among the type's properties, from 0.
    let index: Int
    /// The Swift name.
    let name: String
    let kind: Kind
    /// The JSON key path. Nil for the one by convention.
    var json: String?
    var isRoot = false
}
