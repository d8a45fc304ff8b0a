import Foundation
import JSONBytes

/// JSON as `application/x-www-form-urlencoded`: `card[number]=42&tags[]=a&tags[]=b`. null, an empty list and an empty
/// object become an empty value.
struct FormBody {
    /// A joined list with the separator in an element, or with only an empty element: a server would misread it.
    struct Ambiguity: Error {
        let path: [String]
        let separator: String
    }

    struct Refusal: Error, Equatable {
        let path: [String]
        /// Such as "a form's value with an empty key".
        let reason: String

        /// It would look like a list: `metadata[]=a`.
        static func emptyKey(_ path: [String]) -> Refusal {
            Refusal(path: path, reason: "a form's value with an empty key")
        }

        /// An object of the list is empty or shares no name with the one before. Without indexes, Rack begins a new
        /// object at a repeated name (`QueryParser`).
        static func meltingObjects(_ path: [String]) -> Refusal {
            Refusal(
                path: path,
                reason: "a list of objects that a form's reader would run together where it has no indexes "
                    + "(`formLists`)")
        }

        /// The reader's nesting limit would cut the rest.
        static func tooDeep(_ path: [String]) -> Refusal {
            Refusal(path: path, reason: "a value that nests too deeply for a form")
        }
    }

    private(set) var pairs: [String] = []
    /// The first keys of the current value, at most two.
    private var currentKeys: [String] = []
    private let lists: APIConventions.FormLists
    private var refusal: (any Error)?

    var bytes: [UInt8] { Array(pairs.joined(separator: "&").utf8) }

    /// - Throws: ``Ambiguity``, ``Refusal``.
    init(_ json: [UInt8], lists: APIConventions.FormLists = .brackets) throws {
        self.lists = lists
        // The reader doesn't outlive the closure, so its bytes stay valid.
        unsafe json.withUnsafeBytes { bytes in
            guard var reader = unsafe try? JSONReader(unsafe: bytes) else { return }
            do { try add(&reader, "", at: []) } catch { refusal = Refusal.tooDeep(currentKeys) }
        }
        if let refusal { throw refusal }
    }

    private mutating func add(_ reader: inout JSONReader, _ name: String, at path: [String]) throws(JSONError) {
        if path.count < 3 { currentKeys = path }
        switch try reader.peekKind() {
        case .object:
            guard try reader.enterObject() else { return name.isEmpty ? () : pairs.append(name + "=") }
            repeat {
                let key = reader.string(try reader.readKey())
                if key.isEmpty { refusal = Refusal.emptyKey(path) }
                let part = Self.escaped(key)
                try add(&reader, name.isEmpty ? part : name + "%5B" + part + "%5D", at: path + [key])
            } while try reader.continueObject()
        case .array:
            guard try reader.enterArray() else { return pairs.append(name + "=") }
            try addElements(&reader, name, at: path)
        default: pairs.append(name + "=" + Self.escaped(try Self.value(&reader)))
        }
    }

    private mutating func addElements(
        _ reader: inout JSONReader, _ name: String, at path: [String]
    ) throws(JSONError) {
        var index = 0
        var values: [String] = []
        var former: Set<Substring>?
        repeat {
            let kind = try reader.peekKind()
            let isScalar = kind != .object && kind != .array
            switch lists {
            case .brackets where kind == .object:
                former = try addObject(&reader, name + "%5B%5D", at: path, after: former)
            case .brackets: try add(&reader, name + "%5B%5D", at: path)
            case .repeated where isScalar: try add(&reader, name, at: path)
            case .joined where isScalar: values.append(try Self.value(&reader))
            case .indexes, .repeated, .joined: try add(&reader, name + "%5B\(index)%5D", at: path)
            }
            index += 1
        } while try reader.continueArray()
        guard case .joined(let separator) = lists, !values.isEmpty else { return }
        if values == [""] || values.contains(where: { $0.contains(separator) }) {
            refusal = Ambiguity(path: path, separator: separator)
        }
        pairs.append(name + "=" + Self.escaped(values.joined(separator: separator)))
    }

    /// Begins the object with a name of the one before, and returns its names.
    private mutating func addObject(
        _ reader: inout JSONReader, _ name: String, at path: [String], after former: Set<Substring>?
    ) throws(JSONError) -> Set<Substring> {
        let start = pairs.count
        try add(&reader, name, at: path)
        let names = pairs[start...].map { $0.prefix { $0 != "=" } }
        let first = names.firstIndex { own in
            // Only names outside nested lists begin an object.
            former.map { $0.contains(own) && !own.dropFirst(name.count).contains("%5B%5D") } ?? true
        }
        if names != [name[...]], let first {
            pairs.insert(pairs.remove(at: start + first), at: start)
        } else {
            refusal = Refusal.meltingObjects(path)
        }
        return Set(names)
    }

    private static func value(_ reader: inout JSONReader) throws(JSONError) -> String {
        let scalar = try reader.readScalar()
        return scalar.kind == .null ? "" : reader.string(scalar)
    }

    private static func escaped(_ text: String) -> String {
        // Escaping a Swift string always succeeds.
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// RFC 3986 §2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
