import JSONBytes
import ObjectStore

/// Where in a reply's body the objects may be that were not found where they were expected: for the words of the error.
///
/// One walk over the bytes, three objects deep. It is made for a reply that has failed alone.
struct ReplyPlaces {
    private struct Place {
        let path: [String]
        /// Whether the object there, or the list's first one, has the model's identity, or a property at least.
        let fits: Bool
    }

    private let content: Reply.Content
    private let model: ModelSchema
    private var places: [Place] = []

    /// More are an object whose keys are data, as of one that has a list for each name.
    private static let limit = 5
    private static let depthLimit = 3
    /// What stands at these keys is about the reply.
    private static let otherKeys: Set<String> = ["error", "errors", "warnings", "messages", "links"]

    /// - Parameter content: what was asked for: a list is looked for, or one object.
    init(_ body: [UInt8], asking content: Reply.Content, of model: ModelSchema) {
        (self.content, self.model) = (content, model)
        // The bytes stay where they are for the whole walk.
        unsafe body.withUnsafeBytes { bytes in
            guard var reader = unsafe try? JSONReader(unsafe: bytes), (try? reader.peekKind()) == .object else {
                return
            }
            try? walk(&reader, [])
        }
    }

    /// The key paths, as `at:` takes them; the likeliest first, and none where they are too many to be told.
    ///
    /// - Parameter asked: the one that was asked for, which is none of them; empty for the whole body.
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
            // What the model itself has there is no envelope.
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

    /// Notes a place that may be the one. `reader` is a copy.
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
        // One object among others is told by its identity alone.
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
    /// The same with where in the body such objects stand instead.
    ///
    /// - Parameter asked: the keys at which they were asked for; empty for the whole body.
    func telling(_ places: [String], besides asked: [String]) -> ImportReport {
        guard !places.isEmpty, let first = rejected.first,
            first.path == "the body" || !asked.isEmpty && first.path == asked.joined(separator: ".")
        else { return self }
        var report = self
        report.rejected[0] = first.telling(places)
        return report
    }

    /// Where they stand, in words that follow "the reply holds no User".
    var placesInWords: String {
        let places = (rejected.first?.places ?? []).map { "\"\($0.replacing(#"\"#, with: #"\\"#))\"" }
        guard let first = places.first else { return "" }
        return "; it may be at \(places.joined(separator: " or ")): pass at: \(first)"
    }
}
