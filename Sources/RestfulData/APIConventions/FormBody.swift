import Foundation
import JSONBytes

/// A JSON object as `application/x-www-form-urlencoded`, as Stripe and Rails read it: `card[number]=42&tags[]=a&tags[]=b`.
/// null is an empty value, and so is an empty list or object.
struct FormBody {
    private(set) var pairs: [String] = []

    var bytes: [UInt8] { Array(pairs.joined(separator: "&").utf8) }

    /// - Parameter json: an object that the library wrote.
    init(_ json: [UInt8]) {
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
            repeat { try add(&reader, name + "%5B%5D") } while try reader.continueArray()
        default:
            let scalar = try reader.readScalar()
            pairs.append(name + "=" + (scalar.kind == .null ? "" : Self.escaped(reader.string(scalar))))
        }
    }

    private static func escaped(_ text: String) -> String {
        // Everything in a Swift string can be escaped.
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// Of RFC 3986 §2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
