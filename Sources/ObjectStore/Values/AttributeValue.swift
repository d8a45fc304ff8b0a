/// A type whose values an attribute can hold.
///
/// `Bool`, every `Int` and `UInt`, `Double`, `Float`, `Decimal`, `String`, `Date`, `Data`, `URL`, `UUID`, and arrays and
/// dictionaries of those conform. An enum with such a raw value, and any other `Codable` type, needs no conformance: the
/// first is stored as its raw value, the second as JSON.
///
/// A type of your own says how JSON becomes a stored value by naming one of the kinds that exist, and converts:
///
/// ```swift
/// extension Version: AttributeValue {
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
public enum AttributeKind: Sendable {
    /// `true`, `false`, 0 and 1, also as strings.
    case boolean
    /// A whole number within the range, also as a string.
    case integer(ClosedRange<Int64>)
    /// A whole number from 0 to 2^64-1. What is over 2^63-1 is stored as its two's complement.
    case unsigned
    /// A finite number, also as a string.
    case real
    /// A decimal number of any size, stored as text so that no digit is lost.
    case decimal
    /// A string; numbers and booleans become their JSON text.
    case text
    /// ISO 8601 or seconds since 1970; stored as seconds since 1970.
    case date
    /// Base64, stored as bytes.
    case data
    /// A string that `URL(string:)` reads, stored as it came.
    case url
    /// The 36 characters of a UUID, stored in upper case.
    case uuid
    /// Any JSON for which the closure says `true`, stored as its text.
    case json(accepts: @Sendable ([UInt8]) -> Bool)

    /// The column that keeps such values.
    public var columnType: ColumnType {
        switch self {
        case .boolean, .integer, .unsigned: .integer
        case .real, .date: .real
        case .decimal, .text, .url, .uuid, .json: .text
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
        case .real: "a number"
        case .decimal: "a decimal number"
        case .text: "a string"
        case .date: "a date (ISO 8601 or seconds since 1970)"
        case .data: "base64 text"
        case .url: "a URL"
        case .uuid: "a UUID"
        case .json: "JSON of the declared type"
        }
    }
}
