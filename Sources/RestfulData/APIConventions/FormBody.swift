import Foundation
import JSONBytes

/// A JSON object as `application/x-www-form-urlencoded`, as Stripe and Rails read it: `card[number]=42&tags[]=a&tags[]=b`.
/// null is an empty value, and so is an empty list or object.
struct FormBody {
    private(set) var pairs: [String] = []
    private let lists: APIConventions.FormLists

    var bytes: [UInt8] { Array(pairs.joined(separator: "&").utf8) }

    /// - Parameter json: an object that the library wrote.
    init(_ json: [UInt8], lists: APIConventions.FormLists = .brackets) {
        self.lists = lists
        // The bytes stay where they are for the whole walk.
        unsafe json.withUnsafeBytes { bytes in
            guard var reader = unsafe try? JSONReader(unsafe: bytes) else { return }
            try? add(&reader, "")
        }
    }

    private mutating func add(_ reader: inout JSONReader, _ name: String) throws(JSONError) {
        switch try reader.peekKind() {
        case .object:
            guard try reader.enterObject() else { return name.isEmpty ? () : pairs.append(name + "=") }
            repeat {
                let key = Self.escaped(reader.string(try reader.readKey()))
                try add(&reader, name.isEmpty ? key : name + "%5B" + key + "%5D")
            } while try reader.continueObject()
        case .array:
            guard try reader.enterArray() else { return pairs.append(name + "=") }
            try addElements(&reader, name)
        default: pairs.append(name + "=" + (try Self.value(&reader)))
        }
    }

    private mutating func addElements(_ reader: inout JSONReader, _ name: String) throws(JSONError) {
        var index = 0
        var values: [String] = []
        repeat {
            let kind = try reader.peekKind()
            let isScalar = kind != .object && kind != .array
            switch lists {
            case .brackets: try add(&reader, name + "%5B%5D")
            case .repeated where isScalar: try add(&reader, name)
            case .joined where isScalar: values.append(try Self.value(&reader))
            case .indexes, .repeated, .joined: try add(&reader, name + "%5B\(index)%5D")
            }
            index += 1
        } while try reader.continueArray()
        guard case .joined(let separator) = lists, !values.isEmpty else { return }
        pairs.append(name + "=" + values.joined(separator: Self.escaped(separator)))
    }

    private static func value(_ reader: inout JSONReader) throws(JSONError) -> String {
        let scalar = try reader.readScalar()
        return scalar.kind == .null ? "" : escaped(reader.string(scalar))
    }

    private static func escaped(_ text: String) -> String {
        // Everything in a Swift string can be escaped.
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// Of RFC 3986 §2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
