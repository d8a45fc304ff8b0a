import JSONBytes
import ObjectStore

/// The keys of a body's root, and the values at a few key paths.
///
/// One walk over the bytes copies only those. Invalid JSON is read up to the mistake, which the import reports.
struct ReplyOutline {
    struct Value: Equatable {
        let kind: JSONKind
        var text: String?
        var isEmpty = false
        /// Whether it is an object with a property of the model, or an array that begins with one.
        var hasProperty = false
        /// The URLs of links by relation: `[{"relation": "next", "url": …}]`.
        var links: [String: String] = [:]
    }

    private(set) var rootKind: JSONKind?
    private(set) var keys: Set<String> = []
    private(set) var signs: PageSigns
    /// Whether the root may report an error, also by a key such as `message`.
    private var mayReportError = false
    private(set) var reportsError = false
    /// Whether an error is certain, unlike a `code` that some services send with a success: 1, 20000.
    private var reportsRejection = false
    /// Whether the certain error is in a key that the model lacks.
    private var reportsRejectionInOwnKey = false
    /// A key that the model lacks denies a deletion: `{"id": 5, "deleted": false}`.
    private(set) var reportsNotDeleted = false
    private var values: [[String]: Value] = [:]
    private let paths: [[String]]
    private let lists: [[String]]
    /// Whether a sibling of the list's place is an array of objects.
    private var hasOtherList = false
    /// For ``Value/hasProperty``; nil if any object counts.
    private let model: ModelSchema?

    /// - Parameters:
    ///   - lists: possible places of the list. Page signs are read around them.
    ///   - signs: page signs that are known already.
    init(
        _ body: [UInt8], at paths: [[String]], around lists: [[String]], with signs: PageSigns,
        of model: ModelSchema? = nil
    ) {
        self.paths = paths.filter { !$0.isEmpty }
        self.lists = lists
        self.signs = signs
        self.model = model
        // The bytes outlive the reader.
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

    /// `reader` is a copy.
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
        guard !lists.contains(path) else { return }
        let links = try Self.links(&reader)
        values[path]?.links = links
    }

    /// FHIR's Bundle has `relation` and `url`, other services `rel` and `href`. The reader is before the first element.
    private static func links(_ reader: inout JSONReader) throws(JSONError) -> [String: String] {
        var links: [String: String] = [:]
        repeat {
            guard try reader.enterObjectOrSkip() else { continue }
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

    /// Whether the next value is an object with a property of the model. `reader` is a copy.
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

    /// `reader` is a copy.
    private mutating func readSign(
        _ reader: JSONReader, _ key: String, at member: [String]
    ) throws(JSONError) {
        guard lists.contains(where: { $0.count >= member.count && $0.starts(with: member.dropLast()) }),
            !lists.contains(member), let sign = PageSigns.key(key)
        else { return }
        var reader = reader
        try signs.read(sign, &reader)
    }

    /// Reads `"ok": false`, `"status": "error"`, `"code": 13`, `"error": …` at the root. `reader` is a copy.
    private mutating func readOutcome(_ reader: JSONReader, _ key: String) throws(JSONError) {
        var reader = reader
        func noteError(isRefusal: Bool = true) {
            (mayReportError, reportsError) = (true, true)
            guard isRefusal else { return }
            reportsRejection = true
            if let model, !model.hasProperty(forJSON: key) { reportsRejectionInOwnKey = true }
        }
        func text() throws(JSONError) -> String {
            guard ![.object, .array].contains(try reader.peekKind()) else { return "" }
            return reader.string(try reader.readScalar()).lowercased()
        }
        switch PageSigns.letters(of: key) {
        case "message", "detail": mayReportError = true
        case "error", "errors", "fault", "exception":
            mayReportError = true
            // Many services always send this key, empty for a success.
            let fragment = try reader.skipValue()
            let value = unsafe reader.bytes(of: fragment).filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if !["null", "false", "0", "\"\"", "[]", "{}"].contains(String(decoding: value, as: UTF8.self)) {
                noteError()
            }
        case "success", "ok", "succeeded":
            if ["false", "0"].contains(try text()) { noteError() }
        case "deleted":
            if let model, !model.hasProperty(forJSON: key), ["false", "0"].contains(try text()) {
                reportsNotDeleted = true
            }
        case "status", "statuscode":
            let status = try text()
            if ["error", "fail", "failed", "failure"].contains(status) || Int(status) ?? 0 >= 400 { noteError() }
        case let name where ["code", "errorcode", "errcode"].contains(name):
            if let code = Int(try text()), code != 0, !(200..<300).contains(code) {
                // Codes from 400 to 599 mean the same as in HTTP.
                noteError(isRefusal: name != "code" || (400...599).contains(code))
            }
        default: break
        }
    }

    /// The root's keys except those about a list, such as `_links` and `meta`.
    var objectKeys: Set<String> { keys.filter { ![.container, .cursors].contains(PageSigns.key($0)) } }

    /// Whether the root lacks the list and all signs of an object, an error, or members.
    func isWithoutList(at lists: [[String]], of model: ModelSchema) -> Bool {
        let isObject = model.identity.allSatisfy { objectKeys.contains(model[$0].jsonPath[0]) }
        return !lists.contains { values[$0] != nil } && !isObject && !mayReportError && !hasOtherList
            && signs.verdict(after: PageSigns.Extent(elements: 0)) != .more
    }

    /// Whether the root reports an error, and the body lacks properties of the model.
    func isRefusal(without model: ModelSchema, at paths: [[String]]) -> Bool {
        rootKind == .object && reportsRejection && !hasProperty(of: model, at: paths)
    }

    /// Whether the root reports an error in a key that the model lacks, and the body names no object.
    func isErrorReport(about model: ModelSchema, at paths: [[String]]) -> Bool {
        rootKind == .object && reportsRejectionInOwnKey && !paths.contains { values[$0]?.hasProperty == true }
            && !model.identity.allSatisfy { keys.contains(model[$0].jsonPath[0]) }
    }

    func hasProperty(of model: ModelSchema, at paths: [[String]]) -> Bool {
        keys.contains { model.hasProperty(forJSON: $0) } || paths.contains { values[$0]?.hasProperty == true }
    }

    /// Whether the root reports an error, names no object, and has null or an empty array at the paths.
    func isFailure(of model: ModelSchema, at paths: [[String]]) -> Bool {
        guard reportsRejection, !model.identity.allSatisfy({ keys.contains(model[$0].jsonPath[0]) }) else {
            return false
        }
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
                let isSiblingOfList = lists.contains { $0.count > 1 && $0.dropLast() == path[...] }
                if isSiblingOfList, try Self.hasObjects(reader) { hasOtherList = true }
                _ = try reader.skipValue()
            }
        } while try reader.continueObject()
    }

    /// `reader` is a copy.
    private static func hasObjects(_ reader: JSONReader) throws(JSONError) -> Bool {
        var reader = reader
        guard try reader.peekKind() == .array, try reader.enterArray() else { return false }
        return try reader.peekKind() == .object
    }
}
