/// One version of an object: its values by Swift name, independent of a live object.
///
/// ```swift
/// if case .conflict(let conflict) = error {
///     print(conflict.server?[Post.properties.title] ?? "")
/// }
/// ```
public struct PropertyValues: Sendable, Hashable {
    /// The model's name.
    public let model: String
    /// The attributes as they are stored.
    public package(set) var attributes: [String: StoredValue] = [:]
    /// The identities of the relationships' targets, or an empty array.
    public package(set) var relationships: [String: [StoredValue]] = [:]

    package init(model: String) { self.model = model }

    /// The names of all properties with a value in this version.
    public var names: Set<String> { Set(attributes.keys).union(relationships.keys) }

    /// Whether this version is empty.
    public var isEmpty: Bool { attributes.isEmpty && relationships.isEmpty }

    /// An attribute's value. Nil if this version lacks it; setting nil removes it.
    public subscript<M: Model, Value>(attribute: Attribute<M, Value>) -> Value? {
        get { attributes[attribute.description.name].map(attribute.decode) }
        set { attributes[attribute.description.name] = newValue.map(attribute.encode) }
    }
}

extension PropertyValues: CustomDebugStringConvertible, CustomReflectable {
    /// The model and the names of the properties, without values, which may be secrets.
    public var debugDescription: String { "\(model) (\(names.sorted().joined(separator: ", ")))" }

    /// The names of the properties, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["names": names.sorted()], displayStyle: .struct) }
}
