import ObjectStore

/// Makes an enum of models the type of a list's elements, where the list mixes models, or of a relationship to one of
/// several models.
///
/// ```swift
/// @ModelChoice(by: "type")
/// enum Activity {
///     case post(Post)
///     case event(Event)
/// }
///
/// let activities = try await Activity.fetchAll("/timeline", in: store.main)
///
/// @Model
/// final class Notification {
///     var identifier: Int?
///     var subject: Activity?                                // {"type": "post", "id": 1}, or subject_type, subject_id
/// }
/// ```
///
/// Each case has one value, a model. An element, or a relationship's value, says its model at the key path `by:`. Word
/// breaks, letter case and plural are ignored: the case's name, the model's name, its `resourceType` and the values of
/// its discriminator all stand for it.
///
/// If one model inherits from another, its case comes first. In a relationship, only one of the two can be a case. If
/// the enum is nested in a type, name models in that type by their whole names, or give the enum typealiases for them.
///
/// - Parameter key: the key path of the model's name within an element; by default `type`.
@attached(extension, conformances: ModelChoice, names: named(init), named(choices), named(model))
public macro ModelChoice(by key: String = "type") =
    #externalMacro(module: "RestfulDataMacros", type: "ModelChoiceMacro")
