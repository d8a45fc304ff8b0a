/// What a response type declares, as `@ResponseBody` writes it down.
@_documentation(visibility: internal)
public struct ResponseDescription: Sendable {
    /// The type's name, without its module.
    public let name: String
    /// The name of the API that answers so, where the store has several and it is not the first.
    public let api: String?
    let parts: [ResponsePartDescription]

    /// For the code that `@ResponseBody` writes.
    public init(_ name: String, api: String? = nil, _ parts: [any ResponsePartToken]) {
        (self.name, self.api) = (name, api)
        self.parts = parts.map(\.description)
    }
}

/// Where a part of a response stands, where that is no key path.
public enum ResponsePlace: Sendable, Hashable {
    /// The whole of the body, whatever it is: an array of models say.
    case root
}

/// The typed name of a part of a response type; for the code that `@ResponseBody` writes.
@_documentation(visibility: internal)
public protocol ResponsePartToken: Sendable {
    /// What the part is, without its type.
    var description: ResponsePartDescription { get }
}

/// What one property of a response type takes from a body.
@_documentation(visibility: internal)
public struct ResponsePartDescription: Sendable {
    enum Kind: Sendable {
        /// A value, as an attribute of a model would declare it.
        case value(PropertyDescription)
        case object(any Model.Type)
        case list(any Model.Type)
        case body(any ResponseBody.Type)
        case bodies(any ResponseBody.Type)
    }

    /// The place among the type's properties, from 0.
    let index: Int
    /// The name in Swift.
    let name: String
    let kind: Kind
    /// The JSON key path, where it is not the one that the conventions give.
    var json: String?
    var isRoot = false
}
