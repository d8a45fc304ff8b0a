public import JSONBytes

/// A model that reads its JSON with code of its own, for values that declarations can't describe.
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
    /// Reads an object's whole JSON, after its declared properties were read.
    ///
    /// The importer calls it for each imported object of the model, on no particular actor and within the import's
    /// transaction. Other models cost nothing.
    ///
    /// - Parameters:
    ///   - json: the object's JSON, including nested objects.
    ///   - values: receives values that replace those read by declaration, and values of the wrong type, which then go
    ///     unreported. Other properties keep the values that were read.
    nonisolated static func read(_ json: JSONValue, into values: inout ImportedValues<Self>)
}

/// The values that an ``ImportReading`` model has read from an object's JSON.
public struct ImportedValues<M: Model> {
    private(set) var values: [(property: PropertyDescription, value: StoredValue)] = []

    init() {}

    /// Sets an attribute, which may be the identity, to the server's value.
    public mutating func set<Value: AttributeValue>(
        _ property: KeyPath<M.Properties, Attribute<M, Value>>, to value: Value
    ) {
        values.append((M.properties[keyPath: property].description, value.stored))
    }

    /// Sets an optional attribute to the server's value. Nil clears it.
    public mutating func set<Value: AttributeValue>(
        _ property: KeyPath<M.Properties, Attribute<M, Value?>>, to value: Value?
    ) {
        values.append((M.properties[keyPath: property].description, value?.stored ?? .null))
    }
}

extension ImportReading {
    static func importedValues(of json: JSONValue) -> [(property: PropertyDescription, value: StoredValue)] {
        var values = ImportedValues<Self>()
        read(json, into: &values)
        return values.values
    }
}
