/// The typed name of a part of a response type; for the code that `@ResponseBody` writes.
public protocol ResponsePartToken: Sendable {
    /// What the part is, without its type.
    var description: ResponsePartDescription { get }
}

/// What one property of a response type takes from a body.
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

/// The token of a property of a response type.
public struct ResponsePart<Value>: ResponsePartToken {
    public let description: ResponsePartDescription
    let read: @Sendable (ResponseValues) -> Value

    init(_ description: ResponsePartDescription, read: @escaping @Sendable (ResponseValues) -> Value) {
        self.description = description
        self.read = read
    }
}
