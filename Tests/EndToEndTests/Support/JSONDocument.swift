import Foundation

/// A JSON document as it was printed, read independently of the sample's code.
struct JSONDocument {
    let value: Any?

    init(_ text: String) throws {
        value = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    private init(value: Any?) { self.value = value }

    subscript(_ key: String) -> JSONDocument { JSONDocument(value: (value as? [String: Any])?[key]) }
    var elements: [JSONDocument] { (value as? [Any] ?? []).map { JSONDocument(value: $0) } }
    var keys: [String] { (value as? [String: Any] ?? [:]).keys.sorted() }
    var string: String? { value as? String }
    var number: Int? { value as? Int }
    var strings: [String]? { value as? [String] }
    var isNull: Bool { value is NSNull }
}
