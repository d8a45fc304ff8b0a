public import JSONBytes

/// A model with code of its own for reading JSON: for values that no declaration describes.
///
/// ```swift
/// extension User: ImportReading {
///     nonisolated static func read(_ json: JSONValue, into values: inout ImportedValues<User>) {
///         let names = [json["first"]?.string, json["last"]?.string].compactMap { $0 }
///         values.set(\.fullName, to: names.joined(separator: " "))
///     }
/// }
/// ```
public protocol ImportReading: Model {
    /// Reads an object's whole JSON, once its declared properties were read.
    ///
    /// It is called for each object of the model that is imported, away from any actor and within the import's
    /// transaction. Models that don't conform cost nothing.
    ///
    /// - Parameters:
    ///   - json: the object's JSON, nested objects included.
    ///   - values: takes values in place of those that were read. Other properties stay as they were read.
    nonisolated static func read(_ json: JSONValue, into values: inout ImportedValues<Self>)
}

/// The values that a model's own code has made of an object's JSON (``ImportReading``).
public struct ImportedValues<M: Model> {
    /// The properties that were set, in their order.
    private(set) var values: [(property: PropertyDescription, value: StoredValue)] = []

    init() {}

    /// Sets an attribute as the server's value.
    ///
    /// - Parameters:
    ///   - property: the attribute; an identity may be set, too.
    ///   - value: the value.
    public mutating func set<Value: AttributeValue>(
        _ property: KeyPath<M.Properties, Attribute<M, Value>>, to value: Value
    ) {
        values.append((M.properties[keyPath: property].description, value.stored))
    }

    /// Sets an optional attribute as the server's value; nil for none.
    public mutating func set<Value: AttributeValue>(
        _ property: KeyPath<M.Properties, Attribute<M, Value?>>, to value: Value?
    ) {
        values.append((M.properties[keyPath: property].description, value?.stored ?? .null))
    }
}

extension ImportReading {
    /// The values that the code makes of an object's JSON.
    static func importedValues(of json: JSONValue) -> [(property: PropertyDescription, value: StoredValue)] {
        var values = ImportedValues<Self>()
        read(json, into: &values)
        return values.values
    }
}
