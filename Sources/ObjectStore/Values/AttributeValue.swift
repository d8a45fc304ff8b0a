/// A type of attribute values.
///
/// These types conform: `Bool`, every `Int` and `UInt`, `Double`, `Float`, `Decimal`, `String`, `Date`, `Data`, `URL`,
/// `UUID`, and arrays, sets and dictionaries of those. These need no conformance: enums and structs with such a raw
/// value, and collections of such enums, stored as raw values; `Codable` types, stored as JSON.
///
/// - An unknown raw value of an enum is kept and sent back unchanged. It reads as the default or nil; an array omits
///   it, and one that you set is sent as you set it.
/// - An unedited `Codable` value is sent back as it was received. One that you set is encoded anew, without keys that
///   the type lacks.
/// - If JSON can't represent a value (NaN, an infinity, an invalid `Codable` value), `context.save()` and
///   `object.save()` throw an error that names the property. In memory the value reads as you set it.
/// - A value is sent in the form of the attribute's last import: a number as a string, a date in milliseconds (see
///   ``DateFormat/automatic``), base64 without padding. One that can't be written so again, such as an integer of
///   twenty digits in a `Double`, is sent as received until you edit it.
///
/// To conform your own type, choose the kind by which JSON is read, and convert from and to stored values. An enum with
/// a conforming raw value conforms by declaration alone. For a type of another module, see ``AttributeTransforming``.
/// Values are converted on any actor, so declare the conformance `nonisolated` in a module whose default isolation is
/// the main actor.
///
/// ```swift
/// nonisolated extension Version: AttributeValue {
///     static var kind: AttributeKind { .text }
///     init?(stored: StoredValue) {
///         guard case .text(let text) = stored else { return nil }
///         self.init(text)
///     }
///     var stored: StoredValue { .text(description) }
/// }
/// ```
public protocol AttributeValue: Sendable, IdentityPart {
    /// How JSON is converted to a stored value, and the column's type.
    static var kind: AttributeKind { get }
    /// Creates the value that `stored` represents; `nil` if it represents none, which reads as the attribute's default.
    init?(stored: StoredValue)
    /// The value in the form that the column stores.
    var stored: StoredValue { get }
}

/// How a JSON value is converted to a stored one. Only lossless conversions are made (`"42"` ↔ `42`, `1.0` → `1`).
/// Other values are left out and reported.
public indirect enum AttributeKind: Sendable {
    /// `true`, `false`, 0 and 1, also as strings.
    case boolean
    /// An integer within the range, also as a string.
    case integer(ClosedRange<Int64>)
    /// An integer from 0 to 2^64-1, stored as its two's complement.
    case unsigned
    /// An integer of up to 128 bits, stored as decimal text.
    case wideInteger(isSigned: Bool)
    /// A finite number, also as a string.
    case real
    /// A number within the finite range of `Float`, also as a string.
    case float
    /// A decimal number of any size, stored as text to keep all digits.
    case decimal
    /// A string; numbers and booleans become their JSON text.
    case text
    /// A date in the attribute's ``DateFormat``, stored as seconds since 1970.
    case date
    /// Base64 of either alphabet, with or without padding and line breaks; stored as bytes.
    case data
    /// A string that `URL(string:)` accepts, stored as received. An empty one stands for a missing value.
    case url
    /// The 36 characters of a UUID, stored in upper case.
    case uuid
    /// Any JSON that the closure accepts, stored as its text.
    case json(accepts: @Sendable ([UInt8]) -> Bool)
    /// An array with elements of one kind, stored as its text.
    case list(of: AttributeKind)
    /// An array without order and repetitions, stored as its text.
    case set(of: AttributeKind)
    /// An object with values of one kind, stored as its text.
    case dictionary(of: AttributeKind)

    /// The type of a column for such values.
    public var columnType: ColumnType {
        switch self {
        case .boolean, .integer, .unsigned: .integer
        case .real, .float, .date: .real
        case .wideInteger, .decimal, .text, .url, .uuid, .json, .list, .set, .dictionary: .text
        case .data: .blob
        }
    }

    /// The expected JSON, in words, for import reports.
    public var expectation: String {
        switch self {
        case .boolean: "true or false"
        case .integer(let range):
            range == Int64.min...Int64.max
                ? "a whole number" : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .unsigned: "a whole number from 0"
        case .wideInteger(let isSigned):
            isSigned ? "a whole number of at most 128 bits" : "a whole number from 0 of at most 128 bits"
        case .real: "a number"
        case .float: "a number up to \(Float.greatestFiniteMagnitude)"
        case .decimal: "a decimal number"
        case .text: "a string"
        case .date: "a date (ISO 8601 or seconds since 1970)"
        case .data: "base64 text"
        case .url: "a URL"
        case .uuid: "a UUID"
        case .json: "JSON of the declared type"
        case .list(let element), .set(let element): "an array, each element \(element.expectation)"
        case .dictionary(let element): "an object, each value \(element.expectation)"
        }
    }
}
