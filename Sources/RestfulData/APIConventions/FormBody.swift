import Foundation
import JSONBytes

/// A JSON object as `application/x-www-form-urlencoded`, as Stripe and Rails read it:
/// `card[number]=42&tags[]=a&tags[]=b`. null is an empty value, and so is an empty list or object.
struct FormBody {
    /// A list that would be read as another: one of its values has the separator in it, or the only one is empty.
    struct Ambiguity: Error {
        /// The keys that lead to the list.
        let path: [String]
        let separator: String
    }

    /// A value that a form can't express.
    struct Refusal: Error, Equatable {
        /// The keys that lead to it.
        let path: [String]
        /// What it is, in words: "a form's value with an empty key".
        let reason: String

        /// An object with an empty key, whose name would be that of a list: `metadata[]=a`.
        static func emptyKey(_ path: [String]) -> Refusal {
            Refusal(path: path, reason: "a form's value with an empty key")
        }

        /// A list of objects that would be read as another: one is empty, or has no name of the one before, by which
        /// readers of brackets without indexes begin a new one (Rack's `QueryParser`).
        static func meltingObjects(_ path: [String]) -> Refusal {
            Refusal(
                path: path,
                reason: "a list of objects that a form's reader would run together where it has no indexes "
                    + "(`formLists`)")
        }

        /// A value that nests deeper than is read: the rest would be left out.
        static func tooDeep(_ path: [String]) -> Refusal {
            Refusal(path: path, reason: "a value that nests too deeply for a form")
        }
    }

    private(set) var pairs: [String] = []
    /// The first keys that lead to what is being written.
    private var place: [String] = []
    private let lists: APIConventions.FormLists
    private var refusal: (any Error)?

    var bytes: [UInt8] { Array(pairs.joined(separator: "&").utf8) }

    /// - Parameter json: an object that the library wrote.
    /// - Throws: ``Ambiguity``, ``Refusal``.
    init(_ json: [UInt8], lists: APIConventions.FormLists = .brackets) throws {
        self.lists = lists
        // The bytes stay where they are for the whole walk.
        unsafe json.withUnsafeBytes { bytes in
            guard var reader = unsafe try? JSONReader(unsafe: bytes) else { return }
            do { try add(&reader, "", at: []) } catch { refusal = Refusal.tooDeep(place) }
        }
        if let refusal { throw refusal }
    }

    private mutating func add(_ reader: inout JSONReader, _ name: String, at path: [String]) throws(JSONError) {
        if path.count < 3 { place = path }
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

    /// Adds an object of a list in brackets, so that it begins with a name of the one before.
    ///
    /// - Returns: its names.
    private mutating func addObject(
        _ reader: inout JSONReader, _ name: String, at path: [String], after former: Set<Substring>?
    ) throws(JSONError) -> Set<Substring> {
        let start = pairs.count
        try add(&reader, name, at: path)
        let names = pairs[start...].map { $0.prefix { $0 != "=" } }
        let first = names.firstIndex { own in
            // An element of a list within begins nothing.
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
        // Everything in a Swift string can be escaped.
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// Of RFC 3986 §2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
