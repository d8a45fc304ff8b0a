/// A type whose values an attribute can hold.
///
/// `Bool`, every `Int` and `UInt`, `Double`, `Float`, `Decimal`, `String`, `Date`, `Data`, `URL`, `UUID`, and arrays,
/// sets and dictionaries of those conform. An enum or struct with such a raw value, arrays, sets and dictionaries of
/// such enums, and any other `Codable` type, need no conformance: the first are stored as their raw values, the last as
/// JSON.
///
/// - A raw value that no case has is kept, and goes back as it came; it reads as the default or nil, and in an array is
///   left out. An array that is set is sent as it was set.
/// - A `Codable` value that was not edited goes back as the JSON that came. One that is set is encoded anew, so keys
///   that the type does not know are gone.
/// - A value that JSON can't express (NaN, an infinity, a `Codable` value that can't be encoded) is refused by
///   `context.save()` and `object.save()` with an error that names the property. In memory it reads as it was set.
/// - A value goes out in the shape in which the last import found the attribute written: a number as a string, a date
///   in milliseconds, base64 without padding. See ``DateFormat/automatic``. A value that can't be written again so goes
///   back as the text that came, until it is edited: a date with nine digits of a fraction, a whole number of twenty
///   digits in a `Double`.
///
/// A type of your own says how JSON becomes a stored value by naming one of the kinds that exist, and converts; both
/// ways pass here. An enum with a raw value that conforms needs nothing more. For a type that is not yours, see
/// ``AttributeTransforming``. Values are converted on any actor: `nonisolated` says so in a module whose default
/// isolation is the main actor, and is empty in others.
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
    /// How JSON becomes a stored value, and the column's type.
    static var kind: AttributeKind { get }
    /// The value that `stored` stands for; `nil` when it stands for none, which reads as the attribute's default.
    init?(stored: StoredValue)
    /// What the column keeps.
    var stored: StoredValue { get }
}

/// How a JSON value becomes a stored one. The conversions that lose nothing are made (`"42"` ↔ `42`, `1.0` → `1`); all
/// else is left alone and reported by the import.
public indirect enum AttributeKind: Sendable {
    /// `true`, `false`, 0 and 1, also as strings.
    case boolean
    /// A whole number within the range, also as a string.
    case integer(ClosedRange<Int64>)
    /// A whole number from 0 to 2^64-1. What is over 2^63-1 is stored as its two's complement.
    case unsigned
    /// A whole number of up to 128 bits, stored as decimal text.
    case wideInteger(isSigned: Bool)
    /// A finite number, also as a string.
    case real
    /// A number that `Float` has without becoming infinite, also as a string.
    case float
    /// A decimal number of any size, stored as text so that no digit is lost.
    case decimal
    /// A string; numbers and booleans become their JSON text.
    case text
    /// What the attribute's ``DateFormat`` says; stored as seconds since 1970.
    case date
    /// Base64 of either alphabet, with or without padding and line breaks; stored as bytes.
    case data
    /// A string that `URL(string:)` reads, stored as it came. An empty string is none.
    case url
    /// The 36 characters of a UUID, stored in upper case.
    case uuid
    /// Any JSON for which the closure says `true`, stored as its text.
    case json(accepts: @Sendable ([UInt8]) -> Bool)
    /// An array whose elements are all of a kind, stored as its text.
    case list(of: AttributeKind)
    /// An array that says the same in any order, and however often it names an element, stored as its text.
    case set(of: AttributeKind)
    /// An object whose values are all of a kind, stored as its text.
    case dictionary(of: AttributeKind)

    /// The column that keeps such values.
    public var columnType: ColumnType {
        switch self {
        case .boolean, .integer, .unsigned: .integer
        case .real, .float, .date: .real
        case .wideInteger, .decimal, .text, .url, .uuid, .json, .list, .set, .dictionary: .text
        case .data: .blob
        }
    }

    /// What an import expects to find, for its report.
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
