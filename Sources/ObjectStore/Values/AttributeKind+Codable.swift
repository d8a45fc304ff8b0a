import Foundation

extension AttributeKind {
    /// JSON that `JSONDecoder` makes a `Value` of.
    static func codable<Value: Codable & SendableMetatype>(_ type: Value.Type) -> AttributeKind {
        .json { bytes in (try? JSONDecoder().decode(CodableBox<Value>.self, from: boxed(bytes))) != nil }
    }
}

extension Decodable {
    /// The value of a column that keeps JSON text; `nil` when the text is not of this type.
    init?(storedJSON stored: StoredValue) {
        guard case .text(let text) = stored,
            let box = try? JSONDecoder().decode(CodableBox<Self>.self, from: boxed(text.utf8))
        else { return nil }
        self = box.value
    }
}

/// The JSON text of `value`, with sorted keys so that equal values are equal text; text that is no JSON, and is refused
/// when it is saved, for one that JSON can't express (a NaN within it).
func storedJSON<Value: Encodable>(_ value: Value) -> StoredValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode([value]) else { return .text("") }
    return .text(String(decoding: data.dropFirst().dropLast(), as: UTF8.self))
}

/// A one-element array around any JSON, as a bare scalar is not a document to every decoder.
private func boxed(_ json: some Sequence<UInt8>) -> Data {
    var data = Data("[".utf8)
    data.append(contentsOf: json)
    data.append(UInt8(ascii: "]"))
    return data
}

private struct CodableBox<Value: Decodable>: Decodable {
    let value: Value
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        value = try container.decode(Value.self)
    }
}
