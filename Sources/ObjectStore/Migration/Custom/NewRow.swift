/// A row as a migration is about to write it.
@dynamicMemberLookup
public struct NewRow<M: Model> {
    /// By the property's index.
    var values: [Int: StoredValue]
    /// The properties that were set.
    var changed: Set<Int> = []

    init(values: [Int: StoredValue]) { self.values = values }

    /// The value of an attribute: `new.firstName = "Ada"`.
    public subscript<Value>(dynamicMember path: KeyPath<M.Properties, Attribute<M, Value>>) -> Value {
        get {
            let attribute = M.properties[keyPath: path]
            return attribute.decode(values[attribute.index] ?? .null)
        }
        set {
            let attribute = M.properties[keyPath: path]
            values[attribute.index] = attribute.encode(newValue)
            changed.insert(attribute.index)
        }
    }
}
