/// A type that takes a whole response: values, models and lists of them, wherever they stand in its JSON. `@ResponseBody`
/// writes the conformance.
///
/// ```swift
/// @ResponseBody
/// struct IssuePage {
///     var totalCount = 0                                   // "total_count"
///     @Attribute("meta.next") var next: URL?
///     var items: [Issue]                                   // imported, live in the caller's context
/// }
/// ```
public protocol ResponseBody: SendableMetatype {
    /// What the type declares: its name and its parts.
    static var responseDescription: ResponseDescription { get }
    /// Takes the parts that were read, each in the place of the property that has its index; for the code that
    /// `@ResponseBody` writes.
    init(_ values: ResponseValues)
}

/// What a response type declares, as `@ResponseBody` writes it down.
public struct ResponseDescription: Sendable {
    /// The type's name, without its module.
    public let name: String
    let parts: [ResponsePartDescription]

    /// For the code that `@ResponseBody` writes.
    public init(_ name: String, _ parts: [any ResponsePartToken]) {
        self.name = name
        self.parts = parts.map(\.description)
    }
}

/// Where a part of a response stands, where that is no key path.
public enum ResponsePlace: Sendable, Hashable {
    /// The whole of the body, whatever it is: an array of models say.
    case root
}
