import RestfulData
import RestfulDataTesting

/// Stops in the middle of an import's transaction, where a test may do something on the writer's thread.
struct Mark: Codable, Equatable {
    var text = ""
}

extension ValueFormats {
    /// Runs `body` with the text of each ``Mark`` that an import reads, before the object's row is written.
    static func marking(_ body: @escaping @Sendable (String) -> Void) -> ValueFormats {
        let transformer = AttributeTransformer<Mark>(
            reading: { json in
                json.string.map { text in
                    body(text)
                    return Mark(text: text)
                }
            },
            writing: { .string($0.text) })
        return ValueFormats(transformers: [transformer])
    }
}

/// Named by a key that is known before its identity, with relationships of each kind that only one side has.
@Model("/buoys", key: "name")
final class Buoy {
    var identifier: Int?
    var name = ""
    var note: String?
    var depth: Int?
    @Attribute(access: .readOnly) var slug: String?
    var mark: Mark?
    @Relationship(inverse: nil) var anchor: Buoy?
    @Relationship(inverse: nil) var near: [Buoy]
}
