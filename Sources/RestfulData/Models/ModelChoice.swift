public import ObjectStore

/// Makes an enum of models the type of a list's elements, where the list mixes models.
///
/// ```swift
/// @ModelChoice(by: "type")
/// enum Activity {
///     case post(Post)
///     case event(Event)
/// }
///
/// let activities = try await Activity.fetchAll("/timeline", in: store.main)
/// ```
///
/// Each case has one value, a model. The key path `by:` leads to the name of an element's model. Word breaks, letter
/// case and plural don't matter: the case's name, the model's name, its `resourceType` and the values of its
/// discriminator all stand for it.
///
/// If one model inherits from another, its case comes first.
///
/// - Parameter key: the key path of the model's name within an element; by default `type`.
@attached(extension, conformances: ModelChoice, names: named(init), named(choices), named(model))
public macro ModelChoice(by key: String = "type") =
    #externalMacro(module: "RestfulDataMacros", type: "ModelChoiceMacro")

/// An enum with a case for each model of a mixed list. ``ModelChoice(by:)`` adds the conformance.
public protocol ModelChoice {
    /// The models, and how an element says which one it is.
    static var choices: ModelChoices { get }
    /// The case of an object; nil if its model is in none.
    init?(_ model: any Model)
    /// The object.
    var model: any Model { get }
}

/// The models of an enum, and the key path to the name of an element's model.
@_documentation(visibility: internal)
public struct ModelChoices {
    let key: String
    let types: [(name: String, type: any Model.Type)]

    /// As ``ModelChoice(by:)`` writes them.
    public init(by key: String, _ types: [(name: String, type: any Model.Type)]) {
        (self.key, self.types) = (key, types)
    }
}
