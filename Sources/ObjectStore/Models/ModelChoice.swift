/// An enum of models, written by `@ModelChoice`: the type of a mixed list's elements, and of a relationship to one of
/// several models.
public protocol ModelChoice: SendableMetatype {
    /// The models, and how JSON says which one it is of.
    static var choices: ModelChoices { get }
    /// The case of an object; nil if its model is in none.
    init?(_ model: any Model)
    /// The object.
    var model: any Model { get }
}

/// The models of an enum, and the JSON key that selects one.
@_documentation(visibility: internal)
public struct ModelChoices: Sendable {
    package let key: String
    package let types: [(name: String, type: any Model.Type)]

    /// Creates choices, for the code that `@ModelChoice` writes.
    public init(by key: String, _ types: [(name: String, type: any Model.Type)]) {
        (self.key, self.types) = (key, types)
    }
}

struct ChoiceDescription: Sendable {
    let choices: ModelChoices
    let options: RelationshipOptions
}
