import JSONBytes

/// What a body has around its objects: the keys of its root, and what stands at the few key paths that one wants to know.
///
/// One walk over the bytes that copies nothing but those keys and scalars. Of a body that is not JSON it has what stood
/// before the mistake; who imports the body says what is wrong with it.
struct ReplyOutline {
    struct Value: Equatable {
        let kind: JSONKind
        /// A scalar's text.
        var text: String?
    }

    private(set) var rootKind: JSONKind?
    /// The keys of the root, if that is an object.
    private(set) var keys: Set<String> = []
    private var values: [[String]: Value] = [:]
    private let paths: [[String]]

    /// - Parameter paths: what one wants to know.
    init(_ body: [UInt8], at paths: [[String]]) {
        self.paths = paths.filter { !$0.isEmpty }
        // The bytes stay where they are for the whole walk.
        unsafe body.withUnsafeBytes { bytes in
            guard var reader = unsafe try? JSONReader(unsafe: bytes) else { return }
            try? walk(&reader, [])
        }
    }

    subscript(path: [String]) -> Value? { values[path] }

    private mutating func walk(_ reader: inout JSONReader, _ path: [String]) throws(JSONError) {
        let kind = try reader.peekKind()
        if path.isEmpty { rootKind = kind } else { values[path] = Value(kind: kind) }
        switch kind {
        case .object:
            guard paths.contains(where: { $0.count > path.count && $0.starts(with: path) }) else { break }
            return try walkMembers(&reader, path)
        case .array: break
        default:
            let scalar = try reader.readScalar()
            values[path] = Value(kind: kind, text: reader.string(scalar))
            return
        }
        _ = try reader.skipValue()
    }

    private mutating func walkMembers(_ reader: inout JSONReader, _ path: [String]) throws(JSONError) {
        guard try reader.enterObject() else { return }
        repeat {
            let key = reader.string(try reader.readKey())
            if path.isEmpty { keys.insert(key) }
            let member = path + [key]
            if values[member] == nil, paths.contains(where: { $0.starts(with: member) }) {
                try walk(&reader, member)
            } else {
                _ = try reader.skipValue()
            }
        } while try reader.continueObject()
    }
}
