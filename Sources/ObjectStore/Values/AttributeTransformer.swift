public import JSONBytes

/// Turns JSON into values of a type and back, where the attribute's own conversion is not what the API means.
///
/// For one attribute: `@Attribute(transformer: .cents)`. For every attribute of that type, optional or not:
/// ``ValueFormats/transformers``; what is declared at the attribute comes first, and what is within arrays is left
/// alone. For a type of your own, conform it to ``AttributeValue`` instead.
public protocol AttributeTransforming<Value>: Sendable {
    /// The type of the attributes, or for an optional one the type that is optional; with an optional type, a
    /// transformer can make nil of a value.
    associatedtype Value: Sendable
    /// The value that JSON stands for; `nil` where it stands for none, which the import reports. `null` and a missing
    /// key never come here: the first is nil or the default, the second leaves the value alone.
    func value(from json: JSONValue) -> Value?
    /// What goes out for the value; `nil` where JSON has nothing for it, which the sending throws.
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

    /// A transformer of two closures; each returns `nil` for what it can't convert.
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

/// How values are written in JSON, for a whole API.
///
/// ```swift
/// let api = API("https://api.example.com", values: ValueFormats(dates: .epochSeconds))
/// ```
public struct ValueFormats: Sendable {
    /// The format of dates whose attribute declares none.
    public var dates: DateFormat
    /// For every attribute of their type that declares none itself.
    public var transformers: [any AttributeTransforming]
    /// What beside `null` says that there is no value, for attributes that declare nothing themselves.
    public var nothing: NothingForms

    /// Dates as they come, no transformers, and no value where it says `null`, unless told otherwise.
    public init(
        dates: DateFormat = .automatic, transformers: [any AttributeTransforming] = [], nothing: NothingForms = []
    ) {
        self.dates = dates
        self.transformers = transformers
        self.nothing = nothing
    }
}

/// A transformer between JSON and what a column keeps.
package struct BoundTransformer: Sendable {
    let read: @Sendable (JSONValue) -> StoredValue?
    let write: @Sendable (StoredValue) -> JSONValue?
}

/// What an attribute's type can do for a transformer whose type is only known when the store opens.
package struct TransformerBinding: Sendable {
    /// The attribute's type, for messages.
    let type: String
    /// `nil` for a transformer of another type.
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
                // What the type does not know, as an enum's unknown case, reads as a default, which must not go out.
                guard canonical(stored) != nil, let value = decode(stored) as? T.Value else { return nil }
                return transformer.json(from: value)
            })
    }
}

extension AttributeTransforming {
    /// The type's name, for messages.
    var valueName: String { "\(Value.self)" }
}
