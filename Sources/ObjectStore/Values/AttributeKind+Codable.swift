import Foundation

extension AttributeKind {
    static func codable<Value: Codable & SendableMetatype>(_ type: Value.Type) -> AttributeKind {
        .json { bytes in (try? JSONDecoder().decode(CodableBox<Value>.self, from: boxed(bytes))) != nil }
    }
}

extension Decodable {
    /// `nil` for JSON of another type.
    init?(storedJSON stored: StoredValue) {
        guard case .text(let text) = stored,
            let box = try? JSONDecoder().decode(CodableBox<Self>.self, from: boxed(text.utf8))
        else { return nil }
        self = box.value
    }
}

/// Keys are sorted, so that equal values have equal texts. Empty if JSON can't represent the value (a NaN within it);
/// then a save throws.
func storedJSON<Value: Encodable>(_ value: Value) -> StoredValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode([value]) else { return .text("") }
    return .text(String(decoding: data.dropFirst().dropLast(), as: UTF8.self))
}

/// Some decoders reject a scalar as a document.
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
