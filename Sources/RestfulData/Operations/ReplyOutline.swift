import JSONBytes
import ObjectStore

/// What a body has around its objects: the keys of its root, and what is at the few key paths that matter.
///
/// One walk over the bytes that copies nothing but those keys and scalars. Of a body that isn't JSON it has what is
/// before the mistake; whoever imports the body says what is wrong with it.
struct ReplyOutline {
    struct Value: Equatable {
        let kind: JSONKind
        /// A scalar's text.
        var text: String?
        /// Whether it is an array without elements.
        var isEmpty = false
        /// Whether it is an object, or an array that begins with one, that has a property of the model.
        var hasProperty = false
        /// Of an array of links, by their relation: `[{"relation": "next", "url": …}]`.
        var links: [String: String] = [:]
    }

    private(set) var rootKind: JSONKind?
    /// The keys of the root, if that is an object.
    private(set) var keys: Set<String> = []
    /// What is said around the list.
    private(set) var signs: PageSigns
    /// Whether the root says that something went wrong, or has words that may say so.
    private var saysFailure = false
    /// Whether it says so beyond doubt, whatever else it has.
    private(set) var saysMistake = false
    /// The same without `code`, which some services write of a success as well, 1 or 20000.
    private var saysRefusal = false
    /// The same in a key that no property of the model has.
    private var saysRefusalItself = false
    /// Whether it says so of a deletion alone, likewise: `{"id": 5, "deleted": false}`.
    private(set) var saysNotDeleted = false
    private var values: [[String]: Value] = [:]
    private let paths: [[String]]
    /// Where the list may be.
    private let lists: [[String]]
    /// Whether an object that should have the list has objects at another key.
    private var hasOtherList = false
    /// The model whose properties are looked for at the paths; nil where any object will do.
    private let model: ModelSchema?

    /// - Parameters:
    ///   - paths: the key paths that matter.
    ///   - lists: where the list may be that something may be said around.
    ///   - signs: what is said of it elsewhere.
    ///   - model: whose properties are looked for at the paths.
    init(
        _ body: [UInt8], at paths: [[String]], around lists: [[String]], with signs: PageSigns,
        of model: ModelSchema? = nil
    ) {
        self.paths = paths.filter { !$0.isEmpty }
        self.lists = lists
        self.signs = signs
        self.model = model
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
            guard path.isEmpty || paths.contains(where: { $0.count > path.count && $0.starts(with: path) }) else {
                let hasProperty = try hasProperty(reader)
                values[path]?.hasProperty = hasProperty
                break
            }
            return try walkMembers(&reader, path)
        case .array where !path.isEmpty: try noteElements(reader, at: path)
        case .array: break
        default:
            let scalar = try reader.readScalar()
            values[path] = Value(kind: kind, text: reader.string(scalar))
            return
        }
        _ = try reader.skipValue()
    }

    /// Notes whether an array is empty, and what it begins with. `reader` is a copy.
    private mutating func noteElements(_ reader: JSONReader, at path: [String]) throws(JSONError) {
        var reader = reader
        guard try reader.enterArray() else {
            values[path]?.isEmpty = true
            return
        }
        if try reader.peekKind() == .object {
            let hasProperty = try hasProperty(reader)
            values[path]?.hasProperty = hasProperty
        }
        // Each element of a list is an object of its own.
        guard !lists.contains(path) else { return }
        let links = try Self.links(&reader)
        values[path]?.links = links
    }

    /// The URLs of an array's links by their relation, as FHIR's Bundle has them, and others with `rel` and `href`. The
    /// reader stands before the first element.
    private static func links(_ reader: inout JSONReader) throws(JSONError) -> [String: String] {
        var links: [String: String] = [:]
        repeat {
            guard try reader.peekKind() == .object, try reader.enterObject() else {
                _ = try reader.skipValue()
                continue
            }
            var (relation, url): (String?, String?)
            repeat {
                let key = reader.string(try reader.readKey())
                guard try reader.peekKind() == .string else {
                    _ = try reader.skipValue()
                    continue
                }
                let text = reader.string(try reader.readScalar())
                switch key {
                case "relation", "rel": relation = text
                case "url", "href": url = text
                default: break
                }
            } while try reader.continueObject()
            if let relation, let url, links[relation] == nil { links[relation] = url }
        } while try reader.continueArray()
        return links
    }

    /// Whether the object that comes next has a property of the model. `reader` is a copy.
    private func hasProperty(_ reader: JSONReader) throws(JSONError) -> Bool {
        guard let model else { return true }
        var reader = reader
        guard try reader.enterObject() else { return false }
        repeat {
            if model.hasProperty(forJSON: reader.string(try reader.readKey())) { return true }
            _ = try reader.skipValue()
        } while try reader.continueObject()
        return false
    }

    /// Reads what a key says of the list, within the objects that are around it. `reader` is a copy.
    private mutating func readSign(
        _ reader: JSONReader, _ key: String, at member: [String]
    ) throws(JSONError) {
        guard lists.contains(where: { $0.count >= member.count && $0.starts(with: member.dropLast()) }),
            !lists.contains(member), let sign = PageSigns.key(key)
        else { return }
        var reader = reader
        try signs.read(sign, &reader)
    }

    /// Reads what a key of the root says of the request's success: `"ok": false`, `"status": "error"`, `"code": 13`, or
    /// anything of an error. `reader` is a copy.
    private mutating func readOutcome(_ reader: JSONReader, _ key: String) throws(JSONError) {
        var reader = reader
        func noteMistake(isRefusal: Bool = true) {
            (saysFailure, saysMistake) = (true, true)
            guard isRefusal else { return }
            saysRefusal = true
            if let model, !model.hasProperty(forJSON: key) { saysRefusalItself = true }
        }
        func text() throws(JSONError) -> String {
            guard ![.object, .array].contains(try reader.peekKind()) else { return "" }
            return reader.string(try reader.readScalar()).lowercased()
        }
        switch PageSigns.letters(of: key) {
        case "message", "detail": saysFailure = true
        case "error", "errors", "fault", "exception":
            saysFailure = true
            // Many services have the key in each reply.
            let fragment = try reader.skipValue()
            let value = unsafe reader.bytes(of: fragment).filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if !["null", "false", "0", "\"\"", "[]", "{}"].contains(String(decoding: value, as: UTF8.self)) {
                noteMistake()
            }
        case "success", "ok", "succeeded":
            if ["false", "0"].contains(try text()) { noteMistake() }
        case "deleted":
            if let model, !model.hasProperty(forJSON: key), ["false", "0"].contains(try text()) {
                saysNotDeleted = true
            }
        case "status", "statuscode":
            let status = try text()
            if ["error", "fail", "failed", "failure"].contains(status) || Int(status) ?? 0 >= 400 { noteMistake() }
        case let name where ["code", "errorcode", "errcode"].contains(name):
            if let code = Int(try text()), code != 0, !(200..<300).contains(code) {
                // Those of HTTP are what they are there.
                noteMistake(isRefusal: name != "code" || (400...599).contains(code))
            }
        default: break
        }
    }

    /// The keys of the root without `_links`, `meta` and the like, which are a list's where the root is one.
    var objectKeys: Set<String> { keys.filter { ![.container, .cursors].contains(PageSigns.key($0)) } }

    /// Whether an object has no list at any of the paths, names no object, and says neither that something is wrong nor
    /// that there are members.
    func isWithoutList(at lists: [[String]], of model: ModelSchema) -> Bool {
        let isObject = model.identity.allSatisfy { objectKeys.contains(model[$0].jsonPath[0]) }
        return !lists.contains { values[$0] != nil } && !isObject && !saysFailure && !hasOtherList
            && signs.verdict(after: PageSigns.Extent(elements: 0)) != .more
    }

    /// Whether an object says that what was asked for was not done, and has nothing of a model, neither in its root nor
    /// at any of the paths.
    func isRefusal(without model: ModelSchema, at paths: [[String]]) -> Bool {
        rootKind == .object && saysRefusal && !hasProperty(of: model, at: paths)
    }

    /// Whether an object says in a key of its own that what was asked for was not done, and names no object of a model,
    /// nor has anything of one at any of the paths.
    func isMistake(about model: ModelSchema, at paths: [[String]]) -> Bool {
        rootKind == .object && saysRefusalItself && !paths.contains { values[$0]?.hasProperty == true }
            && !model.identity.allSatisfy { keys.contains(model[$0].jsonPath[0]) }
    }

    /// Whether something of a model is in the root or at any of the paths.
    func hasProperty(of model: ModelSchema, at paths: [[String]]) -> Bool {
        keys.contains { model.hasProperty(forJSON: $0) } || paths.contains { values[$0]?.hasProperty == true }
    }

    /// Whether an object says that what was asked for failed, names no object, and has null or an empty array where the
    /// list or object should be.
    func isFailure(of model: ModelSchema, at paths: [[String]]) -> Bool {
        guard saysRefusal, !model.identity.allSatisfy({ keys.contains(model[$0].jsonPath[0]) }) else { return false }
        let found = paths.compactMap { values[$0] }
        return !found.isEmpty && found.allSatisfy { $0.kind == .null || $0.isEmpty }
    }

    private mutating func walkMembers(_ reader: inout JSONReader, _ path: [String]) throws(JSONError) {
        guard try reader.enterObject() else { return }
        repeat {
            let key = reader.string(try reader.readKey())
            if path.isEmpty {
                keys.insert(key)
                try readOutcome(reader, key)
            } else if let model, model.hasProperty(forJSON: key) {
                values[path]?.hasProperty = true
            }
            let member = path + [key]
            try readSign(reader, key, at: member)
            if values[member] == nil, paths.contains(where: { $0.starts(with: member) }) {
                try walk(&reader, member)
            } else {
                let isBesideList = lists.contains { $0.count > 1 && $0.dropLast() == path[...] }
                if isBesideList, try Self.hasObjects(reader) { hasOtherList = true }
                _ = try reader.skipValue()
            }
        } while try reader.continueObject()
    }

    /// Whether an array of objects comes next. `reader` is a copy.
    private static func hasObjects(_ reader: JSONReader) throws(JSONError) -> Bool {
        var reader = reader
        guard try reader.peekKind() == .array, try reader.enterArray() else { return false }
        return try reader.peekKind() == .object
    }
}
