import JSONBytes
import ObjectStore

/// Key paths at which a reply has the objects that were expected elsewhere, for the error. One walk, three objects
/// deep.
struct ReplyPlaces {
    private struct Place {
        let path: [String]
        /// Whether the model's identity is there, or in a list at least a property.
        let fits: Bool
    }

    private let content: Reply.Content
    private let model: ModelSchema
    private var places: [Place] = []

    /// More places indicate data as keys, such as a list for each name.
    private static let limit = 5
    private static let depthLimit = 3
    private static let otherKeys: Set<String> = ["error", "errors", "warnings", "messages", "links"]

    init(_ body: [UInt8], asking content: Reply.Content, of model: ModelSchema) {
        (self.content, self.model) = (content, model)
        // The bytes outlive the reader.
        unsafe body.withUnsafeBytes { bytes in
            guard var reader = unsafe try? JSONReader(unsafe: bytes), (try? reader.peekKind()) == .object else {
                return
            }
            try? walk(&reader, [])
        }
    }

    /// The key paths, written as for `at:`. Those with properties of the model, if there are some; empty if there are
    /// too many.
    func keyPaths(besides asked: [String]) -> [String] {
        let places = places.filter { asked.isEmpty || $0.path.joined(separator: ".") != asked.joined(separator: ".") }
        let fitting = places.filter(\.fits)
        let named =
            fitting.isEmpty ? places.filter { !Self.otherKeys.contains($0.path.last?.lowercased() ?? "") } : fitting
        guard named.count <= Self.limit else { return [] }
        return named.map { $0.path.map { $0.replacing(".", with: #"\."#) }.joined(separator: ".") }
    }

    private mutating func walk(_ reader: inout JSONReader, _ path: [String]) throws(JSONError) {
        guard try reader.enterObject() else { return }
        repeat {
            let member = path + [reader.string(try reader.readKey())]
            if model.hasProperty(forJSON: member[0]) {
                _ = try reader.skipValue()
                continue
            }
            try note(reader, at: member)
            if member.count < Self.depthLimit, try reader.peekKind() == .object {
                try walk(&reader, member)
            } else {
                _ = try reader.skipValue()
            }
        } while try reader.continueObject()
    }

    /// `reader` is a copy.
    private mutating func note(_ reader: JSONReader, at path: [String]) throws(JSONError) {
        var reader = reader
        switch try reader.peekKind() {
        case .array:
            guard try reader.enterArray() else {
                if content == .list { places.append(Place(path: path, fits: false)) }
                return
            }
            guard try reader.peekKind() == .object else { return }
        case .object where content == .object: break
        default: return
        }
        let keys = try keys(&reader)
        let isObject = !model.identity.isEmpty && model.identity.allSatisfy { keys.contains(model[$0].jsonPath[0]) }
        // A single object is recognized by its identity only.
        guard isObject || content == .list else { return }
        places.append(Place(path: path, fits: isObject || keys.contains { model.hasProperty(forJSON: $0) }))
    }

    private func keys(_ reader: inout JSONReader) throws(JSONError) -> Set<String> {
        var keys: Set<String> = []
        guard try reader.enterObject() else { return keys }
        repeat {
            keys.insert(reader.string(try reader.readKey()))
            _ = try reader.skipValue()
        } while try reader.continueObject()
        return keys
    }
}

extension ImportReport {
    /// - Parameter asked: the caller's key path; empty for the whole body.
    func naming(_ places: [String], besides asked: [String]) -> ImportReport {
        guard !places.isEmpty, let first = rejected.first,
            first.path == "the body" || !asked.isEmpty && first.path == asked.joined(separator: ".")
        else { return self }
        var report = self
        report.rejected[0] = first.naming(places)
        return report
    }

    var placesInWords: String {
        let places = (rejected.first?.places ?? []).map { "\"\($0.replacing(#"\"#, with: #"\\"#))\"" }
        guard let first = places.first else { return "" }
        return "; it may be at \(places.joined(separator: " or ")): pass at: \(first)"
    }
}
