import Foundation

/// What was changed here and the server has not confirmed: by the property's name, the value that the server last said
/// (null for a list). It is kept as JSON in the row's `_unsent` column, so it survives a restart.
struct UnsentChanges: Equatable {
    var bases: [String: StoredValue] = [:]

    init() {}

    /// Text that is not such JSON reads as no changes.
    init(text: String?) {
        guard let text, let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            return
        }
        for (name, value) in object {
            bases[name] = (value as? [String: Any]).flatMap(Self.storedValue) ?? .null
        }
    }

    /// `nil` when there are none.
    var text: String? {
        guard !bases.isEmpty else { return nil }
        let object = bases.mapValues(Self.jsonObject)
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    // Each value under the name of its storage class, with numbers as text: no digit is lost and 1 is not 1.0.
    private static func jsonObject(_ value: StoredValue) -> [String: String] {
        switch value {
        case .null: [:]
        case .integer(let value): ["integer": String(value)]
        case .real(let value): ["real": String(value)]
        case .text(let value): ["text": value]
        case .blob(let value): ["blob": Data(value).base64EncodedString()]
        }
    }

    private static func storedValue(_ object: [String: Any]) -> StoredValue? {
        guard let (kind, value) = object.first, let text = value as? String else { return nil }
        switch kind {
        case "integer": return Int64(text).map(StoredValue.integer)
        case "real": return Double(text).map(StoredValue.real)
        case "text": return .text(text)
        case "blob": return Data(base64Encoded: text).map { .blob(Array($0)) }
        default: return nil
        }
    }
}
