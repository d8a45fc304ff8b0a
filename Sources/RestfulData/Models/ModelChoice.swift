import ObjectStore

/// Makes an enum of models the type of a mixed list's elements, or of a relationship to one of several models.
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
/// // In another model:
/// var subject: Activity?                // {"type": "post", "id": 1}, or subject_type, subject_id
/// ```
///
/// Each case has one value, a model. JSON names it at the key path `by:` by the case's or model's name, its
/// `resourceType`, or a value of its discriminator. Word breaks, letter case and plural are ignored.
///
/// If one model inherits from another, its case comes first; in a relationship, only one of the two can be a case. In a
/// nested enum, name models of the outer type by their whole names, or by typealiases.
///
/// - Parameter key: the key path of the model's name within an element; by default `type`.
@attached(extension, conformances: ModelChoice, names: named(init), named(choices), named(model))
public macro ModelChoice(by key: String = "type") =
    #externalMacro(module: "RestfulDataMacros", type: "ModelChoiceMacro")
