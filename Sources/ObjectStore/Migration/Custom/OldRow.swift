/// A row as the file had it before a migration, by the old models' names.
public struct OldRow: Sendable {
    /// The old properties' values; a to-one link is the local key of a row.
    let values: [String: StoredValue]

    /// The value of an attribute by its old Swift name; `nil` where the row had no such attribute. In a file that no
    /// description was kept in, the names of properties that are gone are told from their columns: `full_name` is `fullName`.
    public subscript(_ name: String) -> StoredValue? { values[name] }

    /// The same as a Swift value; `nil` where it is null, or not of that type.
    public subscript<Value: AttributeValue>(_ name: String, as type: Value.Type) -> Value? {
        values[name].flatMap { $0.isNull ? nil : Value(stored: $0) }
    }
}
