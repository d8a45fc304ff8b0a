import Foundation
public import JSONBytes

/// Any JSON, stored as its text.
extension JSONValue: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .json { _ in true } }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        self.init(text.utf8)
    }
    /// See ``AttributeValue/stored``. Equal values have equal texts. A value that JSON can't represent has an empty
    /// text, and saving it fails.
    public var stored: StoredValue { .text(text ?? "") }
}

/// Lets a `Codable` type contain any JSON.
extension JSONValue: Codable {
    /// Decodes any JSON value. Digits beyond the precision of `Decimal` are lost.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for a number outside the range of `Double`, such as `1e400`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let number = Self.number(in: container) {
            self = .number(number)
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else if (try? decoder.container(keyedBy: AnyKey.self)) != nil {
            self = .object(try container.decode([String: JSONValue].self))
        } else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "a number that is beyond those of Double"))
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private static func number(in container: any SingleValueDecodingContainer) -> String? {
        if let number = try? container.decode(Int64.self) { return String(number) }
        if let number = try? container.decode(UInt64.self) { return String(number) }
        if let number = try? container.decode(Decimal.self), !number.isNaN { return "\(number)" }
        return (try? container.decode(Double.self)).map { "\($0)" }
    }

    /// Encodes the value. Numbers have the precision of `Decimal`.
    ///
    /// - Throws: `EncodingError.invalidValue` for an invalid number, or one outside the range of `Double`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let text): try Self.encode(text, to: &container, at: encoder.codingPath)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }

    private static func encode(
        _ number: String, to container: inout any SingleValueEncodingContainer, at path: [any CodingKey]
    ) throws {
        if let value = Int64(number) { return try container.encode(value) }
        if let value = UInt64(number) { return try container.encode(value) }
        guard JSONText.isNumber(number), let nearest = Double(number), nearest.isFinite else {
            throw EncodingError.invalidValue(
                number,
                EncodingError.Context(
                    codingPath: path, debugDescription: "\"\(number)\" is no number that can be encoded"))
        }
        // Very small and very large numbers are outside the range of `Decimal`.
        guard let value = Decimal(string: number), Double("\(value)") == nearest else {
            return try container.encode(nearest)
        }
        try container.encode(value)
    }
}
