public import JSONBytes

/// Converts between JSON and values of a type, for APIs that differ from the type's own conversion.
///
/// Set one for an attribute by `@Attribute(transformer: .cents)`, or for all of its type, also optional ones, by
/// ``ValueFormats/transformers``; the attribute's takes precedence. Elements of arrays are left alone. Conform your own
/// types to ``AttributeValue`` instead.
public protocol AttributeTransforming<Value>: Sendable {
    /// The type of the attributes, with or without `Optional`. A transformer with an optional type can convert JSON to
    /// nil.
    associatedtype Value: Sendable
    /// Returns the value that JSON represents; `nil` if it represents none, which the import reports. The transformer
    /// sees neither `null` nor missing keys: `null` gives nil or the default, and a missing key leaves the value
    /// unchanged.
    func value(from json: JSONValue) -> Value?
    /// Returns the JSON to send for a value; `nil` if there is none, so that sending throws an error.
    func json(from value: Value) -> JSONValue?
}

/// A transformer made of two closures.
///
/// ```swift
/// extension AttributeTransformer where Value == Decimal {
///     static let cents = AttributeTransformer(
///         reading: { $0.integer.map { Decimal($0) / 100 } },
///         writing: { .number("\($0 * 100)") })
/// }
///
/// @Attribute("price_cents", transformer: .cents) var price: Decimal?
/// ```
public struct AttributeTransformer<Value: Sendable>: AttributeTransforming {
    private let reading: @Sendable (JSONValue) -> Value?
    private let writing: @Sendable (Value) -> JSONValue?

    /// Creates a transformer. Each closure returns `nil` for values that it can't convert.
    public init(
        reading: @escaping @Sendable (JSONValue) -> Value?, writing: @escaping @Sendable (Value) -> JSONValue?
    ) {
        self.reading = reading
        self.writing = writing
    }

    /// See ``AttributeTransforming/value(from:)``.
    public func value(from json: JSONValue) -> Value? { reading(json) }
    /// See ``AttributeTransforming/json(from:)``.
    public func json(from value: Value) -> JSONValue? { writing(value) }
}

/// The formats of values in JSON, for a whole API.
///
/// ```swift
/// let api = API("https://api.example.com", values: ValueFormats(dates: .epochSeconds))
/// ```
public struct ValueFormats: Sendable {
    /// The format of dates, unless the attribute declares one.
    public var dates: DateFormat
    /// The transformers for all attributes of their types, unless the attribute declares one.
    public var transformers: [any AttributeTransforming]
    /// The JSON that stands for a missing value besides `null`, unless the attribute declares it.
    public var nothing: NothingForms

    /// Creates formats. By default, date formats are detected, and `null` alone stands for a missing value.
    public init(
        dates: DateFormat = .automatic, transformers: [any AttributeTransforming] = [], nothing: NothingForms = []
    ) {
        self.dates = dates
        self.transformers = transformers
        self.nothing = nothing
    }
}

package struct BoundTransformer: Sendable {
    let read: @Sendable (JSONValue) -> StoredValue?
    let write: @Sendable (StoredValue) -> JSONValue?
}

/// The transformer is only known when the store opens.
package struct TransformerBinding: Sendable {
    let type: String
    /// Returns `nil` for a transformer of another type.
    let bind: @Sendable (any AttributeTransforming) -> BoundTransformer?

    init<Value: Sendable>(
        decode: @escaping @Sendable (StoredValue) -> Value, encode: @escaping @Sendable (Value) -> StoredValue,
        canonical: @escaping @Sendable (StoredValue) -> StoredValue?
    ) {
        type = "\(Value.self)"
        bind = { transformer in Self.bind(transformer, decode: decode, encode: encode, canonical: canonical) }
    }

    private static func bind<Value: Sendable, T: AttributeTransforming>(
        _ transformer: T, decode: @escaping @Sendable (StoredValue) -> Value,
        encode: @escaping @Sendable (Value) -> StoredValue,
        canonical: @escaping @Sendable (StoredValue) -> StoredValue?
    ) -> BoundTransformer? {
        guard T.Value.self == Value.self || T.Value?.self == Value.self else { return nil }
        return BoundTransformer(
            read: { json in transformer.value(from: json).flatMap { $0 as? Value }.map(encode) },
            write: { stored in
                // An unknown value reads as a default. Sending that would be wrong.
                guard canonical(stored) != nil, let value = decode(stored) as? T.Value else { return nil }
                return transformer.json(from: value)
            })
    }
}

extension AttributeTransforming {
    var valueName: String { "\(Value.self)" }
}
