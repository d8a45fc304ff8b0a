/// Values of an object's properties, by Swift name and apart from any live object: one version of it.
///
/// ```swift
/// if case .conflict(let conflict) = error {
///     print(conflict.server?[Post.properties.title] ?? "")
/// }
/// ```
public struct PropertyValues: Sendable, Hashable {
    /// The model's name.
    public let model: String
    /// The attributes, as they are stored.
    public package(set) var attributes: [String: StoredValue] = [:]
    /// What the relationships lead to, by the targets' identities; an empty list where one leads nowhere.
    public package(set) var relationships: [String: [StoredValue]] = [:]

    package init(model: String) { self.model = model }

    /// The names of all properties that have a value here.
    public var names: Set<String> { Set(attributes.keys).union(relationships.keys) }

    /// Whether it has no value at all.
    public var isEmpty: Bool { attributes.isEmpty && relationships.isEmpty }

    /// An attribute's value; `nil` where this version says nothing of it. Setting `nil` removes it from the version.
    public subscript<M: Model, Value>(attribute: Attribute<M, Value>) -> Value? {
        get { attributes[attribute.description.name].map(attribute.decode) }
        set { attributes[attribute.description.name] = newValue.map(attribute.encode) }
    }
}

extension PropertyValues: CustomDebugStringConvertible, CustomReflectable {
    /// The model and the names of the properties, without values: among these may be secrets.
    public var debugDescription: String { "\(model) (\(names.sorted().joined(separator: ", ")))" }

    /// What `dump` shows: the same.
    public var customMirror: Mirror { Mirror(self, children: ["names": names.sorted()], displayStyle: .struct) }
}
